"""A simulated run on a cluster: real jobs and real blocks, but simulated workers.

The rounds and jobs of a format are real, and so are `BlockQueue` with its `Pace`, which divide them, and the `Backlog`,
which makes workers wait for the disk. In the simulation a block takes as long as its decisions take at measured costs,
and workers are lost at random. The run's process does one thing at a time: it delivers blocks and stores deal sets in
one interpreter. A worker plays its blocks one after another; a real worker has two at a time, but they share its core.
trio's mock clock jumps from event to event, so hours take seconds. Tasks that wake at the same moment run in any order,
so two simulations differ a little.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace

import trio
import trio.testing

from bowerbird.harness.extras.cluster.blocks import Block, BlockQueue, Pace
from bowerbird.harness.referee.job_queue import TimeShares
from bowerbird.harness.referee.spec import MAX_PROCESSES, MAX_SHARE, InstanceKey, TableSpec
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.playing.backlog import Backlog

SLICE_S = 0.1
"""How long one thread of the run's process works before the other gets its turn. This is coarser than in Python."""

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a run, in seconds unless stated otherwise.

    games: number of games in a deal set. decisions: number of decisions that bots make in a deal set. decision: a
        decision on one worker, regardless of its message.
    message: a message, which carries one decision of each table.
    start: starting a bot process. call: the round trip of a worker's call. deliver: the work of the run's process for a
        deal set, except storing it. save: storing a deal set.
    """

    games: int
    decisions: float
    decision: float
    message: float
    start: float
    call: float
    deliver: float
    save: float

    def playing(self, sets: int, tables: int) -> float:
        """Return how long a worker takes to play these deal sets at `tables` tables.

        The tables are always full: while the last games of a block end, the next block's games begin.
        """
        return sets * self.decisions * (self.decision + self.message / tables)


@dataclass(frozen=True, slots=True)
class Losses:
    """How often workers are lost. `away` is the time in seconds until a lost worker can play again."""

    a_worker_and_day: float
    away: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulated run. Times are in seconds; those of workers are summed over all workers.

    sets: deal sets that were stored.
    calls: calls of workers that play a block.
    played: the time that workers spent on delivered games. wasted: the time that they spent on lost games. away: the
        time that workers were away.
    losses: how often a worker was lost with a block. most_losses: the most losses of one block. delivering, saving: the
        time that the run's process spent on each. most_waiting: the maximum number of deal sets that had come back but
        were not stored yet.
    """

    workers: int
    wall: float
    sets: int
    calls: int
    played: float
    wasted: float
    away: float
    losses: int
    most_losses: int
    delivering: float
    saving: float
    most_waiting: int

    @property
    def idle(self) -> float:
        """The share of their time that the workers waited."""
        return 1 - (self.played + self.wasted + self.away) / (self.workers * self.wall)

    @property
    def busy(self) -> float:
        """The share of the time that the run's process was working."""
        return (self.delivering + self.saving) / self.wall


@dataclass(frozen=True, slots=True)
class PaperJob(Job):
    """A job that makes only the tables of its first deal set, which name its processes. The rest would waste memory."""

    @classmethod
    def of(cls, job: Job) -> PaperJob:
        """Return a simulated job."""
        return cls(**{one.name: getattr(job, one.name) for one in fields(job)})

    def tables(self) -> tuple[TableSpec, ...]:
        """Return the tables of the first deal set."""
        return Job.tables(replace(self, sets=self.sets[:1]))


def simulate(rounds: Iterable[Sequence[Job]], workers: int, costs: Costs, losses: Losses, *, tables: int) -> Simulated:
    """Play the jobs of these rounds, each after the previous one.

    workers: number of workers. tables: number of tables that each plays at once.
    """
    run = _Run(workers, costs, losses, tables)
    trio.run(run.play, rounds, clock=trio.testing.MockClock(autojump_threshold=0))
    return run.found()


class _RunProcess:
    """The run's process: one thread delivers, another stores, and only one of them works at a time."""

    def __init__(self) -> None:
        self._interpreter = trio.Lock()

    async def work(self, seconds: float) -> None:
        while seconds > 0:
            part = min(seconds, SLICE_S)
            async with self._interpreter:
                await trio.sleep(part)
            seconds -= part


class _Worker:
    """A worker: its pace, its processes, when it will next be lost, and when it will be back."""

    def __init__(self, losses: Losses, chance: random.Random) -> None:
        self._rate = losses.a_worker_and_day / DAY_S
        self._chance = chance
        self.back_at = -math.inf
        self.start()

    def start(self) -> None:
        """Start again now, like a worker that joins."""
        self.pace = Pace()
        self.processes: frozenset[InstanceKey] = frozenset()
        left = self._chance.expovariate(self._rate) if self._rate else math.inf
        self.lost_at = trio.current_time() + left

    def take_processes(self, block: Block) -> int:
        """Keep only the processes of a block. Return the number of processes that had to be started."""
        needed = frozenset(seat.instance for table in block.tables for seat in table.seats)
        started = len(needed - self.processes)
        self.processes = needed
        return started


