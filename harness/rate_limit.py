"""Limits on how often something may happen, in total and per address, and which addresses count as one client.

Times are in seconds of any clock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from ipaddress import IPv6Address

MOST_ADDRESSES = 4096
"""How many addresses are counted at once. The one that has been idle longest is forgotten."""


class RateLimit:
    """A limit of `per_s` events per second on average and `burst` at once (a token bucket). Any thread may use it."""

    __slots__ = ("_at", "_burst", "_left", "_lock", "_per_s")

    def __init__(self, per_s: float, burst: float) -> None:
        """Start with a full burst."""
        self._per_s = per_s
        self._burst = burst
        self._left = burst
        self._at = 0.0
        self._lock = threading.Lock()

    def allows(self, now: float) -> bool:
        """Return whether another event may happen at `now`, without counting it."""
        with self._lock:
            self._refill(now)
            return self._left >= 1

    def take(self, now: float, events: int = 1) -> bool:
        """Count `events` at `now` if that many are allowed. Return whether they are."""
        with self._lock:
            self._refill(now)
            if self._left < events:
                return False
            self._left -= events
            return True

    def wait_s(self, now: float) -> float:
        """Count an event at `now`, even beyond the limit. Return how long to wait before the next one."""
        with self._lock:
            self._refill(now)
            self._left -= 1
            return max(0.0, -self._left / self._per_s)

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
            self._at = now


class AddressRateLimit:
    """A limit of `per_s` events per second and `burst` at once per address, and of any `per_s_in_all` in total."""

    def __init__(self, per_s: float, burst: float, per_s_in_all: float | None = None) -> None:
        """Start with full bursts."""
        self._per_s = per_s
        self._burst = burst
        self._all = None if per_s_in_all is None else RateLimit(per_s_in_all, burst)
        self._by_address: OrderedDict[str, RateLimit] = OrderedDict()

    def take(self, address: str, now: float) -> bool:
        """Count one event of an address at `now` if it is allowed. Return whether it is."""
        limit = self._by_address.get(address)
        if limit is None:
            limit = self._by_address[address] = RateLimit(self._per_s, self._burst)
            if len(self._by_address) > MOST_ADDRESSES:
                self._by_address.popitem(last=False)
        self._by_address.move_to_end(address)
        # `allows` comes first, since refused events of one address must not use up the limit of others.
        return limit.allows(now) and (self._all is None or self._all.take(now)) and limit.take(now)


def network_of(host: str) -> str:
    """Return the unit that counts as one address. Other strings, as a proxy may send, are returned unchanged."""
    if ":" not in host:
        return host
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"
