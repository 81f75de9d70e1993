"""Rings at a moment that keeps moving, at little cost for each move."""

from __future__ import annotations

import math
from collections.abc import Callable

import trio


class Alarm:
    """Calls `ring` when the moment that `due()` names has come (seconds of trio's clock, math.inf for never).

    Deadlines of messages mostly move on before they are reached: the alarm then goes off at the old moment, and waits
    for the new one. `ring` is to look itself what is due.
    """

    def __init__(self, due: Callable[[], float], ring: Callable[[], None]) -> None:
        """An alarm that nobody watches yet."""
        self._due = due
        self._ring = ring
        self._scope = trio.CancelScope()
        self._moment = math.inf

    def look(self) -> None:
        """The moment may have changed: to be called whenever it may have come nearer."""
        due = self._due()
        if due < self._moment:
            self._moment = self._scope.deadline = due

    async def watch(self) -> None:
        """Ring whenever it is time, until it is cancelled."""
        while True:
            self._moment = self._due()
            self._scope = trio.CancelScope(deadline=self._moment)
            with self._scope:
                await trio.sleep_forever()
            self._ring()
