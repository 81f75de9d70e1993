"""The cards of a pack under one trump, as bits: the trumps, and the order within each suit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bowerbird.engine import Pack, SeatView, Variant, rules_of

SUITS = ("s", "h", "d", "c")


class Ranking:
    """A pack under one trump (A3). Immutable; `ranking_of` keeps one object for each pack and trump.

    Attributes:
        pack: the pack. A card is one bit, and a set of cards is an int.
        trump: `s h d c`, `nt` or `low`.
        trumps: the set of all trumps.
        suit: for each card, all cards of its effective suit.
        above: for each card, the other cards of its suit that beat it when played after it.
        strength: for each card, its rank in its suit. Every trump is above every plain card.
    """

    __slots__ = ("above", "pack", "strength", "suit", "trump", "trumps")

    def __init__(self, pack: Pack, trump: str) -> None:
        """Rank `pack` under `trump`. Raises ValueError for no trump with a joker, which no variant has."""
        order = pack.order(trump)
        self.pack = pack
        self.trump = trump
        self.trumps = order.trumps
        self.suit = {card: order.lead[card].follow for card in pack.cards}
        self.strength = {card: order.lead[card].strength[card] for card in pack.cards}
        self.above = {card: self._above(card, order.lead[card].to_beat[card]) for card in pack.cards}

    def _above(self, card: int, to_beat: int) -> int:
        return (
            sum(other for other, strength in self.strength.items() if self.suit[card] & other and strength >= to_beat)
            & ~card
        )

    def descending(self, cards: int) -> list[int]:
        """Return the cards of a set, strongest first. Equal cards of plain suits are in the pack's order."""
        return sorted(bits(cards), key=self.strength.__getitem__, reverse=True)

    def beats(self, card: int, other: int) -> bool:
        """Return whether `card`, played after `other`, beats it while `other` is the best card so far (A5)."""
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
    """Return the pack that the game of `view` is played with."""
    return _variant(view.variant).rules(view.options).pack


def ranking_of(view: SeatView, trump: str) -> Ranking:
    """Return the ranking of the game's pack under `trump`."""
    return _ranking(pack_of(view), trump)


def bits(cards: int) -> list[int]:
    """Return the cards of a set, in the order of the pack."""
    found = []
    while cards:
        card = cards & -cards
        found.append(card)
        cards ^= card
    return found


def set_of(pack: Pack, codes: Sequence[str], taken: int = 0) -> int:
    """Return `taken` with a copy of each card of `codes` added. A code without a free copy is already in `taken`."""
    for code in codes:
        copies = pack.bits[code]
        free = copies & ~taken
        taken |= free & -free
    return taken
