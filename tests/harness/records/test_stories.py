"""Stories are kept beside the records: stored with their set, read with their faults, added to older databases."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest
from played_games import SEED, database, deal_set, header
from stored_runs import FIRST_VERSION

from harness.records.record import FaultRecord
from harness.records.run import RatingTable
from harness.records.schema import VERSION
from harness.records.store import Store
from harness.records.story import FaultStory

NO_RATINGS = RatingTable("", 0, ())
FAULT = FaultRecord(hand=0, action=3, seat=1, kind="CRASHED", limit_ms=6020, elapsed_ms=12, detail="exit status 3")


def story(folder: Path, game: str, seat: int = 1) -> FaultStory:
    return FaultStory(
        game, seat, "bob", ("pass", "order"), "exit status 3", "Traceback:\n\x00\n", str(folder / "b.log")
    )


def save(path: Path, tell: bool) -> str:
    """A database with one set, whose first game has a fault; the game's id."""
    key, (game, *others) = deal_set("euchre", 0, header())
    faulty = dataclasses.replace(game, faults=(FAULT,))
    with Store.create(path) as store, store.begin(header(), SEED) as writer:
        stories = [story(path.parent / "logs" / "r", game.id)] if tell else []
        assert writer.save_set(key, (faulty, *others), NO_RATINGS, stories)
    return game.id


def test_a_fault_is_read_with_its_story(tmp_path: Path) -> None:
    game = save(database(tmp_path), tell=True)
    with Store.open(database(tmp_path)) as store:
        [fault] = store.faults(header().fingerprint)
        assert store.faults_of(game) == [fault]
    assert (fault.kind, fault.legal, fault.how_ended) == ("CRASHED", ("pass", "order"), "exit status 3")
    assert fault.stderr == "Traceback:\n\x00\n"
    assert fault.log == "logs/r/b.log", "relative to the database, so that the folder can be moved"
    assert fault.saved


def test_a_fault_may_be_without_a_story(tmp_path: Path) -> None:
    save(database(tmp_path), tell=False)
    with Store.open(database(tmp_path)) as store:
        [fault] = store.faults(header().fingerprint)
    assert (fault.kind, fault.legal, fault.how_ended, fault.stderr, fault.log) == ("CRASHED", (), "", "", "")


def test_a_story_of_no_fault_is_refused_and_nothing_is_stored(tmp_path: Path) -> None:
    key, games = deal_set("euchre", 0, header())
    with Store.create(database(tmp_path)) as store, store.begin(header(), SEED) as writer:
        with pytest.raises(ValueError, match="no such fault"):
            writer.save_set(key, games, NO_RATINGS, [story(tmp_path, games[0].id)])
        assert store.games() == []


def test_a_database_of_the_first_version_gets_the_schema_of_a_new_one(tmp_path: Path) -> None:
    """With views that are as they are now, and none that there was once."""
    old, new = database(tmp_path / "old"), database(tmp_path / "new")
    for path in (old, new):
        Store.create(path).close()
    with sqlite3.connect(old) as connection:
        connection.executescript(FIRST_VERSION)
        connection.executescript("DROP VIEW runs; CREATE VIEW runs AS SELECT 1; CREATE VIEW formerly AS SELECT 1")
    connection.close()
    Store.open(old).close()
    assert schema_of(old) == schema_of(new)


def schema_of(path: Path) -> dict[str, set[str]]:
    """By table or view, its columns with their types."""
    with sqlite3.connect(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type <> 'index'")]
        found = {
            name: {f"{row[1]} {row[2]}" for row in connection.execute(f"PRAGMA table_info({name})")} for name in names
        }
    connection.close()
    return found


def test_a_database_of_the_first_version_gets_the_table_and_keeps_its_records(tmp_path: Path) -> None:
    path = database(tmp_path)
    game = save(path, tell=True)
    with sqlite3.connect(path) as connection:
        connection.executescript(FIRST_VERSION)
    connection.close()
    with Store.open(path) as store:
        [fault] = store.faults_of(game)
        assert (fault.kind, fault.how_ended) == ("CRASHED", "")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()
