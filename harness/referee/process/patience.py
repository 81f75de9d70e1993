"""A time limit for waits that are made in short steps: it is hardly used up while the process is stopped.

For threads and processes without a host clock (`harness.referee.host`). Standard library only: the supervisor process
imports it.
"""

from __future__ import annotations

import time

STEP_S = 0.25
"""The longest time that one step counts. A wait consists of steps that are at most this long."""


class Patience:
    """A time limit. Each step uses up the time it took, at most `STEP_S`."""

    def __init__(self, limit_s: float) -> None:
        """Begin the first step."""
        self._left_s = limit_s
        self._began = time.monotonic()

    def step_s(self) -> float:
        """End a step and begin the next one. Return how long it may be; 0 if no time is left."""
        now = time.monotonic()
        self._left_s -= min(now - self._began, STEP_S)
        self._began = now
        return max(0.0, min(self._left_s, STEP_S))
