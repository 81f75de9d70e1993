"""Divides the tables of a call into blocks. A worker delivers a block's games when all have ended."""

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
"""How long a block should take: long compared with a call, but short enough that losing a worker costs little."""

LEAST_FILLS, MOST_FILLS = 1, 64
"""The bounds of a block, as a multiple of a worker's tables."""

LATE = 4
"""A block is late if it takes this many times as long as the slowest earlier block of the same size."""

LEAST_LATE_S = 30.0
"""A block is not late before this, however fast the others are."""

GROWTH = 4
"""The maximum ratio between a worker's next block and its last one."""


WINDOW_S = 60.0
"""The time over which throughput is measured."""


@dataclass(slots=True, eq=False)
class Block:
    """Whole deal sets.

    losses: how many workers were lost while they had it.
    begun: when a worker last began it, on trio's clock.
    players: the paces of the workers that play it. There are two if it is late and another worker is idle.
    """

    tables: tuple[TableSpec, ...]
    sets: int
    losses: int = 0
    begun: float = 0.0
    players: list[Pace] = field(default_factory=list)


class Pace:
    """How many deal sets a worker should get next, based on its last block."""

    def __init__(self) -> None:
        """Start with the smallest block."""
        self._sets = 1

    def took(self, block: Block, seconds: float) -> None:
        """Adjust the number to how long a block took."""
        wanted = block.sets * TARGET_S / max(seconds, 0.001)
        self._sets = max(1, math.floor(min(wanted, GROWTH * block.sets)))

    def sets(self) -> int:
        """Return the number of deal sets."""
        return self._sets


class Throughput:
    """The decisions per second of all workers, over the last `WINDOW_S` seconds."""

    def __init__(self) -> None:
        """Start without decisions."""
        self._played: deque[tuple[float, int]] = deque()
        self._decisions = 0

    def add(self, now: float, decisions: int) -> None:
        """Count the decisions of a block that was delivered `now`, in seconds."""
        self._played.append((now, decisions))
        self._decisions += decisions
        while self._played[0][0] < now - WINDOW_S:
            self._decisions -= self._played.popleft()[1]

    def per_s(self, now: float) -> float:
        """Return the decisions per second, or 0 until two blocks have come."""
        passed = now - self._played[0][0] if self._played else 0.0
        return (self._decisions - self._played[0][1]) / passed if passed else 0.0


class BlockQueue:
    """The blocks of a call's jobs. Several tasks take blocks. A block comes back if its worker is lost."""

    def __init__(self, jobs: Iterable[Job], shares: TimeShares, *, tables: int, processes: int) -> None:
        """Create an iterator over blocks that are made on demand.

        tables: how many tables a worker plays at once.
        processes: how many bot processes may run at once. Jobs that together need more don't share a block.
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
        """Return the next block, or None once none is left and none can come back.

        If none is left, this may be another worker's late block, because a worker can stop answering without losing its
        connection.

        workers: how many workers share the remaining jobs.
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
        """Count a block as played. Return False if it was played already, by another worker."""
        if block not in self._in_play:
            return False
        self._in_play.remove(block)
        seconds = (trio.current_time() - block.begun) / block.sets
        is_first = self._longest_set_s == math.inf
        self._longest_set_s = seconds if is_first else max(seconds, self._longest_set_s)
        if is_first or not self._in_play:  # otherwise a waiting task gets nothing until a block is late
            self._wake()
        return True

    def give_back(self, block: Block, pace: Pace) -> None:
        """Let another worker play a block, unless another is playing it or has played it."""
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
        """Make a block of the next jobs, sized by the pace.

        Blocks get smaller near the end, so that all workers finish together.
        """
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
