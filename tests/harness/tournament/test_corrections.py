"""Corrected runs: deal sets that an organiser takes out are dealt from another seed (faults.md, Corrections)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine import new_game
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.sidecar import seed_files
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import LONGEST_WHY, REINSTATE, VOID
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import by_set
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import CompletedSet, GameId, ResultsDigest, SetKey, pack_entry
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS, VoidedSet, attempts_of, left_out_of
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.spec import TableSpec, VoidedGame
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import Corrected, reinstate_bot, void_games, withdrawn_bots
from bowerbird.harness.tournament.errors import CorrectionError
from bowerbird.harness.tournament.events import RunEnded
from bowerbird.harness.tournament.formats.rounds import RoundSequence
from bowerbird.harness.tournament.jobs.job import DealSeed, SetCollector
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run, SetWriter
from bowerbird.harness.tournament.playing.run_clock import RunClock
from tests.support.records.archives import exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.corrected_runs import BY, WHY, Games, reinstate, void
from tests.support.tournament.plans import jobs_of, keys_of
from tests.support.tournament.set_writers import ForgetfulWriter
from tests.support.tournament.table_players import LOST, LocalTables, VoidingTables, attempt_of
from tests.support.tournament.voided_runs import BOTS, EUCHRE, EVERY, FIRST, games_of, planned, play, voided

SECOND = "euchre-0/alpha+last/1"


@pytest.fixture
def plan(yard: Yard) -> Plan:
    return planned(yard)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "one.db")


def played(plan: Plan, store: Store) -> Games:
    """Play a plan without disturbance; return its games."""
    play(plan, store, LocalTables(plan.file.bots))
    return Games.of(store)


def assert_as_if_played_so(store: Store) -> None:
    """Assert that nothing but the results can be seen: a complete run with the ratings of its results, and all
    seeds."""
    run = store.run()
    assert run.row.ended is not None, "the run has not ended"
    assert run.ratings() == digest_of(run.results())
    assert all(one.seed for one in run.corrections() if one.sets), "a seed is not published"
    assert seed_files(store.path, run.fingerprint) == [], "a published seed is still in a file"


def test_only_the_voided_set_is_played_again_and_from_the_seed_of_the_correction(plan: Plan, store: Store) -> None:
    before = played(plan, store)
    correction = void(store, games_of(plan, FIRST)[0]).correction
    assert store.run().row.ended is None
    tables = LocalTables(plan.file.bots)
    events = play(plan, store, tables)
    after = Games.of(store)
    assert after.changed_from(before) == {FIRST}
    assert tables.played == games_of(plan, FIRST)
    assert after.commitments(FIRST) == {correction.commitment}
    assert not set(after.packs(FIRST)) & set(before.packs(FIRST)), "a pack was dealt again"
    assert_as_if_played_so(store)
    [stored] = store[plan.header.fingerprint].corrections()
    assert stored.seed is not None
    last = events[-1]
    assert isinstance(last, RunEnded)
    assert last.correction_seeds == {1: stored.seed.hex()}
    assert (stored.kind, stored.why, stored.by, stored.games) == (VOID, WHY, BY, 4)


@pytest.mark.parametrize("packs", ["common", "own"])
@pytest.mark.parametrize("beacon", [None, "12.5 18.2"], ids=["no beacon", "a beacon"])
def test_the_packs_follow_from_the_published_seed_of_the_correction(
    yard: Yard, store: Store, packs: str, beacon: str | None
) -> None:
    plan = planned(yard, "sets = 2", f'packs = "{packs}"', variants=EUCHRE)
    plan = replace(plan, header=replace(plan.header, beacon=beacon))
    before = played(plan, store)
    void(store, SECOND)
    play(plan, store, LocalTables(plan.file.bots))
    [correction] = store[plan.header.fingerprint].corrections()
    assert correction.seed is not None
    seed = correction.seed if beacon is None else hashlib.sha256(correction.seed + beacon.encode()).digest()
    [entry] = plan.file.variants
    game = new_game("euchre", entry.options, seed=seed, entry=pack_entry("euchre-0", "alpha+last", packs), set_number=1)
    found = Games.of(store).packs(SECOND)
    assert {hands[0] for hands in found} == {tuple(game.packs)}
    assert Games.of(store).changed_from(before) == {SECOND}


def test_a_replaced_set_can_be_voided_again(plan: Plan, store: Store) -> None:
    games = [played(plan, store)]
    for _ in range(2):
        void(store, FIRST)
        play(plan, store, LocalTables(plan.file.bots))
        games.append(Games.of(store))
    run = plan.header.fingerprint
    one, two = store[run].corrections()
    assert one.commitment != two.commitment
    assert [each.commitments(FIRST) for each in games] == [
        {plan.header.commitment},
        {one.commitment},
        {two.commitment},
    ]
    assert games[2].changed_from(games[0]) == {FIRST}
    assert [len(list(store[run].voided_games(number))) for number in (1, 2)] == [4, 4]
    assert_as_if_played_so(store)


def test_two_corrections_before_one_resume_deal_each_set_from_its_last(plan: Plan, store: Store) -> None:
    """Also a set whose first replacement was never played."""
    before = played(plan, store)
    one = void(store, FIRST, SECOND).correction
    play(plan, store, LocalTables(plan.file.bots))
    two = void(store, FIRST).correction
    three = void(store, "buck-0/alpha+alpha+last+last/1").correction
    play(plan, store, LocalTables(plan.file.bots, shuffled=2))
    after = Games.of(store)
    assert after.commitments(SECOND) == {one.commitment}
    assert after.commitments(FIRST) == {two.commitment}
    assert after.commitments("buck-0/alpha+alpha+last+last/1") == {three.commitment}
    assert after.changed_from(before) == {FIRST, SECOND, "buck-0/alpha+alpha+last+last/1"}
    assert_as_if_played_so(store)


def test_a_typed_seed_does_not_deal_the_replacement(yard: Yard, tmp_path: Path) -> None:
    """Two practice runs of one seed are equal; the games that replace theirs are not, and nobody knows them before."""
    dealt = []
    for name in ("one.db", "two.db"):
        plan = planned(yard)
        with Store.create(tmp_path / name) as store:
            played(plan, store)
            void(store, FIRST)
            play(plan, store, LocalTables(plan.file.bots))
            dealt.append(Games.of(store))
            assert store.run().row.practice
    assert dealt[0].changed_from(dealt[1]) == {FIRST}


def test_attempts_begin_again_under_the_seed_of_a_correction(plan: Plan, store: Store) -> None:
    """A set that is left out for good without a correction is played with one, and can be void three more times."""
    play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY)))
    assert store.run().row.left_out == 1
    correction = void(store, FIRST).correction
    assert (store.run().row.left_out, correction.games) == (0, 0)
    tables = VoidingTables(plan.file.bots, voided(plan, FIRST, 0, 1))
    play(plan, store, tables)
    games = games_of(plan, FIRST)
    assert [played for played in tables.attempts if played[0] == games[0]] == [(games[0], n) for n in range(3)]
    found = [(one.correction, one.attempt, one.is_past) for one in store[plan.header.fingerprint].voids()]
    assert found == [(0, 0, True), (0, 1, True), (0, 2, True), (1, 0, False), (1, 1, False)]
    assert Games.of(store).commitments(FIRST) == {correction.commitment}
    assert_as_if_played_so(store)


def test_a_replaced_set_is_left_out_after_three_voids_of_its_own(plan: Plan, store: Store) -> None:
    play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, 0)))
    void(store, games_of(plan, FIRST)[0])
    tables = VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY))
    play(plan, store, tables)
    assert {attempt for _, attempt in tables.attempts} == set(range(MOST_ATTEMPTS))
    assert (store.run().row.left_out, store.run().row.voids) == (1, 1 + MOST_ATTEMPTS)
    again = LocalTables(plan.file.bots)
    play(plan, store, again)
    assert again.calls == 0, "a set that is left out was played"
    assert_as_if_played_so(store)


def test_a_replaced_game_is_played_under_its_fault_policy(yard: Yard, store: Store) -> None:
    """A substitute's choices follow from the seed of the correction too."""
    lines = ("sets = 2", 'on_fault = "substitute"')
    plan = planned(yard, *lines, variants=EUCHRE)
    play(plan, store, LocalTables(plan.file.bots, late=("alpha",)))
    before = Games.of(store)
    correction = void(store, SECOND).correction
    play(plan, store, LocalTables(plan.file.bots, late=("alpha",)))
    after = Games.of(store)
    assert after.changed_from(before) == {SECOND}
    assert after.commitments(SECOND) == {correction.commitment}
    faults = [fault for fault in store[plan.header.fingerprint].faults() if SECOND in fault.game]
    assert [(fault.bot, fault.kind) for fault in faults] == [("alpha", "TIMEOUT")] * 4
    assert_as_if_played_so(store)


