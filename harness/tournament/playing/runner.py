"""Plays a prepared run: opens an executor, checks that its bots start, plays, and shuts down cleanly on a signal."""

from __future__ import annotations

import os
import re
import signal
import stat
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import SANDBOX, Conditions
from bowerbird.harness.referee.connection.participant import required_features
from bowerbird.harness.referee.host.host_clock import NS_PER_S, HostClock
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.referee.process.supervisor import is_supervisor_loss
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import InstanceKey
from bowerbird.harness.tournament.errors import BotNotStartingError, TournamentError
from bowerbird.harness.tournament.events import AdmissionUpdate, HostStoodStill, Progress, StartsSlow
from bowerbird.harness.tournament.executors.contract import Executor, RefereeSetup
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.playing.backlog import Backlog
from bowerbird.harness.tournament.playing.machines import MachineLog
from bowerbird.harness.tournament.playing.run import Run
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from bowerbird.harness.tournament.run_options import PreparedRun

if TYPE_CHECKING:
    from bowerbird.harness.referee.game.fault_ledger import FaultLedger
    from bowerbird.harness.referee.referee import Referee
    from bowerbird.harness.referee.remote.admission import Admission

_LACKS = re.compile(
    "permission denied|not permitted|no such file|not found|no module named|cannot (open|find)|read-only", re.IGNORECASE
)
"""Texts that a program prints when a file or a permission is missing."""

SLOW_START_S = 5.0
"""How long bots may take to start before it is reported."""

LINE_LIMIT = 160
"""How many characters of a bot's last line a message shows."""

SUPERVISOR_KILLED = (
    "the supervisor process, which starts the bots, was killed, perhaps for lack of memory; stored deal sets are kept"
)

IN_SANDBOX = (
    "it ran in a sandbox, where it can read only its own folder and the paths in [sandbox] read of its bot.toml"
)


def play_prepared(prepared: PreparedRun) -> None:
    """Play a run to its end. Raises as `play_tournament` does."""
    with unwrapped_errors():
        interrupted = trio.run(_play, prepared)
    if interrupted:
        raise KeyboardInterrupt
    run = prepared.store[prepared.plan.header.fingerprint]
    store_record_ratings(run)
    store_run_digest(run)


async def _play(prepared: PreparedRun) -> bool:
    """Play until the run is complete or a signal comes. Return whether one came."""
    plan, store = prepared.plan, prepared.store
    stored = store[plan.header.fingerprint]
    setup = _referee_setup(prepared)
    ledger = setup.ledger()
    admission = _open_admission(prepared, setup)
    machines = MachineLog()
    backlog = Backlog()
    executor = _executor(prepared, setup, ledger, admission, machines=machines, backlog=backlog)

    async def play() -> None:
        async with executor, _spectators(prepared, executor) as progress:
            if not stored.stored_sets():
                async with saying_who_is_slow(prepared, ledger):
                    absent = await executor.roll_call(first_instances(plan))
                check_all_started(absent, plan, prepared.choice.tier)
            if prepared.options.hosting is not None and admission is not None:
                await prepared.options.hosting.gather(admission)
            with store.begin(plan.header, plan.seed, plan.file.folder) as writer:
                run = Run(
                    plan,
                    stored,
                    writer,
                    progress,
                    machine_of=machines.take,
                    backlog=backlog,
                    interim_ratings=prepared.options.interim_ratings or prepared.options.watch,
                )
                ledger.subscribe(run.on_ledger_entry)
                await run.play(executor)

    return await until_signal(play, executor.hurry)


