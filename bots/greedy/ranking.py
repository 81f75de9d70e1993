"""The cards of a pack under one trump, as sets of bits: what is trump, what beats what inside a suit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine import SeatView, Variant, rules_of
from engine.cards import Pack

SUITS = ("s", "h", "d", "c")


class Ranking:
    """A pack under one trump (A3). Immutable; one object for each pack and trump.

    Attributes:
        pack: the pack; a card is one bit, a set of cards an int.
        trump: `s h d c`, or `nt`.
        trumps: the set of all trumps.
        suit: by card, all cards of its effective suit.
        above: by card, the cards of its suit that beat it when they are played after it.
        strength: by card, its place in its suit; any trump is above any plain card.
    """

    __slots__ = ("above", "pack", "strength", "suit", "trump", "trumps")

    def __init__(self, pack: Pack, trump: str) -> None:
        """Raises ValueError for no trump with a joker in the pack, which no variant has."""
        order = pack.order(trump)
        self.pack = pack
        self.trump = trump
        self.trumps = order.trumps
        self.suit = {card: order.lead[card].follow for card in pack.cards}
        self.strength = {card: order.lead[card].strength[card] for card in pack.cards}
        self.above = {card: self._above(card) for card in pack.cards}

    def _above(self, card: int) -> int:
        own = self.strength[card]
        return (
            sum(other for other, strength in self.strength.items() if self.suit[card] & other and strength >= own)
            & ~card
        )

    def descending(self, cards: int) -> list[int]:
        """The cards of a set, strongest first; the order of plain suits among each other is that of the pack."""
        return sorted(bits(cards), key=self.strength.__getitem__, reverse=True)

    def beats(self, card: int, other: int) -> bool:
        """Whether `card`, played after `other`, wins against it when `other` is the best so far (A5)."""
        if self.suit[other] & card:
            return bool(self.above[other] & card)
        return bool(self.trumps & card)


@cache
def _ranking(pack: Pack, trump: str) -> Ranking:
    return Ranking(pack, trump)


@cache
def _variant(name: str) -> Variant:
    return rules_of(name)


def pack_of(view: SeatView) -> Pack:
    """The pack that is played with."""
    return _variant(view.variant).rules(view.options).pack


def ranking_of(view: SeatView, trump: str) -> Ranking:
    """The cards of this game under a trump."""
    return _ranking(pack_of(view), trump)


def bits(cards: int) -> list[int]:
    """The single cards of a set, in the order of the pack."""
    found = []
    while cards:
        card = cards & -cards
        found.append(card)
        cards ^= card
    return found


def set_of(pack: Pack, codes: Sequence[str], taken: int = 0) -> int:
    """`taken` and the cards written so; a code more often than there are copies is one that `taken` held already."""
    for code in codes:
        copies = pack.bits[code]
        free = copies & ~taken
        taken |= free & -free
    return taken