class KilledError(Exception):
    """The end of the process in the middle of a run."""


def dying(left: int, *, before: bool) -> Callable[[SetWriter], SetWriter]:
    """Return a writer whose process is killed at transaction `left`, before or after it is committed."""

    class Dying(ForgetfulWriter):
        def __init__(self, writer: SetWriter) -> None:
            self._writer = writer
            self._left = left

        def save_sets(
            self,
            sets: Sequence[CompletedSet],
            digest: ResultsDigest,
            played_ms: int,
            incidents: Sequence[Incident],
            voids: Sequence[VoidedSet] = (),
        ) -> int:
            self._left -= 1
            if self._left == 0 and before:
                raise KilledError
            saved = self._writer.save_sets(sets, digest, played_ms, incidents, voids)
            if self._left == 0:
                raise KilledError
            return saved

        def end(self, outcome: Outcome) -> None:
            self._writer.end(outcome)

    return Dying


@pytest.mark.parametrize("before", [True, False], ids=["before it is stored", "after it is stored"])
@pytest.mark.parametrize("left", [1, 2])
def test_a_resume_that_is_killed_is_resumed_from_the_same_seed(
    plan: Plan, store: Store, left: int, before: bool
) -> None:
    played(plan, store)
    correction = void(store, FIRST, SECOND).correction
    with suppress(KilledError):
        play(plan, store, LocalTables(plan.file.bots), dying(left, before=before))
    halfway = Games.of(store)
    play(plan, store, LocalTables(plan.file.bots))
    after = Games.of(store)
    for key in (FIRST, SECOND):
        assert after.commitments(key) == {correction.commitment}
    assert after.changed_from(halfway) <= {FIRST, SECOND}
    assert {game: after.texts[game] for game in halfway.texts} == dict(halfway.texts), "a stored set was played again"
    assert_as_if_played_so(store)


