"""A run from its plan to the store: order, interruption, resuming (ratings.md, Deal sets; faults.md, Durability)."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bowerbird.harness.ratings.points import set_differences
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.annotations import NO_ANNOTATIONS
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import CompletedSet, CpuTotal, ResultsDigest
from bowerbird.harness.records.values.voids import VoidedSet
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, LedgerEntry
from bowerbird.harness.referee.spec import OnGame, OnVoid, TableJob, TableSpec
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import RunConflictError, TournamentError
from bowerbird.harness.tournament.events import GamePlayed, RunEnded, RunStarted, SetSaved, TournamentEvent
from bowerbird.harness.tournament.executors import contract
from bowerbird.harness.tournament.executors.contract import Executor
from bowerbird.harness.tournament.jobs.job import Job, SetCollector
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import CPU_STORED_EVERY_S, Run
from bowerbird.harness.tournament.playing.runner import until_signal, unwrapped_errors
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.made_results import NothingStored
from tests.support.tournament.plans import jobs_of, keys_of
from tests.support.tournament.set_writers import ForgetfulWriter
from tests.support.tournament.table_players import InterruptedTables, LocalReferee, LocalTables

VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'

BOTS = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/last"\n'


@pytest.fixture
def plan(yard: Yard) -> Plan:
    """Return a plan of two bots that play differently and three sets of two variants: 6 sets, 18 games."""
    yard.bot("last")
    file = load_tournament(yard.tournament('seed = "leaves"', "sets = 3", variants=VARIANTS, bots=BOTS))
    return make_plan(file)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "one.db")


def play(plan: Plan, store: Store, tables: Executor) -> list[TournamentEvent]:
    """Play a plan's run with these tables; return its reports."""
    events: list[TournamentEvent] = []
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, events.append)
        with unwrapped_errors():
            trio.run(run.play, tables)
    return events


def records(plan: Plan, store: Store) -> list[str]:
    """Return every record of a run as text, by game."""
    return [
        canonical(game) for key in sorted(keys_of(plan)) for game in store[plan.header.fingerprint].set_records(key)
    ]


def test_a_run_is_stored_whole_and_ended(plan: Plan, store: Store) -> None:
    play(plan, store, LocalTables(plan.file.bots))
    run = plan.header.fingerprint
    assert store[run].stored_sets() == frozenset(keys_of(plan))
    assert len(records(plan, store)) == plan.extent.games == 18
    row = store.run(run)
    assert row.row.seed == plan.seed
    assert row.row.ended is not None
    assert store[run].ratings() == digest_of(store[run].results())


def test_the_order_of_completion_changes_nothing(plan: Plan, store: Store, tmp_path: Path) -> None:
    """ratings.md, Ratings kept, 1: ratings are applied in schedule order, not in order of completion."""
    play(plan, store, LocalTables(plan.file.bots))
    with Store.create(tmp_path / "two.db") as other:
        play(plan, other, LocalTables(plan.file.bots, shuffled=1))
        assert records(plan, other) == records(plan, store)
        assert other[plan.header.fingerprint].ratings() == store[plan.header.fingerprint].ratings()


def interrupt(plan: Plan, store: Store, after: int) -> None:
    """Play the run and cancel it after `after` games."""
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)

        async def play_on() -> None:
            with trio.CancelScope() as scope:
                await run.play(InterruptedTables(plan.file.bots, after, scope.cancel))

        trio.run(play_on)


@pytest.mark.parametrize("after", [1, 5, 9, 14])
def test_an_interrupted_run_keeps_complete_sets_and_goes_on(
    plan: Plan, store: Store, tmp_path: Path, after: int
) -> None:
    run = plan.header.fingerprint
    interrupt(plan, store, after)
    kept = store[run].stored_sets()
    assert len(kept) < plan.extent.sets
    assert store.run(run).row.ended is None
    assert all(len(store[run].set_records(key)) in (2, 4) for key in kept)
    assert store[run].ratings() is None, "what is not complete has no ratings that its results could contradict"

    tables = LocalTables(plan.file.bots)
    events = play(plan, store, tables)
    assert not {str(game.id) for key in kept for game in store[run].set_records(key)} & set(tables.played)
    assert isinstance(events[0], RunStarted)
    assert events[0].sets_stored == len(kept)
    with Store.create(tmp_path / "undisturbed.db") as other:
        play(plan, other, LocalTables(plan.file.bots))
        assert records(plan, store) == records(plan, other)
        assert store[run].ratings() == other[run].ratings()


