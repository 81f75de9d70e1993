"""The referee: plays games between bot processes and hands back their records.

It decides when a process is started, which table opens next, and who is out. What happens at a table is `table`'s,
what is said to a bot `session`'s and `entrance`'s, how a process runs `launcher`'s business.
"""

from __future__ import annotations

import re
import tempfile
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import trio

from harness.records.record import Conditions, GameRecord, SeatRecord
from harness.referee.clock import Pace
from harness.referee.entrance import Abilities, NeverStartedError, Visitor
from harness.referee.faults import POLICIES, Fault
from harness.referee.launcher import ISOLATION, Launcher, Process
from harness.referee.opening import OpenTable
from harness.referee.roster import MAX_RESTARTS, BotStory, Entrant, Instance
from harness.referee.session import ProcessEnded, Session
from harness.referee.slots import Slots
from harness.referee.spec import BotSpec, InstanceKey, TableSpec
from harness.referee.table import Table, unplayed

STARTS_AT_ONCE = 4
START_HOLD_S = 3.0
"""How long a slow start may keep others from starting; its own clock is not affected."""

CLOSE_S = 10.0
SOCKET_PATH_LIMIT = 100
TRANSPORTS = ("unix", "tcp")


class Referee:
    """An async context manager under trio; leaving it, in whatever way, leaves no process.

    `bots` are the entrants by the name that seats use; `slots` messages are thought about at once in the whole run,
    `tables` tables are open at once for each process. Logs of processes go into `workspace`. `transport` is unix
    (a socket in a private folder) or tcp (127.0.0.1).
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
    ) -> None:
        """A referee that has started nothing. Raises ValueError for conditions that it cannot keep."""
        if conditions.isolation != ISOLATION:
            raise ValueError(f"isolation {conditions.isolation!r} is not what processes run under here: {ISOLATION!r}")
        if conditions.on_fault not in POLICIES:
            raise ValueError(f"on_fault {conditions.on_fault!r} is none of {', '.join(POLICIES)}")
        if tables < 1:
            raise ValueError(f"tables must be at least 1, not {tables}")
        if transport not in TRANSPORTS:
            raise ValueError(f"transport {transport!r} is none of {', '.join(TRANSPORTS)}")
        self._conditions = conditions
        self._pace = Pace.of(conditions.time)
        self._workspace = workspace
        self._slots = Slots(slots)
        self._tables = tables
        self._transport = transport
        self._entrants = {name: Entrant(spec) for name, spec in bots.items()}
        self._instances: dict[InstanceKey, Instance] = {}
        self._leaving: list[Instance] = []
        self._addresses = 0
        self._keys: set[InstanceKey] = set()
        self._waiting: list[TableSpec] = []
        self._open: dict[Table, OpenTable] = {}
        self._holders: dict[Table, list[Instance]] = {}
        self._finished: deque[tuple[TableSpec, GameRecord]] = deque()
        self._bell = trio.Event()
        self._playing = False
        self._pumping = False
        self._pump_again = False
        self._scopes: set[trio.CancelScope] = set()

    async def __aenter__(self) -> Referee:
        """Start the launcher; no bot yet."""
        self._sockets = Path(tempfile.mkdtemp(prefix="bowerbird-", dir=_short_folder()))
        self._launcher = await Launcher.open(self._sockets)
        self._starts = trio.CapacityLimiter(STARTS_AT_ONCE)
        self._background = trio.open_nursery()
        self._nursery = await self._background.__aenter__()
        self._spawn(self._launcher.run)
        return self

    @trio.lowlevel.enable_ki_protection
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Say Goodbye to every bot, end every process, and let `error` through as it is."""
        with trio.CancelScope(shield=True):
            for instance in list(self._instances.values()):
                self._dismiss(instance, "FINISHED" if error is None else "INTERRUPTED")
            await self._wait_for_leavers()
            await self._launcher.close()
            for scope in list(self._scopes):
                scope.cancel()
        try:
            return await self._background.__aexit__(kind, error, traceback)
        except BaseExceptionGroup as group:
            if error is not None and group.exceptions == (error,):
                return False
            raise

    async def play(self, tables: Sequence[TableSpec], on_game: Callable[[TableSpec, GameRecord], None]) -> None:
        """Play all `tables`; call `on_game` with each record as its game ends, in any order.

        Faults of bots never raise. Processes whose key is not used by this call are closed, the others stay for a
        later call. What `on_game` raises ends the call and whatever is in play; games that had ended are delivered
        before. Raises KeyError for a bot that is not known, RuntimeError if a call is under way.
        """
        if self._playing:
            raise RuntimeError("one play() at a time")
        keys = {seat.instance for spec in tables for seat in spec.seats}
        for key in keys:
            if key.bot not in self._entrants:
                raise KeyError(f"no bot {key.bot!r} in this run")
        self._playing = True
        try:
            await self._wait_for_leavers()
            for key in [key for key in self._instances if key not in keys]:
                self._dismiss(self._instances[key], "REPLACED")
            self._keys = keys
            self._waiting = list(tables)
            self._pump()
            for _ in tables:
                while not self._finished:
                    await self._bell.wait()
                    self._bell = trio.Event()
                on_game(*self._finished.popleft())
        except BaseException:
            self._break_off()
            raise
        finally:
            self._playing = False

    def bot_story(self, name: str) -> BotStory:
        """What became of a bot's processes so far. Raises KeyError for a bot that is not known."""
        return self._entrants[name].story

    # Which table opens next.

    def _pump(self) -> None:
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
        for place, spec in enumerate(waiting):
            withdrawn = self._withdrawn_seats(spec)
            if withdrawn and self._all_known(spec):
                self._deliver(spec, unplayed(spec, self._conditions, self._identities(spec), withdrawn))
                continue
            if withdrawn:
                self._waiting.append(spec)
                continue
            lacking = [key for key in {seat.instance for seat in spec.seats} if not self._has_room(key, full)]
            if lacking:
                full.update(lacking)
                self._waiting.append(spec)
            else:
                self._open_table(spec)
            if len(full) == len(self._keys) and not self._anyone_withdrawn():
                self._waiting.extend(waiting[place + 1 :])
                return

    def _withdrawn_seats(self, spec: TableSpec) -> dict[int, Fault]:
        """The seats whose bot is out of the run, and why."""
        faults = {seat: self._entrants[place.instance.bot].withdrawn for seat, place in enumerate(spec.seats)}
        return {seat: fault for seat, fault in faults.items() if fault is not None}

    def _all_known(self, spec: TableSpec) -> bool:
        """Whether each bot at this table has been ready once or is withdrawn; who is not known yet is started.

        A game is not given up before, so that its record does not depend on which of two broken bots broke first.
        """
        unknown = [seat.instance for seat in spec.seats if not self._entrants[seat.instance.bot].is_known]
        for key in unknown:
            self._has_room(key, set())
        return not unknown

    def _anyone_withdrawn(self) -> bool:
        return any(entrant.withdrawn is not None for entrant in self._entrants.values())

    def _has_room(self, key: InstanceKey, full: set[InstanceKey]) -> bool:
        if key in full:
            return False
        instance = self._instances.get(key)
        if instance is None:
            instance = self._instances[key] = Instance(key, self._entrants[key.bot])
        if instance.can_sit:
            return True
        if not instance.living:
            self._spawn(self._live, instance, instance.come_alive())
        return False

    def _open_table(self, spec: TableSpec) -> None:
        by_seat = [self._instances[seat.instance] for seat in spec.seats]
        absent = {instance: instance.absence for instance in by_seat if instance.absence is not None}
        wants_forced = {
            seat
            for seat, instance in enumerate(by_seat)
            if instance.abilities is not None and instance.abilities.wants_forced
        }
        table = Table(spec, self._conditions, self._identities(spec), wants_forced)
        self._holders[table] = [instance for instance in set(by_seat) if instance not in absent]
        for instance in self._holders[table]:
            instance.load += 1
        self._open[table] = OpenTable(table, [None if i in absent else i.session for i in by_seat])
        for instance in absent:
            instance.absence = None
        for seat, instance in enumerate(by_seat):
            if instance in absent:
                table.leave(seat, absent[instance])
        table.start()
        self._moved(table)

    def _moved(self, table: Table) -> None:
        """A table went on: ask whoever is next, or take its record."""
        opening = self._open.get(table)
        if opening is None or not opening.go_on():
            return
        del self._open[table]
        for instance in self._holders.pop(table):
            instance.load -= 1
        assert table.record is not None
        self._deliver(table.spec, table.record)
        self._pump()

    def _deliver(self, spec: TableSpec, record: GameRecord) -> None:
        self._finished.append((spec, record))
        self._bell.set()

    def _identities(self, spec: TableSpec) -> tuple[SeatRecord, ...]:
        return tuple(self._entrants[seat.instance.bot].identity for seat in spec.seats)

    def _break_off(self) -> None:
        """Forget what waits and what is in play; processes that sit at a table are of no more use."""
        self._waiting.clear()
        self._finished.clear()
        for instance in {instance for holders in self._holders.values() for instance in holders}:
            self._dismiss(instance, "INTERRUPTED")
        self._open.clear()
        self._holders.clear()

    # The life of one process.

    async def _live(self, instance: Instance, start: trio.CancelScope) -> None:
        """Start a process, let it play until it fails or is not needed, and see it out."""
        entrant = instance.entrant
        visitor = Visitor(entrant.spec, self._log_path(instance), self._conditions.time.startup_ms, self._tables)
        fault: Fault | None = None
        try:
            with start:
                instance.abilities = await self._let_in(visitor)
            if instance.abilities is not None:
                entrant.ever_ready = True
                fault = await self._converse(instance, visitor)
        except NeverStartedError as error:
            fault = error.fault
            entrant.remember(visitor, fault)
            self._did_not_start(instance, fault)
        finally:
            instance.session = None
            instance.abilities = None
            await visitor.see_out(instance.farewell(fault))
            entrant.remember(visitor, fault)
            instance.living = False
            instance.gone.set()
        self._pump()

    async def _let_in(self, visitor: Visitor) -> Abilities:
        """A few processes start at a time, so that many do not time out while they starve each other."""
        await self._starts.acquire_on_behalf_of(visitor)
        settled = trio.Event()
        self._spawn(self._release_start, visitor, settled)
        try:
            return await visitor.come_in(self._address(), self._launcher, self._nursery)
        finally:
            settled.set()

    async def _release_start(self, visitor: Visitor, settled: trio.Event) -> None:
        with trio.move_on_after(START_HOLD_S):
            await settled.wait()
        self._starts.release_on_behalf_of(visitor)

    async def _converse(self, instance: Instance, visitor: Visitor) -> Fault | None:
        """Until the session is over; returns what it failed of, if it did."""
        abilities, process, link = instance.abilities, visitor.process, visitor.link
        assert abilities is not None
        assert process is not None
        assert link is not None
        session = Session(
            link,
            self._pace,
            self._slots,
            max_batch=abilities.batch,
            wants_events=abilities.wants_events,
            on_moved=self._moved,
            on_fault=instance.entrant.count,
        )
        visitor.listen(session.hear)
        instance.session = session
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_tell_end, process, session)
            self._pump()
            await session.converse()
            if session.failure is not None:
                instance.entrant.remember(visitor, session.failure)
                instance.lost(session.failure)
            nursery.cancel_scope.cancel()
        return session.failure

    def _did_not_start(self, instance: Instance, fault: Fault) -> None:
        """A bot that never got as far as Ready is withdrawn; else the next table that waits for it plays without it."""
        entrant = instance.entrant
        entrant.count(fault)
        if not entrant.ever_ready:
            entrant.withdraw(fault)
            for other in self._instances.values():
                if other.entrant is entrant and other is not instance:
                    other.give_up_start()
        else:
            instance.absence = fault
            instance.restarts += 1
            if instance.restarts > MAX_RESTARTS:
                entrant.withdraw(fault)
        self._pump()

    def _dismiss(self, instance: Instance, reason: str) -> None:
        """The instance is not needed any more; its process is seen out in the background."""
        self._instances.pop(instance.key, None)
        if instance.living:
            instance.dismiss(reason)
            self._leaving.append(instance)

    async def _wait_for_leavers(self) -> None:
        with trio.move_on_after(CLOSE_S):
            while self._leaving:
                await self._leaving[-1].gone.wait()
                self._leaving.pop()
        self._leaving.clear()

    def _address(self) -> str:
        if self._transport == "tcp":
            return "127.0.0.1:0"
        self._addresses += 1
        return f"unix:{self._sockets}/{self._addresses}"

    def _log_path(self, instance: Instance) -> Path:
        bot = re.sub(r"[^A-Za-z0-9._-]", "_", instance.key.bot)
        return self._workspace / f"{bot}-{instance.key.number}-{instance.starts}.log"

    # Tasks that outlive a cancellation of the caller: they are ended by __aexit__, in its order.

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


async def _tell_end(process: Process, session: Session) -> None:
    await process.ended.wait()
    if process.how is not None:
        session.hear(ProcessEnded(process.how))


def _short_folder() -> str | None:
    """Where the sockets' folder is made: the usual place, unless its name is too long for a socket's path."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < SOCKET_PATH_LIMIT // 2 else "/tmp"