def test_a_failure_in_a_voided_set_counts_no_more_and_the_same_one_in_its_replacement_does(
    plan: Plan, store: Store
) -> None:
    """Both have the same name."""
    game = games_of(plan, FIRST)[0]
    incident = Incident(f"{game}/0", "alpha", 0, "CRASHED", "exit status 1", games=(game,))
    elsewhere = Incident("elsewhere", "alpha", 0, "CRASHED", "exit status 1")

    def play_with(*incidents: Incident) -> None:
        with store.begin(plan.header, plan.seed) as writer:
            run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)
            for one in incidents:
                run.on_ledger_entry(one)
            trio.run(run.play, LocalTables(plan.file.bots))

    def counted() -> list[str]:
        return [one.name for one in store[plan.header.fingerprint].conduct().incidents]

    play_with(incident, elsewhere)
    assert sorted(counted()) == sorted([incident.name, elsewhere.name])
    void(store, FIRST)
    assert counted() == [elsewhere.name]
    play_with(incident)
    assert sorted(counted()) == sorted([incident.name, elsewhere.name])
    void(store, FIRST)
    assert counted() == [elsewhere.name]


def test_a_reinstated_bot_plays_the_games_that_it_missed(plan: Plan, store: Store) -> None:
    tables = LocalTables(plan.file.bots, withdrawn=("alpha",))
    play(plan, store, tables)
    made = reinstate(store, "alpha")
    assert (made.correction.kind, made.correction.bot) == (REINSTATE, "alpha")
    assert made.added == ()
    assert store[plan.header.fingerprint].game_ids() == []
    play(plan, store, LocalTables(plan.file.bots))
    assert not any(game.ended == WITHDRAWN for game in store[plan.header.fingerprint].games())
    assert withdrawn_bots(store.run()) == ()
    assert_as_if_played_so(store)


