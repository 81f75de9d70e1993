"""Freezes local bots without an open decision, so that they cannot ponder (faults.md, Isolation).

A session thaws its own bot before it hands a request over. This module only freezes bots, on a clock that is
independent of the number of decisions, so a bot that is asked often costs nothing.
"""

from __future__ import annotations

from typing import Protocol

import trio

TICK_S = 0.025
IDLE_TICKS = 3
"""A bot that is idle at this many ticks in a row, which takes 50 to 75 ms, is frozen."""


class Freezable(Protocol):
    """The part of a session that this module uses."""

    @property
    def idle_since(self) -> int | None:
        """The number of requests so far if no decision is open or waiting to be sent; else None."""

    def freeze(self) -> None:
        """Freeze the bot's process. Do nothing if it is already frozen."""


class IdleFreezer:
    """A watcher of a referee's sessions. Run `run` in a task."""

    def __init__(self) -> None:
        """Start without sessions."""
        self._seen: dict[Freezable, tuple[int | None, int]] = {}
        self._has_work = trio.Event()

    def add(self, session: Freezable) -> None:
        """Watch a session whose bot is ready to play and can be frozen."""
        self._seen[session] = (None, 0)
        self._has_work.set()

    def discard(self, session: Freezable) -> None:
        """Stop watching a session. Its bot stays as it is."""
        self._seen.pop(session, None)

    async def run(self) -> None:
        """Freeze idle bots until cancelled."""
        while True:
            if not self._seen:
                self._has_work = trio.Event()
                await self._has_work.wait()
            await trio.sleep(TICK_S)
            self.tick()

    def tick(self) -> None:
        """Check each session once, and freeze the bots that have been idle long enough."""
        for session, (before, seen_before) in self._seen.items():
            now = session.idle_since
            ticks = seen_before + 1 if now is not None and now == before else int(now is not None)
            self._seen[session] = (now, ticks)
            if ticks == IDLE_TICKS:
                session.freeze()
