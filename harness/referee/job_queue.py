"""The jobs of a call that have not begun, in order, except that the jobs of a slow bot come last.

A bot that is slow but within its clock breaks no rule, but the other bots' games should not wait for it.

Jobs are taken from their source as they are needed, so that a long list of them need not exist.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.spec import TableJob

MIN_JUDGED_MS = 2_000
"""Shares are ignored until the bots together have been charged this much, since the first decisions are often slow."""


MOST_PUT_LAST = 4096
"""The most jobs of slow bots that may wait. If there are more, the first is played."""


class TimeShares:
    """The time charged to each bot in a run's games so far."""

    def __init__(self, max_share: float) -> None:
        """Start without games. A bot is slow while its share of all charged time exceeds `max_share`."""
        self._max_share = max_share
        self._charged_ms: Counter[str] = Counter()
        self._all_ms = 0

    def add(self, record: GameRecord) -> None:
        """Add the times of a game that has ended."""
        for hand in record.hands:
            for action, ms in zip(hand.actions, hand.ms, strict=True):
                if ms:
                    bot = record.seats[int(action.partition(" ")[0])].bot
                    self._charged_ms[bot] += ms
                    self._all_ms += ms

    def is_slow(self, bot: str) -> bool:
        """Return whether the bot has used more than its share."""
        return self._all_ms >= MIN_JUDGED_MS and self._charged_ms[bot] > self._max_share * self._all_ms


Job = TypeVar("Job", bound=TableJob)


class JobQueue(Generic[Job]):
    """Jobs in order.

    A job with a slow bot is put last once, when its turn comes; at most MOST_PUT_LAST such jobs wait.
    """

    def __init__(self, jobs: Iterable[Job], shares: TimeShares) -> None:
        """Take jobs from `jobs` as needed. `shares` decides which bots are slow; that may change at any time."""
        self._source = iter(jobs)
        self._coming: deque[Job] = deque()
        """The jobs taken from the source."""
        self._added: deque[Job] = deque()
        self._put_last: deque[Job] = deque()
        self._shares = shares

    def __bool__(self) -> bool:
        """Return whether a job is left."""
        return self._has(0) or bool(self._put_last)

    def add(self, job: Job) -> None:
        """Add a job after the jobs that have not been put last."""
        self._added.append(job)

    def __iter__(self) -> Iterator[Job]:
        """Yield the jobs in their current order."""
        at = 0
        while self._has(at):
            yield self._coming[at]
            at += 1
        yield from self._put_last

    def _has(self, at: int) -> bool:
        """Return whether there is a job at this place among those not put last; take it from the source."""
        while len(self._coming) <= at:
            job = next(self._source, None)
            if job is None and self._added:
                job = self._added.popleft()
            if job is None:
                return False
            self._coming.append(job)
        return True

    @property
    def first(self) -> Job:
        """The next job. Raises IndexError if none is left."""
        while (
            len(self._put_last) < MOST_PUT_LAST
            and self._has(0)
            and any(self._shares.is_slow(key.bot) for key in self._coming[0].processes)
        ):
            self._put_last.append(self._coming.popleft())
        return self._next()[0]

    def pop(self) -> Job:
        """Remove and return `first`."""
        job = self.first
        self._next().popleft()
        return job

    def _next(self) -> deque[Job]:
        """Return the list with the next job: the jobs put last if no other is left or no more of them may wait."""
        return self._coming if self._has(0) and len(self._put_last) < MOST_PUT_LAST else self._put_last
