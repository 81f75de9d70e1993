"""The referee: plays games between bot processes and hands back their records.

It decides when a process is started, which table opens next, and who is out. What happens at a table is `table`'s,
what is said to a bot `session`'s and `entrance`'s, how a process runs `launcher`'s business.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import trio

from harness.records.record import Conditions, GameRecord
from harness.records.story import FaultStory
from harness.referee.ahead import STARTS_AT_ONCE, HeadStart, log_path
from harness.referee.chair import Chair
from harness.referee.clock import Pace
from harness.referee.core import keep_to_one_core
from harness.referee.desk import Call
from harness.referee.docket import Appearance, Docket
from harness.referee.ending import NEARBY, REMOTE
from harness.referee.entrance import Abilities, NeverStartedError, Visitor
from harness.referee.faults import POLICIES, Fault
from harness.referee.hall import FinishedGame, Hall
from harness.referee.isolation import SANDBOX, TIERS
from harness.referee.keeping import PROCESSES, soonest
from harness.referee.launcher import Launcher, Process
from harness.referee.lifeline import Lifeline
from harness.referee.log import Log
from harness.referee.roll_call import call_roll
from harness.referee.roster import BotStory, Instance, Roster
from harness.referee.session import ProcessEnded, Session
from harness.referee.slots import Slots
from harness.referee.spec import BotSpec, FaultLimits, InstanceKey, OneJob, Tables, TableSpec
from harness.referee.testimony import stories_of

if TYPE_CHECKING:
    from harness.referee.lobby import Lobby

START_HOLD_S = 3.0
"""How long a slow start may keep others from starting; its own clock is not affected."""

CLOSE_S = 10.0
TRANSPORTS = ("unix", "tcp")

OnGame = Callable[[TableSpec, GameRecord, tuple[FaultStory, ...]], None]
"""Takes a table that has ended, its record, and a story for each of the record's faults."""