@pytest.fixture
def three(yard: Yard) -> Plan:
    """Return the plan of a league of three bots."""
    yard.bot("last")
    bots = BOTS + '[[bot]]\npath = "bots/beta"\n'
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 1", variants=EUCHRE, bots=bots)))


def test_reinstating_one_bot_leaves_what_only_another_missed(three: Plan, store: Store) -> None:
    """Its games against the other are still not played, now only because of that other one."""
    play(three, store, LocalTables(three.file.bots, withdrawn=("alpha", "last")))
    assert withdrawn_bots(store.run()) == ("alpha", "last")
    made = reinstate(store, "alpha")
    assert {str(key) for key in made.chosen} == {"euchre-0/alpha+last/0", "euchre-0/alpha+beta/0"}
    assert withdrawn_bots(store.run()) == ("last",)


def test_a_bot_that_only_met_a_withdrawn_one_is_not_withdrawn(three: Plan, store: Store) -> None:
    play(three, store, LocalTables(three.file.bots, withdrawn=("last",)))
    with pytest.raises(CorrectionError, match=r"bot 'alpha' is not withdrawn in run .*; withdrawn there: last"):
        reinstate(store, "alpha")


class LateThenGone(LocalTables):
    """Tables at which alpha is late in the first deal set and withdrawn afterwards."""

    def _game(self, spec: TableSpec) -> GameRecord:
        is_first = GameId.parse(spec.game_id).set_number == 0
        self._late, self._withdrawn = (("alpha",), ()) if is_first else ((), ("alpha",))
        return super()._game(spec)


@pytest.mark.parametrize("with_faults", [False, True])
def test_the_games_with_a_fault_of_the_bot_are_taken_out_on_request(
    plan: Plan, store: Store, with_faults: bool
) -> None:
    play(plan, store, LateThenGone(plan.file.bots))
    made = reinstate(store, "alpha", with_faults=with_faults)
    assert {key.number for key in made.chosen} == ({0, 1, 2} if with_faults else {1, 2})


def test_a_bot_past_its_limits_that_missed_no_game_is_reinstated_without_a_new_seed(plan: Plan, store: Store) -> None:
    limit = plan.file.limits.max_faults
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)
        for number in range(limit + 1):
            run.on_ledger_entry(Incident(f"{number}", "alpha", number, "TIMEOUT", "no answer"))
        trio.run(run.play, LocalTables(plan.file.bots))
    assert withdrawn_bots(store.run()) == ("alpha",)
    before = Games.of(store)
    made = reinstate(store, "alpha")
    assert (made.chosen, made.correction.commitment) == ((), "")
    assert withdrawn_bots(store.run()) == ()
    play(plan, store, LocalTables(plan.file.bots))
    assert Games.of(store) == before
    assert_as_if_played_so(store)


CUP_BOTS = "".join(f'[[bot]]\npath = "bots/{name}"\n' for name in ("alpha", "beta", "last", "last-b"))


def cup(yard: Yard, *lines: str) -> Plan:
    """Return the plan of four bots whose results decide who meets."""
    for name in ("last", "last-b"):
        yard.bot(name)
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, variants=EUCHRE, bots=CUP_BOTS)))


