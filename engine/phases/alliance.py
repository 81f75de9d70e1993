"""Who stands together in a hand where everybody plays the game for himself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.phases.base import Phase

if TYPE_CHECKING:
    from engine.state import State


class MakerAgainstTheRest(Phase):
    """All others are allies against the maker, for this hand only (V9.1, V10.1).

    Applies when there is a maker. The allies' side bears the number of the first of them.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Set the sides; nobody is asked."""
        maker = h.maker
        if maker is not None:
            allies = 1 if maker == 0 else 0
            h.sides = tuple(maker if seat == maker else allies for seat in h.rules.seats)
