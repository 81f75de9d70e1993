"""Databases that earlier versions wrote are migrated after a backup (database.md, What you may rely on)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.records.errors import StoreError
from harness.records.signatures.key_files import KeyFiles
from harness.records.signatures.vouching import Vouchers
from harness.records.store import database
from harness.records.store.database import backup_of
from harness.records.store.file_header import APPLICATION_ID
from harness.records.store.schema import VERSION
from harness.records.store.store import Store
from tests.support.paths import ROOT
from tests.support.records.archives import differences
from tests.support.records.stored_runs import SEVENTH_VERSION, store_run

OLD = {6: (ROOT / "tests" / "fixtures" / "databases" / "version-6.sql").read_text(encoding="utf-8")}
"""By store version, the dump of a database that the last Bowerbird with this version wrote."""


@pytest.fixture(params=sorted(OLD))
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def path(tmp_path: Path, version: int) -> Path:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(OLD[version])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def number_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_an_old_database_is_migrated_and_its_run_is_sound(path: Path) -> None:
    with Store.open(path) as store:
        run = store.run()
        assert run.games
        assert run.stopped == ""
        assert (store.placements(run.fingerprint), store.matches(run.fingerprint)) == ([], [])
        assert store.record_ratings(run.fingerprint) == ()
        assert {line.bot for line in store.standings(run.fingerprint)} == {"ann", "bob"}
    assert number_of(path) == VERSION
    assert differences(path, run.fingerprint) == []


@pytest.mark.parametrize(("played_ms", "trusted"), [(0, False), (5, True)])
def test_a_run_that_may_have_been_imported_is_trusted_no_more(tmp_path: Path, played_ms: int, trusted: bool) -> None:
    """Only imports, and the first two versions, stored no playing time; version 7 did not know who signed."""
    path = tmp_path / "seven.db"
    run = store_run(path, variants=("euchre",))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE job SET played_ms = ?", [played_ms])
        connection.executescript(SEVENTH_VERSION)
    with Store.open(path) as store:
        assert Vouchers(store, KeyFiles(tmp_path / "keys")).of_run(run).trusted is trusted
    assert differences(path, run) == []


def test_the_backup_is_the_database_as_it_was(path: Path, version: int) -> None:
    path.chmod(0o640)
    before = dump(path)
    Store.open(path).close()
    backup = backup_of(path, version)
    assert sorted(each.name for each in path.parent.iterdir()) == ["old.db", f"old.db-v{version}.backup"]
    assert dump(backup) == before
    assert number_of(backup) == version
    assert backup.stat().st_mode & 0o777 == 0o640
    saved = backup.read_bytes()
    Store.open(path).close()
    assert backup.read_bytes() == saved, "a database of this version is not copied"


def test_what_is_only_in_the_log_is_in_the_backup(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as writing:
        writing.execute("UPDATE run SET label = 'in the log'")
        writing.commit()
        Store.open(path).close()
    with closing(sqlite3.connect(backup_of(path, version))) as connection:
        assert connection.execute("SELECT label FROM run").fetchone() == ("in the log",)


def test_without_a_backup_nothing_is_migrated(path: Path, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full."""

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    before = dump(path)
    monkeypatch.setattr(database, "sync_folder", full)
    with pytest.raises(StoreError, match="No space left on device while bringing the database to this version"):
        Store.open(path)
    assert number_of(path) == version
    assert dump(path) == before


def test_a_backup_has_the_newest_state_of_its_version(path: Path, version: int) -> None:
    """Somebody went back to the backup, played on with the older version, and comes again."""
    Store.open(path).close()
    path.write_bytes(backup_of(path, version).read_bytes())
    with closing(sqlite3.connect(path)) as writing:
        writing.execute("UPDATE run SET label = 'played on'")
        writing.commit()
    before = dump(path)
    Store.open(path).close()
    assert dump(backup_of(path, version)) == before
