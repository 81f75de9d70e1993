"""The numbers of actions, which are fixed by variant and options, whatever the state of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Action, IllegalAction, OptionValue, Rules, counted, rules_of

Mask = NDArray[np.int8]
"""One number for each action: 1 if it is legal, else 0."""


SETS_KEPT = 1 << 13
"""The most tuples of legal actions whose sets are kept. Most recur often."""


class _Sets(dict[tuple[Action, ...], int]):
    """Sets of legal actions as ints, each computed when it is first needed."""

    def __init__(self, bit: Mapping[Action, int]) -> None:
        super().__init__()
        self._bit = bit

    def __reduce__(self) -> tuple[type[_Sets], tuple[Mapping[Action, int]]]:
        return type(self), (self._bit,)

    def __missing__(self, legal: tuple[Action, ...]) -> int:
        if len(self) >= SETS_KEPT:
            self.clear()
        found = self[legal] = sum([self._bit[action] for action in legal])
        return found


class ActionNumbers:
    """The actions of a variant under its options, numbered from 0 in canonical order (notation.md).

    >>> numbers = action_numbers("euchre")
    >>> len(numbers), numbers[0], numbers[10], numbers.of("play As")
    (59, Action('pass'), Action('call c alone'), 35)

    Attributes:
        actions: every action by its number.
        number: the number of each action.
        bit: the bit of each action in a set of actions: 1 << number.
        bits: the set of any legal actions as an int made of their bits.
        first_card: by kind, the number of its first action, if it has one for each card of the pack in the order of the
            cards' bits. A set of cards, shifted by this number, is the set of their actions.
    """

    def __init__(self, rules: Rules) -> None:
        self.variant = rules.variant
        self.actions = rules.every_action()
        self.number = {action: number for number, action in enumerate(self.actions)}
        self.bit = {action: 1 << number for number, action in enumerate(self.actions)}
        self.bits: Mapping[tuple[Action, ...], int] = _Sets(self.bit)
        self.first_card: dict[str, int] = {}
        codes = rules.pack.bit_order
        for kind in dict.fromkeys(action.kind for action in self.actions if action.card):
            numbers = [self.number.get(Action(f"{kind} {code}")) for code in codes]
            if numbers[0] is not None and numbers == [numbers[0] + place for place in range(len(codes))]:
                self.first_card[kind] = numbers[0]

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, number: int) -> Action:
        """Return the action of a number; raise IllegalAction if there is none."""
        if not 0 <= number < len(self.actions):
            raise IllegalAction(f"there is no action {number}: {self.variant} numbers its actions 0 to {len(self) - 1}")
        return self.actions[number]

    def __str__(self) -> str:
        """Return the numbers and tokens, one kind per line. On a line with cards, the tokens differ in the card."""
        lines = []
        for kind in dict.fromkeys(action.kind for action in self.actions):
            ours = [action for action in self.actions if action.kind == kind]
            first, last = self.number[ours[0]], self.number[ours[-1]]
            cards = " ".join(action.card for action in ours if action.card)
            tokens = f"{kind} {cards}" if cards else ", ".join(map(str, ours))
            lines.append(f"{first if first == last else f'{first}-{last}':>9}  {tokens}")
        return "\n".join(lines)

    def of(self, action: Action | str) -> int:
        """Return the number of an action; raise IllegalAction if the variant with its options does not have it."""
        number = self.number.get(Action(str(action)))
        if number is None:
            raise IllegalAction(
                f'"{action}" has no number: it is not one of the {counted(len(self), "action")} of {self.variant}'
            )
        return number

    def mask(self, legal: Iterable[Action]) -> Mask:
        """Return the mask of the legal actions."""
        mask = np.zeros(len(self.actions), dtype=np.int8)
        for action in legal:
            mask[self.number[action]] = 1
        return mask


def numbers_of(rules: Rules) -> ActionNumbers:
    """Return the numbers of actions under `rules`, computed once."""
    return action_numbers(rules.variant, rules.options)


def action_numbers(variant: str, options: Mapping[str, object] | None = None) -> ActionNumbers:
    """Return the numbers of actions of a variant under `options`, computed once.

    Raises:
        UnknownVariant: no variant has this name.
        InvalidOption: an option is not allowed.
    """
    return _numbered(variant, rules_of(variant).rules(options).options)


@lru_cache(maxsize=512)
def _numbered(variant: str, options: Mapping[str, OptionValue]) -> ActionNumbers:
    return ActionNumbers(rules_of(variant).rules(options))
