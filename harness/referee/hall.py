"""The tables of one call of play(): which opens next, which are in play, and the records that are ready."""

from __future__ import annotations

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


class Hall:
    """Opens tables in their order as soon as every instance of theirs has room; nothing here waits.

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
    ) -> None:
        """A hall without tables."""
        self._conditions = conditions
        self._roster = roster
        self._start = start
        self._hear = hear
        self._keys: set[InstanceKey] = set()
        self._waiting: list[TableSpec] = []
        self._open: dict[Table, OpenTable] = {}
        self._holders: dict[Table, list[Instance]] = {}
        self._witnesses: dict[Table, dict[int, Witness | None]] = {}
        self._untold: set[FinishedGame] = set()
        self._finished: deque[Ended] = deque()
        self._bell = trio.Event()
        self._pumping = False
        self._pump_again = False

    def admit(self, tables: Sequence[TableSpec]) -> None:
        """These are to be played now."""
        self._keys = {seat.instance for spec in tables for seat in spec.seats}
        self._waiting = list(tables)
        self.pump()

    async def next_game(self) -> Ended:
        """A table that has ended, and what came of it; waits for one."""
        while not self._finished:
            await self._bell.wait()
            self._bell = trio.Event()
        return self._finished.popleft()

    def break_off(self) -> set[Instance]:
        """Forget what waits and what is in play; returns the instances that sit at a table: they are of no more use."""
        self._waiting.clear()
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
                self._walk_waiting()
        finally:
            self._pumping = False

    def _walk_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        full: set[InstanceKey] = set()
        anyone_withdrawn = self._roster.docket.anyone_withdrawn
        for place, spec in enumerate(waiting):
            if len(full) == len(self._keys) and not anyone_withdrawn:
                self._waiting.extend(waiting[place:])
                return
            if anyone_withdrawn and (withdrawn := self._withdrawn_seats(spec)):
                self._settle(spec, withdrawn)
                continue
            lacking = [key for key in {seat.instance for seat in spec.seats} if key in full or not self._has_room(key)]
            if lacking:
                full.update(lacking)
                self._waiting.append(spec)
            else:
                self._open_table(spec)

    def _withdrawn_seats(self, spec: TableSpec) -> dict[int, Fault]:
        """The seats whose bot is out of the run, and why."""
        faults = {seat: self._roster.entrants[place.instance.bot].withdrawn for seat, place in enumerate(spec.seats)}
        return {seat: fault for seat, fault in faults.items() if fault is not None}

    def _settle(self, spec: TableSpec, withdrawn: dict[int, Fault]) -> None:
        """Give up a game for which a bot is withdrawn, once each bot at this table is known.

        It is not given up before, so that its record does not depend on which of two broken bots broke first.
        """
        unknown = [seat.instance for seat in spec.seats if not self._roster.entrants[seat.instance.bot].is_known]
        for key in unknown:
            self._has_room(key)
        if unknown:
            self._waiting.append(spec)
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
