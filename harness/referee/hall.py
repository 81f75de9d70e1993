"""The tables of one call of play(): which opens next, which are in play, and the records that are ready."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import trio

from harness.records.record import Conditions, GameRecord, SeatRecord
from harness.records.run import REMOTE
from harness.records.story import FaultStory
from harness.referee.faults import Fault
from harness.referee.opening import OpenTable
from harness.referee.roster import Instance, Roster
from harness.referee.spec import InstanceKey, TableSpec
from harness.referee.table import Table, unplayed
from harness.referee.testimony import Witness

Ended = tuple[TableSpec, GameRecord, tuple[FaultStory, ...]]
"""A table that has ended: its record, and a story for each of the record's faults."""


@dataclass(frozen=True, slots=True, eq=False)
class FinishedGame:
    """A game that is over, before the stories of its faults are known.

    By seat: who can tell, and what was legal when the fault landed.
    """

    spec: TableSpec
    record: GameRecord
    witnesses: Mapping[int, Witness | None]
    legal: Mapping[int, tuple[str, ...]]


class _Batch:
    """Tables that were admitted together."""

    def __init__(self, tables: Sequence[TableSpec]) -> None:
        self.keys = frozenset(seat.instance for spec in tables for seat in spec.seats)
        self.bots = frozenset(key.bot for key in self.keys)
        self.waiting = list(tables)
        self.left = {spec.game_id for spec in tables}
        """The games that are not over."""


