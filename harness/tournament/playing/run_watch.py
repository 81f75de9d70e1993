"""Connects a run in play to the watch service: its events, executor and store. `open_hands` decides what may be shown.

Events arrive in the thread of the run, calls in threads of gRPC. Data used by both are replaced as a whole or protected
by the lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

import trio

from bowerbird.harness.extensions import offer, offered
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.values.corrections import annulled_sets
from bowerbird.harness.records.values.game_record import option_text
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.referee.game.table import fresh_game
from bowerbird.harness.referee.spec import OpenTable, TableSpec
from bowerbird.harness.tournament import events
from bowerbird.harness.tournament.executors.contract import Executor, WatchableExecutor
from bowerbird.harness.tournament.playing.open_hands import OpenHands, pack_use, why_table_hidden
from bowerbird.harness.tournament.run_options import PreparedRun
from bowerbird.harness.watch import values
from bowerbird.harness.watch.address import WatchAddress, WatchAddressError, watch_address
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError
from bowerbird.harness.watch.feeds import RunFeed, TableFeed

CALL_S = 5.0
"""The deadline for work that a spectator's call requests from the run's thread."""

TABLES_EVERY_S = 0.5
"""The shortest time between two listings of tables by the run's thread."""

ELSEWHERE = "tables in play are not shown, because the run is played on other machines"

Answer = TypeVar("Answer")


