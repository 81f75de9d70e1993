"""An executor that plays on the workers of a Dask cluster (`--cluster`), which share all ledger entries.

A worker gets a block of deal sets, and delivers its games when all have ended.

If it is lost, another worker plays the block from the beginning. No part of the block was delivered, so nothing is
stored twice.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import trio

from bowerbird.harness.extras.cluster.answer_types import is_of_type
from bowerbird.harness.extras.cluster.block_check import BlockCheck, accused_by
from bowerbird.harness.extras.cluster.blocks import Block, BlockQueue, Pace, Throughput
from bowerbird.harness.extras.cluster.connection import (
    ANSWER_S,
    WorkerAnswerError,
    WorkerDefectError,
    WorkerGoneError,
    WorkerRefusalError,
)
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.extras.cluster.on_worker.site import WorkerSite
from bowerbird.harness.extras.cluster.open_cluster import OpenCluster
from bowerbird.harness.extras.cluster.retries import Retries
from bowerbird.harness.extras.cluster.roll_call import Candidate, LeftOut, machines_of
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.referee.job_queue import TimeShares
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import InstanceKey, OnGame, OnVoid, TableSpec
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import (
    BlockPlayed,
    Progress,
    WorkerJoined,
    WorkerLeftOut,
    WorkerLost,
    WorkerSilent,
)
from bowerbird.harness.tournament.executors import messages
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.playing.backlog import Backlog
from bowerbird.harness.tournament.playing.machines import MachineLog

T = TypeVar("T")

MAX_LOSSES = 5
"""The run stops when one block has lost this many workers.

Then either the block ends them or nothing works. The number is high enough that this does not happen by chance, since a
worker's loss counts against both its blocks whatever the reason.
"""

BLOCKS_A_WORKER = 2
"""How many blocks a worker has at the same time, so that its tables stay full while one ends and the next begins."""

LOOK_S = 2.0
"""How often to check for workers that joined or left."""

NO_WORKER_S = 60.0
"""How long a run waits for a worker if it has none."""

LEAVE_S = 9.5
"""How long the workers may take to end their bots."""

TELL_SILENT_S = 60.0
"""After how many seconds without a message from a worker that has games to play the run reports it."""

LEAST_SILENT_S = 300.0
"""After how long a silence a worker is lost, unless `SILENT_TURNS` of the longest decisions or starts take longer.

Its referee reports the bots' processor time every 2 s. It is silent only while all of them wait, which their clocks
limit.
"""

SILENT_TURNS = 4
MOST_INCREMENTS = 100
"""How many increments a bank may have saved up."""

MOST_HELD = 10_000
"""How many updates of a worker are kept until they can be used."""

DRAWN = 16
"""One game in this many, drawn by lot, is played again as a check. In a worker's first block all are."""


class _Numbers:
    """The numbers from 1 that were seen. They come almost in order, so only those after a gap take memory."""

    def __init__(self) -> None:
        self._all_up_to = 0
        self._further: set[int] = set()

    def is_new(self, number: int) -> bool:
        """Mark a number as seen, and return whether it was new."""
        if number <= self._all_up_to or number in self._further:
            return False
        self._further.add(number)
        while self._all_up_to + 1 in self._further:
            self._all_up_to += 1
            self._further.remove(self._all_up_to)
        return True


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker with a referee.

    pending: the ledger entries that it has not been sent.
    is_sent: whether a task is sending it entries.
    is_ready: whether its referee has its setup, so that it can receive ledger entries.
    plays: whether it is admitted, because every bot that starts elsewhere also starts there.
    is_proven: whether one of its blocks was checked and found correct. Before that it cannot accuse a bot that starts
        elsewhere.
    held: the updates that came too early to be used. Those of a worker that is left out or lost are dropped.
    updates: the numbers of the updates that were used.
    last_end: when its last block ended, on trio's clock.
    games: how many it has to play.
    silent_s: how long it has been silent while it had games to play.
    is_silent: whether the run has reported that.
    """

    candidate: Candidate
    index: int
    pace: Pace = field(default_factory=Pace)
    pending: list[LedgerEntry] = field(default_factory=list)
    is_sent: bool = False
    is_ready: bool = False
    plays: bool = False
    is_proven: bool = False
    held: list[Reply] = field(default_factory=list)
    updates: _Numbers = field(default_factory=_Numbers)
    last_end: float = -math.inf
    games: int = 0
    silent_s: float = 0.0
    is_silent: bool = False

    @property
    def title(self) -> str:
        """The worker's name and machine, for people."""
        return f"{self.candidate.name} on {self.candidate.facts.host}"

    def hear(self) -> None:
        """Note that it sent a message now."""
        self.silent_s = 0.0
        self.is_silent = False


