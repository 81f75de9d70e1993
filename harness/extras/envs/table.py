"""The table of an environment that plays one game at a time: its options, its seeds, and the view of each seat.

Input: a variant with options, seeds, action numbers. Output: the game in play, observations and masks. Both
environments for one game are built on it: `pettingzoo` and `gymnasium`.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Action, EngineError, Game, Rules, did_you_mean, known_are, new_game, rules_of
from bowerbird.harness.extras.envs.limits import with_hand_limit
from bowerbird.harness.extras.envs.rewards import of_game, of_hand
from bowerbird.harness.extras.envs.seeds import Seed, secret_of
from bowerbird.harness.features.observing import Observer, observer_of
from bowerbird.harness.features.tracking import Tracker

VARIANT_OPTIONS = "variant_options"
"""The only key of the options of `reset`."""

PROBE = {"options": 1}
"""The options with which PettingZoo's own test checks whether `reset` accepts options. They change nothing."""


class OptionsError(EngineError, ValueError):
    """An argument is not valid for an environment."""


class Table:
    """One game of a variant after another, and the seats at it.

    Attributes:
        rules: the rules in force.
        observer: its layout and action numbers, which never change.
        tracker: the game in play; None before the first `begin`.

    Raises:
        UnknownVariant, InvalidOption: the variant or an option is wrong.
    """

    def __init__(self, variant: str, options: Mapping[str, object] | None) -> None:
        self._options = dict(options or {})
        self.rules = rules_of(variant).rules(with_hand_limit(self._options))
        self.observer: Observer = observer_of(variant, self.rules.options)
        self.tracker: Tracker | None = None
        self._secret = os.urandom(32)
        self._number = -1

    @property
    def game(self) -> Game:
        """The game in play, once there is one."""
        assert self.tracker is not None, "a game comes after reset"
        return self.tracker.game

    def begin(self, seed: Seed | None, options: Mapping[str, object] | None) -> None:
        """Begin a game: the first game of `seed` or, without one, the next game of the last seed.

        options: the options of `reset`.

        Raises:
            SeedError, InvalidOption: the seed or an option is wrong.
            OptionsError: a key is unknown, or the options would change seats, actions or observations.
        """
        changed = self._variant_options(options or {})
        rules = self._with_options(changed) if changed else self.rules
        secret = self._secret if seed is None else secret_of(seed)
        number = 0 if seed is not None else self._number + 1
        self._options |= changed
        self.rules, self._secret, self._number = rules, secret, number
        game = new_game(rules.variant, rules.options, seed=secret, set_number=number)
        self.tracker = Tracker(self.observer, game)

    def _variant_options(self, options: object) -> Mapping[str, object]:
        """Return the variant's options from the options of `reset`."""
        if not isinstance(options, Mapping):
            raise OptionsError(f'reset takes options as {{"{VARIANT_OPTIONS}": …}}, not {options!r}')
        if options == PROBE:
            return {}
        for name in options:
            if name in rules_of(self.rules.variant).options:
                raise OptionsError(f'reset takes options of the variant as {{"{VARIANT_OPTIONS}": {{"{name}": …}}}}')
            if name != VARIANT_OPTIONS:
                hint = did_you_mean(str(name), [VARIANT_OPTIONS]) or known_are([VARIANT_OPTIONS])
                raise OptionsError(f"unknown key {name!r} in the options of reset{hint}")
        changed = options.get(VARIANT_OPTIONS, {})
        if not isinstance(changed, Mapping):
            raise OptionsError(f"{VARIANT_OPTIONS} must be a mapping of options to values, not {changed!r}")
        return changed

    def _with_options(self, options: Mapping[str, object]) -> Rules:
        """Return the rules with `options` added to those in force. Raises OptionsError if they change the spaces."""
        rules = rules_of(self.rules.variant).rules(with_hand_limit({**self._options, **options}))
        old, new = self.observer, observer_of(rules.variant, rules.options)
        if (new.layout.fields, new.actions.actions) != (old.layout.fields, old.actions.actions):
            given = ", ".join(f"{name} = {value}" for name, value in options.items())
            raise OptionsError(
                f"reset cannot take {given}: it changes seats, actions or observations; make another env"
            )
        return rules

    def action(self, number: object) -> Action:
        """Return the action with a number. Raises OptionsError if there is none."""
        actions = self.observer.actions
        return actions[number_of(number, len(actions))]

    def observation(self, seat: int) -> NDArray[np.float32]:
        """Return what a seat knows, in a new array."""
        assert self.tracker is not None, "a game comes after reset"
        layout = self.observer.layout
        found = np.empty(layout.size, dtype=np.float32)
        row = np.frombuffer(self.tracker.packed(seat), dtype=np.uint8)
        found[: layout.bits] = np.unpackbits(row, count=layout.bits, bitorder="little")
        found[layout.bits :] = np.frombuffer(self.tracker.numbers(seat), dtype=np.float32)
        return found

    def mask(self, seat: int) -> NDArray[np.int8]:
        """Return a new array with 1 for each legal action of a seat and 0 for others: all zeros unless it must
        decide."""
        game = self.game
        return self.observer.actions.mask(game.legal_actions() if game.actor == seat else ())

    def rewards(self, reward: str) -> tuple[float, ...]:
        """Return the rewards of the hand that has just ended, by seat (`bowerbird.harness.extras.envs.rewards`)."""
        game = self.game
        if reward == "hand":
            return of_hand(self.rules, game.results[-1].points)
        return of_game(game) if game.is_over else (0.0,) * game.players


def number_of(action: object, actions: int) -> int:
    """Return the number of an action as a Python int.

    Raises OptionsError unless it is from 0 to `actions` - 1. Numpy's integers and its arrays without dimensions are
    accepted. Booleans and fractions are not.
    """
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)  # type: ignore[arg-type]  # it may be anything
    except TypeError:
        number = -1
    if not 0 <= number < actions:
        raise OptionsError(f"an action must be a whole number from 0 to {actions - 1}, not {action!r}")
    return number


def check_render_mode(mode: object, modes: Sequence[str]) -> None:
    """Raise OptionsError unless `mode` is None or one of `modes`."""
    if mode is not None and mode not in modes:
        raise OptionsError(f"unknown render_mode {mode!r}{did_you_mean(str(mode), modes) or known_are(modes)}")
