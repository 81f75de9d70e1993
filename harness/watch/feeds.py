"""The events of a table or a run, written by the thread of the run and read by the threads of spectators.

The writer appends and never waits. Each spectator has a place in the feed and checks every `POLL_S` whether the feed
has grown, so a busy table does not wake anyone at each step. A spectator that falls behind loses updates and is told
how many.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from bowerbird.engine import Game
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.watch.errors import RunGoneError
from bowerbird.harness.watch.live_table import LiveTable
from bowerbird.harness.watch.values import Lost, RunOver, RunUpdate, TableEnded, TableInfo, TableUpdate

POLL_S = 0.1
"""How often a spectator's thread checks for news."""

MOST_ACTIONS = 32
"""The most actions between two checks for which a spectator gets frames; earlier ones are lost."""

QUEUE_UPDATES = 256
"""How many updates of a run wait for a spectator; earlier ones are lost."""

SHARE = 0.01
"""The share of one processor that all spectators together may use for frames over time."""

SEND_S = 0.00015
"""The processor time that gRPC uses to send one update, in seconds; it is spent in separate threads."""

OPEN_S = 0.001
"""The processor time to start a spectator, in seconds: a stream, a list of tables, a feed; in other threads."""

BURST_S = 0.1
"""How many seconds of processor time they may use at once after a quiet period."""

IsActive = Callable[[], bool]
"""Returns whether a spectator is still connected."""


class Budget:
    """The processor time of all spectators of a run, which share an interpreter with its referee."""

    def __init__(self, share: float = SHARE, burst_s: float = BURST_S) -> None:
        """Start with a full burst."""
        self._share = share
        self._burst_s = burst_s
        self._left_s = burst_s
        self._filled_at = time.monotonic()
        self._lock = threading.Lock()

    @property
    def is_left(self) -> bool:
        """Whether there is time left."""
        with self._lock:
            now = time.monotonic()
            self._left_s = min(self._burst_s, self._left_s + (now - self._filled_at) * self._share)
            self._filled_at = now
            return self._left_s > 0

    def admit(self, is_active: IsActive) -> bool:
        """Wait until there is time left, then charge for a new spectator.

        Return False if it has left in the meantime.
        """
        while not self.is_left:
            if not is_active():
                return False
            time.sleep(POLL_S)
        with self._lock:
            self._left_s -= OPEN_S
        return True

    def spend_sending(self) -> None:
        """Charge for sending one update."""
        with self._lock:
            self._left_s -= SEND_S

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Charge for this thread's processor time in the block."""
        began = time.thread_time()
        try:
            yield
        finally:
            used = time.thread_time() - began
            with self._lock:
                self._left_s -= used


class TableFeed:
    """The steps of one watched table, from its first card to its end."""

    def __init__(
        self, info: TableInfo, new_game: Callable[[], Game], clocks: Sequence[TimeControl], closing: threading.Event
    ) -> None:
        """Start without steps. `new_game` returns the game before its first action. `closing` is set at the end.

        clocks: by seat.
        """
        self.info = info
        self.spectators = 0
        """The number of readers, counted by the owner of the feed."""
        self._new_game = new_game
        self._clocks = tuple(clocks)
        self._closing = closing
        self._steps: list[LiveSteps] = []

    def add(self, steps: LiveSteps) -> None:
        """Add steps. Called in the thread of the run; does not wait."""
        self._steps.append(steps)

    @property
    def is_over(self) -> bool:
        """Whether the table has ended."""
        return bool(self._steps) and self._steps[-1].end is not None

    def updates(self, budget: Budget, is_active: IsActive) -> Iterator[TableUpdate]:
        """Yield the table, then the updates of its current hand, then all that follow. Raises RunGoneError.

        A table in its first hand shows its deal before anything is reported about it, since it may take long until a
        seat is asked.
        """
        yield self.info
        table = LiveTable(self._new_game, [seat.name for seat in self.info.seats], self._clocks)
        deal: TableUpdate | None = None
        while not (self._steps and (budget.is_left or self.is_over)):
            if deal is None and not self._steps and self.info.hand == 0 and budget.is_left:
                with budget.spending():
                    (deal,) = table.catch_up([])
                yield deal
            self._wait(is_active)
        place = len(self._steps)
        if self.is_over and not budget.is_left:
            yield from _end_alone(self._steps[:place])
            return
        with budget.spending():
            updates = table.catch_up(self._steps[:place])
        yield from updates[1:] if updates[0] == deal else updates
        while self._steps[place - 1].end is None:
            self._wait(is_active)
            new = self._steps[place:]
            if not new or not (budget.is_left or new[-1].end is not None):
                continue
            if not budget.is_left:
                yield from _end_alone(new)
                return
            place += len(new)
            with budget.spending():
                updates, lost = table.take(new, MOST_ACTIONS)
            if lost:
                yield Lost(lost)
            yield from updates

    def _wait(self, is_active: IsActive) -> None:
        """Wait for the next check. Raises RunGoneError if the spectator or the run is gone."""
        if (self._closing.wait(POLL_S) and not self.is_over) or not is_active():
            raise RunGoneError("the run is no longer being played")


def _end_alone(steps: Sequence[LiveSteps]) -> Iterator[TableUpdate]:
    """Yield the number of actions without a frame, and the end, which is in the last of these steps.

    The game is not replayed for this. A fast table ends several times a second, and each of its spectators would cost
    the run more than all frames of a slow table.
    """
    end = steps[-1].end
    assert end is not None
    if lost := sum(len(one.actions) for one in steps):
        yield Lost(lost)
    yield TableEnded(end.ended, end.winners, end.ranks)


class RunFeed:
    """The latest updates of a run."""

    def __init__(self, closing: threading.Event) -> None:
        """Start without updates. `closing` is set after the last one."""
        self._closing = closing
        self._updates: deque[RunUpdate] = deque(maxlen=QUEUE_UPDATES)
        self._count = 0
        """The number of updates so far."""
        self._lock = threading.Lock()

    def add(self, update: RunUpdate) -> None:
        """Add an update. Called in the thread of the run."""
        with self._lock:
            self._updates.append(update)
            self._count += 1

    def updates(self, is_active: IsActive) -> Iterator[RunUpdate]:
        """Return an iterator over all updates from this call to the end of the run."""
        with self._lock:
            return self._from(self._count, is_active)

    def _from(self, place: int, is_active: IsActive) -> Iterator[RunUpdate]:
        is_closing = False
        while is_active():
            with self._lock:
                first = self._count - len(self._updates)
                new = list(islice(self._updates, max(0, place - first), None))
                lost, place = max(0, first - place), self._count
            if lost:
                yield Lost(lost)
            yield from new
            if is_closing or any(isinstance(update, RunOver) for update in new):
                return
            is_closing = self._closing.wait(POLL_S)