class Referee:
    """An async context manager under trio; leaving it, in whatever way, leaves no process.

    `bots` are the entrants by the name that seats use; `slots` messages are thought about at once in the whole run,
    `tables` tables are open at once for each process. Logs of processes go into `workspace`. `transport` is unix
    (a socket in a private folder) or tcp (127.0.0.1). `conditions.isolation` is the tier that every process runs under;
    in a sandbox no bot sees the folders `hidden`.
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
        lobby: Lobby | None = None,
        docket: Docket | None = None,
        processes: int = PROCESSES,
        hidden: Sequence[Path] = (),
        ahead: HeadStart | None = None,
        home: int | None = None,
    ) -> None:
        """A referee that has started nothing. Raises ValueError for conditions that it cannot keep.

        Through `lobby`, which it opens and closes, come the bots that are remote. `docket` is told what bots do wrong,
        and says who is withdrawn; the default is a new one. `ahead` is what was started for it already, `processes` how
        many of bots may be alive to keep tables full between jobs (`play_jobs`), `home` the core that is its own
        (`core.own_core`).
        """
        if conditions.isolation not in TIERS:
            raise ValueError(f"isolation {conditions.isolation!r} is none of {', '.join(TIERS)}")
        if conditions.on_fault not in POLICIES:
            raise ValueError(f"on_fault {conditions.on_fault!r} is none of {', '.join(POLICIES)}")
        if tables < 1:
            raise ValueError(f"tables must be at least 1, not {tables}")
        if transport not in TRANSPORTS:
            raise ValueError(f"transport {transport!r} is none of {', '.join(TRANSPORTS)}")
        if conditions.isolation == SANDBOX and transport != "unix":
            raise ValueError(f"there is no network in a sandbox, so that transport {transport!r} cannot be used there")
        self._conditions = conditions
        self._pace = Pace.of(conditions.time)
        self._workspace = workspace
        self._slots = Slots(slots)
        self._tables = tables
        if lobby is None and any(spec.remote for spec in bots.values()):
            raise ValueError("there is no lobby through which remote bots could come in")
        self._transport = transport
        self._lobby = lobby
        self._hidden = tuple(hidden)
        self._ahead = ahead
        self._roster = Roster(bots, docket if docket is not None else Docket(FaultLimits()))
        self._hall = Hall(conditions, self._roster, self._start, self._hear_witnesses, tables)
        self._processes = processes
        self._home = home
        self._leaving: list[Instance] = []
        self._addresses = 0
        self._playing = False
        self._patience = trio.CancelScope()
        self._scopes: set[trio.CancelScope] = set()

    async def __aenter__(self) -> Referee:
        """Start the launcher, if there is none; no bot yet."""
        ahead = self._ahead = self._ahead or HeadStart(Lifeline.start())
        self._post = ahead.post.open()
        self._sockets = ahead.lifeline.folder
        self._tier = ahead.isolate(self._conditions.isolation, self._hidden)
        self._launcher = Launcher(ahead.lifeline)
        self._starts = trio.CapacityLimiter(STARTS_AT_ONCE)
        self._background = trio.open_nursery()
        self._nursery = await self._background.__aenter__()
        self._spawn(self._launcher.run)
        self._spawn(keep_to_one_core, self._home)
        if self._lobby is not None:
            self._spawn(self._lobby.run, self._sockets, self._post)
        return self

    @trio.lowlevel.enable_ki_protection
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Say Goodbye to every bot, end every process, and let `error` through as it is."""
        with trio.CancelScope(shield=True):
            reason = "FINISHED" if error is None else "INTERRUPTED"
            for instance in list(self._roster.instances.values()):
                self._dismiss(instance, reason)
            with self._patience:
                await self._wait_for_leavers()
                if self._lobby is not None:
                    await self._lobby.close(reason)
            await self._launcher.close()
            for scope in list(self._scopes):
                scope.cancel()
        try:
            return await self._background.__aexit__(kind, error, traceback)
        except BaseExceptionGroup as group:
            if error is not None and group.exceptions == (error,):
                return False
            raise

    def hurry(self) -> None:
        """From now on no bot is given time to end by itself: leaving the referee kills them at once."""
        self._patience.cancel()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """See `call_roll`; all that is ready stays for what is played next."""
        return await call_roll(self._roster, self._start, soon)

    async def play(self, tables: Sequence[TableSpec], on_game: OnGame) -> None:
        """`play_jobs` with one job of these tables."""
        await self.play_jobs([OneJob(tuple(tables))], on_game)

    async def play_jobs(self, jobs: Sequence[Tables], on_game: OnGame) -> None:
        """Play jobs; call `on_game` with each record as its game ends, in any order, and its faults' stories.

        The tables of a job begin when those of the one before it all have begun, in the places of those that have
        ended. Faults of bots never raise. Processes that no table needs any more are closed, but for those that a later
        job needs, as long as there are few (`processes`); those of the last job stay for a later call. What `on_game`
        raises ends the call and whatever is in play; games that had ended are delivered before. Raises KeyError when a
        job is to begin with a bot that is not known, RuntimeError if a call is under way.
        """
        if self._playing:
            raise RuntimeError("one play() at a time")
        self._playing = True
        coming, due = deque(jobs), 0
        try:
            while coming or due:
                if coming and await self._can_begin(coming):
                    tables = coming.popleft().tables()
                    due += len(tables)
                    self._hall.admit(tables)
                    await trio.lowlevel.checkpoint()
                elif (game := self._hall.take_game()) is not None:
                    on_game(*game)
                    due -= 1
                else:
                    await self._hall.news()
        except BaseException:
            for instance in self._hall.break_off():
                self._dismiss(instance, "INTERRUPTED")
            raise
        finally:
            self._playing = False

    async def _can_begin(self, coming: Sequence[Tables]) -> bool:
        """Whether the next job may begin: at once where nothing is in play, else if there is room for its processes.

        Processes that are not needed soon make way for it, and are gone before it begins.
        """
        if not self._hall.has_room:
            return False
        needed = self._roster.local(self._hall.keys.union(coming[0].processes))
        if not self._hall.is_empty and len(needed) > self._processes:
            return False
        idle = self._roster.idle(needed)
        for key in idle.keys() - soonest(idle.keys(), coming, self._processes - len(needed)):
            self._dismiss(idle[key], "REPLACED")
        if self._hall.is_empty:
            await self._wait_for_leavers()
        return not any(instance.living for instance in self._leaving)

    def look_again(self) -> None:
        """The docket has learnt something elsewhere: the tables of a bot that is withdrawn are settled."""
        self._hall.pump()

    def bot_story(self, name: str) -> BotStory:
        """What became of a bot's processes so far. Raises KeyError for a bot that is not known."""
        return self._roster.entrants[name].story

    def _hear_witnesses(self, game: FinishedGame) -> None:
        """A game with faults is over; it is delivered with their stories, and meanwhile others are."""
        self._spawn(self._hear, game)

    async def _hear(self, game: FinishedGame) -> None:
        self._hall.deliver(game, await stories_of(game.record, game.witnesses, game.legal))

    # The life of one process.

    def _start(self, instance: Instance) -> None:
        """A table waits for an instance that has no process."""
        self._spawn(self._live, instance, instance.come_alive())

    async def _live(self, instance: Instance, start: trio.CancelScope) -> None:
        """Start a process, let it play until it fails or is not needed, and see it out."""
        entrant = instance.entrant
        visitor = self._visitor(instance)
        instance.witness = visitor
        fault: Fault | None = None
        try:
            with start:
                instance.abilities = await self._let_in(visitor)
            if instance.abilities is not None:
                self._roster.docket.enter(Appearance(entrant.spec.name))
                instance.settled.set()
                fault = await self._converse(instance, visitor)
        except NeverStartedError as error:
            fault = error.fault
            entrant.remember(visitor, fault)
            self._did_not_start(instance, visitor, fault)
        finally:
            instance.session = None
            instance.abilities = None
            await visitor.see_out(instance.farewell(fault))
            entrant.remember(visitor, fault)
            instance.living = False
            instance.settled.set()
            instance.gone.set()
        self._hall.pump()

    def _visitor(self, instance: Instance) -> Visitor | Call:
        """Who is to play for this instance: a process to be started, or a bot that dials in."""
        spec = instance.entrant.spec
        if spec.remote:
            assert self._lobby is not None
            return self._lobby.call(spec.name)
        assert self._ahead is not None
        sent = self._ahead.take(instance.key)
        log = sent.order.log if sent is not None else Log(log_path(self._workspace, instance.key, instance.starts))
        return Visitor(spec, log, self._conditions.time.startup_ms, self._tables, self._tier, sent=sent)

    async def _let_in(self, visitor: Visitor | Call) -> Abilities:
        """A few processes start at a time, so that many do not time out while they starve each other."""
        if isinstance(visitor, Call):
            return await visitor.come_in()
        await self._starts.acquire_on_behalf_of(visitor)
        settled = trio.Event()
        self._spawn(self._release_start, visitor, settled)
        try:
            return await visitor.come_in(self._address(), self._post, self._launcher, self._nursery)
        finally:
            settled.set()

    async def _release_start(self, visitor: Visitor, settled: trio.Event) -> None:
        with trio.move_on_after(START_HOLD_S):
            await settled.wait()
        self._starts.release_on_behalf_of(visitor)

    async def _converse(self, instance: Instance, visitor: Visitor | Call) -> Fault | None:
        """Until the session is over; returns what it failed of, if it did."""
        abilities, process, link = instance.abilities, visitor.process, visitor.link
        assert abilities is not None
        assert link is not None
        session = Session(
            link,
            self._pace,
            self._slots,
            self._post,
            max_batch=abilities.batch,
            wants_events=abilities.wants_events,
            whereabouts=NEARBY if process is not None else REMOTE,
            on_moved=self._hall.moved,
            on_fault=partial(self._blame, instance, visitor),
        )
        visitor.listen(session.hear)
        instance.session = session
        async with trio.open_nursery() as nursery:
            if process is not None:
                nursery.start_soon(_tell_end, process, session)
            self._hall.pump()
            await session.converse()
            if session.failure is not None:
                instance.entrant.remember(visitor, session.failure)
            nursery.cancel_scope.cancel()
        return session.failure

    def _blame(self, instance: Instance, visitor: Visitor | Call, fault: Fault, chairs: Iterable[Chair]) -> None:
        """A process did something wrong, which cost it these chairs."""
        instance.entrant.witness = visitor
        self._roster.docket.blame(instance.key, fault, [(chair.table.spec.game_id, chair.seat) for chair in chairs])

    def _did_not_start(self, instance: Instance, visitor: Visitor | Call, fault: Fault) -> None:
        """A bot that never got as far as Ready is withdrawn; else the next table that waits for it plays without it."""
        entrant = instance.entrant
        self._blame(instance, visitor, fault, ())
        if not entrant.has_appeared:
            for other in self._roster.instances.values():
                if other.entrant is entrant and other is not instance:
                    other.give_up_start()
        else:
            instance.absence = fault
        self._hall.pump()

    def _dismiss(self, instance: Instance, reason: str) -> None:
        """The instance is not needed any more; its process is seen out in the background."""
        self._roster.instances.pop(instance.key, None)
        if instance.living:
            instance.dismiss(reason)
            self._leaving = [*(other for other in self._leaving if other.living), instance]

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