async def test_a_set_that_is_complete_when_the_run_is_cancelled_is_still_saved(plan: Plan, store: Store) -> None:
    whole = 2
    scope = trio.CancelScope()

    class CancelledTables(LocalTables):
        """Tables that end games without a checkpoint, so that no set can be written before the cancellation."""

        async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
            for spec in tables[: 4 * whole]:  # the first job is buck: four rotations
                on_game(spec, self._game(spec), NO_ANNOTATIONS)
            scope.cancel()
            await trio.sleep_forever()

    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)
        with scope:
            await run.play(CancelledTables(plan.file.bots))
    assert store[plan.header.fingerprint].stored_sets() == frozenset(keys_of(plan)[:whole])


def test_a_run_that_is_complete_plays_nothing_more(plan: Plan, store: Store) -> None:
    play(plan, store, LocalTables(plan.file.bots))
    tables = LocalTables(plan.file.bots)
    events = play(plan, store, tables)
    assert tables.calls == 0, "the referee was asked to play nothing, which closes the processes that it keeps"
    assert [type(event) for event in events] == [RunStarted, RunEnded]


def test_what_happens_is_said_in_order(plan: Plan, store: Store) -> None:
    events = play(plan, store, LocalTables(plan.file.bots))
    assert events[0] == RunStarted(plan.header, plan.extent, 0, 0)
    assert events[-1] == RunEnded(plan.header, plan.seed.hex(), Outcome())
    games = [event for event in events if isinstance(event, GamePlayed)]
    assert [event.games_done for event in games] == list(range(1, plan.extent.games + 1))
    saved = [event for event in events if isinstance(event, SetSaved)]
    assert [event.sets_done for event in saved] == list(range(1, plan.extent.sets + 1))
    assert [event.key for event in saved] == list(keys_of(plan))


def test_faults_are_told_with_the_bot_and_the_kind(plan: Plan, store: Store) -> None:
    events = play(plan, store, LocalTables(plan.file.bots, late=["last"]))
    euchre = [event for event in events if isinstance(event, GamePlayed) and event.variant == "euchre"]
    assert {(event.ended, event.faults) for event in euchre} == {("forfeit", (("last", "TIMEOUT"),))}
    buck = [event for event in events if isinstance(event, GamePlayed) and event.variant == "buck"]
    assert all(event.ended != "forfeit" for event in buck), "with four sides the referee plays on for the seat"


def test_a_bot_that_is_withdrawn_does_not_stop_the_run(yard: Yard, store: Store) -> None:
    """protocol.md, Faults at a table: what it missed counts nowhere and is never rated."""
    yard.bot("last")
    file = load_tournament(
        yard.tournament('seed = "leaves"', "sets = 2", bots=f'{BOTS}[[bot]]\npath = "bots/beta"\n', variants=VARIANTS)
    )
    plan = make_plan(file)
    play(plan, store, LocalTables(file.bots, withdrawn=["beta"]))
    run = plan.header.fingerprint
    assert store[run].stored_sets() == frozenset(keys_of(plan))
    assert store_record_ratings(store.run(run))
    assert {row.bot for row in store[run].record_ratings()} == {"alpha", "last"}
    lost = {standing.bot: standing.losses for standing in store[run].standings()}
    assert lost.get("beta", 0) == 0


@pytest.mark.parametrize("unit", ["games", "deals"])
def test_one_deterministic_bot_under_two_names_differs_by_exactly_0(yard: Yard, store: Store, unit: str) -> None:
    """ratings.md, Deal sets: the self-test that a user can run."""
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/alpha"\nname = "twin"\n'
    plan = make_plan(
        load_tournament(yard.tournament("sets = 4", f'unit = "{unit}"', bots=bots, variants=VARIANTS)), seed=bytes(32)
    )
    play(plan, store, LocalTables(plan.file.bots))
    differences = set_differences(store[plan.header.fingerprint].results())
    assert len(differences) == plan.extent.sets
    for key, bots_of in differences.items():
        assert bots_of["alpha"] == bots_of["twin"] == 0, f"{key} tells one bot from itself"


