"""The adaptive format from file to store: rounds, resuming, limits, verification (tournament-file.md; pairing.md)."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import trio

from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES, Absences
from bowerbird.harness.tournament.formats.adaptive import pairing_terms
from bowerbird.harness.tournament.formats.catalogue import AT_MOST, EXACTLY, no_time
from bowerbird.harness.tournament.formats.rounds import PlayedUntil, Round, Rounds, RoundSequence
from bowerbird.harness.tournament.pairing.planner import PlannedRound, pairing_table, round_of, set_result
from bowerbird.harness.tournament.pairing.replay import replayed, stored_terms, wrong_pairings
from bowerbird.harness.tournament.pairing.values import sentence
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.made_results import results_of, stronger
from tests.support.tournament.table_players import InterruptedTables, LocalTables
from tests.support.tournament.voided_runs import play

TWO = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "two-handed"\n'
PLAIN = ('format = "adaptive"', "total_sets = 40", "round_sets = 8", "max_hands = 1", 'seed = "leaves"')


def entered(yard: Yard, *lines: str, bots: int = 4, of_bot: str = "", variants: str = TWO) -> TournamentFile:
    """Return a tournament of bots, half of which play differently."""
    yard.bot("last")
    text = "".join(
        f'[[bot]]\npath = "bots/{"last" if index % 2 else "alpha"}"\n'
        f'name = "{"last" if index % 2 else "b"}{index}"\n{of_bot}\n'
        for index in range(bots)
    )
    return load_tournament(yard.tournament(*(lines or PLAIN), variants=variants, bots=text))


def refusal(yard: Yard, *lines: str, variants: str = TWO) -> str:
    with pytest.raises(ConfigError) as refused:
        entered(yard, *lines, variants=variants)
    return str(refused.value)


def walk(plan: Plan, ms: dict[str, int] | None = None) -> tuple[list[Round], RoundSequence]:
    """Return the rounds when the bot with the higher number wins; `ms` is the thinking time of bots in a game."""
    sequence = RoundSequence(plan.rounds())
    seen: list[Round] = []
    ranker = stronger({bot.name: float(bot.name[-1]) for bot in plan.file.bots})
    while sequence.round is not None:
        seen.append(sequence.round)
        found = {key: [timed(game, ms or {}) for game in games] for key, games in results_of(seen[-1], ranker).items()}
        sequence.replay(found)
    return seen, sequence


def timed(game: GameResult, ms: dict[str, int]) -> GameResult:
    return replace(game, thinking_ms=tuple(ms.get(bot, 0) for bot in game.bots))


# The file


def test_total_sets_are_of_all_line_ups_together(yard: Yard) -> None:
    plan = make_plan(entered(yard))
    rounds, sequence = walk(plan)
    assert sum(round_.sets for round_ in rounds) == plan.extent.sets == 40
    assert (plan.extent.games, plan.extent.bound) == (80, EXACTLY)
    assert sequence.outcome is not None
    assert not sequence.outcome.places


def test_the_extent_is_a_bound_if_variants_differ_in_rotations(yard: Yard) -> None:
    plan = make_plan(entered(yard, variants=f'{TWO}[[variant]]\nname = "buck"\n'))
    assert (plan.extent.games, plan.extent.bound) == (160, AT_MOST)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sets = 3", "sets belongs to"),
        ('packs = "common"', "'common' does not work with 'adaptive', which chooses line-ups one by one; use 'own'"),
        ("stop = { settled = 0.95 }", "settled does not work with 'adaptive'; use time"),
        ("stop = { every = 16, time = '1h' }", "every does not work with 'adaptive'; use time"),
        ("stop = {}", "no rule is given; add time"),
        ("total_sets = 0", "got 0; must be a whole number from 1"),
    ],
)
def test_a_wrong_key_is_refused_with_what_is_allowed(yard: Yard, line: str, said: str) -> None:
    assert said in refusal(yard, 'format = "adaptive"', line)


def test_total_sets_belong_to_adaptive_runs(yard: Yard) -> None:
    assert "total_sets belongs to 'adaptive', not to 'round-robin'" in refusal(yard, "total_sets = 3")


def test_fixed_seats_are_refused(yard: Yard) -> None:
    said = refusal(yard, *PLAIN, 'lineup = "fixed"', variants='[[variant]]\nname = "euchre"\n')
    assert "euchre at fixed seats is one game; use 'round-robin'" in said


def test_the_resolved_copy_says_the_same(yard: Yard) -> None:
    file = entered(yard, *PLAIN, 'stop = { time = "1h" }', of_bot="rating = 1600\ndeviation = 55")
    again = stored_tournament(resolved_text(file), yard.folder, "copy")
    assert (again.terms, again.stop, again.bot_entries) == (file.terms, file.stop, file.bot_entries)
    assert pairing_terms(again) == pairing_terms(file)
    assert {(bot.rating, bot.deviation) for bot in pairing_terms(file).bots} == {(1600, 55)}


def test_the_resolved_copy_decides_without_the_bots_folders(yard: Yard) -> None:
    every = f'{TWO}[[variant]]\nname = "buck"\n[[variant]]\nname = "three-handed"\n[[variant]]\nname = "euchre"\n'
    plan = make_plan(entered(yard, of_bot="rating = 1400", variants=every))
    assert stored_terms(plan.header.config, plan.header.bots) == pairing_terms(plan.file)


def test_a_bot_without_a_rating_has_the_mean_of_the_others(yard: Yard) -> None:
    yard.bot("last")
    bots = '[[bot]]\npath = "bots/alpha"\nrating = 100\n[[bot]]\npath = "bots/last"\n'
    file = load_tournament(yard.tournament(*PLAIN, variants=TWO, bots=bots))
    assert [bot.rating for bot in pairing_terms(file).bots] == [100, 100]


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        (("total_sets = 60",), ""),
        (('stop = { time = "2h" }',), "stop"),
        (("round_sets = 9",), "round_sets"),
        (("max_share = 0.2",), ""),
    ],
)
def test_only_sets_and_time_can_be_added(yard: Yard, lines: Sequence[str], refused: str) -> None:
    key = lines[0].partition(" ")[0]
    kept = [line for line in PLAIN if not line.startswith(f"{key} ")]
    before, after = make_plan(entered(yard)), make_plan(entered(yard, *kept, *lines))
    if not refused:
        check_resume(before.header, after.header)
        return
    with pytest.raises(RunConflictError, match=f"{refused}.*only total_sets and time can be added"):
        check_resume(before.header, after.header)


def test_a_bot_cannot_be_added(yard: Yard) -> None:
    before, after = make_plan(entered(yard)), make_plan(entered(yard, bots=5))
    with pytest.raises(RunConflictError, match="the pairings are fixed"):
        check_resume(before.header, after.header)


# Rounds


def test_the_numbers_of_a_round_are_in_its_block_and_of_no_two_sets_of_a_line_up(yard: Yard) -> None:
    rounds, _ = walk(make_plan(entered(yard)))
    keys = [key for round_ in rounds for key in round_.keys]
    assert len(set(keys)) == len(keys)
    for number, round_ in enumerate(rounds):
        assert {round_of(key) for key in round_.keys} == {number}
        numbers = Counter((key.entry, key.number) for key in round_.keys)
        assert max(numbers.values()) == 1, "two line-ups would be taken for one observation"


def test_a_line_up_takes_its_orders_of_seats_in_turn(yard: Yard) -> None:
    three = '[[variant]]\nname = "three-handed"\n'
    plan = make_plan(entered(yard, bots=3, variants=three))
    rounds, _ = walk(plan)
    orders = [key.number % 2 for round_ in rounds for key in sorted(round_.keys)]
    assert abs(2 * sum(orders) - len(orders)) <= 1, f"the two orders have {Counter(orders)}"


def test_each_process_sees_a_pack_once(yard: Yard) -> None:
    for round_ in walk(make_plan(entered(yard)))[0]:
        for job in round_.jobs:
            assert len(set(job.instances)) == len(job.instances)
            assert job.packs == "own"


def test_a_slow_bot_plays_less(yard: Yard) -> None:
    plan = make_plan(entered(yard, *PLAIN[:1], "total_sets = 300", *PLAIN[2:], bots=6))
    rounds, _ = walk(plan, {"b2": 50_000, "b0": 500, "last1": 500, "last3": 500, "b4": 500, "last5": 500})
    sets = Counter(bot for round_ in rounds for key in round_.keys for bot in key.lineup.split("+"))
    assert sets["b2"] < min(number for bot, number in sets.items() if bot != "b2") / 4, sets


def test_a_withdrawn_bot_teaches_nothing(yard: Yard) -> None:
    file = entered(yard)
    entry = file.variants[0]
    table = pairing_table(entry.id, entry.sides, entry.lineups[0])
    [first, *_] = walk(make_plan(file))[0]
    games = next(iter(results_of(first, stronger(dict.fromkeys(("b0", "last1", "b2", "last3"), 0.0))).values()))
    unplayed = [replace(game, rated=False) for game in games]
    assert set_result(table, unplayed).scores == (None,)


def test_a_run_with_more_sets_begins_as_one_with_fewer(yard: Yard) -> None:
    """Sets can therefore be added to a complete run whose last round had room for fewer."""
    short, long = (make_plan(entered(yard, *PLAIN[:1], f"total_sets = {sets}", *PLAIN[2:])) for sets in (37, 60))
    thinking = {"b0": 700, "last1": 20, "b2": 90, "last3": 4}
    fewer = {key for round_ in walk(short, thinking)[0] for key in round_.keys}
    more = {key for round_ in walk(long, thinking)[0] for key in round_.keys}
    assert len(fewer) == 37
    assert fewer <= more


# Resuming


def records(store: Store) -> dict[SetKey, list[GameResult]]:
    return by_set(store.run().results(with_times=True))


@pytest.mark.parametrize("after", [1, 17, 38, 61])
def test_a_run_that_was_killed_finds_the_same_rounds(yard: Yard, tmp_path: Path, after: int) -> None:
    plan = make_plan(entered(yard))
    with Store.create(tmp_path / "whole.db") as whole, Store.create(tmp_path / "parts.db") as parts:
        play(plan, whole, LocalTables(plan.file.bots))
        _play_until(plan, parts, after)
        assert 0 < len(records(parts)) < 40 or after == 1
        play(plan, parts, LocalTables(plan.file.bots, shuffled=3))
        assert records(parts) == records(whole)


def _play_until(plan: Plan, store: Store, after: int) -> None:
    async def play_on() -> None:
        with store.begin(plan.header, plan.seed) as writer, trio.CancelScope() as scope:
            run = Run(plan, store[plan.header.fingerprint], writer, lambda _: None)
            await run.play(InterruptedTables(plan.file.bots, after, scope.cancel))

    trio.run(play_on)


def test_the_store_knows_thinking_times_as_the_record_does(yard: Yard, tmp_path: Path) -> None:
    plan = make_plan(entered(yard))
    with Store.create(tmp_path / "one.db") as store:
        play(plan, store, LocalTables(plan.file.bots))
        fingerprint = plan.header.fingerprint
        for result in store[fingerprint].results(with_times=True):
            known = result_of_record(store.record(str(result.id)))
            assert result.thinking_ms == known.thinking_ms, f"{result.id} has other times in the store"
        assert any(result.thinking_ms for result in store[fingerprint].results(with_times=True))
        assert {result.thinking_ms for result in store[fingerprint].results()} == {()}


def test_time_ends_a_run_between_two_rounds(yard: Yard) -> None:
    plan = make_plan(entered(yard, *PLAIN, 'stop = { time = "10s" }'))
    times = iter([4.0, 9.5, 10.0])
    sequence = RoundSequence(plan.rounds(lambda _: next(times)))
    played = 0
    while sequence.round is not None:
        played += 1
        sequence.replay(results_of(sequence.round, stronger(dict.fromkeys(("b0", "last1", "b2", "last3"), 0.0))))
    assert played == 3
    assert sequence.outcome is not None
    assert sequence.outcome.reason == "10 s were played, 10 s were wanted"


def test_a_round_of_sets_that_are_left_out_is_followed_by_the_next(yard: Yard) -> None:
    sequence = RoundSequence(make_plan(entered(yard)).rounds())
    rounds = 0
    while sequence.round is not None:
        rounds += 1
        for key in list(sequence.round.keys):
            sequence.leave_out(key)
        sequence.advance()
    assert rounds >= 5


# Verification


@pytest.fixture
def complete(yard: Yard, tmp_path: Path) -> Path:
    """Return the database of a complete run."""
    plan = make_plan(entered(yard))
    with Store.create(tmp_path / "one.db") as store:
        play(plan, store, LocalTables(plan.file.bots))
    return tmp_path / "one.db"


def wrong(path: Path) -> list[tuple[str, str]]:
    with Store.open(path) as store:
        return [(str(key or ""), sentence) for key, sentence in wrong_pairings(store.run())]


class UnfairPlan(Plan):
    """A plan whose organiser lets a line-up of the third round play another one's deal sets."""

    def rounds(self, played_until: PlayedUntil = no_time, absences: Absences = NO_ABSENCES) -> Rounds:
        rounds = super().rounds(played_until, absences)
        for number in range(100):
            try:
                round_ = next(rounds)
            except StopIteration as stop:
                return cast(Outcome, stop.value)
            if number == 2:
                busy = {(job.entry, job.lineup.text) for job in round_.jobs}
                job, favoured = next(
                    (job, lineup)
                    for job in round_.jobs
                    for entry in self.file.variants
                    for lineup in entry.lineups
                    if entry.id == job.entry and (entry.id, lineup.text) not in busy
                )
                others = (other for other in round_.jobs if other is not job)
                round_ = replace(round_, jobs=(replace(job, lineup=favoured), *others))
            yield round_
        raise AssertionError("a run of 40 sets has fewer than 100 rounds")