class Hall:
    """Opens tables in their order as soon as every instance of theirs has room; nothing here waits.

    While the tables of one batch come to their end, those of the next take their places: no more are in play then than
    `tables`, or than one batch ever had by itself.

    `start(instance)` is called when a table waits for an instance that has no process. `pump` is to be called when
    an instance has become ready or is gone, `moved` when something happened at a table. `hear` is given each game with
    faults, to find out their stories and then to call `deliver`.
    """

    def __init__(
        self,
        conditions: Conditions,
        roster: Roster,
        start: Callable[[Instance], None],
        hear: Callable[[FinishedGame], None],
        tables: int,
    ) -> None:
        """A hall without tables."""
        self._conditions = conditions
        self._roster = roster
        self._start = start
        self._hear = hear
        self._batches: deque[_Batch] = deque()
        self._most_open = tables
        self._open: dict[Table, OpenTable] = {}
        self._holders: dict[Table, list[Instance]] = {}
        self._witnesses: dict[Table, dict[int, Witness | None]] = {}
        self._untold: set[FinishedGame] = set()
        self._finished: deque[Ended] = deque()
        self._bell = trio.Event()
        self._pumping = False
        self._pump_again = False

    @property
    def keys(self) -> frozenset[InstanceKey]:
        """The instances that are needed for tables which are not over."""
        return frozenset[InstanceKey]().union(*(batch.keys for batch in self._batches))

    @property
    def is_empty(self) -> bool:
        """Whether no table waits or is in play."""
        return not self._batches

    @property
    def has_room(self) -> bool:
        """Whether another batch may be admitted: there is one at most, and none of its tables waits."""
        return len(self._batches) < 2 and not any(batch.waiting for batch in self._batches)

    def admit(self, tables: Sequence[TableSpec]) -> None:
        """These are to be played after those that were admitted before."""
        if tables:
            self._batches.append(_Batch(tables))
            self.pump()

    def take_game(self) -> Ended | None:
        """A table that has ended, and what came of it, if there is one."""
        return self._finished.popleft() if self._finished else None

    async def news(self) -> None:
        """Until there may be a game to take, or room for another batch."""
        await self._bell.wait()
        self._bell = trio.Event()

    def break_off(self) -> set[Instance]:
        """Forget what waits and what is in play; returns the instances that sit at a table: they are of no more use."""
        self._batches.clear()
        self._finished.clear()
        self._untold.clear()
        self._witnesses.clear()
        seated = {instance for holders in self._holders.values() for instance in holders}
        self._open.clear()
        self._holders.clear()
        return seated

    def pump(self) -> None:
        """Open what can be opened, start what is waited for, and settle what will never be played."""
        self._pump_again = True
        if self._pumping:
            return
        self._pumping = True
        try:
            while self._pump_again:
                self._pump_again = False
                for batch in list(self._batches):
                    if batch.left:
                        self._walk_waiting(batch)
        finally:
            self._pumping = False

    def _walk_waiting(self, batch: _Batch) -> None:
        """Open what can be opened of a batch; one that is ahead takes no more than the places of the one before it."""
        most = math.inf if batch is self._batches[0] else self._most_open
        waiting, batch.waiting = batch.waiting, []
        full: set[InstanceKey] = set()
        anyone_withdrawn = self._roster.docket.is_withdrawn_among(batch.bots)
        for place, spec in enumerate(waiting):
            no_room = len(full) == len(batch.keys) or len(self._open) >= most
            if no_room and not anyone_withdrawn:
                batch.waiting.extend(waiting[place:])
                return
            if anyone_withdrawn and (withdrawn := self._withdrawn_seats(spec)):
                self._settle(batch, spec, withdrawn)
                continue
            if no_room:
                batch.waiting.append(spec)
                continue
            lacking = [key for key in {seat.instance for seat in spec.seats} if key in full or not self._has_room(key)]
            if lacking:
                full.update(lacking)
                batch.waiting.append(spec)
            else:
                self._open_table(spec)
        if waiting and not batch.waiting:
            self._bell.set()
        if most == math.inf:
            self._most_open = max(self._most_open, len(self._open))

    def _withdrawn_seats(self, spec: TableSpec) -> dict[int, Fault]:
        """The seats whose bot is out of the run, and why."""
        faults = {seat: self._roster.entrants[place.instance.bot].withdrawn for seat, place in enumerate(spec.seats)}
        return {seat: fault for seat, fault in faults.items() if fault is not None}

    def _settle(self, batch: _Batch, spec: TableSpec, withdrawn: dict[int, Fault]) -> None:
        """Give up a game for which a bot is withdrawn, once each bot at this table is known.

        It is not given up before, so that its record does not depend on which of two broken bots broke first.
        """
        unknown = [seat.instance for seat in spec.seats if not self._roster.entrants[seat.instance.bot].is_known]
        for key in unknown:
            self._has_room(key)
        if unknown:
            batch.waiting.append(spec)
        else:
            record = unplayed(spec, self._conditions_at(spec), self._identities(spec), withdrawn)
            entrants = self._roster.entrants
            witnesses = {seat: entrants[spec.seats[seat].instance.bot].witness for seat in withdrawn}
            self._end(FinishedGame(spec, record, witnesses, {}))

    def _has_room(self, key: InstanceKey) -> bool:
        """Whether the instance can sit at one more table now; one that has no process is started."""
        instance = self._roster.instance(key)
        if instance.can_sit:
            return True
        if not instance.living:
            self._start(instance)
        return False

    def _open_table(self, spec: TableSpec) -> None:
        by_seat = [self._roster.instance(seat.instance) for seat in spec.seats]
        absent = {instance: instance.absence for instance in by_seat if instance.absence is not None}
        wants_forced = {
            seat
            for seat, instance in enumerate(by_seat)
            if instance.abilities is not None and instance.abilities.wants_forced
        }
        table = Table(spec, self._conditions_at(spec), self._identities(spec), wants_forced)
        self._holders[table] = [instance for instance in set(by_seat) if instance not in absent]
        for instance in self._holders[table]:
            instance.load += 1
        self._witnesses[table] = {seat: instance.witness for seat, instance in enumerate(by_seat)}
        self._open[table] = OpenTable(table, [None if i in absent else i.session for i in by_seat])
        for instance in absent:
            instance.absence = None
        for seat, instance in enumerate(by_seat):
            if instance in absent:
                table.leave(seat, absent[instance])
        table.start()
        self.moved(table)

    def moved(self, table: Table) -> None:
        """A table went on: ask whoever is next, or take its record."""
        opening = self._open.get(table)
        if opening is None or not opening.go_on():
            return
        del self._open[table]
        for instance in self._holders.pop(table):
            instance.load -= 1
        assert table.record is not None
        self._end(FinishedGame(table.spec, table.record, self._witnesses.pop(table), table.open_at_fault))
        self.pump()

    def _end(self, game: FinishedGame) -> None:
        for batch in self._batches:
            batch.left.discard(game.spec.game_id)
        while self._batches and not self._batches[0].left:
            self._batches.popleft()
        self._untold.add(game)
        if game.record.faults:
            self._hear(game)
        else:
            self.deliver(game, ())

    def deliver(self, game: FinishedGame, stories: tuple[FaultStory, ...]) -> None:
        """The stories of a game's faults are known. One of a call that was broken off is of no interest any more."""
        if game in self._untold:
            self._untold.discard(game)
            self._finished.append((game.spec, game.record, stories))
            self._bell.set()

    def _conditions_at(self, spec: TableSpec) -> Conditions:
        """The run's conditions; nobody can say what the processes of a remote bot know of each other."""
        if any(self._roster.entrants[seat.instance.bot].spec.remote for seat in spec.seats):
            return replace(self._conditions, instances=REMOTE)
        return self._conditions

    def _identities(self, spec: TableSpec) -> tuple[SeatRecord, ...]:
        return tuple(self._roster.entrants[seat.instance.bot].identity for seat in spec.seats)
