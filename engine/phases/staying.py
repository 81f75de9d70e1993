"""Staying in or dropping out (B5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import Phase, ask_in_turn, next_asked
from engine.results import THROWN_IN, UNCONTESTED

if TYPE_CHECKING:
    from engine.state import State

STAY = Action("stay")
DROP = Action("drop")


@dataclass(frozen=True)
class Staying(Phase):
    """Everybody but the maker says in turn whether he stays in the hand (B5).

    Applies to a hand with a maker, and with `in_no_trump` to a no-trump hand without one, then always from the eldest
    (E10); never to a hand whose turned suit made trump. A seat that dropped in each of the last `max_consecutive`
    hands is not asked (0: no limit), nor is one whose score before the hand is `no_drop_at_or_below` or less (V16.5.5;
    None: no such limit). `tricks` is what a lone survivor is credited with. With `against_maker` false nobody may drop
    in a hand with a maker (V14.5.4).
    """

    tricks: int
    from_left_of_maker: bool = True
    in_no_trump: bool = False
    max_consecutive: int = 0
    no_drop_at_or_below: int | None = None
    against_maker: bool = True

    stage = "stay"

    def begin(self, h: State) -> int | None:
        """Ask those who may drop."""
        if not (self.against_maker if h.maker is not None else self.in_no_trump and h.trump == "nt"):
            return None
        first = h.maker + 1 if h.maker is not None and self.from_left_of_maker else h.dealer + 1
        return ask_in_turn(h, tuple(seat for seat in h.from_seat(first) if self.may_drop(h, seat)))

    def may_drop(self, h: State, seat: int) -> bool:
        """Whether this seat is asked at all."""
        if seat == h.maker:
            return False
        if self.no_drop_at_or_below is not None and h.scores[seat] <= self.no_drop_at_or_below:
            return False
        return not self.max_consecutive or h.drops[seat] < self.max_consecutive

    def legal(self, h: State) -> tuple[Action, ...]:
        """Stay or drop."""
        return (STAY, DROP)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """The last one left is in without being asked and takes all tricks, uncontested."""
        if action is DROP:
            assert h.actor is not None
            h.sit_out(h.actor)
            if len(h.active) == 1:
                h.tricks_won[h.active[0]] = self.tricks
                h.hand_ended = UNCONTESTED
                return None
        return next_asked(h)


def count_drops(h: State) -> None:
    """Carry to the next hand how often each seat has dropped in a row; a hand thrown in counts for nothing (E18)."""
    if h.hand_ended != THROWN_IN:
        h.drops = tuple(0 if seat in h.active else drops + 1 for seat, drops in enumerate(h.drops))
