"""Reports events at a table to spectators.

It is attached to the table's driver while somebody watches, in the trio thread.

At each decision the driver only notes that something has changed. Every `TELL_S` the referee sends the news, so a fast
table costs no more than a slow one. A run played for one person gets immediate news instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from bowerbird.harness.records.values.live import GONE, LiveAsked, LiveEnd, LiveSteps
from bowerbird.harness.referee.game.clock import whole_ms
from bowerbird.harness.referee.game.table import Due, Table

TELL_S = 0.1
"""How often spectators of a table get news."""

OnSteps = Callable[[LiveSteps], None]
"""Called with the news of a watched table. It must not wait."""


class TableWatch:
    """The progress of one table's spectators. `tell` sends the rest to `send`; the first call sends everything.

    `changed_at_ns` is when the table last changed, on the monotonic clock; 0 if everything has been sent.
    """

    def __init__(self, table: Table, send: OnSteps, *, at_once: bool = False) -> None:
        """Watch a table in play. at_once: whether `note` sends at once, instead of waiting for `tell_news`."""
        self._table = table
        self._send = send
        self._at_once = at_once
        self._place = (0, 0)
        """The hand and index of the first action not yet sent."""
        self._faults_told = 0
        self._asked: Due | None = None
        self.changed_at_ns = time.monotonic_ns()

    def note(self) -> None:
        """Note that the table has changed."""
        self.changed_at_ns = time.monotonic_ns()
        if self._at_once:
            self.tell()

    def tell_news(self) -> None:
        """Send the news since the last call, if the driver noted any."""
        if self.changed_at_ns:
            self.tell()

    def tell(self, end: LiveEnd | None = None) -> None:
        """Send the news since the last call, but no empty message."""
        table = self._table
        actions, self._place = table.actions_from(*self._place)
        faults = tuple(replace(fault, detail="") for fault in table.faults[self._faults_told :])
        self._faults_told += len(faults)
        asked = self._newly_asked()
        if actions or faults or asked is not None or end is not None:
            self._send(LiveSteps(table.spec.game_id, actions, faults, asked, end))
        self.changed_at_ns = 0

    def end(self, otherwise: str) -> None:
        """Send the rest and the end of the table: as in its record, or `otherwise` if it has none."""
        record = self._table.record
        if record is None:
            self.tell(LiveEnd(otherwise))
        else:
            self.tell(LiveEnd(record.result.ended, record.result.winners, record.result.ranks))

    def _newly_asked(self) -> LiveAsked | None:
        due = self._table.due
        if due is None or due is self._asked:
            return None
        self._asked = due
        limit = self._table.banks[due.seat].limit
        return LiveAsked(due.seat, whole_ms(limit), self.changed_at_ns or time.monotonic_ns())


def gone(game: str) -> LiveSteps:
    """Return the end of a table that is not, or no longer, in play."""
    return LiveSteps(game, end=LiveEnd(GONE))
