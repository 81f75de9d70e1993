"""A cluster without processes: its workers play tables in this process, and are lost when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar, cast

import trio

from bowerbird.harness.extras.cluster.address import parse_address
from bowerbird.harness.extras.cluster.connection import ClusterConnection, WorkerGoneError
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.extras.cluster.on_worker.site import WorkerSite
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts
from bowerbird.harness.extras.cluster.open_cluster import OpenCluster
from bowerbird.harness.extras.cluster.roll_call import Candidate, LeftOut, RollCall, Roster
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.game.fault_ledger import LedgerEntry
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import BotSpec, TableSpec
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import ChunkPlayed, GameEnded, LedgerUpdate
from bowerbird.harness.tournament.preparation.isolation import TierChoice
from tests.support.tournament.table_players import LocalTables

T = TypeVar("T")

CHOICE = TierChoice("none", "")


class FakeWorker:
    """A worker that plays at once.

    absent: bots that do not start there. blocks: how many it plays before it is lost. entries: what its referee enters
    in the ledger with its next block. at_roll_call: what it enters at the roll call. busy: how often it is checked
    while it serves another run. hangs: it never answers to ledger entries. cannot_open: what opening a referee raises.
    is_silent: it answers to no block before `may_answer`, or until the run has forgotten it.
    lies: makes what it answers to a block out of the messages of its games.
    """

    def __init__(self, name: str, *, absent: Sequence[BotStory] = (), blocks: float = float("inf")) -> None:
        self.name = name
        self.absent = tuple(absent)
        self.blocks = blocks
        self.is_lost = True
        self.entries: list[LedgerEntry] = []
        self.at_roll_call: list[LedgerEntry] = []
        self.learnt: list[LedgerEntry] = []
        self.setup: RefereeSetup | None = None
        self.played: list[tuple[TableSpec, ...]] = []
        self.is_closed = False
        self.updates = 0
        self.busy = 0
        self.looks = 0
        self.hangs = False
        self.is_silent = False
        self.may_answer = trio.Event()
        self.is_forgotten = trio.Event()
        self.cannot_open: Exception | None = None
        self.lies: Callable[[list[object]], object] | None = None

    def reply(self, message: object) -> Reply:
        """Return a reply of its referee; see `Reply.number`."""
        if not isinstance(message, LedgerUpdate):
            return Reply(0, message)
        self.updates += 1
        return Reply(self.updates, message)

    @property
    def candidate(self) -> Candidate:
        """The worker as a roll call finds it: all are on one machine."""
        facts = WorkerFacts("machine", "host", "3.11.7", "0.1.0", "code", "cpu", 2, 1000.0)
        return Candidate(self.name, self.name, facts, CHOICE)


class FakeCluster:
    """Stands in for the connection, its loop, and what checks workers that join."""

    def __init__(self, bots: Sequence[BotSpec], *workers: FakeWorker) -> None:
        self.workers_by_address = {worker.name: worker for worker in workers}
        self.address = parse_address("local:1")
        self.loop = self
        self._tables = LocalTables(bots)
        self._publish: Callable[[str, Reply], None] | None = None
        self.refused: dict[str, str] = {}

    def opened(self) -> OpenCluster:
        """Return the cluster as a run gets it, with all current workers."""
        roster = Roster(tuple(worker.candidate for worker in self.workers_by_address.values()), (), CHOICE)
        return OpenCluster(cast(ClusterConnection, self), cast(RollCall, self), roster)

    async def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run what the loop would run."""
        try:
            await trio.lowlevel.checkpoint()
        except trio.Cancelled:
            coroutine.close()
            raise
        return await coroutine

    def on_reply(self, on_reply: Callable[[str, Reply], None] | None) -> None:
        self._publish = on_reply

    def publish(self, worker: str, reply: Reply) -> None:
        """Deliver an update before its block ends."""
        assert self._publish is not None
        self._publish(worker, reply)

    async def addresses(self) -> Sequence[str]:
        return [*self.workers_by_address]

    async def workers(self) -> Mapping[str, str]:
        return {address: worker.name for address, worker in self.workers_by_address.items()}

    async def examine(self, address: str, name: str) -> Candidate | LeftOut:
        if address in self.refused:
            return LeftOut(address, name, "host", self.refused[address])
        worker = self.workers_by_address[address]
        worker.looks += 1
        if worker.looks <= worker.busy:
            return LeftOut(address, name, "host", "another run plays on it", is_busy=True)
        return worker.candidate

    async def leave_out(self, candidate: Candidate, why: str) -> LeftOut:
        self.workers_by_address[candidate.address].is_closed = True
        return LeftOut(candidate.address, candidate.name, candidate.facts.host, why)

    def unequal_to(self, _roster: Roster, _candidate: Candidate) -> str:
        return ""

    def forget(self, address: str) -> None:
        worker = self.workers_by_address.pop(address, None)
        if worker is not None:
            worker.is_forgotten.set()

    async def call_within(self, _limit_s: float, address: str, method: object, *args: Any) -> object:
        return await self.call(address, method, *args)

    async def call(self, address: str, method: object, *args: Any) -> object:
        worker = self.workers_by_address.get(address)
        if worker is None:
            raise WorkerGoneError("it is gone", is_lost=True)
        if method is WorkerSite.open_referee:
            [worker.setup] = args
            if worker.cannot_open is not None:
                raise worker.cannot_open
        elif method is WorkerSite.roll_call:
            for entry in worker.at_roll_call:
                self.publish(address, worker.reply(LedgerUpdate(entry)))
            return worker.absent
        elif method is WorkerSite.learn:
            if worker.hangs:
                await trio.sleep_forever()
            worker.learnt += args[0]
        elif method is WorkerSite.close:
            worker.is_closed = True
        elif method is WorkerSite.play:
            return await self._play(worker, args[0])
        return None

    async def _keep_silent(self, worker: FakeWorker) -> None:
        async with trio.open_nursery() as nursery:

            async def end(event: trio.Event) -> None:
                await event.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(end, worker.may_answer)
            nursery.start_soon(end, worker.is_forgotten)
        if not worker.may_answer.is_set():
            raise WorkerGoneError("it does not answer", is_lost=True)

    async def _play(self, worker: FakeWorker, tables: tuple[TableSpec, ...]) -> list[Reply]:
        if len(worker.played) >= worker.blocks:
            raise WorkerGoneError("SIGKILL", is_lost=worker.is_lost)
        worker.played.append(tables)
        if worker.is_silent:
            await self._keep_silent(worker)
        messages: list[object] = [LedgerUpdate(entry) for entry in worker.entries]
        worker.entries = []

        def on_game(table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
            messages.append(GameEnded(1, tables.index(table), record, annotations))

        await self._tables.play_tables(tables, on_game, lambda table, voided: None)
        if worker.lies is not None:
            told = worker.lies(messages)
            return [worker.reply(message) for message in told] if isinstance(told, list) else cast(list[Reply], told)
        return [worker.reply(message) for message in [*messages, ChunkPlayed(1)]]
