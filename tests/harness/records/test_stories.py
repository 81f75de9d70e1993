"""Stories are kept beside the records: stored with their set, read with their faults, added to older databases."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.faults import LAST_LINES, NO_LOG, FaultStory, last_lines
from bowerbird.harness.records.values.game_record import FaultRecord
from bowerbird.harness.records.values.run import GameId, ResultsDigest
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, database, deal_set, faulty_set, header
from tests.support.records.stored_runs import FIRST_VERSION

NO_RATINGS = ResultsDigest("", 0)
FAULT = FaultRecord(hand=0, action=3, seat=1, kind="CRASHED", limit_ms=6020, elapsed_ms=12, detail="exit status 3")


def story(folder: Path, game: str, seat: int = 1) -> FaultStory:
    return FaultStory(
        game, seat, "bob", ("pass", "order"), "exit status 3", "Traceback:\n\x00\n", str(folder / "b.log")
    )


def save(path: Path, tell: bool) -> str:
    """Write a database with one set whose first game has a fault; return the game's id."""
    key, (game, *others) = deal_set("euchre", 0, header())
    faulty = dataclasses.replace(game, faults=(FAULT,))
    with Store.create(path) as store, store.begin(header(), SEED) as writer:
        stories = [story(path.parent / "logs" / "r", game.id)] if tell else []
        assert writer.save_set(key, (faulty, *others), NO_RATINGS, stories)
    return game.id


def test_a_fault_is_read_with_its_story(tmp_path: Path) -> None:
    game = save(database(tmp_path), tell=True)
    with Store.open(database(tmp_path)) as store:
        [fault] = store[header().fingerprint].faults()
        assert store.faults_of(game) == [fault]
    assert (fault.kind, fault.legal, fault.how_ended) == ("CRASHED", ("pass", "order"), "exit status 3")
    assert fault.stderr == "Traceback:\n\x00\n"
    assert fault.saved


def test_a_log_is_named_where_it_is_and_else_said_not_to_be_here(tmp_path: Path) -> None:
    game = save(database(tmp_path), tell=True)
    log = database(tmp_path).parent / "logs" / "r" / "b.log"
    log.parent.mkdir(parents=True)
    with Store.open(database(tmp_path)) as store:
        assert [(fault.log, fault.no_log) for fault in store.faults_of(game)] == [("", NO_LOG)]
        log.touch()
        [fault] = store.faults_of(game)
    assert (fault.log, fault.no_log) == ("logs/r/b.log", ""), "relative to the database, so that both can be moved"


@pytest.mark.parametrize("legal", ["x", "null", "7"])
def test_a_story_that_another_program_wrote_is_refused_in_one_sentence(tmp_path: Path, legal: str) -> None:
    game = save(database(tmp_path), tell=True)
    with closing(sqlite3.connect(database(tmp_path))) as connection, connection:
        connection.execute("UPDATE story SET legal = ?", [legal])
    with (
        Store.open(database(tmp_path)) as store,
        pytest.raises(StoreError, match="in the database is not a list in JSON"),
    ):
        store.stories(game)


def test_faults_are_in_the_order_of_the_schedule_in_every_database(tmp_path: Path) -> None:
    """Neither the order of storage nor the alphabet of the games' ids matters."""
    numbers, found = (2, 10, 0, 64, 1), []
    for name, order in (("one.db", numbers), ("other.db", sorted(numbers))):
        with Store.create(tmp_path / name) as store, store.begin(header(), SEED) as writer:
            for number in order:
                key, games, stories = faulty_set("euchre", number, header(), options={"max_hands": 1})
                writer.save_set(key, games, NO_RATINGS, stories)
            found.append([GameId.parse(fault.game) for fault in store[header().fingerprint].faults()])
    assert found[0] == found[1]
    assert [game.set_number for game in found[0][::2]] == sorted(numbers)


def test_the_last_lines_of_stderr_are_those_in_which_something_can_be_seen() -> None:
    lines = [f"  line {number}" for number in range(LAST_LINES)]
    assert last_lines("\n".join(["before", *lines, " ", "\x1b\x07", ""])) == lines


def test_a_fault_may_be_without_a_story(tmp_path: Path) -> None:
    save(database(tmp_path), tell=False)
    with Store.open(database(tmp_path)) as store:
        [fault] = store[header().fingerprint].faults()
    assert (fault.kind, fault.legal, fault.how_ended, fault.stderr, fault.log) == ("CRASHED", (), "", "", "")


def test_a_story_of_no_fault_is_refused_and_nothing_is_stored(tmp_path: Path) -> None:
    key, games = deal_set("euchre", 0, header())
    with Store.create(database(tmp_path)) as store, store.begin(header(), SEED) as writer:
        with pytest.raises(ValueError, match="no such fault"):
            writer.save_set(key, games, NO_RATINGS, [story(tmp_path, games[0].id)])
        assert every_game(store) == []


def test_a_database_of_the_first_version_gets_the_schema_of_a_new_one(tmp_path: Path) -> None:
    """Its views are the present ones, and no former view is left."""
    old, new = database(tmp_path / "old"), database(tmp_path / "new")
    for path in (old, new):
        Store.create(path).close()
    with sqlite3.connect(old) as connection:
        connection.executescript(FIRST_VERSION)
        connection.executescript("CREATE VIEW runs AS SELECT 1; CREATE VIEW formerly AS SELECT 1")
    connection.close()
    Store.open(old).close()
    assert schema_of(old) == schema_of(new)


def schema_of(path: Path) -> dict[str, set[str]]:
    """Return the columns with their types, by table or view."""
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
