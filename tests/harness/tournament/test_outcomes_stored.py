"""The outcome of a run in the store, in archives and in verification (database.md, placement, match_result)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.run_text import read_run_text, run_text
from bowerbird.harness.records.values.placements import OPEN, Outcome
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.events import RunEnded
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from tests.support.records.archives import content, differences, exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import InterruptedTables, LocalTables
from tests.support.tournament.voided_runs import play

NAMES = ("a", "last1", "b", "last2", "c")
EUCHRE = '[[variant]]\nname = "euchre"\n'


def planned(yard: Yard, *lines: str) -> Plan:
    """Return a plan of five bots in which two play differently from the others; so some matches are tied."""
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in NAMES)
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, bots=bots, variants=EUCHRE)))


def play_out(plan: Plan, path: Path) -> Outcome:
    """Play a plan to its end; return the outcome that the run announced."""
    with Store.create(path) as store:
        ended = play(plan, store, LocalTables(plan.file.bots))[-1]
    assert isinstance(ended, RunEnded)
    return ended.outcome


def stored(path: Path, run: str) -> Outcome:
    with Store.open(path) as store:
        return Outcome(store.run(run).row.stopped, tuple(store[run].placements()), tuple(store[run].matches()))


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount, "the change changes nothing"


FORMATS = ("swiss", "knockout")


@pytest.mark.parametrize("name", FORMATS)
def test_places_and_matches_are_stored_as_the_run_announced_them(yard: Yard, tmp_path: Path, name: str) -> None:
    plan, path = planned(yard, f'format = "{name}"', "sets = 2"), tmp_path / "x.db"
    outcome = play_out(plan, path)
    assert sorted(place.bot for place in outcome.places) == sorted(NAMES)
    assert len(outcome.matches) >= len(NAMES) - 1
    assert stored(path, plan.header.fingerprint) == outcome
    assert differences(path, plan.header.fingerprint) == []


def test_the_reason_why_a_run_stopped_is_stored(yard: Yard, tmp_path: Path) -> None:
    plan, path = planned(yard, "stop = { decisions = 100, sets = 50, every = 1 }"), tmp_path / "x.db"
    outcome = play_out(plan, path)
    assert outcome.reason.endswith("decisions were made, 100 were wanted")
    assert stored(path, plan.header.fingerprint) == outcome


def test_a_run_of_one_round_has_an_open_outcome(yard: Yard, tmp_path: Path) -> None:
    plan, path = planned(yard, "sets = 1"), tmp_path / "x.db"
    play_out(plan, path)
    assert stored(path, plan.header.fingerprint) == OPEN


@pytest.mark.parametrize("name", FORMATS)
def test_an_archive_brings_the_outcome_back_the_same(yard: Yard, tmp_path: Path, name: str) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    plan = planned(yard, f'format = "{name}"', "sets = 1")
    outcome, run = play_out(plan, here), plan.header.fingerprint
    first = exported(here, run)
    for _ in range(2):
        imported(there, first)
        assert stored(there, run) == outcome
    assert exported(there, run, "again.tar.gz").read_bytes() == first.read_bytes()
    assert differences(there, run) == []


def test_a_run_that_goes_on_takes_its_outcome_back_until_it_is_complete_again(yard: Yard, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    short, long = (planned(yard, 'format = "swiss"', "sets = 1", f"rounds = {rounds}") for rounds in (1, 2))
    first, run = play_out(short, path), short.header.fingerprint
    interrupt(long, path, after=2)
    assert stored(path, run) == OPEN
    second = play_out(long, path)
    assert [match.title for match in first.matches] == ["round 1 of 1"] * 3
    assert [match.title for match in second.matches] == ["round 1 of 2"] * 3 + ["round 2 of 2"] * 3
    assert stored(path, run) == second
    assert differences(path, run) == []


def interrupt(plan: Plan, path: Path, after: int) -> None:
    """Play a plan until this many further games have ended."""
    with Store.create(path) as store, store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda event: None)

        async def play_on() -> None:
            with trio.CancelScope() as scope:
                await run.play(InterruptedTables(plan.file.bots, after, scope.cancel))

        trio.run(play_on)


def test_a_merge_that_makes_a_complete_run_incomplete_takes_its_outcome_back(yard: Yard, tmp_path: Path) -> None:
    """In this copy the run is complete with a first round; in that one it went on and stopped in the second."""
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    short, long = (planned(yard, 'format = "swiss"', "sets = 1", f"rounds = {rounds}") for rounds in (1, 2))
    run = short.header.fingerprint
    first = play_out(short, here)
    imported(there, exported(here, run))
    interrupt(long, there, after=2)
    imported(here, exported(there, run))
    assert first != OPEN
    assert stored(here, run) == OPEN
    with Store.open(here) as store:
        assert store.run(run).row.ended is None


def test_an_archive_that_completes_a_run_brings_its_outcome(yard: Yard, tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    plan = planned(yard, 'format = "swiss"', "sets = 1")
    run = plan.header.fingerprint
    interrupt(plan, here, after=3)
    outcome = play_out(plan, there)
    imported(here, exported(there, run))
    assert stored(here, run) == outcome


def without_outcome(path: Path) -> None:
    """Remove the outcome, as in a run completed by an earlier version."""
    for table in ("placement", "match_result"):
        change(path, f"DELETE FROM {table}")


def test_the_outcome_of_an_archive_is_taken_in_where_an_earlier_version_stored_none(yard: Yard, tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    plan = planned(yard, 'format = "swiss"', "sets = 1")
    outcome, run = play_out(plan, there), plan.header.fingerprint
    archive = exported(there, run)
    imported(here, archive)
    without_outcome(here)
    old = exported(here, run, "old.tar.gz")
    imported(here, archive)
    assert stored(here, run) == outcome
    imported(here, old)
    assert stored(here, run) == outcome, "an archive without an outcome takes none away"


def test_an_archive_with_another_outcome_of_the_same_games_is_refused(yard: Yard, tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    plan = planned(yard, 'format = "swiss"', "sets = 1")
    outcome, run = play_out(plan, there), plan.header.fingerprint
    imported(here, exported(there, run))
    change(there, "UPDATE placement SET remark = 'cheered most' WHERE number = 0")
    with pytest.raises(StoreError, match=f"run {run} ended with other places or matches here; nothing was imported"):
        imported(here, exported(there, run))
    assert stored(here, run) == outcome


def test_a_deleted_run_leaves_no_outcome(yard: Yard, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    plan = planned(yard, 'format = "knockout"', "sets = 1")
    play_out(plan, path)
    delete_run(path, plan.header.fingerprint)
    assert not any(content(path).values())


FORGED = {
    "UPDATE match_result SET won = 2 * won, games = 2 * games WHERE number = 0": " games, but the games give ",
    "DELETE FROM match_result WHERE number = (SELECT MAX(number) FROM match_result WHERE opponent IS NOT NULL)": (
        "have games, but no match"
    ),
    "UPDATE placement SET points = points + 1 WHERE number = 0": " is stored, but the matches give ",
    "UPDATE placement SET opponents = 17.5 WHERE number = 1": "17.5 points of opponents is stored, but the matches ",
    "UPDATE placement SET share = 1.0 WHERE number = 4": ", 1 of the games, ",
    "DELETE FROM placement WHERE number = 4": "a bot has a match but no place",
    "UPDATE placement SET share = 17.0 WHERE number = 4": "wrong outcome in the database: a share of games is a number",
    "UPDATE run SET ended = NULL": "it has places, matches or a reason why it stopped, but it is not complete",
    "UPDATE placement SET place = 9 WHERE number = 2": "the places are not in order: ",
}
"""SQL that changes the outcome of a Swiss, and what verification says about it."""


@pytest.mark.parametrize("sql", FORGED)
def test_verification_finds_an_outcome_that_is_not_that_of_the_games(yard: Yard, tmp_path: Path, sql: str) -> None:
    path = tmp_path / "x.db"
    plan = planned(yard, 'format = "swiss"', "sets = 2", "rounds = 3")
    play_out(plan, path)
    change(path, sql)
    found = differences(path, plan.header.fingerprint)
    assert any(FORGED[sql] in line for line in found), found


def test_verification_finds_forged_places_of_a_knockout(yard: Yard, tmp_path: Path) -> None:
    """The first and the second exchange their places."""
    path = tmp_path / "x.db"
    plan = planned(yard, 'format = "knockout"', "sets = 1")
    outcome = play_out(plan, path)
    first, second = outcome.places[:2]
    change(path, "UPDATE placement SET number = number + 90 WHERE number < 2")
    for number, bot in enumerate((second.bot, first.bot)):
        change(path, f"UPDATE placement SET number = {number}, place = {number + 1} WHERE bot = '{bot}'")
    found = differences(path, plan.header.fingerprint)
    assert f"bot {first.bot}: place 2 is stored, but the matches give place 1" in "\n".join(found)


def test_an_outcome_without_an_end_is_refused(yard: Yard, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    plan = planned(yard, 'format = "knockout"', "sets = 1")
    play_out(plan, path)
    with open_archive(exported(path, plan.header.fingerprint)) as archive:
        text = run_text(replace(archive.run, ended=None))
        with pytest.raises(StoreError, match="a run that has not ended has no places"):
            read_run_text(text, archive.run.header.config, "run.toml")