class ClusterExecutor:
    """An `Executor` that plays on the workers of a roster, and on those that join."""

    def __init__(
        self,
        setup: RefereeSetup,
        cluster: OpenCluster,
        ledger: FaultLedger,
        *,
        on_stall: Callable[[Stall], None],
        machines: MachineLog,
        backlog: Backlog,
        progress: Progress,
    ) -> None:
        """Create an executor that has started no referee.

        setup: the setup for every worker. Its slots are the slots of one machine, 0 for one per core.
        ledger: receives the entries of all workers.
        on_stall: receives the stalls of their machines.
        machines: receives the machine of each deal set.
        backlog: no worker gets a block while too many deal sets wait to be stored.
        """
        self._setup = setup
        self._connection = cluster.connection
        self._examination = cluster.examination
        self._roster = roster = cluster.roster
        self._ledger = ledger
        self._on_stall = on_stall
        self._machine_log = machines
        self._backlog = backlog
        self._check = BlockCheck(setup, ledger.is_withdrawn_among)
        self._silent_s = silence_limit_s(setup)
        self._machines = machines_of(roster.admitted)
        self._progress = progress
        self._workers: dict[str, _Worker] = {}
        self._known = {one.address for one in roster.admitted} | {one.address for one in roster.left_out}
        self._again = Retries(one.address for one in roster.left_out if one.is_busy)
        self._absent_everywhere: tuple[BotStory, ...] = ()
        self._shares = TimeShares(setup.max_share)
        self._let_play: Callable[[_Worker], None] | None = None
        self._throughput = Throughput()
        self._to_share = trio.Event()
        self._stack = AsyncExitStack()
        ledger.subscribe(self._share_later)

    async def __aenter__(self) -> ClusterExecutor:
        """Start a referee on each worker of the roster, and each bot once.

        Raises MachinesError if no worker is left.
        """
        token = trio.lowlevel.current_trio_token()
        self._connection.on_reply(lambda worker, reply: token.run_sync_soon(self._take_early, worker, reply))
        background = await self._stack.enter_async_context(trio.open_nursery())
        self._stack.callback(background.cancel_scope.cancel)
        try:
            background.start_soon(self._share, background)
            await self._open_roster()
        except BaseException:
            await self._leave_all()
            await self._stack.aclose()
            raise
        background.start_soon(self._look_for_workers, background)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """End every referee, which also ends its bots."""
        await self._leave_all()
        return await self._stack.__aexit__(kind, error, traceback)

    def hurry(self) -> None:
        """Kill the referees. The bots of a killed referee are killed with it."""
        for address in self._workers:
            self._connection.loop.begin(self._connection.call(address, WorkerSite.hurry))

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Return the bots that did not start on any worker. `__aenter__` started each of them on every worker."""
        return self._absent_everywhere

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        """Play every table of `jobs`; see `Executor`. Raises MachinesError when no worker is left to play them."""
        blocks = BlockQueue(jobs, self._shares, tables=self._setup.tables, processes=self._setup.processes)

        def on_ended(table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
            self._shares.add(record)
            on_game(table, record, annotations.without_logs())  # they are on the worker

        async with trio.open_nursery() as players:

            def let_play(worker: _Worker) -> None:
                for _ in range(BLOCKS_A_WORKER):
                    players.start_soon(self._play_blocks, worker, blocks, on_ended, on_void)

            self._let_play = let_play
            try:
                for worker in self._playing():
                    let_play(worker)
                await blocks.all_played()
            finally:
                self._let_play = None
            players.cancel_scope.cancel()  # the remaining tasks wait for lost workers

    async def _play_blocks(self, worker: _Worker, blocks: BlockQueue, on_game: OnGame, on_void: OnVoid) -> None:
        """Let a worker play block after block until none is left or the worker is gone.

        Each worker has two such tasks, so that it begins a block when all tables of the previous one have begun.
        """
        while (block := await self._next_block(worker, blocks)) is not None:
            if not self._has(worker):  # it was lost with its other block
                blocks.give_back(block, worker.pace)
                return
            begun = trio.current_time()
            if not worker.games:
                worker.hear()
            worker.games += len(block.tables)
            try:
                replies = await self._run(
                    self._connection.call(worker.candidate.address, WorkerSite.play, block.tables)
                )
                worker.hear()
                if not self._has(worker):
                    raise WorkerGoneError("it was lost in the meantime", is_lost=False)
                self._check.refuse_answer(
                    block.tables,
                    replies,
                    (lambda: secrets.randbelow(DRAWN) == 0) if worker.is_proven else (lambda: True),
                    accused_by(worker.held),
                )
            except (WorkerGoneError, WorkerRefusalError, WorkerDefectError) as error:
                self._lose(worker, error)
                if isinstance(error, WorkerDefectError) and not self._workers:
                    raise
                block.losses += _counts(error)
                if block.losses >= MAX_LOSSES:
                    raise MachinesError(_too_many_losses(block, error)) from error
                blocks.give_back(block, worker.pace)
                return
            finally:
                worker.games -= len(block.tables)
            worker.is_proven = True
            self._take_held(worker)
            now = trio.current_time()
            worker.pace.took(block, now - max(begun, worker.last_end))
            worker.last_end = now
            if not blocks.finish(block):
                continue
            self._deliver(worker, block, replies, on_game, on_void)
            self._lose_late(worker, block)
            self._throughput.add(now, _decisions(replies))
            self._progress(BlockPlayed(len(self._workers), blocks.in_play, self._throughput.per_s(now)))

    async def _next_block(self, worker: _Worker, blocks: BlockQueue) -> Block | None:
        await self._backlog.wait_for_room()
        return await blocks.take(worker.pace, max(1, len(self._playing())))

    def _lose_late(self, first: _Worker, block: Block) -> None:
        """Give up the other workers that are playing a block that has been delivered. They may come back."""
        for late in self._playing():
            if late is not first and late.pace in block.players:
                self._lose(late, WorkerGoneError(f"{first.title} was faster with its games", is_lost=True))

    def _lose_silent(self) -> None:
        """Give up for good each worker that has been silent for too long, and report silent workers before that.

        Called every `LOOK_S` and counts that long, so time in which this process stood still is not counted as silence.
        """
        for worker in self._playing():
            if not worker.games:
                continue
            worker.silent_s += LOOK_S
            if worker.silent_s >= self._silent_s:
                why = f"it sent nothing for {worker.silent_s:.0f} s, though it answers calls"
                self._lose(worker, WorkerAnswerError(why))
            elif worker.silent_s >= TELL_SILENT_S and not worker.is_silent:
                worker.is_silent = True
                self._progress(WorkerSilent(worker.title, worker.games, worker.silent_s, self._silent_s))

    def _deliver(
        self, worker: _Worker, block: Block, replies: Sequence[Reply], on_game: OnGame, on_void: OnVoid
    ) -> None:
        """Use the checked replies of a block, in the order in which they were made."""
        self._machine_log.played(block.tables, self._machines[worker.candidate.facts.machine])
        for reply in replies:
            match reply.message:
                case messages.GameEnded(_, index, record, annotations):
                    on_game(block.tables[index], record, annotations)
                case messages.GameVoided(_, index, voided):
                    on_void(block.tables[index], voided)
                case messages.LedgerUpdate() | messages.StallEnded():
                    self._take_update(worker, reply)
                case messages.ChunkPlayed():
                    pass

    def _take_early(self, address: str, reply: Reply) -> None:
        """Use an update that came before its block has ended. Give up a worker that sends something else."""
        worker = self._workers.get(address)
        if worker is None:
            return
        try:
            self._check.refuse_update(reply)
        except WorkerAnswerError as error:
            self._lose(worker, error)
        else:
            worker.hear()
            self._take_update(worker, reply)

    def _take_update(self, worker: _Worker, reply: Reply) -> None:
        """Use an update once. It comes immediately, and again with each block that was in play."""
        if not worker.plays or (not worker.is_proven and self._accuses(reply)):
            if len(worker.held) >= MOST_HELD:
                self._lose(worker, WorkerAnswerError(f"it sent {MOST_HELD:,} updates before its first block"))
                worker.held = []
            else:
                worker.held.append(reply)
            return
        if not worker.updates.is_new(reply.number):
            return
        if isinstance(reply.message, messages.StallEnded):
            self._on_stall(reply.message.stall)
        elif isinstance(reply.message, messages.LedgerUpdate):
            self._ledger.enter(reply.message.entry)

    def _accuses(self, reply: Reply) -> bool:
        """Return whether an update accuses a bot that starts elsewhere."""
        absent = {story.bot for story in self._absent_everywhere}
        return any(bot not in absent for bot in accused_by([reply]))

    def _take_held(self, worker: _Worker) -> None:
        """Use those of the held updates that can be used now."""
        held, worker.held = worker.held, []
        for reply in held:
            self._take_update(worker, reply)

    def _share_later(self, entry: LedgerEntry) -> None:
        """Send a new entry to all workers.

        The worker that made it already has it, and a second copy changes nothing there.
        """
        if not isinstance(entry, CpuUsed):
            for worker in self._workers.values():
                worker.pending.append(entry)
            self._to_share.set()

    async def _share(self, background: trio.Nursery) -> None:
        """Send entries to the workers as they come. No worker waits for another, which may hang."""
        while True:
            await self._to_share.wait()
            self._to_share = trio.Event()
            for worker in self._ready():
                if worker.pending and not worker.is_sent:
                    worker.is_sent = True
                    background.start_soon(self._send_pending, worker)

    async def _send_pending(self, worker: _Worker) -> None:
        while worker.pending:
            entries, worker.pending = worker.pending, []
            try:
                await self._run(self._connection.call(worker.candidate.address, WorkerSite.learn, entries))
            except (WorkerGoneError, WorkerRefusalError, WorkerDefectError) as error:
                self._lose(worker, error)  # the call in which it plays notices it, too
                return
        worker.is_sent = False

    async def _open_roster(self) -> None:
        """Open a referee on each worker, start each bot there, and leave out workers where only some bots start."""
        absent: dict[_Worker, tuple[BotStory, ...]] = {}

        async def open_one(worker: _Worker) -> None:
            found = await self._open(worker)
            if found is not None:
                absent[worker] = found

        async with trio.open_nursery() as nursery:
            for candidate in self._roster.admitted:
                nursery.start_soon(open_one, self._listed(candidate))
        if not absent:
            raise MachinesError(f"no worker of {self._connection.address} is left before the first game")
        names = set.intersection(*({story.bot for story in found} for found in absent.values()))
        self._absent_everywhere = tuple(story for story in next(iter(absent.values())) if story.bot in names)
        for worker, found in absent.items():
            if self._has(worker) and await self._leave_if_not_starting(worker, found):
                self._admit(worker)
        if not self._workers:
            raise MachinesError(
                f"no worker of {self._connection.address} can start every bot: each fails to start a bot that others "
                "can start"
            )

    async def _look_for_workers(self, background: trio.Nursery) -> None:
        """Let workers join and leave.

        Raises MachinesError after `NO_WORKER_S` without any, or if the scheduler is gone.
        """
        last_seen = trio.current_time()
        while True:
            await trio.sleep(LOOK_S)
            present = {*await self._run(self._connection.addresses())}
            for address in [*self._workers]:
                if address not in present:
                    self._connection.forget(address)  # this ends its calls, and so its player
                    self._lose(self._workers[address], WorkerGoneError("it left the cluster", is_lost=True))
            self._lose_silent()
            self._known -= self._again.due(trio.current_time())
            self._known &= present
            if present - self._known:
                names = await self._run(self._connection.workers())
                for address in sorted(names.keys() - self._known):
                    self._known.add(address)
                    background.start_soon(self._join, address, names[address])
            if self._workers:
                last_seen = trio.current_time()
            elif trio.current_time() - last_seen > NO_WORKER_S:
                raise MachinesError(
                    f"all workers of {self._connection.address} are gone, and none came for {NO_WORKER_S:g} s; "
                    "stored results are kept"
                )

    async def _join(self, address: str, name: str) -> None:
        """Check a worker that joined, and let it play if it matches the others."""
        found = await self._run(self._examination.examine(address, name))
        if isinstance(found, Candidate) and (why := self._examination.unequal_to(self._roster, found)):
            found = await self._run(self._examination.leave_out(found, why))
        if isinstance(found, LeftOut):
            if not found.is_busy or self._again.found_busy(address, trio.current_time()):
                self._progress(WorkerLeftOut(str(found)))
            return
        self._again.found_free(address)
        worker = self._listed(found)
        absent = await self._open(worker)
        if absent is not None and self._has(worker) and await self._leave_if_not_starting(worker, absent):
            self._admit(worker)
            self._progress(WorkerJoined(worker.title, len(self._workers)))
            if self._let_play is not None:
                self._let_play(worker)

    def _admit(self, worker: _Worker) -> None:
        """Let a worker play, and use its referee's updates so far."""
        worker.plays = True
        self._take_held(worker)

    def _listed(self, candidate: Candidate) -> _Worker:
        """Return the worker of a candidate. From now on it gets every ledger entry."""
        here = {
            worker.index
            for worker in self._workers.values()
            if worker.candidate.facts.machine == candidate.facts.machine
        }
        index = next(number for number in range(len(here) + 1) if number not in here)
        worker = self._workers[candidate.address] = _Worker(candidate, index)
        self._machines = machines_of([candidate]) | self._machines  # a machine keeps its first measurement
        return worker

    async def _open(self, worker: _Worker) -> tuple[BotStory, ...] | None:
        """Open a worker's referee and start each bot.

        Return those that did not start, or None if the worker is gone.
        """
        address = worker.candidate.address
        on_host = sum(_host_of(one) == _host_of(address) for one in await self._run(self._connection.addresses()))
        setup = replace(
            self._setup, conduct=self._ledger.conduct, index=worker.index, count=max(on_host, worker.index + 1)
        )
        try:
            await self._run(self._connection.call_within(ANSWER_S, address, WorkerSite.open_referee, setup))
            worker.is_ready = True
            self._to_share.set()
            start_s = len(setup.bots) * setup.conditions.time.startup_ms / 1000
            absent = await self._run(self._connection.call_within(ANSWER_S + start_s, address, WorkerSite.roll_call))
            if not is_of_type(absent, tuple[BotStory, ...]):
                raise WorkerAnswerError("its answer to a roll call is not valid")
            return absent
        except (WorkerGoneError, WorkerRefusalError) as error:
            self._lose(worker, error)
            return None
        except WorkerDefectError as error:
            await self._leave_out(worker, error.sentence)
            return None

    async def _leave_if_not_starting(self, worker: _Worker, absent: Sequence[BotStory]) -> bool:
        """Leave out a worker if a bot does not start there that starts elsewhere. Return whether the worker stays."""
        missing = {story.bot for story in self._absent_everywhere}
        story = next((story for story in absent if story.bot not in missing), None)
        if story is None:
            return True
        why = f"bot {story.bot!r} starts elsewhere, but not there: {story.failure.partition(': ')[2]}"
        await self._leave_out(worker, why)
        return False

    async def _leave_out(self, worker: _Worker, why: str) -> None:
        if self._has(worker):
            del self._workers[worker.candidate.address]
        self._progress(WorkerLeftOut(str(await self._run(self._examination.leave_out(worker.candidate, why)))))

    def _lose(self, worker: _Worker, error: Exception) -> None:
        """Play without a worker from now on."""
        address = worker.candidate.address
        if self._has(worker):
            del self._workers[address]
            self._connection.forget(address)
            if not isinstance(error, WorkerAnswerError | WorkerDefectError):
                self._again.lost(address, trio.current_time())  # it may come back
            why = error.sentence if isinstance(error, WorkerDefectError) else str(error)
            self._progress(WorkerLost(worker.title, why, len(self._workers)))

    async def _leave_all(self) -> None:
        self._connection.on_reply(None)
        with trio.CancelScope(shield=True), trio.move_on_after(LEAVE_S):
            async with trio.open_nursery() as nursery:
                for address in [*self._workers]:
                    nursery.start_soon(self._leave, address)

    async def _leave(self, address: str) -> None:
        try:
            await self._run(self._connection.call(address, WorkerSite.close))
        except (WorkerGoneError, WorkerRefusalError, WorkerDefectError, MachinesError):
            return  # its lease ends its bots

    def _has(self, worker: _Worker) -> bool:
        """Return whether this worker plays for the run.

        A worker that came back under the same address is a different one.
        """
        return self._workers.get(worker.candidate.address) is worker

    def _playing(self) -> list[_Worker]:
        return [worker for worker in self._workers.values() if worker.plays]

    def _ready(self) -> list[_Worker]:
        return [worker for worker in self._workers.values() if worker.is_ready]

    async def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return await self._connection.loop.run(coroutine)


