"""Decides when a run checks again workers that are in the cluster but not in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

BUSY_S = 10.0
"""How often to check whether a worker that serves another run is free."""

FIRST_S = 2.0
"""How long a lost worker gets no work. Each further loss doubles the time."""

MOST_LOSSES = 6
"""After this many losses a worker gets no more blocks, since its referee seems to end on every call."""


class Retries:
    """The workers to check again, by address. Times are in seconds, all on the same clock."""

    def __init__(self, busy: Iterable[str] = (), now: float = 0.0) -> None:
        """Start with the workers that were found busy `now`."""
        self._at: dict[str, float] = {}
        self._busy: set[str] = set()
        self._losses: Counter[str] = Counter()
        for address in busy:
            self.found_busy(address, now)

    def found_busy(self, address: str, now: float) -> bool:
        """Schedule another check of a busy worker. Return whether it was not busy at the last check."""
        is_new = address not in self._busy
        self._busy.add(address)
        self._at[address] = now + BUSY_S
        return is_new

    def lost(self, address: str, now: float) -> None:
        """Schedule another check of a lost worker, unless it was lost too often."""
        self._losses[address] += 1
        if self._losses[address] < MOST_LOSSES:
            self._at[address] = now + FIRST_S * 2 ** (self._losses[address] - 1)

    def found_free(self, address: str) -> None:
        """Forget that a worker was busy."""
        self._busy.discard(address)

    def due(self, now: float) -> frozenset[str]:
        """Return the workers to check now, and remove them."""
        due = frozenset(address for address, at in self._at.items() if at <= now)
        for address in due:
            del self._at[address]
        return due
