"""The play (A4, A5, A6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.cards.trump_order import NOTHING_LED
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.state import Setup, State, Trick

_new = tuple.__new__

FirstLead = Callable[[State], int]
"""A function from the state to the seat that leads the first trick."""


def eldest_leads(h: State) -> int:
    """Return the first active seat in the order from the eldest (A6)."""
    return h.after[h.dealer]


def left_of_lone_leads(h: State) -> int:
    """Return the first active seat left of a lone maker, otherwise the first from the eldest (L5 `lone_lead`)."""
    return h.after[h.maker] if h.how and h.maker is not None else h.after[h.dealer]


def maker_leads(h: State) -> int:
    """Return the maker (V18, V21)."""
    assert h.maker is not None
    return h.maker


def maker_or_eldest_leads(h: State) -> int:
    """Return the maker, or the first active seat from the eldest in a hand without a maker (V24)."""
    return eldest_leads(h) if h.maker is None else h.maker


@dataclass(frozen=True)
class Tricks(Phase):
    """The play of tricks until `number` have been taken (A4, A5).

    Applies unless another phase has played them (V4.5.5).
    """

    number: int
    first_lead: FirstLead = eldest_leads

    stage = "play"
    card_kind = "play"

    def begin(self, h: State) -> int | None:
        """Ask the leader of the first trick."""
        if h.trick_number:
            return None
        h.leader = self.first_lead(h)
        return h.leader

    def holding(self, h: State) -> int:
        """Return the hand of the seat whose turn it is."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def choices(self, h: State) -> int:
        """Return the cards that follow the card led, or all cards if none follow (A4)."""
        hand = self.holding(h)
        return hand & h.lead.follow or hand

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return rules.pack.plays(rules.pack.whole)

    def is_plain_play(self, h: State) -> bool:
        """Return whether only tricks from the hands remain, restricted only by the duty to follow suit."""
        return type(self) is Tricks and not any(h.laid) and not any(h.covered)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return plays that follow the effective suit of the card led, or all plays if none follow (A4)."""
        hand = h.hands[h.actor]  # type: ignore[index]  # `choices` written out: the hottest path
        plays = h.rules.pack.plays
        return plays(hand & h.lead.follow or hand)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Add the card to the trick and ask the next seat; after the last card end the trick (A5)."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        h.hands[seat] ^= card
        lead = h.lead
        if not h.trick:
            lead = h.lead = h.order.lead[card]
            h.best = 0
        h.trick += action.in_trick[seat]
        strength = lead.strength[card]
        if strength >= h.best:
            h.best = lead.to_beat[card]
            h.winning = seat
        following = h.after[seat]
        return following if following != h.leader else self.trick_ends(h)

    def trick_ends(self, h: State) -> int | None:
        """Give the trick to its winner. Return that seat as the next leader, or None after the last trick."""
        winner = h.winning
        h.tricks_won[winner] += 1
        h.leader = winner
        h.tricks += (_new(Trick, (h.trick, winner)),)  # like `Trick(…)`, but three times as fast
        h.trick = ()
        h.lead = NOTHING_LED
        h.trick_number += 1
        return winner if h.trick_number < self.number else None
