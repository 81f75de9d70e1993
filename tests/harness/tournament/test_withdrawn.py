"""Withdrawn means withdrawn: what a bot missed counts nowhere, and a Swiss no longer pairs it (tournament-file.md)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.shared.output import json_text
from bowerbird.harness.cli.tournament_run import plan_of_run
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.tallies import pairings_of, standings_of
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.corrections import Withdrawal, ordinal
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import BYE, TIE, WALKOVER, Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.verify.outcome_checks import outcome_differences
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.spec import OnGame, OnVoid, TableSpec
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.tournament.config.format_keys import most_rounds
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament, parse_tournament
from bowerbird.harness.tournament.formats.catalogue import rounds_of_run
from bowerbird.harness.tournament.formats.rounds import Round, RoundSequence
from bowerbird.harness.tournament.formats.swiss import pairings
from bowerbird.harness.tournament.jobs.schedule import RunIdentity
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.records.archives import exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.made_results import results_of, stronger
from tests.support.tournament.random_runs import Law, store_made_run
from tests.support.tournament.rated_games import game
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import play

ONE = '[[variant]]\nname = "two-handed"\n'
NINE = {f"b{number}": float(9 - number) for number in range(9)}
RUN = RunIdentity("4f1c9a", "c0", bytes(32))


def entered(yard: Yard, bots: Iterable[str], *lines: str) -> Plan:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in bots)
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, variants=ONE, bots=text)))


def missed(results: dict[SetKey, list[GameResult]], out: Iterable[str], after: int = 0) -> int:
    """Make withdrawn bots miss their games, except the first `after`; return how many they miss."""
    gone, number = set(out), 0
    for games in results.values():
        for place, one in enumerate(games):
            absent = tuple(seat for seat, bot in enumerate(one.bots) if bot in gone)
            if absent:
                after -= 1
                if after < 0:
                    ranks = tuple(2 if seat in absent else 1 for seat in range(len(one.bots)))
                    games[place] = replace(one, rated=False, offenders=absent, ranks=ranks)
                    number += 1
    return number


def played(
    plan: Plan, withdrawn: dict[int, set[str]], strength: dict[str, float]
) -> tuple[list[Round], Outcome, list[GameResult]]:
    """Return the rounds, the outcome and all results if these bots are withdrawn during these rounds, from 1.

    Each first plays one game of its round.
    """
    sequence = RoundSequence(rounds_of_run(plan.file, RUN))
    seen: list[Round] = []
    everything: list[GameResult] = []
    out: set[str] = set()
    while sequence.round is not None:
        seen.append(sequence.round)
        results = {key: list(games) for key, games in results_of(sequence.round, stronger(strength)).items()}
        now = withdrawn.get(len(seen), set())
        missed(results, out)
        missed(results, now, after=1)
        out |= now
        everything += [one for games in results.values() for one in games]
        sequence.replay(results)
    assert sequence.outcome is not None
    return seen, sequence.outcome, everything


def test_a_swiss_of_nine_pairs_no_withdrawn_bot_from_the_next_round_on(yard: Yard) -> None:
    """b0 falls in round 1, b5 in round 3; from then on neither is paired, and neither gets the bye."""
    plan = entered(yard, NINE, 'format = "swiss"', "sets = 3", "rounds = 5")
    seen, outcome, results = played(plan, {1: {"b0"}, 3: {"b5"}}, NINE)
    assert len(seen) == 5
    for number, one in enumerate(seen, 1):
        there = {bot for pair in one.pairs for bot in pair} | set(one.byes)
        gone = {bot for bot, since in {"b0": 1, "b5": 3}.items() if number > since}
        assert there == NINE.keys() - gone, f"round {number}"
        assert len(one.byes) == (9 - len(gone)) % 2, "whoever should have met it is paired, or gets the bye"
    walkovers = [match for match in outcome.matches if match.decided_by == WALKOVER]
    assert [(match.round, {match.bot, match.opponent} - {match.winner}) for match in walkovers] == [
        (1, {"b0"}),
        (3, {"b5"}),
    ]
    assert [match.games for match in walkovers] == [1, 1], "only games that were played count"
    assert not list(outcome_differences(outcome, results, list(NINE), is_complete=True))
    points = {place.bot: place.points for place in outcome.places}
    assert points["b0"] == 0, "it won its only game, and not the match"
    assert {place.bot for place in outcome.places if place.byes} <= NINE.keys() - {"b0", "b5"}


def test_a_walkover_without_a_game_counts_as_a_match_won_with_half_of_its_games(yard: Yard) -> None:
    plan = entered(yard, ("ann", "bob"), 'format = "swiss"', "sets = 2", "rounds = 1")
    sequence = RoundSequence(rounds_of_run(plan.file, RUN))
    assert sequence.round is not None
    results = {key: list(games) for key, games in results_of(sequence.round, stronger({"ann": 2, "bob": 1})).items()}
    missed(results, {"ann"})
    sequence.replay(results)
    assert sequence.outcome is not None
    assert [(place.bot, place.points, place.share) for place in sequence.outcome.places] == [
        ("bob", 1.0, 0.5),
        ("ann", 0.0, 0.5),
    ]


def test_a_match_of_two_withdrawn_bots_is_tied(yard: Yard) -> None:
    plan = entered(yard, NINE, 'format = "swiss"', "sets = 1", "rounds = 2")
    _, outcome, _ = played(plan, {1: set(NINE)}, dict.fromkeys(NINE, 1.0))
    assert {match.decided_by for match in outcome.matches} == {TIE, BYE}
    assert "9 of 9 bots were withdrawn" in outcome.reason or "8 of 9 bots were withdrawn" in outcome.reason


def test_a_knockout_goes_on_with_the_bot_that_is_there(yard: Yard) -> None:
    """The leader of the match is withdrawn: it is out, without extra deal sets."""
    plan = entered(yard, ("ann", "bob", "cid", "dan"), 'format = "knockout"', "sets = 2")
    seen, outcome, results = played(plan, {1: {"ann"}}, {"ann": 4, "bob": 3, "cid": 2, "dan": 1})
    assert [one.title for one in seen] == ["semi-finals", "final"]
    assert outcome.matches[0].decided_by == WALKOVER
    assert "ann" in {place.bot for place in outcome.places if place.place == 3}
    assert not list(outcome_differences(outcome, results, ["ann", "bob", "cid", "dan"], is_complete=True))


def test_withdrawn_bots_leave_byes_where_no_pairing_without_a_repetition_is_left() -> None:
    """If all three that are left have met, each gets a bye; if two have, the lower of them gets a second one."""
    met = {"a": frozenset("bc"), "b": frozenset("ac"), "c": frozenset("ab")}
    assert pairings("abc", points=dict.fromkeys("abc", 1.0), met=met, rested=frozenset("c")) == ([], ("c", "b", "a"))
    met = {"a": frozenset("b"), "b": frozenset("a"), "c": frozenset()}
    found = pairings("abc", points=dict.fromkeys("abc", 1.0), met=met, rested=frozenset("ab"))
    assert found == ([("a", "c")], ("b",))
    assert most_rounds(3) == 2


def test_a_run_keeps_the_rules_of_pairing_that_it_began_with(yard: Yard) -> None:
    """A stored file without a version is of the first one: it pairs the withdrawn bot, whose games count as lost."""
    plan = entered(yard, NINE, 'format = "swiss"', "sets = 1", "rounds = 2")
    assert "schedule = 3" in resolved_text(plan.file)
    old = replace(plan, file=replace(plan.file, terms=replace(plan.file.terms, schedule=1)))
    assert "schedule" not in resolved_text(old.file)
    seen, outcome, results = played(old, {1: {"b0"}}, NINE)
    assert "b0" in {bot for pair in seen[1].pairs for bot in pair} | set(seen[1].byes)
    assert WALKOVER not in {match.decided_by for match in outcome.matches}
    assert not list(outcome_differences(outcome, results, list(NINE), is_complete=True)), "an old run verifies"
    path = yard.folder / "old.db"
    header = replace(plan.header, config=resolved_text(old.file))
    with Store.create(path) as store:
        with store.begin(header, plan.seed):
            pass
        typed = parse_tournament((yard.folder / "autumn.toml").read_text(), yard.folder / "autumn.toml")
        assert typed.terms.schedule == 3
        assert plan_of_run(typed, store.run()).file.terms.schedule == 1


def test_games_that_were_not_played_count_nowhere() -> None:
    """A game won, and one that bob missed: 1-0-0, one game, no fault, and one missed game listed separately."""
    games = [
        game(("ann", "bob"), (1, 2), number=0),
        game(("bob", "ann"), (2, 1), number=0, rotation=1, offenders=(0,), rated=False),
    ]
    lines = {line.bot: line for line in standings_of(games, pairings_of(games), versions={})}
    assert [(cell.bot, cell.games, cell.wins, cell.losses) for cell in pairings_of(games)] == [
        ("ann", 1, 1, 0),
        ("bob", 1, 0, 1),
    ]
    assert [(line.games, line.unplayed, line.wins, line.losses) for line in lines.values()] == [
        (1, 1, 1, 0),
        (1, 1, 0, 1),
    ]


def test_a_withdrawal_is_a_sentence() -> None:
    assert (
        Withdrawal("crash", "CRASHED", 6, 34).sentence == "crash was withdrawn after its 6th fault: 34 games not played"
    )
    assert (
        Withdrawal("mute", "NEVER_STARTED", 1, 1).sentence == "mute never started and was withdrawn: 1 game not played"
    )
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]
    )


def test_every_screen_says_who_was_withdrawn(yard: Yard) -> None:
    """The first screen, all tables, the JSON and the report; their counts are of games that were played."""
    plan = entered(yard, ("ann", "bob", "cid"), 'unit = "deals"', "sets = 4")
    path = yard.folder / "x.db"
    law = Law({"ann": 3, "bob": 2, "cid": 1}, level=True, chance=0.0, withdrawn={"cid": 12})
    with Store.create(path) as store:
        store_made_run(plan, store, law, random.Random(1))
        run = store.run()
        lost = [one for one in run.results() if not one.rated]
        sentence = f"cid was withdrawn: {len(lost)} games not played"
        assert 0 < len(lost) < 16
        for full in (False, True):
            lines = standings_text(store, [run], full=full)
            assert sentence in lines
            sets = {one.id.set_key for one in lost} - {one.id.set_key for one in run.results() if one.rated}
            counts = f"{24 - len(lost)} games in {12 - len(sets)} deal sets ({len(sets)} not played)"
            assert any(counts in line for line in lines)
            assert not any("fault" in line and "CRASHED" in line for line in lines), "nobody had a fault at a table"
        document = json.loads(json_text(standings_document([run])))
        assert [one["sentence"] for one in document["withdrawn"]] == [sentence]
        assert document["faults"] == []
        lines_of = {line["bot"]: line for line in document["overall"]["standings"]}
        assert lines_of["cid"]["games"] + len(lost) == 16
        assert lines_of["cid"]["unplayed"] == len(lost)
        assert lines_of["ann"]["score"] == 1.0
        remarks = report_data(run, overview([run]))["remarks"]
        assert isinstance(remarks, list)
        assert sentence in remarks
        assert sum(cell.games for cell in run.crosstable()) == 2 * (24 - len(lost))


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def test_a_swiss_of_nine_with_two_withdrawn_is_told_alike_after_an_import(yard: Yard) -> None:
    """Its places, matches and withdrawals survive an archive; so do its standings."""
    plan = entered(yard, NINE, 'unit = "deals"', 'format = "swiss"', "sets = 2", "rounds = 5")
    path = yard.folder / "x.db"
    with Store.create(path) as store:
        play(plan, store, FallingTables(plan, {"b0": 3, "b5": 40}))
        store_run_digest(store.run())
        run = store.run()
        assert verify_run(run, digest_of) == []
        told = standings_text(store, [run], full=True)
        assert {one.bot for one in run.withdrawals()} == {"b0", "b5"}
        assert not list(outcome_differences(outcome_of(run), run.results(), list(NINE), is_complete=True))
        assert [place.place for place in run.placements()] == sorted(place.place for place in run.placements())
        outcome = outcome_of(run)
    imported(yard.folder / "other.db", exported(path, plan.header.fingerprint))
    with Store.open(yard.folder / "other.db") as other:
        again = standings_text(other, [other.run()], full=True)
        assert outcome_of(other.run()) == outcome
        assert verify_run(other.run(), digest_of) == [], "each of its games is played again"
    assert [line for line in told if "withdrawn" in line] == [line for line in again if "withdrawn" in line]
    assert told[0] == again[0], "one headline"


class FallingTables(LocalTables):
    """Real games, in which each bot is withdrawn after a given number of games of the run."""

    def __init__(self, plan: Plan, falls: Mapping[str, int]) -> None:
        self._gone: set[str] = set()
        super().__init__(plan.file.bots, withdrawn=self._gone)
        self._falls = falls

    async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        for table in tables:
            self._gone.update(bot for bot, games in self._falls.items() if len(self.played) >= games)
            await super().play_tables([table], on_game, on_void)


def outcome_of(run: StoredRun) -> Outcome:
    return Outcome(run.row.stopped, tuple(run.placements()), tuple(run.matches()))