class RunWatch:
    """The `RunSource` of a run in this process."""

    def __init__(self, prepared: PreparedRun, executor: Executor, token: trio.lowlevel.TrioToken) -> None:
        """Wrap a run before its first event. `token` is the trio token of the loop that plays it."""
        plan = prepared.plan
        self._prepared = prepared
        self._executor = executor if isinstance(executor, WatchableExecutor) else None
        self._token = token
        self._file = plan.file
        self._bots = {bot.name: values.BotInfo(bot.name, bot.version, bot.author) for bot in plan.file.bots}
        stored = prepared.store[plan.header.fingerprint]
        voids = stored.voids()
        ended = {*stored.stored_sets(), *left_out_of(voids)}
        self._hands = OpenHands(pack_use(plan.file), {*ended, *annulled_sets(stored.corrections())})
        self._info = values.RunInfo(
            id=stored.fingerprint,
            name=plan.header.name,
            bots=tuple(self._bots.values()),
            variants=tuple(dict.fromkeys(entry.variant for entry in plan.file.variants)),
            sets_stored=len(ended) - len(left_out_of(voids)),
            sets_total=plan.extent.sets,
            sets_bound=plan.extent.bound,
            games_played=0,
            packs=plan.file.packs,
            shows_tables=False,
            why_hidden=(why := self._why_hidden_of_all()),
        )
        self._info = replace(self._info, shows_tables=not why)
        self._standings = values.Standings(0)
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._run_feed = RunFeed(self.closing)
        self._feeds: dict[str, TableFeed] = {}
        """The watched tables, by game."""
        self._listed: tuple[values.TableInfo, ...] = ()
        self._listed_at = -TABLES_EVERY_S

    # In the thread of the run

    def on_event(self, event: events.TournamentEvent) -> None:
        """Report an event of the run to spectators."""
        match event:
            case events.RunStarted():
                self._info = replace(self._info, sets_stored=event.sets_stored, games_played=event.games_stored)
            case events.RoundStarted():
                self._info = replace(self._info, round=event.round.title)
                self._run_feed.add(values.RoundBegan(event.round.title))
            case events.GamePlayed():
                self._info = replace(self._info, games_played=event.games_done)
                for bot, kind in event.faults:
                    self._run_feed.add(values.BotFailed(event.game_id, bot, kind))
            case events.SetSaved():
                self._saved(event)
            case events.RatingsFitted():
                self._standings = _standings_of(event)
                self._run_feed.add(self._standings)
            case events.SetVoided():
                void = event.void
                self._run_feed.add(values.SetVoided(_deal_set(void.key), void.bots, void.why, void.is_last))
                if void.is_last:
                    self._opened(self._hands.add(void.key))
            case events.RunEnded():
                self._hands.end()
                self._run_feed.add(values.RunOver(event.outcome.reason))

    def _saved(self, event: events.SetSaved) -> None:
        self._info = replace(self._info, sets_stored=event.sets_done)
        outcomes = tuple(map(_outcome_of, event.results))
        self._run_feed.add(values.SetFinished(_deal_set(event.key), outcomes, event.sets_done))
        self._opened(self._hands.add(event.key))

    def _opened(self, keys: Iterable[SetKey]) -> None:
        if sets := tuple(map(_deal_set, keys)):
            self._run_feed.add(values.GamesOpened(sets))

    def close(self) -> None:
        """Let every stream end after its last update."""
        if not self._hands.is_complete:
            self._run_feed.add(values.RunOver("the run was interrupted", is_complete=False))
        self.closing.set()

    # From any thread

    def info(self) -> values.RunInfo:
        """See `RunSource`."""
        return self._info

    def standings(self) -> values.Standings:
        """See `RunSource`."""
        return self._standings

    def run_feed(self) -> RunFeed:
        """See `RunSource`."""
        return self._run_feed

    def tables(self) -> Sequence[values.TableInfo]:
        """See `RunSource`. The answer is reused for `TABLES_EVERY_S`."""
        if time.monotonic() - self._listed_at >= TABLES_EVERY_S:
            self._listed_at = time.monotonic()
            self._listed = tuple(map(self._table_info, self._open_tables()))
        return self._listed

    def record(self, game: str) -> str:
        """See `RunSource`."""
        key = self._game(game).set_key
        if why := self._hands.why_hidden(key):
            raise NotOpenError(why)
        try:
            with self._prepared.store.another() as store:
                return store.record_text(game)
        except StoreError as error:
            raise NotFoundError(str(error)) from None

    def enter_table(self, game: str) -> TableFeed:
        """See `RunSource`."""
        self._game(game)
        with self._lock:
            feed = self._feeds.get(game)
            if feed is None or feed.is_over:
                feed = self._new_feed(game)
                self._feeds[game] = feed
            feed.spectators += 1
        return feed

    def leave_table(self, feed: TableFeed) -> None:
        """See `RunSource`."""
        with self._lock:
            feed.spectators -= 1
            if feed.spectators:
                return
            game = feed.info.game
            is_newest = self._feeds.get(game) is feed
            if is_newest:
                del self._feeds[game]
            if is_newest and not feed.is_over and self._executor is not None:
                with suppress(RunGoneError):
                    self._in_run(partial(self._executor.unwatch_table, game), None)

    def _new_feed(self, game: str) -> TableFeed:
        """Begin to watch a table. Raises NotFoundError if it is not in play, NotOpenError if it is not shown."""
        table = next((one for one in self._open_tables() if one.spec.game_id == game), None)
        if table is None or self._executor is None:
            raise NotFoundError(f"game {game} is not in play")
        if why := self._why_hidden(table.spec):
            raise NotOpenError(f"{why}; the game is shown card by card when its deal is not played again")
        clocks = [self._file.clock_of(seat.bot) for seat in table.spec.seats]
        feed = TableFeed(self._table_info(table), partial(fresh_game, table.spec), clocks, self.closing)
        self._in_run(partial(self._executor.watch_table, game, feed.add), None)
        return feed

    def _open_tables(self) -> tuple[OpenTable, ...]:
        if self._executor is None:
            return ()
        return self._in_run(self._executor.open_tables, ())

    def _in_run(self, call: Callable[[], Awaitable[Answer]], otherwise: Answer) -> Answer:
        """Call a function in the run's thread.

        Return `otherwise` after CALL_S. Raises RunGoneError if the run has ended.
        """

        async def within_deadline() -> Answer:
            with trio.move_on_after(CALL_S):
                return await call()
            return otherwise

        if self.closing.is_set():
            raise RunGoneError("the run is no longer being played")
        try:
            return trio.from_thread.run(within_deadline, trio_token=self._token)
        except (trio.RunFinishedError, trio.Cancelled):
            raise RunGoneError("the run is no longer being played") from None

    def _game(self, game: str) -> GameId:
        """Return the id of a game of this run. Raises NotFoundError, with a sentence."""
        try:
            found = GameId.parse(game)
        except ValueError as error:
            raise NotFoundError(str(error)) from None
        if found.run != self._info.id:
            raise NotFoundError(f"game {game} is of another run than {self._info.id}, which is played here")
        return found

    def _why_hidden(self, spec: TableSpec) -> str:
        bots = {seat.bot for seat in spec.seats}
        return why_table_hidden(self._file.packs, self._prepared.choice.tier, self._file.bots, bots)

    def _why_hidden_of_all(self) -> str:
        """Return the reason why some table is not shown; "" if all are shown."""
        if self._executor is None:
            return ELSEWHERE
        return why_table_hidden(self._file.packs, self._prepared.choice.tier, self._file.bots, self._bots.keys())

    def _table_info(self, table: OpenTable) -> values.TableInfo:
        spec, clock = table.spec, self._file.time
        return values.TableInfo(
            game=spec.game_id,
            variant=spec.variant,
            options={name: option_text(value) for name, value in spec.options.items()},
            seats=tuple(self._bots[seat.bot] for seat in spec.seats),
            hand=table.hand,
            scores=table.scores,
            is_shown=not self._why_hidden(spec),
            clock=values.ClockInfo(clock.per_decision_ms, clock.bank_ms, clock.increment_ms, clock.game_ms),
        )


