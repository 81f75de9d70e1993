"""Tables played without processes, at the referee's own table: real games and records, in an order set by the test."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence

import trio

from bowerbird.harness.records.values.annotations import NO_ANNOTATIONS, Annotations
from bowerbird.harness.records.values.faults import FORFEIT, TIMEOUT
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, SeatRecord, TimeControl
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table, unplayed
from bowerbird.harness.referee.spec import BotSpec, InstanceKey, OnGame, OnVoid, TableJob, TableSpec, VoidedGame
from bowerbird.harness.tournament.jobs.job import Job

CONDITIONS = Conditions(FORFEIT, "none", "seat", TimeControl())


class LocalTables:
    """An executor that plays each table at once.

    A bot whose name begins with "last" takes the last legal action, others the first. `shuffled` seeds the order in
    which games end. `withdrawn` bots play nothing. `late` bots time out when first asked.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        *,
        shuffled: int | None = None,
        withdrawn: Collection[str] = (),
        late: Collection[str] = (),
    ) -> None:
        self._identities = {bot.name: SeatRecord(bot.name, bot.version, bot.fingerprint, bot.time) for bot in bots}
        self._shuffled = shuffled
        self._withdrawn = withdrawn
        self._late = late
        self.played: list[str] = []
        self.calls = 0

    async def __aenter__(self) -> LocalTables:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[()]:
        return ()

    def hurry(self) -> None:
        """Do nothing: there are no processes to wait for."""

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        self.calls += 1
        await self.play_tables([table for job in jobs for table in job.tables()], on_game, on_void)

    async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        order = list(tables)
        if self._shuffled is not None:
            random.Random(self._shuffled).shuffle(order)
        for spec in order:
            await trio.lowlevel.checkpoint()
            self.played.append(spec.game_id)
            on_game(spec, self._game(spec), NO_ANNOTATIONS)

    def _game(self, spec: TableSpec) -> GameRecord:
        seats = [self._identities[seat.bot] for seat in spec.seats]
        gone = {
            number: Fault("NEVER_STARTED", "withdrawn: exit status 1", 0, 0)
            for number, seat in enumerate(spec.seats)
            if seat.bot in self._withdrawn
        }
        if gone:
            return unplayed(spec, CONDITIONS, seats, gone)
        table = Table(spec, CONDITIONS, seats)
        for number, seat in enumerate(spec.seats):
            if seat.bot in self._late:
                table.leave(number, Fault(TIMEOUT, "no answer", 6020, 6031))
        table.start()
        while table.due is not None:
            last = spec.seats[table.due.seat].bot.startswith("last")
            table.answer(len(table.due.legal) - 1 if last else 0, 1_000_000)
        assert table.record is not None
        return table.record


class InterruptedTables(LocalTables):
    """Tables that are cancelled after `after` games, as by Ctrl-C."""

    def __init__(self, bots: Sequence[BotSpec], after: int, scope: Callable[[], None]) -> None:
        super().__init__(bots, shuffled=5)
        self._left = after
        self._interrupt = scope

    async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        def count(spec: TableSpec, game: GameRecord, annotations: Annotations) -> None:
            on_game(spec, game, annotations)
            self._left -= 1
            if self._left == 0:
                self._interrupt()

        await super().play_tables(tables, count, on_void)


class LocalReferee:
    """A stand-in for `Referee`: an async context manager with its parameters."""

    def __init__(self, bots: Mapping[str, BotSpec], conditions: Conditions, **_: object) -> None:
        self._tables = LocalTables(list(bots.values()))

    async def play_jobs(self, jobs: Sequence[TableJob], on_game: OnGame, on_void: OnVoid) -> None:
        for job in jobs:
            await self._tables.play_tables(job.tables(), on_game, on_void)

    async def __aenter__(self) -> LocalReferee:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def hurry(self) -> None:
        pass

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[()]:
        return ()


LOST = "a process was lost while the host stood still"
"""Why `VoidingTables` voids."""


class VoidingTables(LocalTables):
    """Tables of which some are voided, each by the bot at its first seat.

    void: the games without a result, as (game id, attempt).
    """

    def __init__(
        self, bots: Sequence[BotSpec], void: Container[tuple[str, int]], *, shuffled: int | None = None
    ) -> None:
        super().__init__(bots, shuffled=shuffled)
        self._void = void
        self.attempts: list[tuple[str, int]] = []
        """The tables in the order in which they were played."""

    async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        def deliver(spec: TableSpec, game: GameRecord, annotations: Annotations) -> None:
            played = spec.game_id, attempt_of(spec)
            self.attempts.append(played)
            if played in self._void:
                on_void(spec, VoidedGame((spec.seats[0].bot,), LOST))
            else:
                on_game(spec, game, annotations)

        await super().play_tables(tables, deliver, on_void)


def attempt_of(spec: TableSpec) -> int:
    """Return the attempt at a deal set that a table belongs to."""
    return int(spec.entry.partition("//")[2] or 0)
