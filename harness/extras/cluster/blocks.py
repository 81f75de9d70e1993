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
"""How long a block should take: long against a call of a worker, short against what a lost worker may cost."""

LEAST_FILLS, MOST_FILLS = 1, 64
"""Bounds of a block: it fills all tables of a worker this often."""

GROWTH = 4
"""The most by which the next block is larger than the last one of its worker."""


WINDOW_S = 60.0
"""The time over which throughput is measured."""


@dataclass(slots=True)
class Block:
    """Whole deal sets. `losses` counts the workers that were lost with it."""

    tables: tuple[TableSpec, ...]
    sets: int
    losses: int = field(default=0)


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
        processes: how many of bots may be alive at once, so that jobs which need more together share no block.
        """
        self._jobs = JobQueue(jobs, shares)
        self._current: Job | None = None
        self._sets_left = set_count(jobs)
        self._returned: deque[Block] = deque()
        self._in_play = 0
        self._changed = trio.Event()
        self._tables = tables
        self._processes = processes

    async def take(self, pace: Pace, workers: int) -> Block | None:
        """Return the next block; None as soon as none is left and none can come back.

        workers: how many share what is left.
        """
        while True:
            if self._returned or self._sets_left:
                self._in_play += 1
                return self._returned.popleft() if self._returned else self._cut(pace, workers)
            if not self._in_play:
                return None
            await self._changed.wait()

    async def all_played(self) -> None:
        """Wait until every block has been played."""
        while self._returned or self._sets_left or self._in_play:
            await self._changed.wait()

    @property
    def in_play(self) -> int:
        """How many blocks are with workers."""
        return self._in_play

    def finish(self) -> None:
        """Count a block as played."""
        self._in_play -= 1
        if not self._in_play:  # until then a task that waits has nothing to take
            self._wake()

    def give_back(self, block: Block) -> None:
        """Let another worker play a block."""
        self._in_play -= 1
        self._returned.append(block)
        self._wake()

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