def assert_outcome_follows(plan: Plan, store: Store) -> None:
    """Assert that places and matches are those that the stored results give, and that all of these are needed."""
    run = plan.header.fingerprint
    sequence = RoundSequence(plan.rounds(RunClock(store[run].played_ms()).stored_at_s))
    sequence.replay(by_set(store[run].results()))
    assert sequence.outcome is not None, "a deal set is missing"
    assert tuple(store[run].placements()) == sequence.outcome.places
    assert tuple(store[run].matches()) == sequence.outcome.matches
    assert sequence._early == {}, "a deal set belongs to no round"


@pytest.mark.parametrize(
    "lines",
    [('format = "knockout"', "sets = 1"), ('format = "swiss"', "rounds = 2", "sets = 2")],
    ids=["knockout", "swiss"],
)
def test_later_rounds_are_played_again_with_the_pairs_that_the_new_results_give(
    yard: Yard, store: Store, lines: Sequence[str]
) -> None:
    plan = cup(yard, *lines)
    before = played(plan, store)
    run = plan.header.fingerprint
    first = next(key for key in sorted(store[run].stored_sets(), key=lambda key: key.number) if key.number == 0)
    others = {key for key in store[run].stored_sets() if key.number < 64 and key.lineup != first.lineup}
    made = void(store, f"{first}/0")
    assert made.chosen == (first,)
    assert {key.number >= 64 or key.lineup == first.lineup for key in made.added} == {True}
    assert not any(key.number >= 64 for key in store[run].stored_sets()), "a later round stays"
    play(plan, store, LocalTables(plan.file.bots))
    assert_outcome_follows(plan, store)
    after = Games.of(store)
    assert not {str(key) for key in others} & after.changed_from(before)
    again = {one for one in store[run].stored_sets() if one in {*made.chosen, *made.added}}
    for key in again:
        assert after.commitments(key) == {made.correction.commitment}
    assert_as_if_played_so(store)


@pytest.mark.parametrize(
    "lines",
    [('format = "knockout"', "sets = 1"), ('format = "swiss"', "rounds = 2", "sets = 2")],
    ids=["knockout", "swiss"],
)
def test_a_match_that_does_not_take_place_any_more_is_not_played_again(
    yard: Yard, store: Store, lines: Sequence[str]
) -> None:
    """Its old games stay among those that do not count, and the run is complete without it."""
    plan = cup(yard, *lines)
    run = plan.header.fingerprint
    late = plan.file.bots[0].name
    play(plan, store, LocalTables(plan.file.bots, late=(late,)))
    before = {key.lineup for key in store[run].stored_sets() if key.number >= 64}
    first = [key for key in store[run].stored_sets() if key.number < 64 and late in key.lineup.split("+")]
    made = void(store, *map(str, first))
    winner = next(bot for key in first for bot in key.lineup.split("+") if bot != late)
    play(plan, store, LocalTables(plan.file.bots, late=(winner,)))
    after = {key.lineup for key in store[run].stored_sets() if key.number >= 64}
    assert before != after, "the other bot won, and the same matches followed"
    assert not {*made.added} <= store[run].stored_sets()
    assert_outcome_follows(plan, store)
    assert_as_if_played_so(store)
    assert verify_run(store[run], digest_of) == []


def test_a_run_that_stops_earlier_now_is_complete_without_the_later_corrected_set(yard: Yard, store: Store) -> None:
    """The stop rule reads only the first passes. Sets of later passes that were not voided stay."""
    plan = planned(yard, "sets = 8", "stop = { every = 1, decisions = 30 }", variants=EUCHRE)
    run = plan.header.fingerprint
    play(plan, store, LocalTables(plan.file.bots, late=("alpha",)))
    assert store.run().row.sets > 2
    last = max(store[run].stored_sets(), key=lambda key: key.number)
    void(store, "euchre-0/alpha+last/0", str(last))
    play(plan, store, LocalTables(plan.file.bots))
    assert last not in store[run].stored_sets()
    assert SetKey("euchre-0", "alpha+last", 1) in store[run].stored_sets()
    assert_as_if_played_so(store)
    assert verify_run(store[run], digest_of) == []