class _Run:
    """The state of a simulation."""

    def __init__(self, workers: int, costs: Costs, losses: Losses, tables: int) -> None:
        self._count, self._costs, self._losses, self._tables = workers, costs, losses, tables
        self._present = workers
        self._began = self._wall = 0.0
        self._sets = self._calls = self._lost = self._most_losses = self._waiting = self._most_waiting = 0
        self._played = self._wasted = self._away = self._delivering = self._saving = 0.0

    async def play(self, rounds: Iterable[Sequence[Job]]) -> None:
        self._process = _RunProcess()
        self._delivery = trio.Lock()
        self._backlog = Backlog()
        chance = random.Random(self._count)
        self._workers = [_Worker(self._losses, chance) for _ in range(self._count)]
        self._began = trio.current_time()
        for jobs in rounds:
            await self._play_round([PaperJob.of(job) for job in jobs])
        self._wall = trio.current_time() - self._began

    def found(self) -> Simulated:
        return Simulated(
            workers=self._count,
            wall=self._wall,
            sets=self._sets,
            calls=self._calls,
            played=self._played,
            wasted=self._wasted,
            away=self._away,
            losses=self._lost,
            most_losses=self._most_losses,
            delivering=self._delivering,
            saving=self._saving,
            most_waiting=self._most_waiting,
        )

    async def _play_round(self, jobs: Sequence[Job]) -> None:
        """Play the jobs of a round. It ends when all is stored."""
        blocks = BlockQueue(jobs, TimeShares(MAX_SHARE), tables=self._tables, processes=MAX_PROCESSES)
        ended_in, ended = trio.open_memory_channel[int](math.inf)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._save_all, ended)
            async with ended_in, trio.open_nursery() as players:
                for worker in self._workers:
                    players.start_soon(self._play_blocks, worker, blocks, ended_in)
                await blocks.all_played()
                players.cancel_scope.cancel()  # a worker that is away comes back in the next round

    async def _play_blocks(self, worker: _Worker, blocks: BlockQueue, ended: trio.MemorySendChannel[int]) -> None:
        await self._return(worker)
        while (block := await self._next_block(worker, blocks)) is not None:
            self._calls += 1
            began = trio.current_time()
            started = worker.take_processes(block)
            playing = self._costs.playing(block.sets, self._tables)
            seconds = self._costs.call + started * self._costs.start + playing
            if began + seconds > worker.lost_at:
                await self._lose(worker, block, blocks)
                continue
            await trio.sleep(seconds)
            self._played += seconds
            worker.pace.took(block, seconds)
            await self._deliver(block, ended)
            blocks.finish(block)

    async def _next_block(self, worker: _Worker, blocks: BlockQueue) -> Block | None:
        await self._backlog.wait_for_room()
        return await blocks.take(worker.pace, max(1, self._present))

    async def _lose(self, worker: _Worker, block: Block, blocks: BlockQueue) -> None:
        """Lose a worker while it plays a block, and wait until it is back."""
        wasted = max(0.0, worker.lost_at - trio.current_time())
        await trio.sleep(wasted)
        self._wasted += wasted
        self._lost += 1
        block.losses += 1
        self._most_losses = max(self._most_losses, block.losses)
        blocks.give_back(block, worker.pace)
        worker.back_at = trio.current_time() + self._losses.away
        await self._return(worker)

    async def _return(self, worker: _Worker) -> None:
        """Wait until a worker that is away is back."""
        left = trio.current_time()
        if worker.back_at <= left:
            return
        self._present -= 1
        try:
            await trio.sleep_until(worker.back_at)
            worker.back_at = -math.inf
            worker.start()
        finally:
            self._present += 1
            self._away += trio.current_time() - left

    async def _deliver(self, block: Block, ended: trio.MemorySendChannel[int]) -> None:
        """Deliver the games of a block, in the thread for this."""
        seconds = block.sets * self._costs.deliver
        self._waiting += block.sets
        self._most_waiting = max(self._most_waiting, self._waiting)
        async with self._delivery:
            await self._process.work(seconds)
        self._delivering += seconds
        self._backlog.add(block.sets)
        ended.send_nowait(block.sets)

    async def _save_all(self, ended: trio.MemoryReceiveChannel[int]) -> None:
        """Store deal sets as they arrive, all waiting ones in one transaction."""
        async for sets in ended:
            together = sets
            with suppress(trio.WouldBlock, trio.EndOfChannel):
                while True:
                    together += ended.receive_nowait()
            seconds = together * self._costs.save
            await self._process.work(seconds)
            self._saving += seconds
            self._waiting -= together
            self._backlog.remove(together)
            self._sets += together
