"""Plays a plan: builds the bots, opens an executor, lets a `Run` store what comes of it, ends on a signal in peace."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import trio

from harness.records.errors import StoreError
from harness.records.record import Conditions
from harness.records.run import RunHeader
from harness.records.store import Store
from harness.referee.isolation import SANDBOX
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec
from harness.tournament.build import prepare
from harness.tournament.entries import FORFEIT
from harness.tournament.errors import BotNotStartingError, TournamentError
from harness.tournament.events import Building, IsolationChosen, LobbyNews, NothingLeft
from harness.tournament.executors.contract import Setup
from harness.tournament.executors.local import LocalExecutor
from harness.tournament.executors.pool import PoolExecutor
from harness.tournament.extension import check_beacon, check_continues
from harness.tournament.hosting import Hosting
from harness.tournament.isolation import choose_tier
from harness.tournament.plan import Plan
from harness.tournament.remote_bot import check_all_local
from harness.tournament.run import Progress, Run

IN_SANDBOX = (
    "it ran in a sandbox, where it reads what its bot.toml names in [sandbox] read and no other folder than its own"
)


def play_tournament(
    plan: Plan,
    store: Store,
    *,
    workspace: Path,
    progress: Progress,
    hosting: Hosting | None = None,
    workers: int = 1,
) -> None:
    """Play what a plan has left to play, and store it.

    `workspace` is a folder for logs. With more than one of `workers`, that many processes play, each with a referee of
    its own. Before the first game of a new run each bot must start; later on one that does not is NEVER_STARTED at its
    tables and the run goes on. Remote bots come in through `hosting`, and all of them must be there before any game;
    they meet one referee, in this process. Raises TournamentError or StoreError, with nothing of the run lost;
    KeyboardInterrupt after Ctrl-C or SIGTERM, when every process has ended. A second Ctrl-C does not wait.
    """
    stored = store.header(plan.header.fingerprint)
    if stored is not None:
        check_continues(stored, plan.header)
    check_beacon(stored, plan.header)
    if stored is not None and _is_complete(plan, stored, store):
        progress(NothingLeft(plan.header, len(store.stored_sets(plan.header.fingerprint))))
        return
    if hosting is None:
        check_all_local(plan.file.bots)
    bots = [prepare(bot, lambda name: progress(Building(name))) for bot in plan.file.bots]
    hidden = (store.path.parent,)
    chosen = choose_tier(plan.file.isolation, bots, hidden, _tier_so_far(store, plan.header.fingerprint))
    progress(IsolationChosen(chosen.tier, chosen.remark))
    with plain_errors():
        interrupted = trio.run(
            partial(
                _with_executor,
                plan,
                bots,
                store,
                workspace=workspace,
                tier=chosen.tier,
                progress=progress,
                hosting=hosting,
                workers=workers,
            )
        )
    if interrupted:
        raise KeyboardInterrupt


def _is_complete(plan: Plan, stored: RunHeader, store: Store) -> bool:
    """Whether this very file has been played to its end."""
    return stored.config == plan.header.config and store.run(plan.header.fingerprint).ended is not None


def _tier_so_far(store: Store, fingerprint: str) -> str:
    """The isolation tier of the games of a run that are stored; "" where there is none."""
    game = next(iter(store.game_ids(fingerprint)), None)
    return store.record(game).conditions.isolation if game is not None else ""


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
    )
    docket = setup.docket()
    executor = LocalExecutor(setup.referee(docket, lobby)) if workers == 1 else PoolExecutor(setup, workers, docket)

    async def play() -> None:
        async with executor:
            if not store.stored_sets(plan.header.fingerprint):
                check_all_started(await executor.roll_call(), plan, tier)
            if hosting is not None and lobby is not None:
                await hosting.gather(lobby)
            with store.begin(plan.header, plan.seed) as writer:
                stored = store.results(plan.header.fingerprint)
                run = Run(plan, stored, writer, progress, store.played_ms(plan.header.fingerprint))
                docket.listen(run.note)
                await run.play(executor)

    return await until_signal(play, executor.hurry)


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
