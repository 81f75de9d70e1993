"""The play (A4, A5, A6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import Phase
from engine.trumps import NOTHING_LED

if TYPE_CHECKING:
    from engine.state import State

FirstLead = Callable[["State"], int]
"""Who leads the first trick."""


def eldest_leads(h: State) -> int:
    """The first active seat in the order from the eldest (A6)."""
    return h.after[h.dealer]


def left_of_lone_leads(h: State) -> int:
    """With a lone maker the first active seat to his left, else the eldest (L5 `lone_lead`)."""
    return h.after[h.maker] if h.how and h.maker is not None else h.after[h.dealer]


def maker_leads(h: State) -> int:
    """The maker (V18, V21)."""
    assert h.maker is not None
    return h.maker


@dataclass(frozen=True)
class Tricks(Phase):
    """Play until `number` tricks are taken (A4, A5).

    Applies unless they have been played (V4.5.5).
    """

    number: int
    first_lead: FirstLead = eldest_leads

    stage = "play"

    def begin(self, h: State) -> int | None:
        """Ask the first leader."""
        if h.trick_number:
            return None
        h.leader = self.first_lead(h)
        return h.leader

    def holding(self, h: State) -> int:
        """The hand of the seat whose turn it is."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def choices(self, h: State) -> int:
        """Cards that follow the card led, or all when there is none (A4)."""
        hand = self.holding(h)
        return hand & h.lead.follow or hand

    def legal(self, h: State) -> tuple[Action, ...]:
        """Follow the effective suit of the card led, or play anything (A4)."""
        hand = h.hands[h.actor]  # type: ignore[index]  # `choices` written out: the hottest path
        plays = h.rules.pack.plays
        return plays(hand & h.lead.follow or hand)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card to the trick; a full trick goes to its winner (A5), who leads."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        h.hands[seat] ^= card
        if not h.trick:
            h.lead = h.order.lead[card]
            h.best = 0
        h.trick += action.in_trick[seat]
        strength = h.lead.strength[card]
        if strength >= h.best:
            h.best = strength
            h.winning = seat
        following = h.after[seat]
        return following if following != h.leader else self.trick_ends(h)

    def trick_ends(self, h: State) -> int | None:
        """The winner takes the trick and leads; None after the last one."""
        winner = h.winning
        h.tricks_won[winner] += 1
        h.leader = winner
        h.trick = ()
        h.lead = NOTHING_LED
        h.trick_number += 1
        return winner if h.trick_number < self.number else None