def _counts(error: Exception) -> bool:
    """Return whether a block may have caused the loss of a worker."""
    if isinstance(error, WorkerGoneError):
        return error.is_lost
    return not isinstance(error, WorkerAnswerError | WorkerDefectError)


def silence_limit_s(setup: RefereeSetup) -> float:
    """Return how long a worker with games to play may be silent before it is lost. See `LEAST_SILENT_S`."""
    clocks = [setup.conditions.time, *(bot.time for bot in setup.bots if bot.time is not None)]
    banks_ms = (clock.bank_ms + MOST_INCREMENTS * clock.increment_ms for clock in clocks)
    turns_ms = [clock.per_decision_ms + bank_ms for clock, bank_ms in zip(clocks, banks_ms, strict=True)]
    return max(LEAST_SILENT_S, SILENT_TURNS * max(setup.conditions.time.startup_ms, *turns_ms) / 1000)


def _host_of(address: str) -> str | None:
    """Return the machine in a worker's address. Workers on one machine share its slots."""
    return urlsplit(address).hostname


def _decisions(replies: Sequence[Reply]) -> int:
    return sum(
        len(hand.actions)
        for reply in replies
        if isinstance(reply.message, messages.GameEnded)
        for hand in reply.message.record.hands
    )


def _too_many_losses(block: Block, error: Exception) -> str:
    first, last = block.tables[0].game_id, block.tables[-1].game_id
    return (
        f"the games from {first} to {last} lost {block.losses} workers one after another (the last one: {error}); "
        "stored deal sets are kept"
    )
