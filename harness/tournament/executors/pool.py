"""An executor with several worker processes on this machine (`--jobs N`), each with its own referee.

Tables are handed out in chunks of whole deal sets. If a worker is lost, its successor plays the undelivered tables.
This process starts no bot and runs no gRPC server.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

import trio

from bowerbird.harness.process_settings import GRPC_EXPERIMENTS, GRPC_VARIABLE
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.referee.job_queue import JobQueue, TimeShares
from bowerbird.harness.referee.process.affinity import allowed_cores, let_run_on
from bowerbird.harness.referee.process.open_files import let_open, open_files
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import InstanceKey, OnGame, OnVoid, OpenTable, TableSpec
from bowerbird.harness.referee.table_watch import OnSteps, gone
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.executors import messages
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.pipe import Pipe
from bowerbird.harness.tournament.jobs.job import Job, set_count

MAX_LOSSES = 3
"""The run stops after losing this many workers, for example because memory ran out."""

SETS_PER_TABLE = 8
"""The most deal sets in a chunk, for each table that a process plays at once.

A large chunk spends little of its time with only a few tables left.
"""

CLOSE_S = 20.0
"""How long a worker may take to end its bots and exit before it is killed."""

LIST_S = 1.0
"""How long the pool waits for its workers to list their open tables."""

Update = messages.LedgerUpdate | messages.StallEnded | messages.OpenTables | messages.StepsPlayed
OnUpdate = Callable[[Update], None]
"""Called with the messages that a worker may send at any time."""


class WorkerLostError(Exception):
    """A worker process has ended unexpectedly; `str` is its signal or exit status."""


class PoolExecutor:
    """An `Executor` that plays in `count` worker processes, which all share the entries of the pool's ledger."""

    def __init__(self, setup: RefereeSetup, count: int, ledger: FaultLedger, on_stall: Callable[[Stall], None]) -> None:
        """Create a pool that has started nothing.

        ledger: receives the entries of all workers. Entries made elsewhere are also passed on to all workers.
        on_stall: called with the stalls of the workers.
        """
        self._on_stall = on_stall
        self._setup = setup
        self._count = count
        self._ledger = ledger
        self._workers: list[WorkerProcess] = []
        self._losses = 0
        self._shares = TimeShares(setup.max_share)
        self._make_equal = _equal_to_now()
        self._to_share_in, self._to_share = trio.open_memory_channel[LedgerEntry](math.inf)
        self._listings = 0
        self._listed: dict[int, list[messages.OpenTables]] = {}
        """The answers received so far to each listing that is still waiting."""
        self._listing_changed = trio.Event()
        self._watched: dict[str, tuple[WorkerProcess, OnSteps]] = {}
        """The worker that plays each watched game, and the function that follows it."""
        ledger.subscribe(self._share_later)

    async def __aenter__(self) -> PoolExecutor:
        """Start the workers. Raises TournamentError if one does not start."""
        for index in range(self._count):
            await self._start_worker(index)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End every worker; each ends its bots."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for worker in self._workers:
                    nursery.start_soon(worker.end)

    def hurry(self) -> None:
        """Kill the workers. The bots of a killed worker are killed with it (faults.md, Launching)."""
        for worker in self._workers:
            worker.kill()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Call the roll at the first worker, which plays the first table; see `Executor`.

        Raises TournamentError if the worker is lost.
        """
        try:
            return await self._workers[0].roll_call(soon, self._take_update)
        except WorkerLostError as error:
            raise TournamentError(f"a worker process ended before the first game ({error})") from error

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        """Play every table of `jobs`; see `Executor`. Raises TournamentError when `MAX_LOSSES` workers were lost."""
        chunks = self._chunks(JobQueue(jobs, self._shares), set_count(jobs))

        def on_ended(table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
            self._shares.add(record)
            on_game(table, record, annotations)

        async with trio.open_nursery() as sharing:
            await sharing.start(self._share)
            async with trio.open_nursery() as players:
                for index in range(len(self._workers)):
                    players.start_soon(self._play_chunks, index, chunks, on_ended, on_void)
            sharing.cancel_scope.cancel()

    def _chunks(self, queue: JobQueue[Job], left: int) -> Iterator[tuple[TableSpec, ...]]:
        """Cut jobs into chunks of whole deal sets, smaller near the end, so that all workers end together.

        Jobs share a chunk if their processes may be alive together. Tables are made when their turn comes. `left` is
        the number of deal sets that remain.
        """
        most = SETS_PER_TABLE * self._setup.tables
        chunk: list[TableSpec] = []
        needed: set[InstanceKey] = set()
        sets = 0
        while queue:
            job = queue.pop()
            while job.sets:
                wanted = min(most, math.ceil(left / (2 * self._count)))
                if chunk and (sets >= wanted or len(needed.union(job.processes)) > self._setup.processes):
                    yield tuple(chunk)
                    chunk, needed, sets = [], set(), 0
                part = replace(job, sets=job.sets[: max(1, wanted - sets)])
                chunk += part.tables()
                needed.update(part.processes)
                sets, left = sets + len(part.sets), left - len(part.sets)
                job = replace(job, sets=job.sets[len(part.sets) :])
        if chunk:
            yield tuple(chunk)

    async def _play_chunks(
        self, index: int, chunks: Iterator[tuple[TableSpec, ...]], on_game: OnGame, on_void: OnVoid
    ) -> None:
        """Let worker `index` play chunk after chunk; if it is lost, its successor plays the rest of its chunk."""
        for chunk in chunks:
            left = dict(enumerate(chunk))
            while left:
                try:
                    await self._workers[index].play(left, on_game, on_void, self._take_update)
                except WorkerLostError as error:
                    self._losses += 1
                    self._end_watches(self._workers[index])
                    if self._losses >= MAX_LOSSES:
                        raise TournamentError(
                            f"{self._losses} worker processes were lost (the last one: {error}); stored deal sets "
                            "are kept, and a lower --jobs needs less memory"
                        ) from error
                    await self._start_worker(index)

    async def _start_worker(self, index: int) -> None:
        """Start worker `index`, or its successor.

        The worker is listed before its setup is made, so that it misses no ledger entry: each entry is in the setup or
        sent after it.
        """
        worker = await WorkerProcess.start(self._make_equal)
        self._workers[index : index + 1] = [worker]
        setup = replace(self._setup, conduct=self._ledger.conduct)
        await worker.begin(setup.for_worker(index, self._count))

    def _take_update(self, update: Update) -> None:
        match update:
            case messages.StallEnded():
                self._on_stall(update.stall)
            case messages.OpenTables():
                if update.number in self._listed:
                    self._listed[update.number].append(update)
                    self._listing_changed.set()
            case messages.StepsPlayed():
                self._take_steps(update.steps)
            case messages.LedgerUpdate():
                self._ledger.enter(update.entry)

    # For spectators

    async def open_tables(self) -> tuple[OpenTable, ...]:
        """Return the tables in play of workers that answer within `LIST_S`; a worker between two chunks does not."""
        self._listings += 1
        number, workers = self._listings, [worker for worker in self._workers if worker.is_playing]
        answers = self._listed[number] = []
        with trio.move_on_after(LIST_S):
            for worker in workers:
                await worker.tell(messages.ListOpenTables(number))
            while len(answers) < len(workers):
                self._listing_changed = trio.Event()
                await self._listing_changed.wait()
        del self._listed[number]
        return tuple(table for answer in answers for table in answer.tables)

    async def watch_table(self, game: str, send: OnSteps) -> None:
        """Tell `send`, which must not wait, what was played at a table so far and what follows, until it ends."""
        worker = next((one for one in self._workers if one.plays(game)), None)
        if worker is None:
            send(gone(game))
            return
        self._watched[game] = worker, send
        await worker.tell(messages.WatchTable(game, is_on=True))

    async def unwatch_table(self, game: str) -> None:
        """End `watch_table` of this game."""
        if (found := self._watched.pop(game, None)) is not None:
            await found[0].tell(messages.WatchTable(game, is_on=False))

    def _take_steps(self, steps: LiveSteps) -> None:
        found = self._watched.get(steps.game)
        if found is None:
            return
        if steps.end is not None:
            del self._watched[steps.game]
        found[1](steps)

    def _end_watches(self, lost: WorkerProcess) -> None:
        """Tell spectators that the tables of a lost worker are gone; its successor plays their games again."""
        for game, (worker, _) in list(self._watched.items()):
            if worker is lost:
                self._take_steps(gone(game))

    # The ledger

    def _share_later(self, entry: LedgerEntry) -> None:
        """Pass a new entry on to all workers. It changes nothing for the worker that made it."""
        if not isinstance(entry, CpuUsed):
            self._to_share_in.send_nowait(entry)

    async def _share(self, task_status: trio.TaskStatus[None]) -> None:
        """Send entries to the workers as they come. `task_status` is started once the waiting entries are sent."""
        with suppress(trio.WouldBlock):
            while True:
                await self._tell_all(self._to_share.receive_nowait())
        task_status.started()
        async for entry in self._to_share:
            await self._tell_all(entry)

    async def _tell_all(self, entry: LedgerEntry) -> None:
        for worker in list(self._workers):
            await worker.tell(messages.LedgerUpdate(entry))


def _equal_to_now() -> Callable[[int], None]:
    """Return a function that gives a process the cores and the open-file limit that this process has now.

    A referee in this process changes both while it runs, and a worker started meanwhile would inherit the changes.
    """
    cores, files = allowed_cores(), open_files()

    def make_equal(pid: int) -> None:
        let_run_on(pid, cores)
        let_open(pid, files)

    return make_equal


class WorkerProcess:
    """One worker process, as the pool sees it: requests go in, replies come out."""

    def __init__(self, process: trio.Process, pipe: Pipe) -> None:
        """Wrap a running worker."""
        self._process = process
        self._pipe = pipe
        self._playing: frozenset[str] = frozenset()
        """The games of the chunk in play, including those that have ended."""

    @classmethod
    async def start(cls, make_equal: Callable[[int], None]) -> WorkerProcess:
        """Start a worker in its own session, so that Ctrl-C at the terminal reaches only the pool.

        make_equal: called with the pid, to give the worker the same cores and limits as the others.
        """
        process = await trio.lowlevel.open_process(
            [sys.executable, "-P", "-m", "bowerbird.harness.tournament.executors.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={GRPC_VARIABLE: GRPC_EXPERIMENTS, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        make_equal(process.pid)
        assert process.stdin is not None  # both are pipes, as asked for above
        assert process.stdout is not None
        return cls(process, Pipe(process.stdout, process.stdin))

    async def begin(self, setup: RefereeSetup) -> None:
        """Send the worker its setup. Raises TournamentError if the worker is lost."""
        try:
            await self._send(setup)
        except WorkerLostError as error:
            raise TournamentError(f"a worker process did not start ({error})") from error

    async def roll_call(self, soon: Collection[InstanceKey], on_update: OnUpdate) -> tuple[BotStory, ...]:
        """Call the roll at the worker. Return the bots that did not become ready. Raises WorkerLostError."""
        await self._send(messages.RollCallRequest(frozenset(soon)))
        while not isinstance(reply := await self._receive(), messages.RollCallReply):
            assert isinstance(reply, Update), reply  # nothing else precedes the reply (`messages`)
            on_update(reply)
        return reply.absent

    async def play(self, left: dict[int, TableSpec], on_game: OnGame, on_void: OnVoid, on_update: OnUpdate) -> None:
        """Let the worker play the tables in `left`; remove each when its game ends or is voided.

        Raises WorkerLostError.
        """
        tables = tuple(left.items())
        self._playing = frozenset(table.game_id for _, table in tables)
        await self._send(messages.PlayChunk(tuple(table for _, table in tables)))
        while not isinstance(reply := await self._receive(), messages.ChunkPlayed):
            if isinstance(reply, Update):
                on_update(reply)
                continue
            assert isinstance(reply, messages.GameEnded | messages.GameVoided), (
                reply
            )  # nothing else is sent until then (`messages`)
            key, table = tables[reply.index]
            del left[key]
            if isinstance(reply, messages.GameVoided):
                on_void(table, reply.voided)
            else:
                on_game(table, reply.record, reply.annotations)
        self._playing = frozenset()

    @property
    def is_playing(self) -> bool:
        """Whether a chunk is in play. Only then does the pool read from the worker."""
        return bool(self._playing)

    def plays(self, game: str) -> bool:
        """Return whether a game is in the worker's chunk."""
        return game in self._playing

    async def tell(self, message: messages.LedgerUpdate | messages.ListOpenTables | messages.WatchTable) -> None:
        """Send the worker a message that has no reply in order. Do nothing if the worker is lost.

        Its successor begins with all entries of the ledger, and spectators of its tables are told of the loss. A
        message is always sent whole: half a message would make the rest unreadable.
        """
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError), trio.CancelScope(shield=True):
            await self._pipe.send(message)

    def kill(self) -> None:
        """Kill the worker if it is still running."""
        self._process.kill()

    async def end(self) -> None:
        """Close the worker's stdin, so that it ends its bots and itself. Kill it after `CLOSE_S`."""
        await self._pipe.stop_sending()
        with trio.move_on_after(CLOSE_S):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await self._pipe.aclose()

    async def _send(self, request: object) -> None:
        try:
            await self._pipe.send(request)
        except trio.BrokenResourceError as error:
            raise await self._lost() from error

    async def _receive(self) -> object:
        try:
            reply: object = await self._pipe.receive()
        except EOFError as error:
            raise await self._lost() from error
        if isinstance(reply, messages.SupervisorEnded):
            raise await self._lost("its supervisor process was killed")
        if isinstance(reply, messages.WorkerFailed):
            raise RuntimeError(f"a worker process failed:\n{reply.traceback}")
        return reply

    async def _lost(self, why: str = "") -> WorkerLostError:
        """Clean up after the worker; return an error with the reason why it ended, by default its exit status.

        Its supervisor process ends its bots.
        """
        await self._pipe.aclose()
        with trio.CancelScope(shield=True):
            self._process.kill()
            status = await self._process.wait()
        return WorkerLostError(why or (signal.Signals(-status).name if status < 0 else f"exit status {status}"))
