"""The referee: plays games between bot processes and delivers their records.

It opens and closes all parts, and plays jobs. `scheduler` decides which table opens next, `lifecycle` runs a process
from start to end, `connection.session` talks to it, and `table_driver` runs a table. The evidence for faults is
collected here: exit status, last stderr output and log path of a bot's process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import trio

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.faults import POLICIES, STDERR_LENGTH, STILL_RUNNING, FaultStory
from bowerbird.harness.records.values.game_record import ISOLATION_TIERS, SANDBOX, Conditions, GameRecord
from bowerbird.harness.referee.connection.handshake import LocalStarter
from bowerbird.harness.referee.connection.idle_freezer import IdleFreezer
from bowerbird.harness.referee.connection.limiter import Limiter
from bowerbird.harness.referee.connection.participant import Participant
from bowerbird.harness.referee.connection.prestart import Prestart
from bowerbird.harness.referee.connection.processor_shares import ProcessorShares
from bowerbird.harness.referee.game.clock import Pace
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.game.faults import ENDED_AFTER
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.job_queue import JobQueue, TimeShares
from bowerbird.harness.referee.lifecycle import START_PAUSES_S, CpuAccounts, Lifecycle
from bowerbird.harness.referee.process.affinity import pin_to_one_core
from bowerbird.harness.referee.process.headroom import Headroom
from bowerbird.harness.referee.process.open_files import raise_open_files, restore_open_files
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.registry import BotStory, Instance, Registry
from bowerbird.harness.referee.scheduler import FinishedGame, Scheduler, soonest
from bowerbird.harness.referee.spec import (
    MAX_PROCESSES,
    MAX_SHARE,
    BotSpec,
    FaultLimits,
    InstanceKey,
    ListedTables,
    OnGame,
    OnVoid,
    OpenTable,
    TableJob,
    TableSpec,
)
from bowerbird.harness.referee.table_watch import TELL_S, OnSteps

if TYPE_CHECKING:
    from bowerbird.harness.referee.remote.admission import Admission


EXIT_WAIT_S = 10.0
"""How long the story of a fault waits for a process that is being ended."""


async def stories_of(
    record: GameRecord, participants: Mapping[int, Participant | None], legal: Mapping[int, tuple[str, ...]]
) -> tuple[FaultStory, ...]:
    """Return the stories of a game's faults, in order.

    `participants` are the players by seat, and `legal` the tokens by seat that were legal when the fault landed. If a
    fault ends the process, wait for its exit, so that exit status and stderr are complete.
    """
    with trio.move_on_after(EXIT_WAIT_S):
        for fault in record.faults:
            participant = participants.get(fault.seat)
            if participant is not None and fault.kind in ENDED_AFTER:
                await participant.gone.wait()
    return tuple(
        _story(record, fault.seat, participants.get(fault.seat), legal.get(fault.seat, ())) for fault in record.faults
    )


def _story(record: GameRecord, seat: int, participant: Participant | None, legal: tuple[str, ...]) -> FaultStory:
    process = participant.process if participant is not None else None
    exit_status, stderr, log = "", "", ""
    if process is not None:
        exit_status = STILL_RUNNING if process.exit_status is None else str(process.exit_status)
        stderr = process.stderr.text[-STDERR_LENGTH:]
        log = str(process.log.path.absolute()) if process.log.has_output else ""
    return FaultStory(record.id, seat, record.seats[seat].bot, legal, exit_status, stderr, log)


CLOSE_S = 10.0
"""How long to wait for dismissed processes to leave."""

TRANSPORTS = ("unix", "tcp")


class Referee:
    """A player of games: an async context manager under trio, which never leaves a process behind.

    Life: created, entered (the supervisor process runs), `roll_call`, any number of `play_jobs`, left.
    """

    def __init__(
        self,
        bots: Mapping[str, BotSpec],
        conditions: Conditions,
        *,
        workspace: Path,
        slots: int,
        tables: int,
        transport: str = "unix",
        admission: Admission | None = None,
        ledger: FaultLedger | None = None,
        max_processes: int = MAX_PROCESSES,
        kept_processes: int = 0,
        max_share: float = MAX_SHARE,
        hidden: Sequence[Path] = (),
        prestart: Prestart | None = None,
        core: int | None = None,
        may_ponder: bool = False,
        required: Sequence[str] = (),
        host: HostClock | None = None,
        start_pauses_s: Sequence[float] = START_PAUSES_S,
        on_steps: OnSteps | None = None,
    ) -> None:
        """Create a referee that has started nothing. Raises ValueError for conditions that it cannot meet.

        bots: by their names in seats.
        conditions: included in every record; `conditions.isolation` is the tier of every process.
        workspace: the folder for the logs of processes.
        slots: how many requests bots work on at the same time.
        tables: how many tables one process may play at once.
        transport: unix (a socket in a private folder) or tcp (127.0.0.1).
        admission: admits remote bots; the referee opens and closes it.
        ledger: records faults and decides who is withdrawn; a new one by default.
        max_processes: how many processes may be alive to keep tables busy between jobs.
        kept_processes: how many may stay alive while half of the memory is free; with 0, `max_processes` limits them.
        max_share: a bot with more of all charged time is slow (`job_queue`).
        hidden: folders that no bot in a sandbox can see.
        prestart: the processes that were started for this referee before it was created.
        core: its dedicated CPU core (`affinity.dedicated_core`).
        may_ponder: whether bots run while they have no open decision, even where they could be frozen.
        required: features that every bot must have to be seated.
        host: the clock for all times, not yet started; a new one by default.
        start_pauses_s: the pauses between attempts to start.
        on_steps: called at once with what happens at every table; must not wait.
        """
        if conditions.isolation not in ISOLATION_TIERS:
            raise ValueError(f"isolation must be one of {', '.join(ISOLATION_TIERS)}, not {conditions.isolation!r}")
        if conditions.on_fault not in POLICIES:
            raise ValueError(f"on_fault must be one of {', '.join(POLICIES)}, not {conditions.on_fault!r}")
        if tables < 1:
            raise ValueError(f"tables must be at least 1, not {tables}")
        if transport not in TRANSPORTS:
            raise ValueError(f"transport must be one of {', '.join(TRANSPORTS)}, not {transport!r}")
        if conditions.isolation == SANDBOX and transport != "unix":
            raise ValueError(f"a sandbox has no network: transport {transport!r} cannot be used in it")
        if admission is None and any(spec.remote for spec in bots.values()):
            raise ValueError("remote bots need an admission")
        self._conditions = conditions
        self._workspace = workspace
        self._limiter = Limiter(slots)
        self._tables = tables
        self._transport = transport
        self._admission = admission
        self._hidden = tuple(hidden)
        self._prestart = prestart
        self._clock = RunningTime(host)
        self._start_pauses_s = start_pauses_s
        self._registry = Registry(bots, ledger if ledger is not None else FaultLedger(FaultLimits()))
        self._cpu = CpuAccounts(self._registry.ledger)
        self._scheduler = Scheduler(conditions, self._registry, self._start, self._explain, tables, on_steps=on_steps)
        self._max_processes = max_processes
        self._kept_processes = kept_processes
        self._headroom = Headroom.detect()
        self._most_needed = max_processes
        """How many processes may stay alive: `max_processes`, or what one job needed, if that was more."""
        self._shares = TimeShares(max_share)
        self._core = core
        self._may_ponder = may_ponder
        self._required = tuple(required)
        self._leaving: list[Instance] = []
        self._coming: JobQueue[TableJob] | None = None
        self._is_telling = False
        self._patience = trio.CancelScope()
        self._scopes: set[trio.CancelScope] = set()

    async def __aenter__(self) -> Referee:
        """Start the supervisor process if it is not yet running, but no bot."""
        with ExitStack() as undo:  # `__aexit__` does not run if entering fails
            prestart = self._prestart or Prestart(undo.enter_context(SupervisorHandle.start()))
            self._soft_open_files = raise_open_files()
            undo.callback(restore_open_files, self._soft_open_files)
            mailbox = prestart.mailbox.open()
            tier = prestart.tier(self._conditions.isolation, self._hidden, self._conditions.measures)
            self._supervisor = Supervisor(prestart.supervisor, may_freeze=not self._may_ponder)
            undo.pop_all()
        self._background = trio.open_nursery()
        self._nursery = await self._background.__aenter__()
        shares = ProcessorShares(self._clock.host, prestart.supervisor.pid, self._supervisor.end_orphans)
        self._starter = LocalStarter(
            mailbox=mailbox,
            supervisor=self._supervisor,
            prestart=prestart,
            tier=tier,
            workspace=self._workspace,
            startup_ms=self._conditions.time.startup_ms,
            decision_ms=self._conditions.time.per_decision_ms,
            required=self._required,
            max_tables=self._tables,
            transport=self._transport,
            spawn=self._spawn,
            drains=self._nursery,
            clock=self._clock,
            shares=shares,
        )
        pace = Pace.of(self._conditions.time)
        idle_freezer = IdleFreezer()
        self._lifecycle = Lifecycle(
            self._registry,
            pace,
            self._limiter,
            mailbox,
            idle_freezer=idle_freezer,
            cpu=self._cpu,
            host=self._clock.host,
            shares=shares,
            start_pauses_s=self._start_pauses_s,
            participant_of=self._participant_of,
            on_change=self._scheduler.pump,
            on_lost=self._scheduler.void,
        )
        self._spawn(self._clock.run, prestart.supervisor.pid)
        self._spawn(self._cpu.run)
        self._spawn(shares.run)
        self._spawn(idle_freezer.run)
        self._spawn(self._supervisor.run)
        self._spawn(pin_to_one_core, self._core)
        if self._admission is not None:
            self._spawn(self._admission.run, mailbox, self._clock)
        return self

    @trio.lowlevel.enable_ki_protection
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Say Goodbye to every bot, end every process, and let `error` pass through."""
        with trio.CancelScope(shield=True):
            reason = "FINISHED" if error is None else "INTERRUPTED"
            for instance in list(self._registry.instances.values()):
                self._dismiss(instance, reason)
            with self._patience:
                await self._wait_for_leaving()
                if self._admission is not None:
                    await self._admission.close(reason)
            await self._supervisor.close()
            for scope in list(self._scopes):
                scope.cancel()
        restore_open_files(self._soft_open_files)
        try:
            return await self._background.__aexit__(kind, error, traceback)
        except BaseExceptionGroup as group:
            if error is not None and group.exceptions == (error,):
                return False
            raise

    def hurry(self) -> None:
        """Give bots no time to end on their own: leaving the referee kills all processes at once."""
        self._patience.cancel()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Start one process of each local bot. Return the stories of the bots that did not reach Ready.

        Also start the instances of `soon`, and wait for them. Each bot's first process decides whether the bot can
        start; its others start once that one is ready. All processes stay for the tables that come next.
        """
        local = [bot for bot in self._registry.bots.values() if not bot.spec.remote]

        async def call(first: Instance, more: Collection[Instance]) -> None:
            self._start(first)
            await first.join_decided.wait()
            if not first.bot.has_started:
                return
            for instance in more:
                self._start(instance)
            for instance in more:
                await instance.join_decided.wait()

        async with trio.open_nursery() as nursery:
            for bot in local:
                first = InstanceKey(bot.spec.name, 0)
                more = [self._registry.instance(key) for key in soon if key.bot == first.bot and key != first]
                nursery.start_soon(call, self._registry.instance(first), more)
        return tuple(bot.story for bot in local if not bot.has_started)

    async def play(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        """Play one job of these tables (`play_jobs`)."""
        await self.play_jobs([ListedTables(tuple(tables))], on_game, on_void)

    async def play_jobs(self, jobs: Iterable[TableJob], on_game: OnGame, on_void: OnVoid) -> None:
        """Play jobs. Call `on_game` with each record and what is kept beside it as the game ends, in any order.

        Call `on_void` instead for a game without a result (`spec.VoidedGame`).

        `add_job` adds to them while they are being played. A job's tables begin once all tables of the previous job
        have begun, as tables end and make room. Jobs of a slow bot come last (`job_queue`). Faults of bots never raise.
        A process that no table needs stays for later jobs and calls, as long as there are at most `max_processes`, or
        as many as the largest job so far needed, or `kept_processes` while half of the memory is free. Those that the
        next jobs need are kept before others.

        Raises the errors of `on_game` and `on_void`, which end everything in play; games that ended earlier are
        delivered. Raises KeyError when a job has an unknown bot, RuntimeError if another call is running.
        """
        if self.is_playing:
            raise RuntimeError("one play() at a time")
        coming = self._coming = JobQueue(jobs, self._shares)

        def on_ended(table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
            self._shares.add(record)
            on_game(table, record, annotations)

        self._scheduler.begin(on_ended, on_void)
        try:
            while coming or not self._scheduler.is_done:
                if coming and await self._make_room_for_next(coming):
                    self._scheduler.admit(coming.pop().tables())
                    await trio.lowlevel.checkpoint()
                else:
                    await self._scheduler.changed()
        except BaseException:
            for instance in self._scheduler.break_off():
                self._dismiss(instance, "INTERRUPTED")
            raise
        finally:
            self._cpu.report()
            self._coming = None

    @property
    def is_playing(self) -> bool:
        """Whether a call of `play_jobs` is running."""
        return self._coming is not None

    def add_job(self, job: TableJob) -> None:
        """Let the running call of `play_jobs` play one more job. Raises RuntimeError if there is none."""
        if self._coming is None:
            raise RuntimeError("no play_jobs() is running")
        self._coming.add(job)
        self._scheduler.wake()

    def report_cpu(self) -> None:
        """Enter the bots' processor time that is not yet in the ledger. This also happens regularly."""
        self._cpu.report()

    async def _make_room_for_next(self, coming: JobQueue[TableJob]) -> bool:
        """Dismiss idle processes that are too many or whose bots are withdrawn. Return whether the next job may begin.

        It may if nothing is in play or its processes have room. By then the dismissed processes are gone.
        """
        if not self._scheduler.can_admit:
            return False
        needed = self._registry.local(self._scheduler.needed_keys.union(coming.first.processes))
        if not self._scheduler.is_empty and len(needed) > self._max_processes:
            return False
        self._most_needed = max(self._most_needed, len(needed))
        idle = self._registry.idle(needed)
        useful = {key: instance for key, instance in idle.items() if instance.bot.withdrawn is None}
        most = self._most_needed
        if most < len(needed) + len(useful) and self._kept_processes and self._headroom.is_half_free():
            most = max(most, self._kept_processes)
        for key in idle.keys() - soonest(useful, coming, most - len(needed)):
            self._dismiss(idle[key], "REPLACED")
        if self._scheduler.is_empty:
            await self._wait_for_leaving()
        return not any(instance.is_alive for instance in self._leaving)

    @property
    def open_games(self) -> int:
        """The number of games in play."""
        return self._scheduler.open_games

    async def open_tables(self) -> tuple[OpenTable, ...]:
        """Return the tables in play."""
        return self._scheduler.tables()

    async def watch_table(self, game: str, send: OnSteps) -> None:
        """Report to `send`, which must not wait, what has been played at a table and what follows until its end."""
        self._scheduler.watch(game, send)
        if not self._is_telling:
            self._is_telling = True
            self._spawn(self._tell_spectators)

    async def _tell_spectators(self) -> None:
        """Report news of watched tables every `TELL_S` until none is watched."""
        while self._scheduler.tell_spectators():
            await trio.sleep(TELL_S)
        self._is_telling = False

    async def unwatch_table(self, game: str) -> None:
        """End `watch_table` of this game."""
        self._scheduler.unwatch(game)

    def ledger_changed(self) -> None:
        """Settle the tables of a bot withdrawn by another process of the run."""
        self._scheduler.pump()

    def bot_story(self, name: str) -> BotStory:
        """Return the story of a bot's processes so far. Raises KeyError for an unknown bot."""
        return self._registry.bots[name].story

    def _start(self, instance: Instance) -> None:
        """Start a participant for an instance that has none."""
        self._spawn(self._lifecycle.run, instance, instance.begin_start())

    def _participant_of(self, instance: Instance) -> Participant:
        """Return a process to start, or a remote bot to wait for."""
        spec = instance.bot.spec
        if spec.remote:
            assert self._admission is not None  # `__init__` has checked
            return self._admission.participant(spec.name)
        return self._starter.participant(spec, instance.key, instance.starts)

    def _explain(self, game: FinishedGame) -> None:
        """Collect the stories of a game's faults in the background, then deliver it."""
        self._spawn(self._deliver_with_stories, game)

    async def _deliver_with_stories(self, game: FinishedGame) -> None:
        self._scheduler.deliver(game, await stories_of(game.record, game.participants, game.legal))

    def _dismiss(self, instance: Instance, reason: str) -> None:
        """Let the participant of an instance that is no longer needed leave in the background."""
        self._registry.instances.pop(instance.key, None)
        if instance.is_alive:
            instance.dismiss(reason)
            self._leaving = [*(other for other in self._leaving if other.is_alive), instance]

    async def _wait_for_leaving(self) -> None:
        with trio.move_on_after(CLOSE_S):
            while self._leaving:
                await self._leaving[-1].gone.wait()
                self._leaving.pop()
        self._leaving.clear()

    # Tasks that survive a cancellation of the caller. `__aexit__` ends them in its own order.

    def _spawn(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        self._nursery.start_soon(self._shielded, function, arguments)

    @trio.lowlevel.enable_ki_protection
    async def _shielded(self, function: Callable[..., Awaitable[None]], arguments: tuple[object, ...]) -> None:
        with trio.CancelScope(shield=True) as scope:
            self._scopes.add(scope)
            try:
                await function(*arguments)
            finally:
                self._scopes.discard(scope)
