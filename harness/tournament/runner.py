"""Plays a plan: builds the bots, opens the referee, stores each deal set that is complete, in one transaction.

A run that is interrupted loses the sets in flight and nothing else: played again with the same name and seed it goes
on after the sets that are stored. Ratings are applied in the order of the schedule, whatever ends first.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

import trio

from harness.ratings.elo import result_of_record
from harness.ratings.ladder import Ladder, rating_order
from harness.records.errors import StoreError
from harness.records.record import Conditions, GameRecord
from harness.records.rows import GameResult
from harness.records.run import RatingTable, SetKey
from harness.records.store import Store
from harness.records.story import FaultStory
from harness.referee.isolation import SANDBOX
from harness.referee.referee import OnGame, Referee
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec, TableSpec
from harness.tournament.build import prepare
from harness.tournament.entries import FORFEIT
from harness.tournament.errors import BotNotStartingError, TournamentError
from harness.tournament.events import (
    Building,
    Event,
    GamePlayed,
    IsolationChosen,
    LobbyNews,
    RoundStarted,
    RunEnded,
    RunStarted,
    SetSaved,
)
from harness.tournament.extension import check_beacon, check_continues
from harness.tournament.hosting import Hosting
from harness.tournament.isolation import choose_tier
from harness.tournament.job import Job, SetCollector, SetResult
from harness.tournament.plan import Plan
from harness.tournament.remote_bot import check_all_local
from harness.tournament.rounds import Course, Round

IN_SANDBOX = (
    "it ran in a sandbox, where it reads what its bot.toml names in [sandbox] read and no other folder than its own"
)

Progress = Callable[[Event], None]


class Tables(Protocol):
    """Whoever plays tables to their end; the referee does."""

    async def play(self, tables: Sequence[TableSpec], on_game: OnGame) -> None:
        """Play them all and call `on_game` as each one ends. Faults of bots never raise."""


class SetWriter(Protocol):
    """Whoever makes deal sets durable; the writer of a run in the store does."""

    def save_set(
        self, key: SetKey, games: Sequence[GameRecord], ratings: RatingTable, stories: Sequence[FaultStory] = ()
    ) -> bool:
        """Store a complete set, the ratings after it and the stories of its faults, all or nothing."""

    def end(self) -> None:
        """The run is complete."""


def play_tournament(
    plan: Plan, store: Store, *, workspace: Path, progress: Progress, hosting: Hosting | None = None
) -> None:
    """Play what a plan has left to play, and store it.

    `workspace` is a folder for logs. Before the first game of a new run each bot must start; later on one that does
    not is NEVER_STARTED at its tables and the run goes on. Remote bots come in through `hosting`, and all of them must
    be there before any game. Raises TournamentError or StoreError, with nothing of the run lost; KeyboardInterrupt
    after Ctrl-C or SIGTERM, when every process has ended. A second Ctrl-C does not wait.
    """
    stored = store.header(plan.header.fingerprint)
    if stored is not None:
        check_continues(stored, plan.header)
    check_beacon(stored, plan.header)
    if hosting is None:
        check_all_local(plan.file.bots)
    bots = [prepare(bot, lambda name: progress(Building(name))) for bot in plan.file.bots]
    hidden = (store.path.parent,)
    chosen = choose_tier(plan.file.isolation, bots, hidden, _tier_so_far(store, plan.header.fingerprint))
    progress(IsolationChosen(chosen.tier, chosen.remark))
    with plain_errors():
        interrupted = trio.run(
            partial(
                _with_referee,
                plan,
                bots,
                store,
                workspace=workspace,
                tier=chosen.tier,
                progress=progress,
                hosting=hosting,
            )
        )
    if interrupted:
        raise KeyboardInterrupt


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


async def _with_referee(
    plan: Plan,
    bots: Sequence[BotSpec],
    store: Store,
    *,
    workspace: Path,
    tier: str,
    progress: Progress,
    hosting: Hosting | None,
) -> bool:
    """Play the plan with a referee of its own until it is done or a signal comes; whether one came."""
    file = plan.file
    lobby = hosting.open_lobby(plan, lambda line: progress(LobbyNews(line))) if hosting is not None else None
    referee = Referee(
        {bot.name: bot for bot in bots},
        conditions(plan, tier),
        workspace=workspace,
        hidden=(store.path.parent,),
        slots=file.slots or os.cpu_count() or 1,
        tables=file.tables,
        lobby=lobby,
        limits=file.limits,
    )

    async def play() -> None:
        async with referee:
            if not store.stored_sets(plan.header.fingerprint):
                check_all_started(await referee.roll_call(), plan, tier)
            if hosting is not None and lobby is not None:
                await hosting.gather(lobby)
            with store.begin(plan.header, plan.seed) as writer:
                run = Run(plan, store.results(plan.header.fingerprint), writer, progress)
                await run.play(referee)

    return await until_signal(play)


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


async def until_signal(play: Callable[[], Awaitable[None]]) -> bool:
    """Run `play`, which the first SIGINT or SIGTERM cancels; whether one came. The next one acts as usual."""
    came = False

    async def watch(scope: trio.CancelScope, *, task_status: trio.TaskStatus[None]) -> None:
        nonlocal came
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                came = True
                break
        scope.cancel()

    async with trio.open_nursery() as nursery:
        if threading.current_thread() is threading.main_thread():
            await nursery.start(watch, nursery.cancel_scope)
        await play()
        nursery.cancel_scope.cancel()
    return came


class Run:
    """The state of a run while it is played: what is stored, what is rated, what was counted."""

    def __init__(self, plan: Plan, stored: Sequence[GameResult], writer: SetWriter, progress: Progress) -> None:
        """A run of which `stored` are the results that the store holds already."""
        self.plan = plan
        self._writer = writer
        self._progress = progress
        self._ladder = Ladder()
        self._results = _by_set(stored)
        self._sets_done = len(self._results)
        self._games_done = len(stored)

    async def play(self, tables: Tables) -> None:
        """Play every round that has sets left, then end the run."""
        course = Course(self.plan.rounds())
        extent = self.plan.extent
        self._progress(RunStarted(self.plan.header, extent, self._sets_done, self._games_done))
        self._rate_stored(course.round)
        while course.round is not None:
            await self._play_round(course.round, tables)
            course.played({key: self._results[key] for key in course.round.keys})
        assert course.outcome is not None
        self._writer.end()
        self._progress(RunEnded(self.plan.header, self.plan.seed.hex(), course.outcome))

    def _rate_stored(self, first: Round | None) -> None:
        """What is stored and what comes first is known together, so that it is rated in one go."""
        self._ladder.expect((*self._results, *(first.keys if first is not None else ())))
        for key in sorted(self._results, key=rating_order):
            self._ladder.add(key, self._results[key])

    async def _play_round(self, round_: Round, tables: Tables) -> None:
        """Play what of the round is not stored."""
        left = [job for job in (job.without(self._results.keys()) for job in round_.jobs) if job.sets]
        if not left:
            return
        if round_.title:
            self._progress(RoundStarted(round_))
        self._ladder.expect(round_.keys)
        for job in left:
            await self._play_job(job, tables)

    async def _play_job(self, job: Job, tables: Tables) -> None:
        """Play a job's tables; sets are saved beside the play, one after the other."""
        specs = job.tables()
        collector = SetCollector(specs)
        send, receive = trio.open_memory_channel[SetResult](math.inf)

        def on_game(table: TableSpec, game: GameRecord, stories: tuple[FaultStory, ...]) -> None:
            self._tell(game)
            complete = collector.add(table, game, stories)
            if complete is not None:
                send.send_nowait(complete)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._save_all, receive)
            with send:
                await tables.play(specs, on_game)

    async def _save_all(self, sets: trio.MemoryReceiveChannel[SetResult]) -> None:
        """Save sets as they come. One that is complete when the run is cancelled is still saved."""
        try:
            async for complete in sets:
                await self._save(complete)
        except trio.Cancelled:
            for complete in _waiting(sets):
                await self._save(complete)
            raise

    async def _save(self, complete: SetResult) -> None:
        """Make a set durable, then say so. A thread waits for the disk, so that no bot does."""
        self._results[complete.key] = [result_of_record(game) for game in complete.games]
        self._ladder.add(complete.key, self._results[complete.key])
        ratings = self._ladder.table()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(
                self._writer.save_set, complete.key, complete.games, ratings, complete.stories
            )
        self._sets_done += 1
        self._progress(SetSaved(complete.key, self._sets_done, ratings))

    def _tell(self, game: GameRecord) -> None:
        self._games_done += 1
        self._progress(
            GamePlayed(
                game_id=game.id,
                variant=game.variant,
                ended=game.result.ended,
                faults=tuple((game.seats[fault.seat].bot, fault.kind) for fault in game.faults),
                games_done=self._games_done,
            )
        )


def _waiting(sets: trio.MemoryReceiveChannel[SetResult]) -> Iterator[SetResult]:
    """What is in the channel now."""
    while True:
        try:
            yield sets.receive_nowait()
        except (trio.WouldBlock, trio.EndOfChannel):
            return


def _by_set(results: Sequence[GameResult]) -> dict[SetKey, list[GameResult]]:
    sets: dict[SetKey, list[GameResult]] = {}
    for result in results:
        sets.setdefault(result.id.set_key, []).append(result)
    return sets
