"""Decides which table opens next and on which processes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import trio

from bowerbird.harness.records.values.annotations import Annotations, Note
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.game_record import FROZEN, REMOTE, Conditions, GameRecord, SeatRecord
from bowerbird.harness.referee.connection.participant import Participant
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table, unplayed
from bowerbird.harness.referee.registry import Instance, Registry
from bowerbird.harness.referee.spec import InstanceKey, OnGame, OnVoid, OpenTable, TableJob, TableSpec, VoidedGame
from bowerbird.harness.referee.table_driver import TableDriver
from bowerbird.harness.referee.table_watch import OnSteps, TableWatch, gone

LOST_PROCESS = "a process was lost while the host stood still"
LOST_START = "a process could not be started while the host stood still"
"""The reasons for voiding a game."""

LOOKAHEAD_JOBS = 64
"""The look-ahead in jobs. Idle processes that one of the next `LOOKAHEAD_JOBS` needs are kept before others."""


@dataclass(frozen=True, slots=True, eq=False)
class FinishedGame:
    """A game that has ended, whose faults have no stories yet.

    It has, by seat, the participant that played and the tokens that were legal when the fault landed. `notes` are the
    bots' notes, in the order of the actions.
    """

    spec: TableSpec
    record: GameRecord
    participants: Mapping[int, Participant | None]
    legal: Mapping[int, tuple[str, ...]]
    notes: tuple[Note, ...] = ()


class _Batch:
    """Tables admitted together, and the ids of their unfinished games (`unfinished`)."""

    def __init__(self, tables: Sequence[TableSpec]) -> None:
        self.keys = frozenset(seat.instance for spec in tables for seat in spec.seats)
        self.bots = frozenset(key.bot for key in self.keys)
        self.waiting = list(tables)
        self.unfinished = {spec.game_id for spec in tables}


@dataclass(frozen=True, slots=True)
class _OpenTable:
    """The players at an open table: its distinct instances, and the participants by seat."""

    instances: tuple[Instance, ...]
    participants: Mapping[int, Participant | None]


class Scheduler:
    """The scheduler opens tables in order, each as soon as all its instances have room. Only `changed` waits.

    As tables of the first batch close, tables of other batches take their places. The limit on open tables is then
    `min_open`, or the number that the first batch alone had open.

    `start(instance)` is called when a table waits for an instance without a participant. `explain(game)` is called for
    each game with faults; it must call `deliver` when their stories are known.
    """

    def __init__(
        self,
        conditions: Conditions,
        registry: Registry,
        start: Callable[[Instance], None],
        explain: Callable[[FinishedGame], None],
        min_open: int,
        *,
        on_steps: OnSteps | None = None,
    ) -> None:
        """Create a scheduler without tables. on_steps: called at once with what happens at every table."""
        self._conditions = conditions
        self._registry = registry
        self._start = start
        self._explain = explain
        self._max_open = min_open
        self._on_steps = on_steps
        self._batches: deque[_Batch] = deque()
        self._open: dict[TableDriver, _OpenTable] = {}
        self._watched: dict[str, TableDriver] = {}
        """The tables that spectators watch, and some that have just ended, by game."""
        self._on_game: OnGame = _ignore
        self._on_void: OnVoid = _ignore_void
        self._error: BaseException | None = None
        self._undelivered: set[FinishedGame] = set()
        self._changed = trio.Event()
        self._is_pumping = False
        self._pump_again = False

    # Called by the referee.

    def begin(self, on_game: OnGame, on_void: OnVoid) -> None:
        """Start to deliver games to `on_game` and `on_void`. `changed` raises their errors."""
        self._on_game = on_game
        self._on_void = on_void
        self._error = None

    @property
    def needed_keys(self) -> frozenset[InstanceKey]:
        """The instances of the batches in play, each until the last game of its batch has ended."""
        return frozenset[InstanceKey]().union(*(batch.keys for batch in self._batches))

    @property
    def open_games(self) -> int:
        """The number of open tables."""
        return len(self._open)

    def tables(self) -> tuple[OpenTable, ...]:
        """Return the open tables in the order in which they opened."""
        return tuple(
            OpenTable(driver.table.spec, driver.table.game.hand_number, tuple(driver.table.game.scores))
            for driver in self._open
        )

    def watch(self, game: str, send: OnSteps) -> None:
        """Send `send` everything played at a table and everything that follows, replacing earlier receivers.

        If a table is not open, report at once that it is gone.
        """
        driver = self._driver_of(game)
        if driver is None:
            send(gone(game))
            return
        driver.watch = TableWatch(driver.table, send)
        driver.watch.tell()
        self._watched[game] = driver

    def tell_spectators(self) -> bool:
        """Report news of watched tables. Return whether any is watched."""
        for game, driver in list(self._watched.items()):
            if driver.watch is None:
                del self._watched[game]
            else:
                driver.watch.tell_news()
        return bool(self._watched)

    def unwatch(self, game: str) -> None:
        """Stop reporting on a table."""
        if (driver := self._driver_of(game)) is not None:
            driver.watch = None

    def _driver_of(self, game: str) -> TableDriver | None:
        return next((driver for driver in self._open if driver.table.spec.game_id == game), None)

    @property
    def is_empty(self) -> bool:
        """Whether no table is waiting or open."""
        return not self._batches

    @property
    def is_done(self) -> bool:
        """Whether the callbacks have accepted all games of all admitted tables."""
        return not self._batches and not self._undelivered and self._error is None

    @property
    def can_admit(self) -> bool:
        """Whether another batch may be admitted: no table waits, and there is at most one batch or few tables are open.

        A job may have two tables, so that two batches would leave most places empty.
        """
        if any(batch.waiting for batch in self._batches):
            return False
        return len(self._batches) < 2 or len(self._open) < self._max_open

    def admit(self, tables: Sequence[TableSpec]) -> None:
        """Play these tables after the batch admitted before. Raises ValueError if two have the same game id."""
        if tables:
            batch = _Batch(tables)
            if len(batch.unfinished) < len(tables):
                raise ValueError("two tables of a job have the same game id")
            self._batches.append(batch)
            self.pump()

    async def changed(self) -> None:
        """Wait until a game is delivered or another batch may have room. Raises the errors of callbacks."""
        await self._changed.wait()
        self._changed = trio.Event()
        if self._error is not None:
            raise self._error

    def wake(self) -> None:
        """End the wait of `changed`, since there is another job."""
        self._changed.set()

    def break_off(self) -> set[Instance]:
        """Forget all tables. Return the instances seated at one; their participants are no longer needed."""
        seated = {instance for table in self._open.values() for instance in table.instances}
        for driver in self._open:
            driver.abandon()
        self._open.clear()
        self._batches.clear()
        self._undelivered.clear()
        self._on_game = _ignore
        self._on_void = _ignore_void
        self._error = None  # its traceback would keep the last table in memory
        return seated

    # Called when an instance has become ready or is gone.

    def pump(self) -> None:
        """Open every table that can be opened, start instances that tables wait for, and settle unplayable games."""
        self._pump_again = True
        if self._is_pumping:
            return
        self._is_pumping = True
        try:
            while self._pump_again:
                self._pump_again = False
                for batch in list(self._batches):
                    if batch.unfinished:
                        self._walk_waiting(batch)
        finally:
            self._is_pumping = False

    def _walk_waiting(self, batch: _Batch) -> None:
        """Open the tables of a batch that can be opened.

        All batches except the first are limited to `_max_open` open tables.
        """
        limit = math.inf if batch is self._batches[0] else self._max_open
        waiting, batch.waiting = batch.waiting, []
        full: set[InstanceKey] = set()
        anyone_withdrawn = self._registry.ledger.is_withdrawn_among(batch.bots)
        for place, spec in enumerate(waiting):
            no_room = len(full) == len(batch.keys) or len(self._open) >= limit
            if no_room and not anyone_withdrawn:
                batch.waiting.extend(waiting[place:])
                return
            if anyone_withdrawn and (withdrawn := self._withdrawn_seats(spec)):
                self._record_unplayed(batch, spec, withdrawn)
                continue
            if no_room:
                batch.waiting.append(spec)
                continue
            lacking = [
                key for key in {seat.instance for seat in spec.seats} if key in full or not self._ready_or_start(key)
            ]
            if lacking:
                full.update(lacking)
                batch.waiting.append(spec)
            elif lost := self._lost_starts(spec):
                self._void_unopened(spec, lost)
            else:
                self._open_table(spec)
        if waiting and not batch.waiting:
            self._changed.set()
        if limit == math.inf:
            self._max_open = max(self._max_open, len(self._open))

    def _ready_or_start(self, key: InstanceKey) -> bool:
        """Return whether the instance can join another table now. Start it if it has no participant."""
        instance = self._registry.instance(key)
        if instance.can_sit:
            return True
        if not instance.is_alive:
            self._start(instance)
        return False

    def _lost_starts(self, spec: TableSpec) -> set[Instance]:
        """Return the instances at a table whose start was lost in stalls of the host."""
        seated = {self._registry.instance(seat.instance) for seat in spec.seats}
        return {instance for instance in seated if instance.start_lost}

    def _open_table(self, spec: TableSpec) -> None:
        by_seat = [self._registry.instance(seat.instance) for seat in spec.seats]
        absent = {instance: instance.start_fault for instance in by_seat if instance.start_fault is not None}
        wants_forced = {
            seat
            for seat, instance in enumerate(by_seat)
            if instance.capabilities is not None and instance.capabilities.wants_forced
        }
        present = tuple(instance for instance in dict.fromkeys(by_seat) if instance not in absent)
        made = self._conditions_at(spec)
        made = replace(made, measures=_frozen_at(present) + made.measures)
        table = Table(spec, made, self._identities(spec), wants_forced)
        for instance in present:
            instance.open_tables += 1
        driver = TableDriver(table, [None if i in absent else i.session for i in by_seat], self._end_table)
        self._open[driver] = _OpenTable(present, {seat: i.participant for seat, i in enumerate(by_seat)})
        if self._on_steps is not None:
            driver.watch = TableWatch(table, self._on_steps, at_once=True)
        driver.open()  # once `break_off` knows its instances: an option that the wire cannot carry raises
        for instance in absent:
            instance.start_fault = None
        for seat, instance in enumerate(by_seat):
            if instance in absent:
                table.leave(seat, absent[instance])
        driver.start()

    def _conditions_at(self, spec: TableSpec) -> Conditions:
        """Return the run's conditions. With a remote bot, nobody can tell which processes share knowledge."""
        if any(self._registry.bots[seat.instance.bot].spec.remote for seat in spec.seats):
            return replace(self._conditions, instances=REMOTE)
        return self._conditions

    def _identities(self, spec: TableSpec) -> tuple[SeatRecord, ...]:
        return tuple(self._registry.bots[seat.instance.bot].identity for seat in spec.seats)

    # Games that are not played because a bot at the table has been withdrawn.

    def _withdrawn_seats(self, spec: TableSpec) -> dict[int, Fault]:
        """Return the seats whose bots are out of the run, with the reasons."""
        faults = {seat: self._registry.bots[place.instance.bot].withdrawn for seat, place in enumerate(spec.seats)}
        return {seat: fault for seat, fault in faults.items() if fault is not None}

    def _record_unplayed(self, batch: _Batch, spec: TableSpec, withdrawn: dict[int, Fault]) -> None:
        """End a game that a withdrawn bot cannot play, once it is known whether every other bot at the table can start.

        Waiting for that keeps the record independent of which of two broken bots failed first.
        """
        unknown = [seat.instance for seat in spec.seats if not self._registry.bots[seat.instance.bot].is_start_decided]
        for key in unknown:
            self._ready_or_start(key)
        if unknown:
            batch.waiting.append(spec)
        else:
            record = unplayed(spec, self._conditions_at(spec), self._identities(spec), withdrawn)
            bots = self._registry.bots
            participants = {seat: bots[spec.seats[seat].instance.bot].last_faulty for seat in withdrawn}
            self._end_game(FinishedGame(spec, record, participants, {}))

    # Games that have ended.

    def _end_table(self, driver: TableDriver) -> None:
        """Free the seats of a table that has closed, and open the next one."""
        table, opened = driver.table, self._open.pop(driver)
        for instance in opened.instances:
            instance.open_tables -= 1
        assert table.record is not None  # a driver closes with a record
        self._end_game(FinishedGame(table.spec, table.record, opened.participants, table.legal_at_fault, table.notes))
        self.pump()

    def void(self, games: Collection[str]) -> None:
        """End these games in play without a result. A process of each was lost in a stall."""
        for driver in [driver for driver in self._open if driver.table.spec.game_id in games]:
            for instance in self._open.pop(driver).instances:
                instance.open_tables -= 1
            bots = driver.lost_bots
            driver.void()
            self._deliver_voided(driver.table.spec, VoidedGame(bots, LOST_PROCESS))
        self.pump()

    def _void_unopened(self, spec: TableSpec, lost: Collection[Instance]) -> None:
        """End a game that cannot begin, because the host repeatedly stood still and processes did not start."""
        for instance in lost:
            instance.start_lost = False
        bots = tuple(sorted({instance.bot.spec.name for instance in lost}))
        self._deliver_voided(spec, VoidedGame(bots, LOST_START))

    def _deliver_voided(self, spec: TableSpec, voided: VoidedGame) -> None:
        self._leave_batch(spec)
        if self._error is None:
            try:
                self._on_void(spec, voided)
            except BaseException as error:  # as in `deliver`
                self._error = error
        self._changed.set()

    def _leave_batch(self, spec: TableSpec) -> None:
        """Note that the game of a table has ended."""
        for batch in self._batches:
            batch.unfinished.discard(spec.game_id)
        while self._batches and not self._batches[0].unfinished:
            self._batches.popleft()

    def _end_game(self, game: FinishedGame) -> None:
        self._leave_batch(game.spec)
        self._undelivered.add(game)
        if game.record.faults:
            self._explain(game)
        else:
            self.deliver(game, ())

    def deliver(self, game: FinishedGame, stories: tuple[FaultStory, ...]) -> None:
        """Pass a game, the stories of its faults and its notes to `on_game`.

        Ignore games of an abandoned call.
        """
        if game not in self._undelivered:
            return
        self._undelivered.discard(game)
        if self._error is None:
            try:
                self._on_game(game.spec, game.record, Annotations(stories, game.notes))
            except BaseException as error:  # the caller of `changed` gets the error; a session must not
                self._error = error
        self._changed.set()


def _frozen_at(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return FROZEN, the first measure of a record, if every local process at a table is frozen while idle."""
    participants = [instance.participant for instance in instances]
    processes = [one.process for one in participants if one is not None and one.process is not None]
    return (FROZEN,) if processes and all(process.freezer is not None for process in processes) else ()


def soonest(idle: Collection[InstanceKey], coming: Iterable[TableJob], limit: int) -> set[InstanceKey]:
    """Return up to `limit` idle processes: those that upcoming jobs need soonest, then any others.

    Jobs that results will choose, as in an adaptive run, may need those others.
    """
    if limit >= len(idle):
        return set(idle)  # without a look at the jobs: this is asked each time that a table may begin
    needed = (key for job in islice(coming, LOOKAHEAD_JOBS) for key in job.processes if key in idle)
    wanted, kept = chain(needed, idle), set[InstanceKey]()
    while len(kept) < limit:
        kept.add(next(wanted))
    return kept


def _ignore(table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
    """Do nothing, since no call of the referee waits for games."""


def _ignore_void(table: TableSpec, voided: VoidedGame) -> None:
    """Do nothing, since no call of the referee waits for games."""
