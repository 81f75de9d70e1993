"""Points that a lap brought into a game, if they do not protect against a slam (O8)."""

from __future__ import annotations

from bowerbird.engine.phases.base import Phase
from bowerbird.engine.state import State

LAPPED = "points of a lap"
"""Name of the public fact (`h.extra`) that holds the points that a lap brought into this game, by seat."""


class ShowLapped(Phase):
    """The announcement of points that a lap brought into this game. Applies if there are any."""

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Make them a public fact of the hand; no seat is asked."""
        if any(h.lapped):
            h.extra = (*h.extra, (LAPPED, " ".join(map(str, h.lapped))))
