"""The store's file: ours or refused, whole or not at all, readable everywhere (database.md)."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.store.file_header import APPLICATION_ID
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import ResultsDigest, SetKey
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, database, deal_set, header
from tests.support.records.stored_runs import FIRST_VERSION

NO_RATINGS = ResultsDigest("", 0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(database(tmp_path))


def stored(store: Store) -> tuple[SetKey, tuple[GameRecord, ...]]:
    key, games = deal_set("euchre", 0, header())
    with store.begin(header(), SEED) as writer:
        assert writer.save_set(key, games, NO_RATINGS)
    return key, games


def test_a_new_database_is_marked_as_ours_and_in_wal_mode(store: Store) -> None:
    connection = sqlite3.connect(store.path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.runs() == []
    assert sorted(path.name for path in store.path.parent.iterdir() if "-" not in path.name) == ["bowerbird.db"]


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


def newer_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.execute("CREATE TABLE run (x)")
    connection.close()


def no_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE run (x)")
    connection.close()


def text_file(path: Path) -> None:
    path.write_text("dear diary\n" * 100)


def short_file(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


@pytest.mark.parametrize("make", [foreign_database, newer_database, no_version, text_file, short_file])
@pytest.mark.parametrize("opener", [Store.open, Store.create])
def test_a_foreign_or_newer_file_is_refused_and_untouched(
    tmp_path: Path, make: Callable[[Path], None], opener: Callable[[Path], Store]
) -> None:
    path = tmp_path / "other.db"
    make(path)
    before, folder = path.read_bytes(), sorted(os.listdir(tmp_path))
    with pytest.raises(StoreError, match="left untouched") as refusal:
        opener(path)
    assert str(path) in str(refusal.value)
    assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == folder, "nothing may appear beside a file that is refused"


@pytest.mark.parametrize("opener", [Store.open, Store.create])
def test_a_database_beside_a_journal_is_refused_and_untouched(store: Store, opener: Callable[[Path], Store]) -> None:
    """SQLite would write the pages of a journal into the database."""
    path = store.path.with_name("theirs.db")
    path.write_bytes(store.path.read_bytes())
    path.with_name("theirs.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(1000))
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"a file beside it, theirs.db-journal, would change it"):
        opener(path)
    assert path.read_bytes() == before


def test_what_a_newer_version_has_only_in_its_log_is_refused_and_untouched(store: Store) -> None:
    """A migration that is committed to the log but not yet written to the file itself."""
    store.path.with_name("old.db").write_bytes(store.path.read_bytes())
    old = store.path.with_name("old.db")
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(FIRST_VERSION)
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        with pytest.raises(StoreError, match="newer Bowerbird"):
            Store.open(old)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)


def test_a_database_on_a_medium_that_is_read_only_can_be_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite would write beside the file, although all data are in it."""
    key, games = stored(store)
    store.close()
    before = sorted(os.listdir(store.path.parent))
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_flag=os.ST_RDONLY))
    with Store.open(store.path) as reader:
        assert reader[header().fingerprint].set_records(key) == games
        assert sorted(os.listdir(store.path.parent)) == before, "nothing may be made beside it"


@pytest.mark.parametrize(
    ("name", "writable", "said"),
    [
        ("SQLITE_CANTOPEN", False, "SQLite's words ({folder} cannot be written to, "),
        ("SQLITE_READONLY_DIRECTORY", False, "SQLite's words ({folder} cannot be written to, "),
        ("SQLITE_CANTOPEN", True, "SQLite's words while reading"),
        ("SQLITE_IOERR_SHMSIZE", True, "SQLite's words (there is no room left in {folder}, "),
    ],
)
def test_what_sqlite_leaves_out_is_said_where_the_folder_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, writable: bool, said: str
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: writable)
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_bavail=0, f_frsize=4096))
    error = sqlite3.OperationalError("SQLite's words")
    error.sqlite_errorname = name
    with pytest.raises(StoreError) as refusal, sqlite_errors(tmp_path / "x.db", "reading"):
        raise error
    assert said.format(folder=tmp_path) in str(refusal.value)


def test_a_missing_database_is_not_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        Store.open(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        Store.create(tmp_path)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with Store.create(path) as store:
        assert store.runs() == []


def test_a_path_with_signs_of_an_address_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "50%25 a?b#c.db"
    Store.create(path).close()
    with Store.open(path) as store:
        assert store.runs() == []
    assert path.exists()


def test_a_damaged_page_is_said_and_not_hidden(tmp_path: Path) -> None:
    path = database(tmp_path)
    with Store.create(path) as store:
        stored(store)
    blob = bytearray(path.read_bytes())
    blob[4096:] = os.urandom(len(blob) - 4096)
    path.write_bytes(blob)
    with pytest.raises(StoreError, match="untouched"), Store.open(path) as broken:
        every_game(broken)
