"""How much a searching bot may think about one decision."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

OWN_TIME = 0.6
"""The share of the referee's budget that is used at most: the rest is for the way there and back, and for bad luck."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A limit in time and number.

    Attributes:
        seconds: what a decision may take.
        worlds: how many worlds, or iterations, it may look at; with time enough the choice follows from the seed.
    """

    seconds: float = 0.05
    worlds: int = 400

    def begin(self, budget_ms: int, now: Callable[[], float] = time.monotonic) -> Clock:
        """Start thinking about a decision for which the referee allows so much without touching the bank."""
        return Clock(now() + min(self.seconds, OWN_TIME * budget_ms / 1000.0), self.worlds, now)


class Clock:
    """One decision's limit, running."""

    __slots__ = ("_left", "_now", "_until")

    def __init__(self, until: float, worlds: int, now: Callable[[], float]) -> None:
        """Until a moment of `now`, for so many worlds."""
        self._until = until
        self._left = worlds
        self._now = now

    def more(self) -> bool:
        """Whether there is time for one world more, which this call counts."""
        self._left -= 1
        return self._left >= 0 and self._now() < self._until
