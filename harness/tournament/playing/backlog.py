"""Counts the deal sets that wait for the disk. An executor that plays faster than the run can store must wait."""

from __future__ import annotations

import trio

MOST_WAITING = 1024
"""How many deal sets may be unsaved before an executor must wait. A set is 10 to 100 kB in memory."""


class Backlog:
    """A counter of deal sets from their last game until they are stored."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        """Create an empty backlog with room for `most` sets."""
        self._most = most
        self._waiting = 0
        self._changed = trio.Event()

    def add(self, sets: int) -> None:
        """Add this many sets. Never blocks: finished games are always accepted."""
        self._waiting += sets

    def remove(self, sets: int) -> None:
        """Remove this many sets, which have been stored."""
        self._waiting -= sets
        self._changed.set()
        self._changed = trio.Event()

    async def wait_for_room(self) -> None:
        """Wait until fewer than `most` sets are waiting."""
        while self._waiting >= self._most:
            await self._changed.wait()
