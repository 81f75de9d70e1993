"""A time limit for waits in short steps, hardly any of which is used up while the process is stopped.

It is for threads and processes without a host clock (`harness.referee.host`). This module uses only the standard
library, since the supervisor process imports it.
"""

from __future__ import annotations

import time

STEP_S = 0.25
"""The longest step of a wait, and the most that one step counts."""


class Patience:
    """A time limit. Each step uses up the time that it took, but at most `STEP_S`."""

    def __init__(self, limit_s: float) -> None:
        """Start the first step."""
        self._left_s = limit_s
        self._began = time.monotonic()

    def step_s(self) -> float:
        """End a step and start the next one. Return how long that may be; 0 if no time is left."""
        now = time.monotonic()
        self._left_s -= min(now - self._began, STEP_S)
        self._began = now
        return max(0.0, min(self._left_s, STEP_S))
