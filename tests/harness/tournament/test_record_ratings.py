"""The view `standings` agrees with the command (database.md, record_rating)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from bowerbird.harness.cli.commands.import_ import command as import_command
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import Leaderboard, overview
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import RecordRating
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.record_ratings import record_ratings, store_record_ratings
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament
from tests.support.paths import ROOT
from tests.support.records.archives import exported
from tests.support.records.played_games import SEED, deal_set, header
from tests.support.records.stored_runs import store_run
from tests.support.tournament.bot_folders import Yard

Row = tuple[object, ...]


def view(path: Path, *columns: str) -> list[Row]:
    """Return columns of the view by scope and bot."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {', '.join(columns)} FROM standings ORDER BY scope, bot").fetchall()


def shown(board: Leaderboard, scope: str) -> list[tuple[str, str, int, float, float, float]]:
    """Return what a table of standings shows: scope, bot, rank, Elo and the ends of its interval."""
    return [
        (scope, line.bot, line.rank or 1, line.rating.value, *line.rating.interval())
        for line in board.rating_list.lines
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a complete run of two variants."""
    path = tmp_path / "x.db"
    store_run(path, sets=range(6), variants=("euchre", "two-handed"))
    return path


@pytest.fixture
def run(path: Path) -> str:
    with Store.open(path) as store:
        return store.run().fingerprint


def rated(path: Path, run: str) -> bool:
    with Store.open(path) as store:
        return store_record_ratings(store[run])


def test_the_view_has_the_numbers_of_the_command(path: Path, run: str) -> None:
    assert rated(path, run)
    with Store.open(path) as store:
        found = overview([store.run(run)])
    expected = shown(found.overall, "")
    for board in found.variants:
        expected += shown(board, board.variant)
    assert len(expected) == 6, "two bots in two variants, and over both"
    rows = view(path, "scope", "bot", "rank", "elo", "elo_low", "elo_high")
    assert [row[:3] for row in rows] == [row[:3] for row in sorted(expected)]
    for row, line in zip(rows, sorted(expected), strict=True):
        assert row[3:] == pytest.approx(line[3:])


def add_set(path: Path, *, end: bool) -> None:
    """Continue the run by one deal set."""
    key, games = deal_set("euchre", 77, header(), options={"max_hands": 3})
    with Store.open(path) as store, store.begin(header(), SEED) as writer:
        results = [*store[writer.fingerprint].results(), *map(result_of_record, games)]
        assert writer.save_set(key, games, digest_of(results))
        if end:
            writer.end()


def test_ratings_of_other_games_than_the_stored_ones_are_not_shown(path: Path, run: str) -> None:
    assert rated(path, run)
    add_set(path, end=False)
    nothing = [(None, None, None, None)] * 6
    assert view(path, "rank", "elo", "elo_low", "elo_high") == nothing
    with Store.open(path) as store:
        assert store[run].record_ratings() == ()
    assert not rated(path, run), "the run is not complete"
    add_end(path)
    assert view(path, "rank", "elo", "elo_low", "elo_high") == nothing
    assert rated(path, run)
    assert all(elo is not None for (elo,) in view(path, "elo"))


def add_end(path: Path) -> None:
    with Store.open(path) as store, store.begin(header(), SEED) as writer:
        writer.end()


def test_ratings_are_fitted_once_for_the_same_games(path: Path, run: str) -> None:
    assert rated(path, run)
    assert not rated(path, run)


def test_ratings_of_games_that_were_replaced_meanwhile_are_not_stored(path: Path, run: str) -> None:
    """Another process continues the run while its ratings are fitted."""
    with Store.open(path) as store:
        digest = store[run].results_digest()
        ratings = [RecordRating("", bot, 1, 0.0, 1.0, -2.0, 2.0, None, None, None, "") for bot in ("ann", "bob")]
        add_set(path, end=True)
        assert not store[run].save_record_ratings(ratings, digest)
        assert store[run].record_ratings() == ()
        assert store[run].save_record_ratings(ratings, store[run].results_digest())
        assert store[run].record_ratings() == tuple(ratings)


def test_an_open_end_of_an_interval_is_null(path: Path, run: str) -> None:
    """A bot that has lost everything has no lower end; SQL has no infinity."""
    with Store.open(path) as store:
        results = [
            replace(game, ranks=tuple(1 if bot == "ann" else 2 for bot in game.bots), offenders=())
            for game in store[run].results()
        ]
        [ann, bob] = [row for row in record_ratings(results, store.run(run).row.config) if row.scope == "euchre"]
    assert (ann.bot, bob.bot, bob.low) == ("ann", "bob", None)
    assert bob.high is not None
    assert bob.elo < bob.high < ann.elo


def test_a_run_whose_bots_never_met_has_no_rating(tmp_path: Path) -> None:
    """Each bot of two pairs is rated against nobody of the other pair."""
    path, run = tmp_path / "x.db", header("apart", bots=("ann", "bob", "cy", "dan"))
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        results = []
        for number, bots in enumerate((("ann", "bob"), ("cy", "dan"))):
            key, games = deal_set("euchre", number, run, bots=bots, options={"max_hands": 3})
            results += [result_of_record(game) for game in games]
            writer.save_set(key, games, digest_of(results))
        writer.end()
    assert not rated(path, run.fingerprint)
    assert view(path, "elo") == [(None,)] * 8


def test_an_import_rates_the_run_that_it_completes(path: Path, run: str, tmp_path: Path) -> None:
    rated(path, run)
    there = tmp_path / "there.db"
    archive = exported(path, run)
    result = CliRunner().invoke(import_command, [str(archive), "--db", str(there), "--quiet"])
    assert result.exit_code == 0, result.output
    columns = ("scope", "bot", "rank", "elo", "elo_low", "elo_high")
    assert view(there, *columns) == view(path, *columns)


def test_a_variant_with_two_sets_of_options_has_a_rating_of_each(tmp_path: Path) -> None:
    """They are never fitted together: the variant's name is for the one with more deal sets."""
    config = (
        '[tournament]\n[[variant]]\nname = "euchre"\noptions = { target = 5 }\n'
        '[[variant]]\nname = "euchre"\noptions = { target = 10 }\n'
    )
    run = replace(header(), config=config)
    path = tmp_path / "x.db"
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        results = []
        for entry, sets in (("euchre-0", 3), ("euchre-1", 5)):
            for number in range(sets):
                key, games = deal_set("euchre", number, run, options={"target": 5 if entry == "euchre-0" else 10})
                named = tuple(replace(game, id=game.id.replace("euchre-0", entry)) for game in games)
                results += [result_of_record(game) for game in named]
                writer.save_set(replace(key, entry=entry), named, digest_of(results))
        writer.end()
    assert rated(path, run.fingerprint)
    with Store.open(path) as store:
        found = overview([store.run(run.fingerprint)])
        rows = store[run.fingerprint].record_ratings()
    expected = [*shown(found.overall, ""), *shown(found.variants[0], "euchre")]
    expected += shown(found.apart[0], "euchre with target = 5")
    assert sorted((row.scope, row.bot, row.rank, row.elo) for row in rows) == sorted(line[:4] for line in expected)


TWINS = f"""
[tournament]
sets = 2
seed = "leaves"
[[variant]]
name = "two-handed"
[[bot]]
path = "{ROOT}/bots/random"
[[bot]]
path = "{ROOT}/bots/random"
name = "twin"
"""


@pytest.mark.usefixtures("processes")
def test_a_run_is_rated_when_it_ends_and_a_complete_one_when_it_is_resumed(yard: Yard, tmp_path: Path) -> None:
    plan, path = make_plan(load_tournament(yard.write("autumn.toml", TWINS))), tmp_path / "one.db"

    def play() -> tuple[RecordRating, ...]:
        with Store.create(path) as store:
            play_tournament(plan, store, lambda event: None, RunOptions())
            return store[plan.header.fingerprint].record_ratings()

    rated_then = play()
    assert [(row.scope, row.bot) for row in rated_then if row.scope] == [
        ("two-handed", row.bot) for row in rated_then if not row.scope
    ]
    assert {row.bot for row in rated_then} == {"random", "twin"}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM record_rating")  # as in a database of an earlier version
    assert play() == rated_then


@pytest.mark.usefixtures("processes")
def test_a_run_that_is_not_to_be_rated_gets_no_ratings(yard: Yard, tmp_path: Path) -> None:
    """Such as a person's game (tournament-file.md, rated). Neither its end nor a later reading of it makes any."""
    text = TWINS.replace("sets = 2", 'sets = 1\nlineup = "fixed"\nrated = false')
    plan, path = make_plan(load_tournament(yard.write("autumn.toml", text))), tmp_path / "one.db"
    with Store.create(path) as store:
        play_tournament(plan, store, lambda event: None, RunOptions())
        run = store.run()
        assert (run.row.is_rated, run.row.ended is not None) == (False, True)
        assert [result.id.rotation for result in run.results()] == [0], "one game, in one rotation"
        assert run.record_ratings() == ()
        assert not store_record_ratings(store[run.fingerprint])