class BrokenWriter(ForgetfulWriter):
    """A store whose disk is full at the second transaction."""

    def __init__(self) -> None:
        self.saved = 0

    def save_sets(
        self,
        sets: Sequence[CompletedSet],
        digest: ResultsDigest,
        played_ms: int,
        incidents: Sequence[Incident],
        voids: Sequence[VoidedSet] = (),
    ) -> int:
        if self.saved:
            raise StoreError("one.db: database or disk is full; what was stored before is untouched")
        self.saved += len(sets)
        return len(sets)

    def end(self, outcome: Outcome) -> None:
        pytest.fail("a run that could not be stored was ended")


async def test_a_set_that_cannot_be_stored_stops_the_run_with_one_sentence(plan: Plan, store: Store) -> None:
    events: list[TournamentEvent] = []
    run = Run(plan, NothingStored(store, plan.header.fingerprint), BrokenWriter(), events.append)
    with pytest.raises(StoreError, match="disk is full"), unwrapped_errors():
        await run.play(LocalTables(plan.file.bots))
    assert [event.sets_done for event in events if isinstance(event, SetSaved)] == [1], "said before it was durable"


class SlowSet(LocalTables):
    """Tables at which one deal set takes long: its bots use processor time, and no game ends until that is stored."""

    def __init__(self, plan: Plan, writer: WatchedWriter, clock: MockClock) -> None:
        super().__init__(plan.file.bots)
        self._writer = writer
        self._clock = clock
        self.report: Callable[[LedgerEntry], None] = lambda entry: None
        self.stored = False

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        self.report(CpuUsed("alpha", 700, 1))
        await wait_all_tasks_blocked()  # the timer has begun
        self._clock.jump(CPU_STORED_EVERY_S)
        self.stored = await trio.to_thread.run_sync(self._writer.cpu_came.wait, DEADLINE_S)
        await super().play_jobs(jobs, on_game, on_void)


class WatchedWriter(ForgetfulWriter):
    """A writer that reports when processor time was stored."""

    def __init__(self) -> None:
        self.used: list[CpuTotal] = []
        self.cpu_came = threading.Event()

    def add_cpu(self, used: Sequence[CpuTotal]) -> None:
        self.used += used
        self.cpu_came.set()


def test_processor_time_is_stored_while_a_deal_set_is_played(plan: Plan, store: Store) -> None:
    """faults.md, Isolation: a killed run loses the last seconds of it, however long its deal sets take."""
    writer, clock = WatchedWriter(), MockClock()
    tables = SlowSet(plan, writer, clock)
    run = Run(plan, NothingStored(store, plan.header.fingerprint), writer, lambda event: None)
    tables.report = run.on_ledger_entry
    trio.run(run.play, tables, clock=clock)
    assert tables.stored, "processor time waited for the end of a deal set"
    assert writer.used == [CpuTotal("alpha", 700, 1)]


@pytest.mark.usefixtures("processes")
def test_another_file_under_the_same_identity_leaves_the_store_as_it_was(
    yard: Yard, plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "Referee", LocalReferee)
    play_tournament(plan, store, lambda event: None, RunOptions())
    before = (store[plan.header.fingerprint].header(), records(plan, store))
    other = make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 2", variants=VARIANTS, bots=BOTS)))
    with pytest.raises(RunConflictError, match="which had sets = 3, where this one has sets = 2"):
        play_tournament(other, store, lambda event: pytest.fail(f"said {event}"), RunOptions())
    assert (store[plan.header.fingerprint].header(), records(plan, store)) == before