def test_a_run_with_a_stop_rule_keeps_its_later_passes(yard: Yard, store: Store) -> None:
    plan = planned(yard, "sets = 8", "stop = { every = 1, decisions = 200 }", variants=EUCHRE)
    before = played(plan, store)
    assert store.run().row.sets < 8
    made = void(store, "euchre-0/alpha+last/0")
    assert made.added == ()
    play(plan, store, LocalTables(plan.file.bots))
    after = Games.of(store)
    assert set(before.texts) <= set(after.texts)
    assert {key for key in after.changed_from(before) if key.endswith("/0")} == {"euchre-0/alpha+last/0"}
    assert_as_if_played_so(store)


def test_the_time_of_a_replacement_does_not_end_a_run_before_its_later_sets() -> None:
    """It is played after all others, so a limit on time would already apply in its round."""
    early, late = SetKey("euchre-0", "a+b", 0), SetKey("euchre-0", "a+b", 1)
    assert RunClock({early: 90_000, late: 60_000}).stored_at_s([early]) == 90.0
    assert RunClock({early: 90_000, late: 60_000}, corrected={early}).stored_at_s([early]) == 0.0
    assert RunClock({early: 90_000, late: 60_000}, corrected={early}).stored_at_s([early, late]) == 60.0


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_any_schedule_of_corrections_voids_and_kills_ends_as_a_simple_model_says(data: st.DataObject) -> None:
    """Each set is dealt from its last correction, in the attempt that its voids since then give; everything else
    stays."""
    with TemporaryDirectory() as folder, Store.create(Path(folder) / "one.db") as store:
        yard = Yard(Path(folder))
        yard.bot("alpha")
        plan = planned(yard, "sets = 2")
        run = plan.header.fingerprint
        keys = [str(key) for key in keys_of(plan)]
        games = {key: games_of(plan, key) for key in keys}
        source = dict.fromkeys(keys, plan.header.commitment)
        play(plan, store, LocalTables(plan.file.bots))
        for _ in range(data.draw(st.integers(1, 3), "corrections")):
            known = [str(key) for key in (*store[run].stored_sets(), *left_out_of(store[run].voids()))]
            chosen = data.draw(st.sets(st.sampled_from(sorted(known)), min_size=1), "corrected")
            before = Games.of(store)
            source |= dict.fromkeys(chosen, void(store, *chosen).correction.commitment)
            attempts = {key: data.draw(st.integers(0, MOST_ATTEMPTS), f"voids of {key}") for key in sorted(chosen)}
            stalls = {(games[key][0], attempt) for key in attempts for attempt in range(attempts[key])}
            for left in data.draw(st.lists(st.integers(1, 4), max_size=2), "kills"):
                before_it = data.draw(st.booleans(), "before")
                tables = VoidingTables(plan.file.bots, stalls, shuffled=left)
                with suppress(KilledError):
                    play(plan, store, tables, dying(left, before=before_it))
            play(plan, store, VoidingTables(plan.file.bots, stalls))
            after = Games.of(store)
            assert after.changed_from(before) <= chosen
            found = attempts_of(store[run].voids())
            assert {str(key): n for key, n in found.items() if str(key) in chosen} == {
                key: attempt for key, attempt in attempts.items() if attempt
            }
            left_out = {str(key) for key in left_out_of(store[run].voids())}
            assert {str(key) for key in store[run].stored_sets()} == set(keys) - left_out
            assert all(after.commitments(key) == {source[key]} for key in set(keys) - left_out)
            assert (store[run].ratings() or digest_of([])) == digest_of(store[run].results())
            assert verify_run(store[run], digest_of) == []
            assert store.run(run).row.ended is not None


# Which game is meant


