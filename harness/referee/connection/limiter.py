"""Limits how many requests bots work on at the same time (`slots`; protocol.md, The clock)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol


class Waiter(Protocol):
    """An object that can be granted a slot."""

    def granted(self) -> None:
        """Take the slot. It must be released."""


class Limiter:
    """A number of slots, granted first come first served, without waiting in a coroutine."""

    def __init__(self, slots: int) -> None:
        """Create a limiter with `slots` slots. Raises ValueError if there is not at least 1."""
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        self._free = slots
        self._queue: deque[Waiter] = deque()

    def acquire(self, waiter: Waiter) -> bool:
        """Return True if a slot is free, and take it. Else queue `waiter`, and call `granted` in its turn."""
        if self._free:
            self._free -= 1
            return True
        self._queue.append(waiter)
        return False

    def release(self) -> None:
        """Free a slot, or grant it to the next in the queue."""
        if self._queue:
            self._queue.popleft().granted()
        else:
            self._free += 1

    def cancel(self, waiter: Waiter) -> None:
        """Remove `waiter` from the queue."""
        self._queue.remove(waiter)


class Slot:
    """The state of one session at the limiter: nothing, a place in the queue (`is_waiting`), or a slot (`is_held`)."""

    __slots__ = ("_limiter", "_on_granted", "is_held", "is_waiting")

    def __init__(self, limiter: Limiter, on_granted: Callable[[], None]) -> None:
        """Hold nothing yet. `on_granted` is called when a slot that was waited for has come."""
        self._limiter = limiter
        self._on_granted = on_granted
        self.is_held = False
        self.is_waiting = False

    def acquire(self) -> bool:
        """Take a slot or queue for one. Return whether it is held now."""
        if not self.is_held and not self.is_waiting:
            self.is_held = self._limiter.acquire(self)
            self.is_waiting = not self.is_held
        return self.is_held

    def granted(self) -> None:
        """Take the slot that the limiter kept for this session."""
        self.is_held = True
        self.is_waiting = False
        self._on_granted()

    def release(self) -> None:
        """Give the slot back, or leave the queue."""
        if self.is_waiting:
            self._limiter.cancel(self)
            self.is_waiting = False
        if self.is_held:
            self.is_held = False
            self._limiter.release()
