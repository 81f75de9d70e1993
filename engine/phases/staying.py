"""Staying in or dropping out (B5)."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import Phase, ask_in_turn, next_asked
from bowerbird.engine.results import UNCONTESTED
from bowerbird.engine.state import Setup, State

STAY = Action("stay")
DROP = Action("drop")


@dataclass(frozen=True)
class Staying(Phase):
    """The decision of every seat except the maker to stay in the hand or drop out (B5).

    Applies to a hand with a maker, unless `against_maker` is false (V14.5.4). With `in_no_trump` it also applies to a
    no-trump hand without a maker; the seats are then asked from the eldest (E10). Never applies when a turned suit made
    trump.

    Attributes:
        tricks: the number of tricks credited to the last seat left.
        from_left_of_maker: whether a hand with a maker is asked from his left instead of from the eldest.
        in_no_trump: whether seats may drop in a no-trump hand without a maker.
        max_consecutive: a seat that dropped in this many hands in a row is not asked; 0 for no limit.
        no_drop_at_or_below: a seat with this score or less before the hand is not asked (V16.5.5); None for no limit.
        against_maker: whether seats may drop in a hand with a maker.
    """

    tricks: int
    from_left_of_maker: bool = True
    in_no_trump: bool = False
    max_consecutive: int = 0
    no_drop_at_or_below: int | None = None
    against_maker: bool = True

    stage = "stay"

    @property
    def counts_drops(self) -> bool:
        """Whether consecutive drops are limited."""
        return self.max_consecutive > 0

    def begin(self, h: State) -> int | None:
        """Ask the seats that may drop."""
        if not (self.against_maker if h.maker is not None else self.in_no_trump and h.trump == "nt"):
            return None
        first = h.maker + 1 if h.maker is not None and self.from_left_of_maker else h.dealer + 1
        return ask_in_turn(h, tuple([seat for seat in h.from_seat(first) if self.may_drop(h, seat)]))

    def may_drop(self, h: State, seat: int) -> bool:
        """Return whether `seat` is asked."""
        if seat == h.maker:
            return False
        if self.no_drop_at_or_below is not None and h.scores[seat] <= self.no_drop_at_or_below:
            return False
        return not self.max_consecutive or h.drops[seat] < self.max_consecutive

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (STAY, DROP)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return staying and dropping."""
        return (STAY, DROP)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """If a seat drops, let it sit out. The last seat left is credited with all tricks, uncontested."""
        if action is DROP:
            assert h.actor is not None
            h.sit_out(h.actor)
            if len(h.active) == 1:
                h.tricks_won[h.active[0]] = self.tricks
                h.hand_ended = UNCONTESTED
                return None
        return next_asked(h)
