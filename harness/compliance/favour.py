"""Packs that give one seat a hand so strong that what is seldom asked is asked: to go alone, to claim Jamboree."""

from __future__ import annotations

from engine.cards import Pack
from engine.packs import PackSource
from engine.rules import Rules

TRUMP = "s"
STRONG = 5
"""As many high trumps as Jamboree asks for (V3.5.4)."""


class StrongHand:
    """Another source's packs with the highest spades, were they trump, in one seat's hand, and the next one turned up.

    A PackSource. The seat gets no more of them than it is dealt cards.
    """

    __slots__ = ("_base", "_first_dealer", "_rules", "_seat", "finite")

    def __init__(self, rules: Rules, first_dealer: int, seat: int, base: PackSource) -> None:
        """Packs for a game under these rules that this seat deals first."""
        self.finite = False
        self._rules = rules
        self._first_dealer = first_dealer
        self._seat = seat
        self._base = base

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """The other source's cards, some of them exchanged; packs of a part of the cards as they are."""
        order = list(self._base.shuffled(hand, shuffle, pack, cards))
        if len(cards) != len(pack.cards):
            return tuple(order)
        plan = self._rules.plans[(self._first_dealer + hand) % self._rules.players]
        places = list(plan.hands[self._seat](range(len(order))))[:STRONG]
        if plan.upcard is not None:
            places.append(plan.upcard)
        ranked = pack.order(TRUMP)
        known = 0
        for place in places:
            best = ranked.highest(known.bit_count() + 1) & ~known
            known |= best
            there = order.index(best)
            order[place], order[there] = order[there], order[place]
        return tuple(order)
