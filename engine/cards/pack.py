"""Cards, packs and sets of cards (A2, A17; notation.md, Cards).

A card is one bit of an int, and a set of cards is an int. Bits are in canonical order, so listing a set from its lowest
bit up puts its actions into canonical order, too. The two copies of a card in a double pack are neighbouring bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import TypeVar

from bowerbird.engine.actions import RANKS, SUITS, Action
from bowerbird.engine.cards.trump_order import TrumpOrder

SINGLE_JOKER = ("X1",)
THREE_JOKERS = ("X1", "X2", "X3")
TWO_JOKERS = ("Xr", "Xb")

Item = TypeVar("Item")

CARD_KINDS = ("play", "discard", "give", "dictate", "show")
"""Kinds of actions with a card."""

_PIECES = {36: 12, 56: 14}
"""The number of cards in each piece of a table, by the size of the largest pack that uses it.

A table has at most four pieces. The number is even, so both copies of a card in a double pack are in the same piece.
"""


class Pack:
    """A pack of cards, with tables that depend only on the pack. Immutable; equal packs are the same object.

    Attributes:
        codes: the text of every card in canonical order. A double pack contains the single pack twice, then the jokers.
        cards: the bit of every card, in the same order.
        whole: the set of all cards.
        code: text of a card by its bit.
        bits: the set of a card's copies, by its text (one bit, or two in a double pack).
        equal_jokers: whether the jokers are equal, so that the one played second beats the first (V19 `bennies` =
            same).
        first_wins: whether the first of two copies of a card played is higher (V22.3), rather than the second (A5c).
        of_card: the set of copies of an action's card, by action.
        text: a function from a set of cards to their codes in canonical order; if both copies are in the set, the code
            appears twice.
        plays: a function from a set of cards to the `play` actions in canonical order, each token once.
    """

    __slots__ = (
        *(
            "_first",
            "_orders",
            "_tables",
            "bit_order",
            "bits",
            "cards",
            "code",
            "codes",
            "double",
            "equal_jokers",
            "first_wins",
            "jokers",
        ),
        *("of_card", "plays", "ranks", "size", "text", "whole"),
    )

    def __init__(
        self, ranks: int, jokers: tuple[str, ...], *, double: bool, equal_jokers: bool, first_wins: bool
    ) -> None:
        single = tuple(rank + suit for suit in SUITS for rank in RANKS[:ranks])
        copies = 2 if double else 1
        self.ranks = RANKS[:ranks]
        self.jokers = jokers
        self.double = double
        self.equal_jokers = equal_jokers
        self.first_wins = first_wins
        self.codes = single * copies + jokers
        self.cards = tuple(
            [1 << (copies * k + copy) for copy in range(copies) for k in range(len(single))]
            + [1 << (copies * len(single) + k) for k in range(len(jokers))]
        )
        self.size = len(self.codes)
        self.whole = (1 << self.size) - 1
        self.code = dict(zip(self.cards, self.codes, strict=True))
        self.bits: dict[str, int] = {}
        for bit, code in self.code.items():
            self.bits[code] = self.bits.get(code, 0) | bit
        self._first = {bit: self.bits[code] & -self.bits[code] for bit, code in self.code.items()}
        self.bit_order = tuple(self.code[1 << k] for k in range(self.size))
        self.of_card = {Action(f"{kind} {code}"): bits for kind in CARD_KINDS for code, bits in self.bits.items()}
        self.text = _tabled(self.bit_order, drop_twins=False)
        self.plays = self._actions("play")
        self._tables: dict[str, Callable[[int], tuple[Action, ...]]] = {}
        self._orders: dict[str, TrumpOrder] = {}

    def __repr__(self) -> str:
        return f"<pack of {self.size} cards>"

    def __reduce__(self) -> tuple[object, ...]:
        return _pack, (len(self.ranks), self.jokers, self.double, self.equal_jokers, self.first_wins)

    def order(self, trump: str) -> TrumpOrder:
        """Return the order of the cards under `trump` ("s", "h", "d", "c", "nt" or "low"), computed only once."""
        found = self._orders.get(trump)
        if found is None:
            made = TrumpOrder(self.code, trump, equal_jokers=self.equal_jokers, first_wins=self.first_wins)
            found = self._orders.setdefault(trump, made)
        return found

    def discards(self, cards: int) -> tuple[Action, ...]:
        """Return the `discard` actions of a set of cards in canonical order, each token once."""
        return self._choices("discard", cards)

    def gives(self, cards: int) -> tuple[Action, ...]:
        """Return the `give` actions of a set of cards in canonical order, each token once."""
        return self._choices("give", cards)

    def dictates(self, cards: int) -> tuple[Action, ...]:
        """Return the `dictate` actions of a set of cards in canonical order, each token once."""
        return self._choices("dictate", cards)

    def shows(self, cards: int) -> tuple[Action, ...]:
        """Return the `show` actions of a set of cards in canonical order, each token once."""
        return self._choices("show", cards)

    def _choices(self, kind: str, cards: int) -> tuple[Action, ...]:
        choices = self._tables.get(kind)
        if choices is None:  # computed when first needed: most packs never need `dictate`
            choices = self._tables[kind] = self._actions(kind)
        return choices(cards)

    def _actions(self, kind: str) -> Callable[[int], tuple[Action, ...]]:
        return _tabled([Action(f"{kind} {code}") for code in self.bit_order], drop_twins=True)

    def set_of(self, codes: Sequence[str]) -> int:
        """Return the set of the cards `codes`; a repeated code means both copies.

        Raises:
            KeyError: a code is not in the pack, or appears more often than the card has copies.
        """
        cards = 0
        for code in codes:
            free = self.bits[code] & ~cards
            if not free:
                raise KeyError(code)
            cards |= free & -free
        return cards

    def written(self, order: Sequence[int]) -> str:
        """Return the cards of `order` as text ("As 9d Jc ..."); at least two cards."""
        return " ".join(itemgetter(*order)(self.code))

    def alike(self, orders: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        """Return `orders` with each card replaced by its first copy, so that equal-looking orders are equal (A17)."""
        if not self.double:
            return orders
        return tuple([itemgetter(*order)(self._first) for order in orders])

    def suit_of(self, card: int) -> str:
        """Return the printed suit of `card`, "" for a joker."""
        code = self.code[card]
        return "" if code[0] == "X" else code[1]


def members(cards: int) -> Iterator[int]:
    """Return the cards of a set one by one, from the lowest bit (canonical order in a single pack)."""
    while cards:
        card = cards & -cards
        yield card
        cards ^= card


def _tabled(items: Sequence[Item], *, drop_twins: bool) -> Callable[[int], tuple[Item, ...]]:
    """Return a function from a set of cards to the tuple of their items. It uses a table for each piece of the pack."""
    size = next(size for most, size in _PIECES.items() if len(items) <= most)
    low, *rest = [_table(items[start : start + size], drop_twins) for start in range(0, len(items), size)]
    mask = (1 << size) - 1

    def two(cards: int) -> tuple[Item, ...]:
        return low[cards & mask] + high[cards >> size]

    def three(cards: int) -> tuple[Item, ...]:
        return low[cards & mask] + middle[cards >> size & mask] + high[cards >> 2 * size]

    def four(cards: int) -> tuple[Item, ...]:
        upper = cards >> 2 * size
        return low[cards & mask] + middle[cards >> size & mask] + third[upper & mask] + high[upper >> size]

    if len(rest) < 2:
        high = rest[0] if rest else [()]
        return two
    if len(rest) == 2:
        middle, high = rest
        return three
    middle, third, high = rest
    return four


def _table(items: Sequence[Item], drop_twins: bool) -> list[tuple[Item, ...]]:
    """Return a table of every set of cards and its tuple of items; bit k stands for item k."""
    table: list[tuple[Item, ...]] = [()]
    for item in items:  # the table has the sets without this item; append the sets with it
        if drop_twins:
            table += [held if held and held[-1] is item else (*held, item) for held in table]
        else:
            table += [(*held, item) for held in table]
    return table


@cache
def _pack(ranks: int, jokers: tuple[str, ...], double: bool, equal_jokers: bool, first_wins: bool) -> Pack:
    return Pack(ranks, jokers, double=double, equal_jokers=equal_jokers, first_wins=first_wins)


def pack_of(
    ranks: int,
    jokers: tuple[str, ...] = (),
    *,
    double: bool = False,
    equal_jokers: bool = False,
    first_wins: bool = False,
) -> Pack:
    """Return the pack with the highest `ranks` ranks of each suit (6: A to 9) and the jokers `jokers`."""
    return _pack(ranks, jokers, double, equal_jokers, first_wins)
