"""How many messages are being thought about at once in a run (PROTOCOL.md, contract 6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
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


class Place:
    """What one session has of the slots: nothing, a place in the queue (`wanted`), or a slot (`held`)."""

    __slots__ = ("_on_granted", "_slots", "held", "wanted")

    def __init__(self, slots: Slots, on_granted: Callable[[], None]) -> None:
        """Nothing yet; `on_granted` is called when a slot that was waited for has come."""
        self._slots = slots
        self._on_granted = on_granted
        self.held = False
        self.wanted = False

    def take(self) -> bool:
        """Have a slot, or wait for one; True if it is held now."""
        if not self.held and not self.wanted:
            self.held = self._slots.take(self)
            self.wanted = not self.held
        return self.held

    def granted(self) -> None:
        """A slot was kept for this place."""
        self.held = True
        self.wanted = False
        self._on_granted()

    def free(self) -> None:
        """Have and want nothing more."""
        if self.wanted:
            self._slots.leave_queue(self)
            self.wanted = False
        if self.held:
            self.held = False
            self._slots.give_back()
