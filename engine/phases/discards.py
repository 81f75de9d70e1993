"""Secret discards down to a number of cards (V7.5.4, V11.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import Phase, ask_in_turn, next_asked

if TYPE_CHECKING:
    from engine.state import State

Order = Callable[["State"], tuple[int, ...]]
"""The seats in the order in which they are asked."""


def from_eldest(h: State) -> tuple[int, ...]:
    """All seats from the eldest (A11)."""
    return h.from_seat(h.eldest)


@dataclass(frozen=True)
class DiscardDown(Phase):
    """Everybody with more than `keep` cards discards any of them, one by one, until he has `keep` (A11, E9).

    Applies to the seats that have more. Each makes his discards in a row; nobody learns another's.
    """

    keep: int
    order: Order = from_eldest

    stage = "discard"

    def begin(self, h: State) -> int | None:
        """Ask those who have too many."""
        return ask_in_turn(h, tuple(seat for seat in self.order(h) if h.hands[seat].bit_count() > self.keep))

    def holding(self, h: State) -> int:
        """Any card of the hand."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def legal(self, h: State) -> tuple[Action, ...]:
        """Discard any card."""
        return h.rules.pack.discards(h.hands[h.actor])  # type: ignore[index]  # as in `holding`

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """The card goes face down to the dead pile; the same seat is asked until it has few enough."""
        seat = h.actor
        assert seat is not None
        h.put_away(seat, card)
        return seat if h.hands[seat].bit_count() > self.keep else next_asked(h)
