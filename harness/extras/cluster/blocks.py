"""The tables of a call in blocks: what one worker plays before it delivers anything."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import trio

from bowerbird.harness.referee.job_queue import JobQueue, TimeShares
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.tournament.jobs.job import Job, set_count

TARGET_S = 8.0
"""How long a block should take: long compared with a call of a worker, short compared with what a lost worker may
cost."""

LEAST_FILLS, MOST_FILLS = 1, 64
"""Bounds of a block: it fills all tables of a worker this many times."""

LATE = 4
"""A block is late if it takes this many times as long as the slowest block of as many deal sets before it."""

LEAST_LATE_S = 30.0
"""Before this, a block is not late, however fast others are."""

GROWTH = 4
"""The most by which the next block is larger than the last one of its worker."""


WINDOW_S = 60.0
"""The time over which throughput is measured."""


@dataclass(slots=True, eq=False)
class Block:
    """Whole deal sets.

    losses: counts the workers that were lost with it.
    begun: when a worker last began it, in trio's clock.
    players: the paces of the workers that play it: two, if it is late and another worker has nothing to do.
    """

    tables: tuple[TableSpec, ...]
    sets: int
    losses: int = 0
    begun: float = 0.0
    players: list[Pace] = field(default_factory=list)


class Pace:
    """How many deal sets a worker should get next, by its last block."""

    def __init__(self) -> None:
        """Begin with the smallest block."""
        self._sets = 1

    def took(self, block: Block, seconds: float) -> None:
        """Learn how long a block took."""
        wanted = block.sets * TARGET_S / max(seconds, 0.001)
        self._sets = max(1, math.floor(min(wanted, GROWTH * block.sets)))

    def sets(self) -> int:
        """Return the number."""
        return self._sets


class Throughput:
    """How many decisions all workers make in a second, over the last `WINDOW_S` seconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self._played: deque[tuple[float, int]] = deque()
        self._decisions = 0

    def add(self, now: float, decisions: int) -> None:
        """Count the decisions of a block that was delivered `now`, in seconds."""
        self._played.append((now, decisions))
        self._decisions += decisions
        while self._played[0][0] < now - WINDOW_S:
            self._decisions -= self._played.popleft()[1]

    def per_s(self, now: float) -> float:
        """Return the decisions a second; 0 as long as only one block has come."""
        passed = now - self._played[0][0] if self._played else 0.0
        return (self._decisions - self._played[0][1]) / passed if passed else 0.0


class BlockQueue:
    """The blocks of the jobs of a call. Several tasks take them; a block comes back if its worker is lost."""

    def __init__(self, jobs: Iterable[Job], shares: TimeShares, *, tables: int, processes: int) -> None:
        """Cut nothing yet.

        tables: how many a worker plays at once.
        processes: how many bot processes may be alive at once, so that jobs which need more together don't share a
        block.
        """
        self._jobs = JobQueue(jobs, shares)
        self._current: Job | None = None
        self._sets_left = set_count(jobs)
        self._returned: deque[Block] = deque()
        self._in_play: list[Block] = []
        self._longest_set_s = math.inf
        self._changed = trio.Event()
        self._tables = tables
        self._processes = processes

    async def take(self, pace: Pace, workers: int) -> Block | None:
        """Return the next block; None once none is left and none can come back.

        If none is left, this may be a block that another worker is late with: a worker may fall silent and keep its
        connection.

        workers: how many share what is left.
        """
        while True:
            if self._returned or self._sets_left:
                block = self._returned.popleft() if self._returned else self._cut(pace, workers)
                self._in_play.append(block)
                return _taken(block, pace)
            if not self._in_play:
                return None
            alone = [block for block in self._in_play if len(block.players) == 1 and pace not in block.players]
            late = min(alone, key=self._late_at, default=None)
            late_at = math.inf if late is None else self._late_at(late)
            if late is not None and late_at <= trio.current_time():
                return _taken(late, pace)
            with trio.move_on_at(late_at):
                await self._changed.wait()

    async def all_played(self) -> None:
        """Wait until every block has been played."""
        while self._returned or self._sets_left or self._in_play:
            await self._changed.wait()

    @property
    def in_play(self) -> int:
        """How many blocks are with workers."""
        return len(self._in_play)

    def finish(self, block: Block) -> bool:
        """Count a block as played. Return whether it was not: a worker that was late may have been the first."""
        if block not in self._in_play:
            return False
        self._in_play.remove(block)
        seconds = (trio.current_time() - block.begun) / block.sets
        is_first = self._longest_set_s == math.inf
        self._longest_set_s = seconds if is_first else max(seconds, self._longest_set_s)
        if is_first or not self._in_play:  # otherwise a waiting task has nothing to take until a block is late
            self._wake()
        return True

    def give_back(self, block: Block, pace: Pace) -> None:
        """Let another worker play a block, unless one does or has."""
        block.players.remove(pace)
        if block in self._in_play and not block.players:
            self._in_play.remove(block)
            self._returned.append(block)
            self._wake()

    def _late_at(self, block: Block) -> float:
        return block.begun + max(LEAST_LATE_S, LATE * block.sets * self._longest_set_s)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def _cut(self, pace: Pace, workers: int) -> Block:
        """Cut a block from the next jobs: by the pace, but less near the end, so that all workers end together."""
        share = math.ceil(self._sets_left / (2 * workers))
        tables: list[TableSpec] = []
        processes: set[object] = set()
        sets = 0
        while (job := self._next_job()) is not None:
            fill = math.ceil(self._tables / len(job.lineup.rotations))
            wanted = min(share, max(LEAST_FILLS * fill, min(pace.sets(), MOST_FILLS * fill)))
            together = processes | {*job.processes}
            if sets and (sets >= wanted or len(together) > self._processes):
                break
            part = replace(job, sets=job.sets[: max(1, wanted - sets)])
            rest = job.sets[len(part.sets) :]
            self._current = replace(job, sets=rest) if rest else None
            tables += part.tables()
            processes = together
            sets += len(part.sets)
            self._sets_left -= len(part.sets)
            if sets >= wanted:
                break
        return Block(tuple(tables), sets)

    def _next_job(self) -> Job | None:
        if self._current is None and self._jobs:
            self._current = self._jobs.pop()
        return self._current


def _taken(block: Block, pace: Pace) -> Block:
    block.begun = trio.current_time()
    block.players.append(pace)
    return block
