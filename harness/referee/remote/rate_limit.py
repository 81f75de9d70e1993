"""Limits of how often something may happen, in all and for each address."""

from __future__ import annotations

from collections import OrderedDict

MAX_ADDRESSES = 1024
"""Addresses that `AddressRateLimit` counts at once. It forgets the one that was idle longest."""


class RateLimit:
    """Allows `per_s` events a second on average, and up to `burst` at once (a token bucket)."""

    __slots__ = ("_at", "_burst", "_left", "_per_s")

    def __init__(self, per_s: float, burst: float) -> None:
        """Begin with the whole burst."""
        self._per_s = per_s
        self._burst = burst
        self._left = burst
        self._at = 0.0

    def allows(self, now: float) -> bool:
        """Return whether one more event may happen at `now` (in seconds), and do not count it."""
        self._refill(now)
        return self._left >= 1

    def take(self, now: float, events: int = 1) -> bool:
        """Count `events` at `now` if that many are allowed. Return whether they are."""
        self._refill(now)
        if self._left < events:
            return False
        self._left -= events
        return True

    def wait_s(self, now: float) -> float:
        """Count an event at `now`, even beyond the limit. Return for how long no further one should happen."""
        self._refill(now)
        self._left -= 1
        return max(0.0, -self._left / self._per_s)

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
            self._at = now


class AddressRateLimit:
    """Allows `per_s` events a second in all, `per_address_s` of one address, and up to `burst` at once."""

    def __init__(self, per_s: float, per_address_s: float, burst: float) -> None:
        """Begin with the whole bursts."""
        self._all = RateLimit(per_s, burst)
        self._per_address_s = per_address_s
        self._burst = burst
        self._by_address: OrderedDict[str, RateLimit] = OrderedDict()

    def take(self, address: str, now: float) -> bool:
        """Count one event of an address at `now` (in seconds), if it is allowed. Return whether it is."""
        limit = self._by_address.get(address)
        if limit is None:
            limit = self._by_address[address] = RateLimit(self._per_address_s, self._burst)
            if len(self._by_address) > MAX_ADDRESSES:
                self._by_address.popitem(last=False)
        self._by_address.move_to_end(address)
        # `allows` comes first: what is refused to one address must not use up what others may still do.
        return limit.allows(now) and self._all.take(now) and limit.take(now)
