"""What one server allows all browsers together and each reader: limits, and places for event streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LOCAL = frozenset({"127.0.0.1", "::/64"})
"""This machine, as `network_of` returns it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    connections: open connections in all. A further one takes the place of a connection that has not requested anything
        yet.
    connections_each: open connections of one reader. A reader is an IPv4 address or the /64 network of an IPv6 address.
        This machine has no such limit.
    streams: how many of these connections may stay open to follow changes or watch a table.
    streams_each: streams of one reader. This machine, which may be a proxy, has half of all.
    tables: how many of these streams may watch a table. A run serves 64, and other spectators need some of them.
    tables_each: tables that one reader may watch. This machine has half of all.
    idle_s: how long a connection may stay open without a request, and how long a request may take to arrive.
    send_s, least_rate: how many seconds a reader may take to accept a piece of an answer, plus one second for each
        `least_rate` bytes.
    head_bytes: size of the head of a request. A request has no body.
    rate, burst: requests of one address, per second on average and at once.
    stream_s: how long an event stream lasts. Browsers then reconnect.
    build_s: the longest wait for a page.
    """

    connections: int = 512
    connections_each: int = 64
    streams: int = 320
    streams_each: int = 32
    tables: int = 48
    tables_each: int = 8
    idle_s: float = 10.0
    send_s: float = 20.0
    least_rate: float = 4096.0
    head_bytes: int = 16 * 1024
    rate: float = 30.0
    burst: int = 120
    stream_s: float = 3600.0
    build_s: float = 30.0


class StreamPlaces:
    """The places of streams of one kind. Use it only in the trio thread."""

    def __init__(self, most: int, most_each: int) -> None:
        """Create the places, all free. This machine, which may be a proxy for many readers, gets half of them."""
        self._most = most
        self._most_each = most_each
        self._by_reader: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._by_reader.total()

    def refusal(self, reader: str) -> str:
        """Return a sentence that says why a reader gets no place, or "" if there is one."""
        if self._by_reader[reader] >= (self._most // 2 if reader in LOCAL else self._most_each):
            return "You have too many live pages open; close one and try again."
        if self.taken >= self._most:
            return "Too many browsers are watching; try again later."
        return ""

    @contextmanager
    def place(self, reader: str) -> Iterator[bool]:
        """Take a place for the block, if there is one, and yield whether it was taken."""
        if self.refusal(reader):
            yield False
            return
        self._by_reader[reader] += 1
        try:
            yield True
        finally:
            self._by_reader[reader] -= 1
            if not self._by_reader[reader]:
                del self._by_reader[reader]