@asynccontextmanager
async def watchable(prepared: PreparedRun, executor: Executor) -> AsyncIterator[events.Progress]:
    """Let spectators watch a run during the block. Yield a function to call with each event.

    The service starts in a thread, without delaying the run. If it cannot start, the run continues without it and
    reports `WatchUnavailable`.
    """
    watch = RunWatch(prepared, executor, trio.lowlevel.current_trio_token())

    def on_event(event: events.TournamentEvent) -> None:
        prepared.progress(event)
        watch.on_event(event)

    async with trio.open_nursery() as nursery:
        service = _Service(prepared, watch)
        nursery.start_soon(service.start)
        try:
            yield on_event
        finally:
            watch.close()
            with trio.CancelScope(shield=True):
                await service.stop()


class WatchServer(Protocol):
    """A watch service: the class `WatchServer` of an optional part (`harness.extensions`, kind "watch").

    It is created with a `RunWatch`.
    """

    def start(self, address: WatchAddress) -> None:
        """Listen. Raises WatchAddressError, OSError."""

    def stop(self) -> None:
        """End all streams and the server."""


class _Service:
    """The watch service of a run, started and stopped in threads."""

    def __init__(self, prepared: PreparedRun, watch: RunWatch) -> None:
        self._prepared = prepared
        self._watch = watch
        self._server: WatchServer | None = None
        self._lock = threading.Lock()

    async def start(self) -> None:
        """Start the service. If that fails, report it in one sentence."""
        why = await trio.to_thread.run_sync(self._start)
        if why:
            self._prepared.progress(events.WatchUnavailable(f"nobody can watch this run: {why}"))

    def _start(self) -> str:
        services = offered("watch")
        if not services:
            return "this installation was built without the watch service"
        server: WatchServer = offer("watch", next(iter(services))).WatchServer(self._watch)
        with self._lock:
            if self._watch.closing.is_set():
                return ""
            try:
                server.start(watch_address(self._prepared.store.path, self._watch.info().id))
            except (WatchAddressError, OSError) as error:
                return str(error)
            self._server = server
        return ""

    async def stop(self) -> None:
        """End all streams and the server. First wait for a start in progress."""
        await trio.to_thread.run_sync(self._stop)

    def _stop(self) -> None:
        with self._lock:
            if self._server is not None:
                self._server.stop()
                self._server = None


def _deal_set(key: SetKey) -> values.DealSet:
    return values.DealSet(key.entry, key.lineup, key.number)


def _outcome_of(game: GameResult) -> values.GameOutcome:
    return values.GameOutcome(str(game.id), game.scores, game.offenders, game.ranks, game.bots)


def _standings_of(fitted: events.RatingsFitted) -> values.Standings:
    rows = sorted(fitted.ratings, key=lambda row: (row.scope, row.rank, -row.elo, row.bot))
    standings = tuple(
        values.Standing(
            scope=row.scope,
            bot=row.bot,
            elo=row.elo,
            games=fitted.games.get((row.scope, row.bot), 0),
            rank=row.rank,
            low=row.low,
            high=row.high,
        )
        for row in rows
    )
    return values.Standings(fitted.sets, standings, fitted.is_open)
