"""A lone player has a card from a partner (B3): he asks, the partner gives, he discards another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import DECLINE, Phase

if TYPE_CHECKING:
    from engine.state import State

Lone = Callable[["State"], int | None]
"""Which lone player this is about; None when there is none."""


def lone_maker(h: State) -> int | None:
    """The maker if he plays alone; never a Jambone player (V3.10)."""
    return h.maker if h.how == "alone" else None


def lone_defender(h: State) -> int | None:
    """The defender who plays alone."""
    return h.lone_defender


@cache
def _asking(partners: tuple[int, ...]) -> tuple[Action, ...]:
    return (*(Action(f"ask {seat}") for seat in sorted(partners)), DECLINE)


@dataclass(frozen=True)
class AskPartner(Phase):
    """The lone player asks one of his partners for a card, or nobody.

    Applies when there is that lone player. Whom he asked stands in `scratch` until the exchange is over.
    """

    lone: Lone

    stage = "ask for a card"

    def begin(self, h: State) -> int | None:
        """Ask the lone player."""
        return self.lone(h)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Ask a partner, or decline."""
        assert h.actor is not None
        return _asking(h.partners(h.actor))

    def apply(self, h: State, action: Action, card: int) -> None:
        """Remember who was asked."""
        h.scratch = action.seat


@dataclass(frozen=True)
class GiveCard(Phase):
    """The partner who was asked gives any card of his hand, whether he sits out or not; he cannot refuse.

    Applies when somebody was asked.
    """

    lone: Lone

    stage = "give a card"

    def begin(self, h: State) -> int | None:
        """Ask the partner."""
        asked: int | None = h.scratch
        return asked

    def holding(self, h: State) -> int:
        """All his cards."""
        giver: int = h.scratch
        return h.hands[giver]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Give any of his cards."""
        return h.rules.pack.gives(self.holding(h))

    def apply(self, h: State, action: Action, card: int) -> None:
        """The card changes hands; giver and receiver alone know it."""
        giver, receiver = h.scratch, self.lone(h)
        assert receiver is not None
        h.hands[giver] ^= card
        h.hands[receiver] |= card
        h.note(giver, "gave", card, receiver)
        h.note(receiver, "received", card, giver)


@dataclass(frozen=True)
class DiscardForGift(Phase):
    """The lone player discards a card for the one he was given; the upcard, too, if he took it up (E8).

    Applies when somebody was asked.
    """

    lone: Lone

    stage = "discard"

    def begin(self, h: State) -> int | None:
        """Ask the lone player."""
        return None if h.scratch is None else self.lone(h)

    def holding(self, h: State) -> int:
        """Any of his six cards."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def legal(self, h: State) -> tuple[Action, ...]:
        """Discard one of these."""
        return h.rules.pack.discards(self.holding(h))

    def apply(self, h: State, action: Action, card: int) -> None:
        """The card goes face down to the dead pile, and the exchange is over."""
        assert h.actor is not None
        h.put_away(h.actor, card)
        h.scratch = None


@dataclass(frozen=True)
class DiscardAnother(DiscardForGift):
    """The lone player may not discard the very card he was given ("another card in exchange", V3.12).

    Applies as `DiscardForGift` does.
    """

    def holding(self, h: State) -> int:
        """Any of his cards but the gift."""
        gift = next(cards for seat, what, cards, _ in reversed(h.notes) if what == "received" and seat == h.actor)
        return super().holding(h) & ~gift


def card_from_partner(lone: Lone, discard: type[DiscardForGift]) -> tuple[Phase, ...]:
    """The whole procedure B3 for this lone player."""
    return AskPartner(lone), GiveCard(lone), discard(lone)
