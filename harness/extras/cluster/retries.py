"""When a run checks workers again that it does not use although they are still in the cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

BUSY_S = 10.0
"""How often to check whether a worker that serves another run is free."""

FIRST_S = 2.0
"""How long a worker that was lost stays away. Each further loss doubles it."""

MOST_LOSSES = 6
"""After this many losses a worker gets no more blocks: its referee seems to end on every call."""


class Retries:
    """The workers to check again, by address. Times are in seconds of any one clock."""

    def __init__(self, busy: Iterable[str] = (), now: float = 0.0) -> None:
        """Begin with the workers that were found busy `now`."""
        self._at: dict[str, float] = {}
        self._busy: set[str] = set()
        self._losses: Counter[str] = Counter()
        for address in busy:
            self.found_busy(address, now)

    def found_busy(self, address: str, now: float) -> bool:
        """Check a busy worker again later. Return whether this is news: it was not busy when last checked."""
        is_new = address not in self._busy
        self._busy.add(address)
        self._at[address] = now + BUSY_S
        return is_new

    def lost(self, address: str, now: float) -> None:
        """Check a lost worker again later, unless it was lost too often."""
        self._losses[address] += 1
        if self._losses[address] < MOST_LOSSES:
            self._at[address] = now + FIRST_S * 2 ** (self._losses[address] - 1)

    def found_free(self, address: str) -> None:
        """Forget that a worker was busy."""
        self._busy.discard(address)

    def due(self, now: float) -> frozenset[str]:
        """Return the workers to check now, and forget when."""
        due = frozenset(address for address, at in self._at.items() if at <= now)
        for address in due:
            del self._at[address]
        return due
