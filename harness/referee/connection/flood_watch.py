"""Finds local bots that flood their connection below the messages that the referee sees.

gRPC reads frames that never become a message (endless headers, unknown frames, settings) without a limit and tells
nobody. The system tells how many bytes wait in a connection. Whenever they become fewer, gRPC has read at least the
difference. So the sum of the differences never exceeds what the bot has sent, however slow the referee is. A bot whose
sum far exceeds its messages floods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.unread import OpenSockets, Unread

CALM_S = 0.25
"""The time between two looks while little waits anywhere."""

ALERT_S = 0.01
"""The time between two looks while more than `LITTLE` waits in a connection."""

LITTLE = 4096
"""Bytes that often wait for a moment."""

MAX_OVERHEAD = 1 << 20
OVERHEAD_FACTOR = 8
"""A bot may send `MAX_OVERHEAD` bytes beyond its messages, and `OVERHEAD_FACTOR` times the size of its messages.

The shortest answer takes some 30 bytes, and its frame, a PING and two WINDOW_UPDATEs take 60.
"""

FLOOD_OF_FRAMES = f"more than {MAX_OVERHEAD >> 20} MiB of HTTP/2 frames that belong to no message"


class _Watched:
    """An endpoint, what waited in its connections (by inode), and how many bytes gRPC has read at least."""

    __slots__ = ("endpoint", "is_blamed", "read", "waiting")

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.waiting: dict[int, int] = {}
        self.read = 0
        self.is_blamed = False

    def update(self, waiting: dict[int, int]) -> None:
        """Count what is gone from connections that are still open: what waited in a closed one may be lost."""
        self.read += sum(max(0, before - waiting[inode]) for inode, before in self.waiting.items() if inode in waiting)
        self.waiting = waiting

    @property
    def is_flooding(self) -> bool:
        return self.read > MAX_OVERHEAD + OVERHEAD_FACTOR * self.endpoint.received_bytes


class FloodWatch:
    """Watches the endpoints of local bots. All calls are made in the trio thread."""

    def __init__(self, query: Callable[[], Sequence[Unread]] | None = None) -> None:
        """Watch nothing yet. `query` returns what waits in each connection; by default the system is asked."""
        self._query = query if query is not None else OpenSockets().unread
        self._watched: dict[str, _Watched] = {}

    def add(self, endpoint: Endpoint) -> None:
        """Watch an endpoint, if it listens on a Unix socket."""
        if endpoint.target.startswith("unix:"):
            self._watched[endpoint.target] = _Watched(endpoint)

    def remove(self, endpoint: Endpoint) -> None:
        """Watch an endpoint no longer."""
        self._watched.pop(endpoint.target, None)

    async def run(self) -> None:
        """Look again and again until cancelled, more often while much waits."""
        while True:
            is_calm = not self._watched or self.look()
            await trio.sleep(CALM_S if is_calm else ALERT_S)

    def look(self) -> bool:
        """Look once and blame, once each, the bots that flood. Return whether little waits in every connection."""
        waiting: dict[str, dict[int, int]] = {}
        for one in self._query():
            waiting.setdefault(f"unix:{one.path}", {})[one.inode] = one.waiting
        most = 0
        for target, watched in self._watched.items():
            watched.update(waiting.get(target, {}))
            most = max(most, 0, *watched.waiting.values())
            if watched.is_flooding and not watched.is_blamed:
                watched.is_blamed = True
                watched.endpoint.blame(FLOOD_OF_FRAMES)
        return most <= LITTLE