@pytest.mark.parametrize(
    "name",
    [
        "{run}/{set}/0",
        "{run}/{set}/1",
        "{set}/1",
        "{run}/{set}",
        "{set}",
        "{set}/",
        "buck-0/alpha+alpha+last+last/0/",
        "buck-0/alpha+alpha+last+last/0",
    ],
)
def test_a_game_is_named_by_its_id_or_that_of_its_set(plan: Plan, store: Store, name: str) -> None:
    played(plan, store)
    made = void(store, name.format(run=plan.header.fingerprint, set=FIRST))
    assert [str(key) for key in made.chosen] == [FIRST]


def test_the_beginning_of_an_id_that_fits_one_set_names_it(yard: Yard, store: Store) -> None:
    plan = planned(yard, "sets = 1")
    played(plan, store)
    assert [str(key) for key in void(store, "eu").chosen] == ["euchre-0/alpha+last/0"]


def test_the_id_of_a_set_is_not_the_beginning_of_another(yard: Yard, store: Store) -> None:
    """Set 1 is not set 10."""
    plan = planned(yard, "sets = 11", 'unit = "deals"', variants=EUCHRE)
    played(plan, store)
    assert [key.number for key in void(store, "euchre-0/alpha+last/1").chosen] == [1]


def test_games_of_one_set_are_one_set(plan: Plan, store: Store) -> None:
    played(plan, store)
    assert [str(key) for key in void(store, *games_of(plan, FIRST)).chosen] == [FIRST]


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("euchre-0/alpha+lsat/1/0", "has no game 'euchre-0/alpha.lsat/1/0', did you mean '.*/euchre-0/alpha.last/1/0'"),
        ("euchre-0/alpha+last/7", "has no game"),
        ("euchre-0/alpha+last/1/9", "has no game 'euchre-0/alpha.last/1/9', did you mean '.*/euchre-0/alpha.last/1/"),
        ("euchre-0/alpha+last/1/0/0", "has no game"),
        ("euchre-0", "game 'euchre-0' could be .*/0, .*/1, .*/2; give more characters"),
        ("", "has no game ''"),
        ("\x1b[31m", "has no game"),
    ],
)
def test_an_unknown_game_is_refused_with_the_nearest_match_and_changes_nothing(
    plan: Plan, store: Store, game: str, sentence: str
) -> None:
    before = played(plan, store)
    with pytest.raises(CorrectionError, match=sentence) as caught:
        void(store, FIRST, game)
    assert "\x1b" not in str(caught.value)
    assert Games.of(store) == before
    assert store.run().row.ended is not None
    assert store[plan.header.fingerprint].corrections() == ()


def test_a_game_that_is_out_already_is_refused(plan: Plan, store: Store) -> None:
    played(plan, store)
    void(store, FIRST)
    with pytest.raises(CorrectionError, match="correction 1 removed its deal set"):
        void(store, games_of(plan, FIRST)[1])


def test_a_set_that_is_out_already_is_not_the_beginning_of_another(yard: Yard, store: Store) -> None:
    """The same command, given twice, voids set 1 and not set 10 as well."""
    plan = planned(yard, "sets = 11", 'unit = "deals"', variants=EUCHRE)
    played(plan, store)
    void(store, "euchre-0/alpha+last/1")
    with pytest.raises(CorrectionError, match="correction 1 removed its deal set"):
        void(store, "euchre-0/alpha+last/1")
    assert len(store[plan.header.fingerprint].corrections()) == 1


