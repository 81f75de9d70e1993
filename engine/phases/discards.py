"""Secret discards down to a number of cards (V7.5.4, V11.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import Discarding, ask_in_turn, next_asked
from bowerbird.engine.state import State

AskingOrder = Callable[[State], tuple[int, ...]]
"""A function from the state to the seats in the order they are asked."""


def from_eldest(h: State) -> tuple[int, ...]:
    """Return all seats from the eldest (A11)."""
    return h.from_seat(h.eldest)


@dataclass(frozen=True)
class DiscardDown(Discarding):
    """Discards, one by one, of every seat that holds more than `keep` cards, until it holds `keep` (A11, E9).

    Applies if a seat holds more. Each seat makes its discards in a row, and no seat sees another's.
    """

    keep: int
    order: AskingOrder = from_eldest

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """Ask the seats that hold more than `keep` cards, in the declared order."""
        return ask_in_turn(h, tuple(seat for seat in self.order(h) if h.hands[seat].bit_count() > self.keep))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card face down on the dead pile; ask the same seat until it holds `keep` cards."""
        seat = h.actor
        assert seat is not None
        h.put_away(seat, card)
        return seat if h.hands[seat].bit_count() > self.keep else next_asked(h)
