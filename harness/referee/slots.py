"""How many messages are being thought about at once in a run (PROTOCOL.md, contract 6)."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Waiter(Protocol):
    """Who can be given a slot."""

    def granted(self) -> None:
        """A slot is yours now; give it back."""


class Slots:
    """A number of places, given first come first served, without waiting in a coroutine."""

    def __init__(self, count: int) -> None:
        """`count` places, at least 1."""
        if count < 1:
            raise ValueError(f"slots must be at least 1, not {count}")
        self._free = count
        self._queue: deque[Waiter] = deque()

    def take(self, waiter: Waiter) -> bool:
        """True if a place was free: it is taken. Otherwise `waiter.granted()` is called when its turn comes."""
        if self._free:
            self._free -= 1
            return True
        self._queue.append(waiter)
        return False

    def give_back(self) -> None:
        """Free a place, or hand it to the next in the queue."""
        if self._queue:
            self._queue.popleft().granted()
        else:
            self._free += 1

    def leave_queue(self, waiter: Waiter) -> None:
        """`waiter` waits no longer."""
        self._queue.remove(waiter)