@pytest.mark.usefixtures("processes")
def test_bots_are_built_before_anything_is_stored(yard: Yard, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "Referee", LocalReferee)
    yard.bot("last", 'command = ["target/last"]', 'build = ["false"]')
    plan = make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 1", bots=BOTS)))
    with pytest.raises(TournamentError, match="'false' ended with exit status 1"):
        play_tournament(plan, store, lambda event: None, RunOptions())
    assert store.runs() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_the_play_in_order(number: signal.Signals) -> None:
    ended: list[str] = []

    async def play_on() -> None:
        try:
            os.kill(os.getpid(), number)
            await trio.sleep(60)
        finally:
            ended.append("closed")

    assert await until_signal(play_on, hurry)
    assert ended == ["closed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_second_signal_hurries_and_is_no_exception_in_what_is_being_closed(number: signal.Signals) -> None:
    hurried = trio.Event()

    async def play_on() -> None:
        try:
            os.kill(os.getpid(), number)
            await trio.sleep(60)
        finally:
            with trio.CancelScope(shield=True), trio.fail_after(DEADLINE_S):
                os.kill(os.getpid(), number)
                await hurried.wait()

    assert await until_signal(play_on, hurried.set)


def hurry() -> None:
    pytest.fail("nobody was in a hurry")


async def test_without_a_signal_the_play_ends_by_itself() -> None:
    assert not await until_signal(trio.lowlevel.checkpoint, hurry)


@pytest.mark.usefixtures("processes")
def test_an_interrupted_tournament_says_so_when_all_is_closed(
    yard: Yard, plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StuckReferee(LocalReferee):
        """A referee that plays the first two jobs, and then waits."""

        async def play_jobs(self, jobs: Iterable[TableJob], on_game: OnGame, on_void: OnVoid) -> None:
            await super().play_jobs([*islice(jobs, 2)], on_game, on_void)
            await trio.sleep_forever()

    monkeypatch.setattr(contract, "Referee", StuckReferee)

    def press(event: TournamentEvent) -> None:
        if isinstance(event, SetSaved) and event.sets_done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        play_tournament(plan, store, press, RunOptions())
    kept = store[plan.header.fingerprint].stored_sets()
    assert 2 <= len(kept) < plan.extent.sets
    monkeypatch.setattr(contract, "Referee", LocalReferee)
    play_tournament(plan, store, lambda event: None, RunOptions())
    assert store[plan.header.fingerprint].stored_sets() == frozenset(keys_of(plan))


def test_a_game_that_is_not_due_is_refused(plan: Plan) -> None:
    job = replace(jobs_of(plan)[0], sets=(0, 1, 2))
    specs = job.tables()
    tables = LocalTables(plan.file.bots)
    collector = SetCollector([job])
    first, second = (tables._game(spec) for spec in specs[:2])
    assert collector.add(specs[0], first) is None
    with pytest.raises(ValueError, match="is not due at table"):
        collector.add(specs[0], first)
    with pytest.raises(ValueError, match="is not due at table"):
        collector.add(specs[2], second)


@pytest.mark.parametrize("name", ["swiss", "knockout"])
def test_a_withdrawn_bot_loses_the_matches_that_it_does_not_play(yard: Yard, store: Store, name: str) -> None:
    """protocol.md, Faults at a table: losses in the standings, never rated; the tournament goes on to its end."""
    yard.bot("last")
    bots = "".join(f'[[bot]]\npath = "bots/{bot}"\n' for bot in ("beta", "alpha", "last"))
    variants = '[[variant]]\nname = "euchre"\n'
    lines = ('seed = "leaves"', "sets = 1", f'format = "{name}"')
    plan = make_plan(load_tournament(yard.tournament(*lines, bots=bots, variants=variants)))
    events = play(plan, store, LocalTables(plan.file.bots, withdrawn=["beta"]))
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    places = {place.bot: place for place in ended.outcome.places}
    assert set(places) == {"alpha", "beta", "last"}
    assert places["beta"].place > 1
    assert store_record_ratings(store.run(plan.header.fingerprint))
    assert {row.bot for row in store[plan.header.fingerprint].record_ratings()} == {"alpha", "last"}
    lost = [game for game in store[plan.header.fingerprint].results() if "beta" in game.bots]
    assert lost
    assert all(game.pair_outcome(game.bots.index("beta"), 1 - game.bots.index("beta")) == 0 for game in lost)


def test_an_interrupted_swiss_tournament_goes_on_in_its_round(yard: Yard, store: Store, tmp_path: Path) -> None:
    """At each point of interruption, the final state equals an uninterrupted run's."""
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("a", "last1", "b", "last2", "c"))
    variants = '[[variant]]\nname = "two-handed"\n[[variant]]\nname = "euchre"\n'
    lines = ('seed = "leaves"', "sets = 2", 'format = "swiss"')
    plan = make_plan(load_tournament(yard.tournament(*lines, bots=bots, variants=variants)))
    run = plan.header.fingerprint
    with Store.create(tmp_path / "undisturbed.db") as other:
        whole = play(plan, other, LocalTables(plan.file.bots))
        expected = {game.id: other.record_text(game.id) for game in every_game(other)}
        ratings = other[run].ratings()
    for _ in range(4):
        interrupt(plan, store, 11)
    assert 0 < len(store[run].stored_sets()) < plan.extent.sets
    events = play(plan, store, LocalTables(plan.file.bots))
    assert events[-1] == whole[-1], "another outcome"
    assert {game.id: store.record_text(game.id) for game in every_game(store)} == expected
    assert store[run].ratings() == ratings
