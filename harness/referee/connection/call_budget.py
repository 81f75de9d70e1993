"""Limits the rate of calls: a burst first, then a steady number a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class CallBudget:
    """A budget that holds at most `at_once` calls and regains `per_s` a second. May be used from any thread."""

    def __init__(self, at_once: int, per_s: float, now: Callable[[], float] = time.monotonic) -> None:
        """Create a full budget. `now` returns seconds."""
        self._most = float(at_once)
        self._per_s = per_s
        self._now = now
        self._left = self._most
        self._at = now()
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take one call from the budget, or return False if it is used up."""
        with self._lock:
            now = self._now()
            self._left = min(self._most, self._left + (now - self._at) * self._per_s)
            self._at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True
