"""How long a run has been played, the times when nobody played it left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from harness.records.run import SetKey


class PlayingTime:
    """A run's clock. It goes on from the last deal set that is stored; each set has the time at which it was."""

    def __init__(self, stored_ms: Mapping[SetKey, int], clock: Callable[[], float] = time.monotonic) -> None:
        """A clock that stands. `stored_ms` are the times of the deal sets that are stored, `clock` counts seconds."""
        self._stored_ms = stored_ms
        self._before_ms = self._latest_ms = max(stored_ms.values(), default=0)
        self._clock = clock
        self._began = clock()

    def go_on(self) -> None:
        """From now on the run is played."""
        self._began = self._clock()

    def stamp(self) -> int:
        """Deal sets are about to be stored: the time of the run in milliseconds, which is theirs."""
        self._latest_ms = self._before_ms + int(1000 * (self._clock() - self._began))
        return self._latest_ms

    def until(self, keys: Iterable[SetKey]) -> float:
        """The time of the run, in seconds, when the last of these deal sets was stored.

        They are of a round that is complete, and no later one has begun since the run is played.
        """
        return max((self._stored_ms.get(key, self._latest_ms) for key in keys), default=0) / 1000