def test_a_complete_run_verifies(complete: Path) -> None:
    with Store.open(complete) as store:
        assert verify_run(store[store.run().fingerprint], digest_of, check_pairings=wrong_pairings) == []


def test_a_set_of_another_line_up_is_named(yard: Yard, tmp_path: Path) -> None:
    """Though its games are sound, and everything else is as it must be."""
    plan = make_plan(entered(yard))
    with Store.create(tmp_path / "one.db") as store:
        play(UnfairPlan(plan.file, plan.header, plan.seed), store, LocalTables(plan.file.bots))
        fingerprint = plan.header.fingerprint
        assert verify_run(store[fingerprint], digest_of) == []
        found = list(map(str, verify_run(store[fingerprint], digest_of, check_pairings=wrong_pairings)))
        strange = {key for key in records(store) if round_of(key) == 2}
    assert found, "the set is not found"
    assert re.fullmatch(
        rf"deal set {fingerprint}/\S+: in round 3 the scheduler does not choose it, but \S+", found[0]
    ), found
    assert all(any(f"/{key}:" in line for key in strange) for line in found), found


def test_a_set_that_was_removed_is_named(complete: Path) -> None:
    with Store.open(complete) as store:
        key = sorted(records(store))[-1]
    with closing(sqlite3.connect(complete)) as database, database:
        for table in ("seat", "fault", "story", "note"):
            database.execute(
                f"DELETE FROM {table} WHERE game IN "
                "(SELECT id FROM game WHERE entry = ? AND lineup = ? AND set_number = ?)",
                [key.entry, key.lineup, key.number],
            )
        for table in ("game", "job"):
            database.execute(
                f"DELETE FROM {table} WHERE entry = ? AND lineup = ? AND set_number = ?",
                [key.entry, key.lineup, key.number],
            )
    assert wrong(complete) == [
        (str(key), f"the scheduler chooses it in round {round_of(key) + 1}, but it is not stored")
    ]


def test_other_formats_have_no_pairings_to_check(yard: Yard, tmp_path: Path) -> None:
    yard.bot("last")
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/last"\n'
    plan = make_plan(load_tournament(yard.tournament('seed = "x"', "sets = 1", variants=TWO, bots=bots)))
    with Store.create(tmp_path / "one.db") as store:
        play(plan, store, LocalTables(plan.file.bots))
        assert list(wrong_pairings(store.run())) == []


def test_each_choice_of_a_stored_run_has_its_reason(complete: Path) -> None:
    with Store.open(complete) as store:
        run = store.run()
        assert run.row.seed is not None
        rounds: list[PlannedRound] = list(
            replayed(stored_terms(run.row.config, run.bots()), run.row.seed, records(store))
        )
    assert sum(len(round_.sets) for round_ in rounds) == 40
    assert all(sentence(choice.reason) for round_ in rounds for _, choice in round_.sets)
