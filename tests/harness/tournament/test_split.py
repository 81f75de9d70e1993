"""A run in two parts: tables with remote bots here, all others elsewhere (architecture.md, harness)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

import pytest
import trio
import trio.testing

from bowerbird.harness.records.values.faults import CRASHED, Incident
from bowerbird.harness.referee.game.fault_ledger import BotStarted, CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.spec import FaultLimits, InstanceKey, OnGame, OnVoid, OpenTable, TableSpec
from bowerbird.harness.referee.table_watch import OnSteps
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.executors import pool as pool_module
from bowerbird.harness.tournament.executors.contract import WatchableExecutor
from bowerbird.harness.tournament.executors.messages import LedgerUpdate
from bowerbird.harness.tournament.executors.pool import PoolExecutor, WorkerProcess
from bowerbird.harness.tournament.executors.split import WatchableSplitExecutor
from bowerbird.harness.tournament.jobs.job import Job, Jobs, set_count
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.tournament.bot_folders import ALPHA_AND_BETA, Yard
from tests.support.tournament.plans import first_round, jobs_of, setup_of
from tests.support.tournament.table_players import LocalTables

EUCHRE = '[[variant]]\nname = "euchre"\n'
REMOTE = '[[bot]]\nremote = true\nname = "ada"\n'
NO_LIMITS = FaultLimits(max_faults=sys.maxsize, max_restarts=sys.maxsize)
INCIDENT = Incident("one", "alpha", 0, CRASHED, "exit status 1", ())


@pytest.fixture
def plan(yard: Yard) -> Plan:
    """Return a plan of two local bots and a remote one, with one line-up for each pair."""
    lines = ('seed = "leaves"', "sets = 3", 'unit = "deals"')
    return make_plan(load_tournament(yard.tournament(*lines, variants=EUCHRE, bots=ALPHA_AND_BETA + REMOTE)))


class Part(LocalTables):
    """A part of a run that plays without processes. `log` is shared by both parts. It enters `entry` before its first
    game."""

    def __init__(self, name: str, plan: Plan, log: list[str], ledger: FaultLedger) -> None:
        super().__init__(plan.file.bots)
        self.name = name
        self.log = log
        self.ledger = ledger
        self.entry: LedgerEntry | None = None
        self.meets: trio.Event | None = None
        """Set here when play begins; play goes on once the other part has begun."""
        self.other: Part | None = None
        self.error: Exception | None = None
        self.changes = 0
        self.tables: tuple[OpenTable, ...] = ()

    async def __aenter__(self) -> Part:
        if self.error is not None:
            raise self.error
        self.log.append(f"enter {self.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        await trio.lowlevel.cancel_shielded_checkpoint()
        self.log.append(f"leave {self.name}")

    def hurry(self) -> None:
        self.log.append(f"hurry {self.name}")

    def ledger_changed(self) -> None:
        self.changes += 1

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[()]:
        self.log.append(f"roll {self.name}")
        return ()

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        if self.meets is not None and self.other is not None and self.other.meets is not None:
            self.meets.set()
            await self.other.meets.wait()
        if self.entry is not None:
            self.ledger.enter(self.entry)
        await super().play_jobs(jobs, on_game, on_void)

    async def open_tables(self) -> tuple[OpenTable, ...]:
        return self.tables

    async def watch_table(self, game: str, send: OnSteps) -> None:
        self.log.append(f"watch {self.name} {game}")

    async def unwatch_table(self, game: str) -> None:
        self.log.append(f"unwatch {self.name} {game}")


class Failing(Part):
    """A part that fails when it plays, or waits until it is cancelled."""

    def __init__(self, name: str, plan: Plan, log: list[str], ledger: FaultLedger, *, waits: bool) -> None:
        super().__init__(name, plan, log, ledger)
        self._waits = waits

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        if not self._waits:
            raise ValueError(self.name)
        try:
            await trio.sleep_forever()
        finally:
            self.log.append(f"cancel {self.name}")


class Split:
    """A split executor with its parts and what they tell."""

    def __init__(self, plan: Plan, make: Callable[[str, Plan, list[str], FaultLedger], Part] = Part) -> None:
        self.plan = plan
        self.log: list[str] = []
        self.ledger, ledger_here = FaultLedger(NO_LIMITS), FaultLedger(NO_LIMITS)
        self.entries: list[LedgerEntry] = []
        self.ledger.subscribe(self.entries.append)
        self.here = make("here", plan, self.log, ledger_here)
        self.elsewhere = make("elsewhere", plan, self.log, self.ledger)
        self.executor = WatchableSplitExecutor(
            self.here, self.elsewhere, ["ada"], ledger_here=ledger_here, ledger=self.ledger
        )
        self.games: list[str] = []

    async def play(self) -> None:
        async with self.executor as executor:
            await executor.play_jobs(jobs_of(self.plan), lambda table, *_: self.games.append(table.game_id), _no_void)


def _no_void(*_: object) -> None:
    pytest.fail("a game was voided")


def tables_of(plan: Plan) -> list[TableSpec]:
    return [table for job in jobs_of(plan) for table in job.tables()]


def has_ada(table: TableSpec) -> bool:
    return any(seat.bot == "ada" for seat in table.seats)


async def test_each_table_is_played_once_and_those_with_a_remote_bot_here(plan: Plan) -> None:
    split = Split(plan)
    await split.play()
    due = tables_of(plan)
    assert sorted(split.games) == sorted(table.game_id for table in due)
    assert split.here.played == [table.game_id for table in due if has_ada(table)]
    assert split.elsewhere.played == [table.game_id for table in due if not has_ada(table)]
    assert len(split.here.played) == 2 * len(split.elsewhere.played) == 12, "two line-ups of three have a remote bot"


async def test_both_parts_play_at_the_same_time(plan: Plan) -> None:
    split = Split(plan)
    for part, other in ((split.here, split.elsewhere), (split.elsewhere, split.here)):
        part.meets, part.other = trio.Event(), other
    await split.play()
    assert len(split.games) == len(tables_of(plan))


async def test_a_part_without_a_table_is_not_asked_to_play(plan: Plan) -> None:
    split = Split(plan)
    jobs = [job for job in jobs_of(plan) if "ada" not in job.lineup.positions]
    async with split.executor as executor:
        await executor.play_jobs(jobs, lambda *_: None, _no_void)
    assert (split.here.calls, split.elsewhere.calls) == (0, 1)


@pytest.mark.parametrize("entry", [INCIDENT, BotStarted("alpha")])
async def test_an_entry_of_one_part_is_known_to_the_other_and_the_run_once(plan: Plan, entry: LedgerEntry) -> None:
    """faults.md, What a fault costs: the counts belong to the run."""
    for name in ("here", "elsewhere"):
        split = Split(plan)
        maker = split.here if name == "here" else split.elsewhere
        maker.entry = entry
        await split.play()
        assert split.entries == [entry]
        assert split.here.ledger.conduct == split.ledger.conduct
        assert split.here.changes == (0 if name == "here" else 1), "its tables are settled when another part enters it"


async def test_processor_time_goes_to_the_run_alone(plan: Plan) -> None:
    split = Split(plan)
    split.here.entry = split.elsewhere.entry = CpuUsed("alpha", 10, 1)
    await split.play()
    assert split.entries == [CpuUsed("alpha", 10, 1)] * 2
    assert split.here.changes == 0


@pytest.mark.parametrize("failing", ["here", "elsewhere"])
async def test_an_error_of_one_part_ends_the_other_and_both_are_left_in_order(plan: Plan, failing: str) -> None:
    split = Split(plan, lambda name, *more: Failing(name, *more, waits=name != failing))
    with pytest.raises(ExceptionGroup) as caught:
        await split.play()
    assert caught.group_contains(ValueError, match=failing)
    waiting = "elsewhere" if failing == "here" else "here"
    assert split.log[2:] == [f"cancel {waiting}", "leave here", "leave elsewhere"]


async def test_a_cancelled_run_leaves_both_parts_in_order(plan: Plan) -> None:
    split = Split(plan, lambda *more: Failing(*more, waits=True))
    with trio.CancelScope() as scope:
        async with split.executor as executor:
            scope.cancel()
            await executor.play_jobs(jobs_of(plan), lambda *_: None, _no_void)
    assert scope.cancelled_caught
    assert split.log[-2:] == ["leave here", "leave elsewhere"]


async def test_a_part_that_does_not_start_ends_the_other(plan: Plan) -> None:
    split = Split(plan)
    split.here.error = OSError("no supervisor")
    with pytest.raises(OSError, match="no supervisor"):
        await split.play()
    assert split.log == ["enter elsewhere", "leave elsewhere"]


async def test_hurry_reaches_both_parts(plan: Plan) -> None:
    split = Split(plan)
    split.executor.hurry()
    assert split.log == ["hurry here", "hurry elsewhere"]


async def test_the_roll_is_called_once_where_the_first_table_is_played(plan: Plan) -> None:
    split = Split(plan)
    local = {InstanceKey("alpha", 0), InstanceKey("beta", 0)}
    await split.executor.roll_call(local)
    await split.executor.roll_call({*local, InstanceKey("ada", 0)})
    assert split.log == ["roll elsewhere", "roll here"]


async def test_tables_of_both_parts_are_open_to_spectators(plan: Plan) -> None:
    split = Split(plan)
    due = tables_of(plan)
    with_ada, without = (next(one for one in due if has_ada(one) is wanted) for wanted in (True, False))
    split.here.tables, split.elsewhere.tables = (OpenTable(with_ada, 1, ()),), (OpenTable(without, 1, ()),)
    assert isinstance(split.executor, WatchableExecutor)
    assert [table.spec for table in await split.executor.open_tables()] == [with_ada, without]
    for table in (with_ada, without):
        await split.executor.watch_table(table.game_id, lambda steps: None)
    assert split.log == [f"watch here {with_ada.game_id}", f"watch elsewhere {without.game_id}"]


class TakesOne(Part):
    """A part that plays one job and takes no further one. `sets` is how many deal sets it was given."""

    sets = 0

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        self.sets = set_count(jobs)
        await super().play_jobs([next(iter(jobs))], on_game, on_void)


async def test_jobs_are_made_as_the_parts_take_them(yard: Yard) -> None:
    """Before the first card of 100,000 deal sets: one job of each part, and those that come before the two."""
    lines = ('seed = "leaves"', "sets = 100000", 'unit = "deals"', 'packs = "own"')
    plan = make_plan(load_tournament(yard.tournament(*lines, variants=EUCHRE, bots=ALPHA_AND_BETA + REMOTE)))
    split = Split(plan, TakesOne)
    round_ = first_round(plan)
    made: list[Job] = []

    def jobs() -> Iterator[Job]:
        for job in round_.jobs:
            made.append(job)
            yield job

    async with split.executor as executor:
        await executor.play_jobs(Jobs(jobs(), round_.sets, round_.sets_where), lambda *_: None, _no_void)
    assert split.here.played
    assert split.elsewhere.played
    assert len(made) <= 3, "a turn has a job of each of the three line-ups"
    assert isinstance(split.here, TakesOne)
    assert isinstance(split.elsewhere, TakesOne)
    assert (split.here.sets, split.elsewhere.sets) == (200_000, 100_000)


async def test_a_part_that_has_all_its_jobs_makes_none_of_the_other(plan: Plan) -> None:
    """Not even to see whether one of its own follows."""
    jobs = list(jobs_of(plan))
    remote = [job for job in jobs if "ada" in job.lineup.positions]
    local = [job for job in jobs if "ada" not in job.lineup.positions]
    source = iter([*remote, *local])
    here, elsewhere = replace(Jobs.listed([*remote, *local]), jobs=source).parted(lambda lineup: "ada" in lineup)
    assert list(here) == remote
    assert next(source) == local[0], "which none of the parts has taken"
    assert elsewhere.sets == sum(len(job.sets) for job in local)


class FakeWorker(WorkerProcess):
    """A worker that ends no game before `may_end`, and keeps what it is told."""

    def __init__(self, may_end: trio.Event) -> None:
        self._may_end = may_end
        self.setups: list[object] = []
        self.told: list[object] = []
        self.has_begun = trio.Event()

    async def begin(self, setup: object) -> None:
        self.setups.append(setup)

    async def tell(self, message: object) -> None:
        await trio.lowlevel.checkpoint()
        self.told.append(message)

    async def play(self, left: dict[int, TableSpec], *_: object) -> None:
        self.has_begun.set()
        await self._may_end.wait()
        left.clear()

    async def end(self) -> None:
        """Do nothing: there is no process."""


async def test_a_pool_shares_what_others_enter_in_its_ledger(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries made between two rounds, too; processor time is for the run alone."""
    may_end = trio.Event()
    workers: list[FakeWorker] = []

    async def start(_make_equal: Callable[[int], None]) -> FakeWorker:
        workers.append(FakeWorker(may_end))
        return workers[-1]

    monkeypatch.setattr(pool_module.WorkerProcess, "start", start)
    ledger = FaultLedger(NO_LIMITS)
    local = replace(plan, file=replace(plan.file, bots=plan.file.bots[:2]))
    async with PoolExecutor(setup_of(local), 2, ledger, lambda stall: None) as pool:
        ledger.enter(BotStarted("alpha"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pool.play_jobs, jobs_of(plan), lambda *_: None, _no_void)
            await workers[0].has_begun.wait()
            assert all(worker.told == [LedgerUpdate(BotStarted("alpha"))] for worker in workers)
            ledger.enter(CpuUsed("alpha", 10, 1))
            ledger.enter(INCIDENT)
            await trio.testing.wait_all_tasks_blocked()
            may_end.set()
    assert all(worker.told[1:] == [LedgerUpdate(INCIDENT)] for worker in workers)
