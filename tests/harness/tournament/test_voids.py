"""Void deal sets: played again with new packs, at most twice, then left out (faults.md, Voids)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.harness.cli.display.progress import void_line
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.writer import RunWriter
from bowerbird.harness.records.values.annotations import NO_ANNOTATIONS, Annotations
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import CompletedSet, CpuTotal, ResultsDigest, SetKey
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS, VoidedSet, attempts_of
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.game.fault_ledger import LedgerEntry
from bowerbird.harness.referee.spec import OnGame, OnVoid, TableSpec, VoidedGame
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.events import GamePlayed, RunEnded, RunStarted, SetSaved, SetVoided, TournamentEvent
from bowerbird.harness.tournament.jobs.job import Job, SetCollector
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run, SetWriter
from bowerbird.harness.tournament.playing.runner import unwrapped_errors
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import jobs_of, keys_of
from tests.support.tournament.table_players import LOST, LocalTables, VoidingTables, attempt_of
from tests.support.tournament.voided_runs import EUCHRE, EVERY, FIRST, games_of, planned, play, voided


@pytest.fixture
def plan(yard: Yard) -> Plan:
    return planned(yard)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "one.db")


class KilledError(Exception):
    """The end of the process in the middle of a run."""


class DyingWriter:
    """A writer whose process is killed at transaction `left`, before or after it is committed."""

    def __init__(self, writer: SetWriter, left: int, *, before: bool) -> None:
        self._writer = writer
        self._left = left
        self._before = before

    def save_sets(
        self,
        sets: Sequence[CompletedSet],
        digest: ResultsDigest,
        played_ms: int,
        incidents: Sequence[Incident],
        voids: Sequence[VoidedSet] = (),
    ) -> int:
        self._left -= 1
        if self._left < 0 or (self._left == 0 and self._before):
            raise KilledError
        saved = self._writer.save_sets(sets, digest, played_ms, incidents, voids)
        if self._left == 0:
            raise KilledError
        return saved

    def add_cpu(self, used: Sequence[CpuTotal]) -> None:
        self._writer.add_cpu(used)

    def unpair(self, number: int, bots: Collection[str]) -> None:
        self._writer.unpair(number, bots)

    def end(self, outcome: Outcome) -> None:
        self._writer.end(outcome)


def packs(store: Store, plan: Plan) -> dict[str, list[tuple[str, ...]]]:
    """Return the packs of every stored game."""
    return {
        game.id: [hand.packs for hand in game.hands]
        for key in store[plan.header.fingerprint].stored_sets()
        for game in store[plan.header.fingerprint].set_records(key)
    }


def events_of(events: Sequence[TournamentEvent]) -> list[SetVoided]:
    return [event for event in events if isinstance(event, SetVoided)]


def expected_packs(plan: Plan, attempts: dict[SetKey, int]) -> dict[str, list[tuple[str, ...]]]:
    """Return the packs of every game of a plan in which these attempts count, played by the table alone."""
    tables = LocalTables(plan.file.bots)
    return {
        table.game_id: [hand.packs for hand in tables._game(table).hands]
        for job in jobs_of(plan)
        for part in job.by_attempt(attempts)
        for table in part.tables()
    }


def test_a_void_set_is_played_again_with_new_packs_and_the_same_ids(plan: Plan, store: Store, tmp_path: Path) -> None:
    with Store.create(tmp_path / "calm.db") as other:
        play(plan, other, LocalTables(plan.file.bots))
        calm = packs(other, plan)
    tables = VoidingTables(plan.file.bots, voided(plan, FIRST, 0))
    play(plan, store, tables)
    disturbed = packs(store, plan)
    games = games_of(plan, FIRST)
    assert disturbed.keys() == calm.keys()
    assert {game for game in calm if calm[game] != disturbed[game]} == set(games), "only the void set has other packs"
    assert tables.attempts[-len(games) :] == [(game, 1) for game in games], "it is not played after the other jobs"
    [void] = store[plan.header.fingerprint].voids()
    assert (str(void.key), void.attempt, void.bots, void.why) == (FIRST, 0, ("alpha",), LOST)
    assert void.saved


def test_the_packs_of_a_replacement_follow_from_the_seed(plan: Plan, store: Store) -> None:
    play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, 0, 1), shuffled=3))
    assert packs(store, plan) == expected_packs(plan, {SetKey("buck-0", "alpha+alpha+last+last", 0): 2})
    assert verify_run(store[plan.header.fingerprint], digest_of) == []


def test_a_set_is_left_out_after_its_third_void_and_the_run_ends(plan: Plan, store: Store) -> None:
    tables = VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY))
    events = play(plan, store, tables)
    run = plan.header.fingerprint
    assert {str(key) for key in keys_of(plan)} - {str(key) for key in store[run].stored_sets()} == {FIRST}
    assert [void.attempt for void in store[run].voids()] == [0, 1, 2]
    assert max(attempt for _, attempt in tables.attempts) == 2, "it was played a fourth time"
    assert isinstance(events[-1], RunEnded)
    row = store.run(run)
    assert (row.row.ended is not None, row.row.voids, row.row.left_out, row.row.sets) == (
        True,
        3,
        1,
        plan.extent.sets - 1,
    )
    assert verify_run(store[run], digest_of) == []
    again = LocalTables(plan.file.bots)
    play(plan, store, again)
    assert again.calls == 0, "a set that was left out is played again when the run is resumed"


def test_the_games_of_a_void_set_count_nowhere(plan: Plan, store: Store) -> None:
    """Neither those that ended before the void, nor those after it."""
    games = games_of(plan, FIRST)
    events = play(plan, store, VoidingTables(plan.file.bots, {(games[1], attempt) for attempt in EVERY}))
    run = plan.header.fingerprint
    assert not set(games) & {game.id for game in store[run].games()}
    assert store[run].ratings() == digest_of(store[run].results())
    told = [event for event in events if isinstance(event, GamePlayed) and event.game_id in games]
    assert [event.game_id for event in told] == [games[0]] * MOST_ATTEMPTS, "a game after the void was told"
    last = [event for event in events if isinstance(event, GamePlayed | SetVoided)][-1]
    assert last.games_done == plan.extent.games - len(games)


def test_a_void_names_every_bot_that_lost_a_process_once(plan: Plan, store: Store) -> None:
    games = games_of(plan, FIRST)
    events = play(plan, store, VoidingTables(plan.file.bots, {(game, 0) for game in games}))
    [void] = store[plan.header.fingerprint].voids()
    assert void.bots == ("alpha", "last")
    assert [event.void.attempt for event in events_of(events)] == [0], "one void was told several times"


def test_people_see_what_becomes_of_a_void_set(plan: Plan, store: Store) -> None:
    events = play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY)))
    assert [void_line(event.void) for event in events_of(events)] == [
        f"deal set {FIRST} is void: {LOST} (alpha); it is played again with new packs",
        f"deal set {FIRST} is void: {LOST} (alpha); it is played again with new packs",
        f"deal set {FIRST} is void: {LOST} (alpha); it is left out after its last attempt",
    ]


def test_an_incident_in_a_void_set_still_counts(plan: Plan, store: Store) -> None:
    """The ledger of the run counts it already; a resumed run must agree."""
    games = games_of(plan, FIRST)
    incident = Incident(
        name="last-0#1", bot="last", instance=0, kind="CRASHED", detail="exit status 1", games=(games[1],)
    )
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)
        run.on_ledger_entry(incident)
        trio.run(run.play, VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY)))
    assert [one.name for one in store[plan.header.fingerprint].conduct().incidents] == [incident.name]


class LateIncident(VoidingTables):
    """Tables at which a game of a void set has an incident after the void was stored. The run is killed after them."""

    def __init__(self, plan: Plan, attempt: int, incident: Incident) -> None:
        super().__init__(plan.file.bots, voided(plan, FIRST, *range(attempt + 1)))
        self._attempt = attempt
        self._incident = incident
        self.report: Callable[[LedgerEntry], None] = lambda entry: None
        self.void_stored = trio.Event()

    def on_event(self, event: TournamentEvent) -> None:
        if isinstance(event, SetVoided) and event.void.attempt == self._attempt:
            self.void_stored.set()

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        if self.calls > self._attempt:
            raise KilledError
        late: list[tuple[TableSpec, GameRecord]] = []

        def hold(table: TableSpec, game: GameRecord, annotations: Annotations) -> None:
            if table.game_id in self._incident.games and attempt_of(table) == self._attempt:
                late.append((table, game))
            else:
                on_game(table, game, annotations)

        await super().play_jobs(jobs, hold, on_void)
        for table, game in late:
            await self.void_stored.wait()
            self.report(self._incident)
            on_game(table, game, NO_ANNOTATIONS)


@pytest.mark.parametrize("attempt", EVERY)
def test_an_incident_in_a_game_that_ends_after_the_void_of_its_set_is_stored(
    plan: Plan, store: Store, attempt: int
) -> None:
    """It waits neither for the replacement, which is another game, nor for a set that is left out."""
    incident = Incident("late", "last", 0, "CRASHED", "exit status 1", games=(games_of(plan, FIRST)[1],))
    tables = LateIncident(plan, attempt, incident)
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, tables.on_event)
        tables.report = run.on_ledger_entry
        with suppress(KilledError), unwrapped_errors():  # nothing is left to be killed in after the last attempt
            trio.run(run.play, tables)
    assert [one.name for one in store[plan.header.fingerprint].conduct().incidents] == [incident.name]
    assert [one.attempt for one in store[plan.header.fingerprint].voids()] == list(range(attempt + 1))


@pytest.mark.parametrize("before", [True, False], ids=["before it is stored", "after it is stored"])
@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_a_run_that_is_killed_around_a_void_goes_on_where_the_store_is(
    plan: Plan, store: Store, attempts: int, before: bool
) -> None:
    """A void that was stored has new packs after the resume; one that was not is played as if nothing had happened."""
    run = plan.header.fingerprint
    void = voided(plan, FIRST, *range(attempts))

    class Until(DyingWriter):
        """Dies at the void of the last of these attempts."""

        def save_sets(
            self,
            sets: Sequence[CompletedSet],
            digest: ResultsDigest,
            played_ms: int,
            incidents: Sequence[Incident],
            voids: Sequence[VoidedSet] = (),
        ) -> int:
            self._left = 1 if any(void.attempt == attempts - 1 for void in voids) else 99
            return super().save_sets(sets, digest, played_ms, incidents, voids)

    with pytest.raises(KilledError):
        play(plan, store, VoidingTables(plan.file.bots, void), lambda writer: Until(writer, 99, before=before))
    stored = attempts - 1 if before else attempts
    assert [one.attempt for one in store[run].voids()] == list(range(stored))
    assert store.run(run).row.ended is None
    tables = VoidingTables(plan.file.bots, set())
    events = play(plan, store, tables)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    played = {attempt for game, attempt in tables.attempts if game in games_of(plan, FIRST)}
    assert played == ({stored} if stored < MOST_ATTEMPTS else set())
    assert store.run(run).row.left_out == (stored == MOST_ATTEMPTS)
    assert verify_run(store[run], digest_of) == []


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_schedule_of_voids_and_kills_ends_as_a_simple_model_says(data: st.DataObject) -> None:
    """The attempt of a set is the number of its voids, whatever else happens and however often the run is killed."""
    with TemporaryDirectory() as folder, Store.create(Path(folder) / "one.db") as store:
        yard = Yard(Path(folder))
        yard.bot("alpha")
        plan = planned(yard, "sets = 2", variants=EUCHRE + '[[variant]]\nname = "buck"\n')
        keys = [str(key) for key in keys_of(plan)]
        attempts = data.draw(st.fixed_dictionaries({key: st.integers(0, MOST_ATTEMPTS) for key in keys}), "attempts")
        void = {
            (data.draw(st.sampled_from(games_of(plan, key)), "game"), attempt)
            for key in keys
            for attempt in range(attempts[key])
        }
        for left in data.draw(st.lists(st.integers(1, 8), max_size=3), "kills"):
            before = data.draw(st.booleans(), "before")
            tables = VoidingTables(plan.file.bots, void, shuffled=left)
            with suppress(KilledError):
                play(plan, store, tables, killed_at(left, before=before))
        play(plan, store, VoidingTables(plan.file.bots, void, shuffled=0))
        run = plan.header.fingerprint
        counted = {key: attempt for key in keys_of(plan) if (attempt := attempts[str(key)])}
        assert attempts_of(store[run].voids()) == counted
        kept = {key for key in keys_of(plan) if attempts[str(key)] < MOST_ATTEMPTS}
        assert store[run].stored_sets() == kept
        wanted = expected_packs(plan, {key: attempt for key, attempt in counted.items() if key in kept})
        ids = {game for key in kept for game in games_of(plan, str(key))}
        assert packs(store, plan) == {game: dealt for game, dealt in wanted.items() if game in ids}
        assert (store[run].ratings() or digest_of([])) == digest_of(store[run].results())
        assert verify_run(store[run], digest_of) == []
        assert store.run(run).row.ended is not None


def test_games_of_an_earlier_attempt_are_refused(plan: Plan) -> None:
    job = jobs_of(plan)[0]
    tables = LocalTables(plan.file.bots)
    old, new = job.tables()[0], job.again(job.keys).tables()[0]
    assert (old.game_id, attempt_of(old), attempt_of(new)) == (new.game_id, 0, 1)
    collector = SetCollector([job.again(job.keys)])
    with pytest.raises(ValueError, match="has the packs of"):
        collector.add(old, tables._game(old))
    with pytest.raises(ValueError, match="has the packs of"):
        collector.void(old, VoidedGame(("alpha",), LOST))
    assert collector.add(new, tables._game(new)) is None
    with pytest.raises(ValueError, match="cannot be void"):
        collector.void(new, VoidedGame(("alpha",), LOST))


def test_an_attempt_of_0_has_the_packs_of_a_run_without_voids(plan: Plan) -> None:
    for job in jobs_of(plan):
        assert job.by_attempt({}) == (job,)
        assert {table.entry for table in job.tables()} == {job.entry}
        assert {table.entry for table in job.again(job.keys).tables()} == {f"{job.entry}//1"}
        own = replace(job, packs="own", attempt=2)
        assert {table.entry for table in own.tables()} == {f"{job.entry}/{job.lineup.text}//2"}


class CancelledAtVoid(VoidingTables):
    """Tables that are cancelled at the first void, as by Ctrl-C."""

    def __init__(self, plan: Plan, void: Collection[tuple[str, int]], cancel: Callable[[], None]) -> None:
        super().__init__(plan.file.bots, void)
        self._cancel = cancel

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        def cancel(table: TableSpec, voided: VoidedGame) -> None:
            on_void(table, voided)
            self._cancel()

        await super().play_jobs(jobs, on_game, cancel)


def test_a_void_that_waits_when_the_run_is_cancelled_is_still_saved(plan: Plan, store: Store) -> None:
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)

        async def play_on() -> None:
            with trio.CancelScope() as scope:
                await run.play(CancelledAtVoid(plan, voided(plan, FIRST, 0), scope.cancel))

        trio.run(play_on)
    assert [str(void.key) for void in store[plan.header.fingerprint].voids()] == [FIRST]


def four_bots(yard: Yard, *lines: str, variants: str = EUCHRE) -> Plan:
    """Return a plan of the bots a, last1, b, last2, which are equal in pairs."""
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("a", "last1", "b", "last2"))
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, variants=variants, bots=bots)))


class Every:
    """Every game of every attempt."""

    def __contains__(self, _: object) -> bool:
        return True


def test_a_knockout_goes_on_when_every_set_of_every_match_is_left_out(yard: Yard, store: Store) -> None:
    """A match without games is tied: it gets its extra sets, and then the better seed advances."""
    plan = four_bots(yard, "sets = 2", 'format = "knockout"')
    events = play(plan, store, VoidingTables(plan.file.bots, Every()))
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    assert ended.outcome.places[0].bot == plan.file.terms.seeds[0]
    row = store.run(plan.header.fingerprint)
    assert (row.row.games, row.row.left_out) == (0, 3 * 2 * 2), "each of three matches: two sets and two extra ones"


def test_a_swiss_tournament_counts_a_match_without_games_as_tied(yard: Yard, store: Store) -> None:
    plan = four_bots(yard, "sets = 2", 'format = "swiss"', "rounds = 1")
    events = play(plan, store, VoidingTables(plan.file.bots, Every()))
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    assert {(place.place, place.points, place.share) for place in ended.outcome.places} == {(1, 0.5, 0.5)}


@pytest.mark.parametrize("name", ["swiss", "knockout"])
def test_a_paired_tournament_finds_the_same_rounds_again_after_voids(
    yard: Yard, store: Store, tmp_path: Path, name: str
) -> None:
    """A resumed run decides from the same sets, left out or stored, as an uninterrupted one."""
    plan = four_bots(yard, "sets = 2", f'format = "{name}"', variants=f'{EUCHRE}[[variant]]\nname = "two-handed"\n')
    first = games_of_pairs(plan)
    void = {(game, attempt) for game in first[::3] for attempt in EVERY}
    with Store.create(tmp_path / "calm.db") as other:
        whole = play(plan, other, VoidingTables(plan.file.bots, void))
        results = other[plan.header.fingerprint].results()
    for left in (2, 3, 2, 4):
        with suppress(KilledError):  # an earlier one may have stored all but the last
            play(plan, store, VoidingTables(plan.file.bots, void, shuffled=left), killed_at(left))
    assert play(plan, store, VoidingTables(plan.file.bots, void))[-1] == whole[-1], "another outcome"
    assert store[plan.header.fingerprint].results() == results


def games_of_pairs(plan: Plan) -> list[str]:
    """Return the first game of each deal set of the first round."""
    return [table.game_id for job in jobs_of(plan) for table in job.tables() if table.rotation == 0]


def killed_at(left: int, *, before: bool = False) -> Callable[[RunWriter], SetWriter]:
    """Return a function that lets a writer die at this transaction."""
    return lambda writer: DyingWriter(writer, left, before=before)


def test_a_stop_rule_reads_the_sets_that_are_not_left_out(yard: Yard, store: Store, tmp_path: Path) -> None:
    """The sequential test neither stops at a gap for ever nor counts half a cluster (several line-ups on one pack)."""
    stop = 'stop = { every = 2, sprt = { bots = ["alpha", "last"], elo0 = 0, elo1 = 200, measure = "score" } }'
    plan = planned(yard, "sets = 40", stop, variants='[[variant]]\nname = "buck"\n')
    lineups = {str(key).split("/")[1] for key in keys_of(plan)}
    void = {(games_of(plan, f"buck-0/{min(lineups)}/{number}")[0], attempt) for number in (0, 1) for attempt in EVERY}
    events = play(plan, store, VoidingTables(plan.file.bots, void))
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    assert "accepted" in ended.outcome.reason
    assert store.run(plan.header.fingerprint).row.left_out == 2
    with Store.create(tmp_path / "two.db") as other:
        with pytest.raises(KilledError):
            play(plan, other, VoidingTables(plan.file.bots, void), killed_at(4))
        assert play(plan, other, VoidingTables(plan.file.bots, void))[-1] == ended


def test_a_set_that_was_saved_is_told_after_its_void(plan: Plan, store: Store) -> None:
    events = play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, 0)))
    about = [event for event in events if isinstance(event, SetSaved | SetVoided)]
    keys = [event.key if isinstance(event, SetSaved) else event.void.key for event in about]
    places = [type(event) for key, event in zip(keys, about, strict=True) if str(key) == FIRST]
    assert places == [SetVoided, SetSaved]
