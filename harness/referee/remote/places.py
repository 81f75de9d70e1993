"""A limited number of places for connections, shared fairly by the addresses from which they come."""

from __future__ import annotations

import resource
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Places(Generic[Item]):
    """Items in their order, at most `limit`. One item too many displaces the oldest of the address that has most.

    So a flood from one address displaces itself.
    """

    def __init__(self, limit: int) -> None:
        """Begin without items."""
        self._limit = limit
        self._by_address: dict[str, dict[Item, None]] = {}
        self._count = 0

    def add(self, item: Item, address: str) -> Item | None:
        """Give an item a place. Return the one that loses its place, if any."""
        self._by_address.setdefault(address, {})[item] = None
        self._count += 1
        if self._count <= self._limit:
            return None
        address, most = max(self._by_address.items(), key=lambda entry: len(entry[1]))
        oldest = next(iter(most))
        self.remove(oldest, address)
        return oldest

    def remove(self, item: Item, address: str) -> None:
        """Free the place of an item, if it has one."""
        items = self._by_address.get(address, {})
        if item in items:
            del items[item]
            self._count -= 1
            if not items:
                del self._by_address[address]


def within_descriptors(places: int, share: int) -> int:
    """Return `places`, or fewer if that is more than one in `share` of the descriptors that this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return places if soft == resource.RLIM_INFINITY else max(1, min(places, soft // share))