@asynccontextmanager
async def saying_who_is_slow(prepared: PreparedRun, ledger: FaultLedger) -> AsyncIterator[None]:
    """Report which bots are not ready if the block, which waits for all bots, takes longer than `SLOW_START_S`."""

    async def say() -> None:
        await trio.sleep(SLOW_START_S)
        bots = tuple(bot.name for bot in prepared.bots if not bot.remote and not ledger.has_started(bot.name))
        if bots:
            prepared.progress(StartsSlow(bots, prepared.plan.file.time.startup_ms / 1000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(say)
        yield
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _spectators(prepared: PreparedRun, executor: Executor) -> AsyncIterator[Progress]:
    """Let spectators watch the run during the block if the options allow it. Yield its progress function."""
    if not prepared.options.watch:
        yield prepared.progress
        return
    from bowerbird.harness.tournament.playing.run_watch import watchable  # while the bots start

    async with watchable(prepared, executor) as progress:
        yield progress


def _referee_setup(prepared: PreparedRun) -> RefereeSetup:
    file = prepared.plan.file
    return RefereeSetup(
        bots=prepared.bots,
        conditions=Conditions(  # each table has its own fault policy, which overrides this one
            on_fault=FORFEIT,
            isolation=prepared.choice.tier,
            instances=file.instances,
            time=file.time,
            measures=prepared.choice.measures,
        ),
        workspace=prepared.workspace,
        hidden=prepared.hidden,
        slots=file.slots or os.cpu_count() or 1,
        tables=file.tables,
        limits=file.limits,
        conduct=prepared.store[prepared.plan.header.fingerprint].conduct(),
        processes=file.processes,
        max_share=file.max_share,
        ponder=file.ponder,
        required=required_features((entry.variant, entry.options) for entry in file.variants),
    )


def _open_admission(prepared: PreparedRun, setup: RefereeSetup) -> Admission | None:
    """Invite the remote bots that are not withdrawn. Return None without `hosting`."""
    if prepared.options.hosting is None:
        return None
    return prepared.options.hosting.open_admission(
        prepared.plan, setup.conduct.withdrawn, lambda line: prepared.progress(AdmissionUpdate(line))
    )


def _executor(
    prepared: PreparedRun,
    setup: RefereeSetup,
    ledger: FaultLedger,
    admission: Admission | None,
    *,
    machines: MachineLog,
    backlog: Backlog,
) -> Executor:
    """Return the executor of any other machines, a pool if there are several workers, or else a referee.

    With remote bots, a referee here plays beside the pool or the other machines.
    """
    report = StallReport(prepared.progress)
    if prepared.machines is not None:
        elsewhere = prepared.machines.executor(
            replace(setup, slots=prepared.plan.file.slots),  # 0: each worker has one for each of its cores
            ledger,
            on_stall=report.add,
            machines=machines,
            backlog=backlog,
            progress=prepared.progress,
        )
        if admission is None:
            return elsewhere
        from bowerbird.harness.tournament.executors.split import SplitExecutor

        here, ledger_here = _referee_here(setup, admission, report)
        return SplitExecutor(here, elsewhere, _remote(setup), ledger_here=ledger_here, ledger=ledger)
    if prepared.options.workers > 1:
        from bowerbird.harness.tournament.executors.pool import PoolExecutor  # a run with one worker does not need it

        pool = PoolExecutor(setup.without_remote(), prepared.options.workers, ledger, report.add)
        if admission is None:
            return pool
        from bowerbird.harness.tournament.executors.split import WatchableSplitExecutor

        here, ledger_here = _referee_here(setup, admission, report)
        return WatchableSplitExecutor(here, pool, _remote(setup), ledger_here=ledger_here, ledger=ledger)
    return setup.referee(
        ledger, admission, prepared.prestart, host=HostClock(report.add), on_steps=prepared.options.on_steps
    )


def _referee_here(setup: RefereeSetup, admission: Admission, report: StallReport) -> tuple[Referee, FaultLedger]:
    """Return the referee of this process, which plays the tables with remote bots, and its ledger."""
    ledger = setup.ledger()
    return setup.referee(ledger, admission, host=HostClock(report.add)), ledger


def _remote(setup: RefereeSetup) -> list[str]:
    return [bot.name for bot in setup.bots if bot.remote]


def first_instances(plan: Plan) -> frozenset[InstanceKey]:
    """Return the processes at the first table of a run."""
    first = next(plan.rounds(), None)
    if first is None:
        return frozenset()
    job = first.jobs[0]
    table = replace(job, sets=job.sets[:1]).tables()[0]
    return frozenset(seat.instance for seat in table.seats)


def check_all_started(absent: Sequence[BotStory], plan: Plan, tier: str) -> None:
    """Raise BotNotStartingError, with the first bot of `absent` and its failure, unless `absent` is empty."""
    if not absent:
        return
    story = absent[0]
    source = next(bot.source for bot in plan.file.bots if bot.name == story.bot)
    last_line = story.stderr.strip().rpartition("\n")[2]
    raise BotNotStartingError(
        f"{source}: bot {story.bot!r} does not start: {_plain_failure(story, plan.file.time.startup_ms)}"
        + (f"; the last line it wrote: {shown(last_line, LINE_LIMIT)}" if last_line else "")
        + (f" (and {len(absent) - 1} more)" if len(absent) > 1 else "")
        + (f"; {IN_SANDBOX}" if tier == SANDBOX and (not last_line or _LACKS.search(story.stderr)) else "")
        + (f"; bowerbird check-bot {source} shows its whole output" if last_line else ""),
        story.bot,
    )


def _plain_failure(story: BotStory, startup_ms: int) -> str:
    """Return why a bot did not start, for its author, with what to check first if the failure itself is not clear.

    startup_ms: how long a start was allowed to take.
    """
    failure = shown(story.failure.partition(": ")[2])
    if failure == f"did not connect and say Hello within {startup_ms} ms":
        longer = "[time] startup in a tournament file, or --startup, allows more"
        return f"it did not connect within {startup_ms / 1000:g} s; {longer}"
    status, ended, more = failure.partition(" before its Hello")
    if not ended:
        return failure
    hint = "; its program must call run(…)" if status == "exit status 0" and not more else ""
    return f"it ended without connecting ({status}){more}{hint}"


async def until_signal(play: Callable[[], Awaitable[None]], hurry: Callable[[], None]) -> bool:
    """Run `play`; cancel it at the first of `_ending_signals`, and call `hurry` at later ones. Return whether one came.

    The signals are caught until `play` has ended, since as exceptions they could interrupt the closing of processes.
    """
    came = False
    playing = trio.CancelScope()

    async def watch(*, task_status: trio.TaskStatus[None]) -> None:
        nonlocal came
        with trio.open_signal_receiver(*_ending_signals()) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGHUP:
                    _leave_terminal()
                if came:
                    hurry()
                came = True
                playing.cancel()

    async with trio.open_nursery() as nursery:
        if threading.current_thread() is threading.main_thread():
            await nursery.start(watch)
        with playing:
            await play()
        nursery.cancel_scope.cancel()
    return came


def _ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that end a run. SIGHUP is left out if it is ignored, as under `nohup`."""
    ending = (signal.SIGINT, signal.SIGTERM)
    return ending if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (*ending, signal.SIGHUP)


def _leave_terminal() -> None:
    """Send output that goes to a terminal to the null device from now on, since writing to a lost terminal fails."""
    null = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        if stat.S_ISCHR(os.fstat(output).st_mode):
            os.dup2(null, output)
    os.close(null)


@contextmanager
def unwrapped_errors() -> Iterator[None]:
    """Replace an exception group by its error that is meant for people, or by its only error."""
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        for kind in (KeyboardInterrupt, StoreError, TournamentError):
            for leaf in leaves:
                if isinstance(leaf, kind):
                    raise leaf from leaf.__cause__ or group  # its own cause says more
        if is_supervisor_loss(group):
            raise TournamentError(SUPERVISOR_KILLED) from group
        if len(leaves) == 1:
            raise leaves[0] from group
        raise


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


class StallReport:
    """A filter for the stalls that the referees of a run notice.

    Several referees on one machine may notice the same stall.
    """

    def __init__(self, progress: Progress) -> None:
        """Report to `progress`."""
        self._progress = progress
        self._reported_until_ns = 0

    def add(self, stall: Stall) -> None:
        """Report a stall, unless it overlaps one already reported.

        The whole machine shares the monotonic clock.
        """
        if stall.begin_ns >= self._reported_until_ns:
            self._progress(HostStoodStill(stall.lasted_ns / NS_PER_S))
        self._reported_until_ns = max(self._reported_until_ns, stall.end_ns)