@pytest.mark.parametrize(
    ("why", "by", "sentence"),
    [
        ("", BY, "the reason: '' is not one line"),
        ("two\nlines", BY, "the reason: "),
        ("x" * (LONGEST_WHY + 1), BY, "the reason: "),
        (WHY, " Ada", "the name of the person who decided: ' Ada' is not one line"),
    ],
)
def test_a_correction_needs_a_reason_and_a_name_of_one_line(
    plan: Plan, store: Store, why: str, by: str, sentence: str
) -> None:
    play(plan, store, LocalTables(plan.file.bots, withdrawn=("alpha",)))
    with pytest.raises(CorrectionError, match=sentence):
        void_games(store.run(), [FIRST], why=why, by=by)
    with pytest.raises(CorrectionError, match=sentence):
        reinstate_bot(store.run(), "alpha", why=why, by=by)
    assert store[plan.header.fingerprint].corrections() == ()


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        ("alpha", "bot 'alpha' is not withdrawn in run .*; no bot is"),
        ("alhpa", "unknown bot 'alhpa', did you mean 'alpha'"),
    ],
)
def test_only_a_withdrawn_bot_is_reinstated(plan: Plan, store: Store, bot: str, sentence: str) -> None:
    played(plan, store)
    with pytest.raises(CorrectionError, match=sentence):
        reinstate(store, bot)


def test_no_game_at_all_is_refused(plan: Plan, store: Store) -> None:
    played(plan, store)
    with pytest.raises(CorrectionError, match="name at least one game"):
        void(store)


def test_a_run_that_is_being_played_is_not_corrected(plan: Plan, store: Store) -> None:
    played(plan, store)
    with store.begin(plan.header, plan.seed), pytest.raises(StoreError, match="is being played by another process"):
        void(store, FIRST)


def test_an_imported_run_is_not_corrected(plan: Plan, store: Store, tmp_path: Path) -> None:
    played(plan, store)
    imported(tmp_path / "other.db", exported(store.path, plan.header.fingerprint))
    with Store.open(tmp_path / "other.db") as other, pytest.raises(StoreError, match="was imported"):
        void(other, FIRST)


def test_a_run_whose_correction_has_lost_its_seed_says_so(plan: Plan, store: Store) -> None:
    played(plan, store)
    void(store, FIRST)
    for file in seed_files(store.path, plan.header.fingerprint):
        file.unlink()
    with pytest.raises(StoreError, match=r"the secret seed of correction 1 of run .* is missing"):
        play(plan, store, LocalTables(plan.file.bots))


# Jobs


def test_a_job_holds_sets_of_one_correction_and_one_attempt(plan: Plan) -> None:
    job = replace(jobs_of(plan)[0], sets=(0, 1, 2))
    seed = DealSeed(2, "sha256:other", bytes(32))
    last = job.keys[2]
    parts = job.by_seed({last: seed, SetKey("x", "y", 0): seed}.get)
    assert [(part.correction, part.sets) for part in parts] == [(0, job.sets[:2]), (2, job.sets[2:])]
    assert (parts[0].seed, parts[0].commitment) == (job.seed, job.commitment)
    assert (parts[1].seed, parts[1].commitment) == (seed.seed, seed.commitment)
    assert {(table.seed, table.commitment) for table in parts[1].tables()} == {(seed.seed, seed.commitment)}
    assert parts[1].again([last]).correction == 2, "the next attempt is dealt from another seed"
    assert job.by_seed(lambda _: None) == (job,)
    assert repr(bytes(32)) not in repr(seed), "a secret is shown"


def test_a_void_names_the_correction_that_dealt_the_set(plan: Plan) -> None:
    job = jobs_of(plan)[0]
    [part] = replace(job, sets=job.sets[:1]).by_seed({job.keys[0]: DealSeed(3, "sha256:x", bytes(32))}.get)
    [first, *_] = part.tables()
    found, _ = SetCollector([part]).void(first, VoidedGame(("alpha",), LOST))
    assert (found.correction, found.attempt, attempt_of(first)) == (3, 0, 0)


def test_a_correction_tells_what_it_chose_and_what_followed(yard: Yard, store: Store) -> None:
    plan = cup(yard, 'format = "swiss"', "rounds = 2", "sets = 1")
    played(plan, store)
    first = min(store[plan.header.fingerprint].stored_sets(), key=lambda key: key.number)
    made = void(store, str(first))
    assert isinstance(made, Corrected)
    assert made.correction.sets == tuple(sorted({*made.chosen, *made.added}))
    assert len(made.added) == 2, "both matches of the second round"
