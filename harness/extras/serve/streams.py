"""How many streams of events there are, in all and for each reader, so that no reader takes the place of all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from bowerbird.harness.extras.serve.connections import LOCAL


class StreamPlaces:
    """The places of streams of one kind. For the trio thread alone."""

    def __init__(self, most: int, most_each: int) -> None:
        """Begin with all places free. This machine, which may be a proxy for many readers, gets half of them."""
        self._most = most
        self._most_each = most_each
        self._by_reader: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._by_reader.total()

    def refusal(self, reader: str) -> str:
        """Return why a reader gets no place, as a sentence; "" if there is one."""
        if self._by_reader[reader] >= (self._most // 2 if reader in LOCAL else self._most_each):
            return "You have too many live pages open; close one and try again."
        if self.taken >= self._most:
            return "Too many browsers are watching; try again later."
        return ""

    @contextmanager
    def place(self, reader: str) -> Iterator[bool]:
        """Take a place during the block, if there is one; yield whether it is taken."""
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
