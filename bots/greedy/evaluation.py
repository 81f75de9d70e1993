"""Hand evaluation: the tricks that a hand would take under each trump."""

from __future__ import annotations

from bowerbird.bots.greedy.odds import expected_tricks, weakest_card
from bowerbird.bots.greedy.position import Position
from bowerbird.bots.greedy.ranking import SUITS, ranking_of, set_of


def possible_trumps(position: Position) -> tuple[str, ...]:
    """Return the trumps that can be named."""
    return (*SUITS, "nt") if position.thresholds.names_no_trump else SUITS


def value(position: Position, trump: str, hand: int) -> float:
    """Return the tricks that `hand` would take under `trump`."""
    return expected_tricks(position.odds_under(ranking_of(position.view, trump)), hand)


def with_card(position: Position, trump: str, hand: int, card: int) -> int:
    """Return `hand` after taking `card` and discarding its weakest card under `trump`."""
    odds = position.odds_under(ranking_of(position.view, trump))
    return hand | card if not hand else (hand | card) & ~weakest_card(odds, hand | card, hand)


def open_upcard(position: Position) -> int:
    """Return the upcard while a seat may still take it, and otherwise the empty set."""
    view = position.view
    if view.upcard_place != "up":
        return 0
    return set_of(position.pack, (view.upcard,), position.hand) & ~position.hand  # the hand may hold its twin


def value_if_ordered(position: Position, trump: str) -> float:
    """Return the tricks that the seat's hand would take if `trump` were ordered up and the dealer took the upcard.

    The upcard counts in full in the seat's own hand, helps in a partner's hand and hurts in an opponent's.
    """
    view = position.view
    card = open_upcard(position)
    if view.seat == view.dealer:
        return value(position, trump, with_card(position, trump, position.hand, card))
    worth = value(position, trump, card) if card else 0.0
    if position.is_ally(view.dealer):
        return value(position, trump, position.hand) + 0.7 * worth
    return value(position, trump, position.hand) - 0.5 * worth


def best_trump(position: Position, hand: int) -> tuple[float, str]:
    """Return the most tricks that `hand` can expect, and the trump. Among equals it is the first in canonical order."""
    found = [(value(position, trump, hand), trump) for trump in possible_trumps(position)]
    return max(found, key=lambda pair: pair[0])
