"""Plays a plan whose bots are ready: opens an executor, lets a `Run` store what comes, ends on a signal in peace."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from harness.records.errors import StoreError
from harness.records.record import Conditions
from harness.records.store import Store
from harness.referee.ahead import HeadStart
from harness.referee.isolation import SANDBOX
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec, InstanceKey
from harness.tournament.entries import FORFEIT
from harness.tournament.errors import BotNotStartingError, TournamentError
from harness.tournament.events import LobbyNews, Progress
from harness.tournament.executors.contract import Setup
from harness.tournament.executors.local import LocalExecutor
from harness.tournament.plan import Plan
from harness.tournament.run import Run, StoredRun

if TYPE_CHECKING:
    from harness.referee.docket import Docket
    from harness.tournament.executors.pool import PoolExecutor
    from harness.tournament.hosting import Hosting

IN_SANDBOX = (
    "it ran in a sandbox, where it reads what its bot.toml names in [sandbox] read and no other folder than its own"
)


def perform(
    plan: Plan,
    bots: Sequence[BotSpec],
    store: Store,
    *,
    workspace: Path,
    tier: str,
    progress: Progress,
    hosting: Hosting | None,
    workers: int,
    ahead: HeadStart | None,
) -> None:
    """Play a plan with bots that are built, under an isolation tier that works for them; see `play_tournament`.

    One referee, in this process, takes over what was started `ahead`. Raises what `play_tournament` does.
    """
    with plain_errors():
        interrupted = trio.run(
            partial(
                _with_executor,
                plan,
                bots,
                store,
                workspace=workspace,
                tier=tier,
                progress=progress,
                hosting=hosting,
                workers=workers,
                ahead=ahead,
            )
        )
    if interrupted:
        raise KeyboardInterrupt


def conditions(plan: Plan, tier: str) -> Conditions:
    """The conditions of all games of a plan under an isolation tier; each table has a fault policy of its own."""
    return Conditions(on_fault=FORFEIT, isolation=tier, instances=plan.file.instances, time=plan.file.time)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Of errors that tasks raised together, raise the one that is meant for people, or the only one."""
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        for kind in (KeyboardInterrupt, StoreError, TournamentError):
            for leaf in leaves:
                if isinstance(leaf, kind):
                    raise leaf from group
        if len(leaves) == 1:
            raise leaves[0] from group
        raise


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


async def _with_executor(
    plan: Plan,
    bots: Sequence[BotSpec],
    store: Store,
    *,
    workspace: Path,
    tier: str,
    progress: Progress,
    hosting: Hosting | None,
    workers: int,
    ahead: HeadStart | None,
) -> bool:
    """Play the plan with an executor of its own until it is done or a signal comes; whether one came."""
    file = plan.file
    conduct = store.conduct(plan.header.fingerprint)
    lobby = None
    if hosting is not None:
        lobby = hosting.open_lobby(plan, conduct.withdrawn, lambda line: progress(LobbyNews(line)))
    setup = Setup(
        bots=tuple(bots),
        conditions=conditions(plan, tier),
        workspace=workspace,
        hidden=(store.path.parent,),
        slots=file.slots or os.cpu_count() or 1,
        tables=file.tables,
        limits=file.limits,
        conduct=conduct,
        processes=file.processes,
    )
    docket = setup.docket()
    executor = _pool(setup, workers, docket) if workers > 1 else LocalExecutor(setup.referee(docket, lobby, ahead))

    async def play() -> None:
        async with executor:
            if not store.stored_sets(plan.header.fingerprint):
                check_all_started(await executor.roll_call(first_instances(plan)), plan, tier)
            if hosting is not None and lobby is not None:
                await hosting.gather(lobby)
            with store.begin(plan.header, plan.seed) as writer:
                run = Run(plan, StoredRun(store, plan.header.fingerprint), writer, progress)
                docket.listen(run.note)
                await run.play(executor)

    return await until_signal(play, executor.hurry)


def _pool(setup: Setup, workers: int, docket: Docket) -> PoolExecutor:
    """Workers, for which a start with one referee need not wait to be imported."""
    from harness.tournament.executors.pool import PoolExecutor

    return PoolExecutor(setup, workers, docket)


def first_instances(plan: Plan) -> frozenset[InstanceKey]:
    """The processes that sit at the first table of a run."""
    first = next(plan.rounds(), None)
    if first is None:
        return frozenset()
    job = first.jobs[0]
    table = replace(job, sets=job.sets[:1]).tables()[0]
    return frozenset(seat.instance for seat in table.seats)


def check_all_started(absent: Sequence[BotStory], plan: Plan, tier: str) -> None:
    """Refuse to begin a run with bots that do not start. Raises BotNotStartingError: the first of them, and why."""
    if not absent:
        return
    story = absent[0]
    source = next(bot.source for bot in plan.file.bots if bot.name == story.bot)
    said = story.stderr.strip().rpartition("\n")[2]
    raise BotNotStartingError(
        f"{source}: bot {story.bot!r} does not start: {story.failure.partition(': ')[2]}"
        + (f"; the last line it wrote: {said}" if said else "")
        + (f" (and {len(absent) - 1} more)" if len(absent) > 1 else "")
        + (f"; {IN_SANDBOX}" if tier == SANDBOX else "")
    )


async def until_signal(play: Callable[[], Awaitable[None]], hurry: Callable[[], None]) -> bool:
    """Run `play`, which the first SIGINT or SIGTERM cancels; whether one came. From the second on `hurry` is called.

    The signals are taken until `play` has ended: as an exception one could come anywhere, in the middle of a step that
    leaves no process.
    """
    came = False
    playing = trio.CancelScope()

    async def watch(*, task_status: trio.TaskStatus[None]) -> None:
        nonlocal came
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
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
