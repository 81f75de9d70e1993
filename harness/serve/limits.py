"""What one server gives to all browsers together, and to one address."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

MOST_ADDRESSES = 4096
"""Most addresses whose requests are counted; beyond it the one that asked longest ago is forgotten."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    connections: open connections in all. One more takes the place of one that has not asked for anything yet.
    connections_each: open connections of one address that is not this machine.
    streams: connections of these that may stay open to hear of changes.
    idle_s: how long a connection may stay without a request, also the time that a request may take to arrive.
    send_s, least_rate: how long a reader may take to accept a piece of an answer, and a second more for so many bytes.
    head_bytes: size of the head of a request. A request has no body.
    rate, burst: requests a second of one address, on average and at once.
    stream_s: how long a stream of events lasts; browsers ask again.
    build_s: the longest wait for a page.
    """

    connections: int = 512
    connections_each: int = 64
    streams: int = 320
    idle_s: float = 10.0
    send_s: float = 20.0
    least_rate: float = 4096.0
    head_bytes: int = 16 * 1024
    rate: float = 30.0
    burst: int = 120
    stream_s: float = 3600.0
    build_s: float = 30.0


class Rates:
    """Counts requests by address: a bucket of `burst` tokens each, filled with `rate` tokens a second."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str, now: float) -> bool:
        """Return whether this address may ask at `now`, in seconds, and count the request if so."""
        tokens, then = self._buckets.pop(address, (float(self._limits.burst), now))
        tokens = min(float(self._limits.burst), tokens + (now - then) * self._limits.rate)
        is_allowed = tokens >= 1
        self._buckets[address] = (tokens - 1 if is_allowed else tokens, now)
        if len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return is_allowed
