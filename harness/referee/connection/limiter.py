"""Limits how many requests bots work on at the same time (`slots`; protocol.md, The clock)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice

AMONG = 32
"""How many sessions at the head of the queue are compared when a slot is granted."""

MAX_PASSED = 4
"""How often the first session in the queue may be passed over."""


class Limiter:
    """A number of slots, granted by plain calls to the session with the most decisions to ask.

    A longer message costs its bot and the referee less per decision. Waiting costs a bot no time, because its clock
    starts when the message is handed over. After `MAX_PASSED` others, the first in the queue is served.
    """

    def __init__(self, slots: int) -> None:
        """Create a limiter with `slots` slots. Raises ValueError if there is not at least 1."""
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        self._free = slots
        self._queue: deque[Slot] = deque()
        self._passed = 0
        """How often the first session in the queue was passed over."""

    def acquire(self, slot: Slot) -> bool:
        """If a slot is free, take it and return True. Otherwise queue `slot`, and call `granted` at its turn."""
        if self._free:
            self._free -= 1
            return True
        self._queue.append(slot)
        return False

    def release(self) -> None:
        """Free a slot, or pass it on to a session in the queue."""
        queue = self._queue
        if not queue:
            self._free += 1
            return
        chosen = first = queue[0]
        if self._passed < MAX_PASSED:
            chosen = max(islice(queue, AMONG), key=lambda slot: slot.count_waiting())  # the first of equals
        self.cancel(chosen)
        if chosen is not first:
            self._passed += 1
        chosen.granted()

    def cancel(self, slot: Slot) -> None:
        """Remove `slot` from the queue."""
        if slot is self._queue[0]:
            self._passed = 0
        self._queue.remove(slot)


class Slot:
    """The state of one session at the limiter: nothing, a place in the queue (`is_waiting`), or a slot (`is_held`).

    count_waiting: returns how many decisions the session would ask now.
    """

    __slots__ = ("_limiter", "_on_granted", "count_waiting", "is_held", "is_waiting")

    def __init__(self, limiter: Limiter, on_granted: Callable[[], None], count_waiting: Callable[[], int]) -> None:
        """Start without a slot. `on_granted` is called when a slot is granted after a wait."""
        self._limiter = limiter
        self._on_granted = on_granted
        self.count_waiting = count_waiting
        self.is_held = False
        self.is_waiting = False

    def acquire(self) -> bool:
        """Take a slot or queue for one. Return whether it is held now."""
        if not self.is_held and not self.is_waiting:
            self.is_held = self._limiter.acquire(self)
            self.is_waiting = not self.is_held
        return self.is_held

    def granted(self) -> None:
        """Take the slot that the limiter grants to this session."""
        self.is_held = True
        self.is_waiting = False
        self._on_granted()

    def release(self) -> None:
        """Return the slot, or leave the queue."""
        if self.is_waiting:
            self._limiter.cancel(self)
            self.is_waiting = False
        if self.is_held:
            self.is_held = False
            self._limiter.release()
