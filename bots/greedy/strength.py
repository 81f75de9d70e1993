"""What a hand would be worth under each trump."""

from __future__ import annotations

from bots.greedy.odds import expected, worst
from bots.greedy.ranking import SUITS, ranking_of, set_of
from bots.greedy.situation import Situation


def candidates(s: Situation) -> tuple[str, ...]:
    """What might become trump."""
    return (*SUITS, "nt") if s.temper.names_no_trump else SUITS


def value(s: Situation, trump: str, hand: int) -> float:
    """Tricks that `hand` would take under this trump."""
    return expected(s.under(ranking_of(s.view, trump)), hand)


def with_card(s: Situation, trump: str, hand: int, card: int) -> int:
    """The hand after taking a card and discarding another one, the worst."""
    odds = s.under(ranking_of(s.view, trump))
    return hand | card if not hand else (hand | card) & ~worst(odds, hand | card, hand)


def upcard(s: Situation) -> int:
    """The upcard, as long as somebody may still take it; else no card."""
    view = s.view
    if view.upcard_place != "up":
        return 0
    return set_of(s.pack, (view.upcard,), s.hand) & ~s.hand  # the hand may hold its twin


def if_accepted(s: Situation, trump: str) -> float:
    """Tricks that the own hand would take if the upcard's suit became trump and the dealer took the upcard.

    In the dealer's own hand it counts in full, in a partner's it helps, in an opponent's it hurts.
    """
    view = s.view
    card = upcard(s)
    if view.seat == view.dealer:
        return value(s, trump, with_card(s, trump, s.hand, card))
    worth = value(s, trump, card) if card else 0.0
    if s.allied(view.dealer):
        return value(s, trump, s.hand) + 0.7 * worth
    return value(s, trump, s.hand) - 0.5 * worth


def best_trump(s: Situation, hand: int) -> tuple[float, str]:
    """The most tricks that a hand can expect, and under which trump; the first in canonical order among equals."""
    found = [(value(s, trump, hand), trump) for trump in candidates(s)]
    return max(found, key=lambda pair: pair[0])
