"""Another user's database can be read where it is readable; elsewhere the sentence says what to do (database.md).

The other user is root, and the reader a real process of an ordinary user.
"""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store import access
from bowerbird.harness.records.store.changes import rename_run
from bowerbird.harness.records.store.database import connect
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.sidecar import RunLock
from bowerbird.harness.records.store.store import Store
from tests.support.command.ordinary_command import can_run_as_another, ordinary_command
from tests.support.deadline import DEADLINE_S
from tests.support.records.archives import exported, imported
from tests.support.records.stored_runs import FIRST_VERSION, SIXTH_VERSION, store_run

needs_two_users = pytest.mark.skipif(
    not can_run_as_another(), reason="needs root, setpriv and an interpreter that another user can run"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder of root that everybody may look into; pytest's own folders are closed to others."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def database(folder: Path) -> Path:
    """Return a database of root, readable for everybody, with one complete run."""
    path = folder / "x.db"
    store_run(path, variants=("euchre",))
    path.chmod(0o644)
    return path


def whole_run(path: Path) -> str:
    """Return the fingerprint of the only run of a database."""
    with Store.open(path) as store:
        return store.run().fingerprint


def nobody(*arguments: str | Path, cwd: str | Path = "/") -> subprocess.CompletedProcess[str]:
    """Run the command as an ordinary user; accept any exit code."""
    return subprocess.run(
        [*ordinary_command(), *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )


def name_read(path: Path) -> str:
    """Return the name of the only run of a database, as an ordinary user reads it."""
    finished = nobody("runs", "--db", path, "--json")
    assert finished.returncode == 0, finished.stderr
    [run] = json.loads(finished.stdout)
    return str(run["name"])


def refused(*arguments: str | Path) -> str:
    """Return the sentence with which a command of an ordinary user is refused."""
    finished = nobody(*arguments)
    assert finished.returncode == 2, finished.stdout + finished.stderr
    [sentence] = finished.stderr.splitlines()
    return sentence


RENAME_AND_DIE = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE run SET name = 'left-over'")
connection.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""


def leave_a_log(path: Path) -> None:
    """Rename the run in a process of root that commits to the log and is killed."""
    killed = subprocess.run([sys.executable, "-c", RENAME_AND_DIE, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL


@pytest.mark.usefixtures("processes")
@needs_two_users
@pytest.mark.parametrize(
    "command",
    [
        ("runs",),
        ("standings",),
        ("matches",),
        ("verify",),
        ("replay", "GAME"),
        ("export", "GAME"),
        ("export", "RUN", "-o", "OUT/run.tar.gz"),
        ("report", "RUN", "-o", "OUT/report.html"),
    ],
    ids=" ".join,
)
def test_every_reading_command_reads_a_database_of_another_user(
    database: Path, command: tuple[str, ...], folder: Path
) -> None:
    with Store.open(database) as store:
        run = store.run().fingerprint
        game = store[run].game_ids()[0]
    out = folder / "out"
    out.mkdir()
    out.chmod(0o777)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    words = [word.replace("GAME", game).replace("RUN", run).replace("OUT", str(out)) for word in command]
    finished = nobody(*words, "--db", database)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout or list(out.iterdir())
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_what_a_live_writer_has_committed_is_read(database: Path) -> None:
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("UPDATE run SET name = 'in-the-log'")
        writer.commit()
        assert access.log_of(database).stat().st_size > 0
        assert name_read(database) == "in-the-log"
        writer.execute("UPDATE run SET name = 'later'")
        assert name_read(database) == "in-the-log", "not committed yet"
        writer.commit()
        assert name_read(database) == "later"
    assert not access.log_of(database).exists()
    assert name_read(database) == "later"


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_what_a_killed_writer_has_committed_is_read(database: Path) -> None:
    leave_a_log(database)
    assert access.log_of(database).stat().st_size > 0
    assert name_read(database) == "left-over"
    with Store.open(database) as store:  # its owner takes the log in
        assert store.run().row.name == "left-over"
    assert not access.log_of(database).exists()
    assert name_read(database) == "left-over"


@pytest.mark.usefixtures("processes")
@needs_two_users
@pytest.mark.parametrize(
    ("suffix", "mode", "reason"),
    [
        ("-wal", 0o600, "you may not read it: it belongs to root (mode 0600)"),
        ("-shm", 0o600, "x.db-shm cannot be used"),
        ("-shm", None, "x.db-shm is missing, and only a user who may write the database can create it"),
    ],
)
def test_old_data_are_not_shown_where_the_log_cannot_be_read(
    database: Path, suffix: str, mode: int | None, reason: str
) -> None:
    leave_a_log(database)
    beside = database.with_name(f"{database.name}{suffix}")
    if mode is None:
        beside.unlink()
    else:
        beside.chmod(mode)
    assert refused("runs", "--db", database) == (
        f"bowerbird: {database}: its newest data are in x.db-wal, which cannot be read ({reason}); "
        "ask root to run `bowerbird runs` on it, which merges the log"
    )


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_a_folder_that_others_may_write_gets_no_files_from_a_reader(database: Path, folder: Path) -> None:
    """Files beside a database that belong to a reader would keep its owner from writing."""
    folder.chmod(0o777)
    assert name_read(database) == "autumn"
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("UPDATE run SET name = 'live'")
        writer.commit()
        assert name_read(database) == "live"
        assert {path.stat().st_uid for path in folder.iterdir()} == {0}


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_a_file_that_may_not_be_read_names_its_owner_and_what_to_ask_for(database: Path) -> None:
    database.chmod(0o600)
    for command in ("runs", "standings", "verify"):
        assert refused(command, "--db", database) == (
            f"bowerbird: {database}: you may not read it: it belongs to root (mode 0600); ask root for permission "
            "(chmod a+r), or for a run as an archive (bowerbird export RUN -o run.tar.gz) to import"
        )


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_a_folder_that_may_not_be_entered_is_named(database: Path, folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    database.rename(inner / "x.db")
    inner.chmod(0o700)
    assert refused("runs", "--db", inner / "x.db").startswith(
        f"bowerbird: {inner}/x.db: you may not look into {inner}, which belongs to root (mode 0700); ask root "
    )


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_an_older_version_says_that_it_must_be_migrated(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(FIRST_VERSION)
    assert refused("runs", "--db", database) == (
        f"bowerbird: {database}: was written by an older Bowerbird (store version 1, this one reads {VERSION}) "
        "and must be migrated, which you may not do here; copy it and its -wal, if there is one, "
        "to a folder of your own and name the copy with --db"
    )


@pytest.mark.usefixtures("processes")
@needs_two_users
@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "sentence"),
    [
        (0o644, 0o755, "x.db: cannot be written: it belongs to root (mode 0644); name another database with --db"),
        (0o666, 0o755, "which belongs to root (mode 0755); name another database with --db"),
    ],
)
def test_a_writing_command_is_refused_in_one_sentence(
    database: Path, folder: Path, file_mode: int, folder_mode: int, sentence: str
) -> None:
    archive = exported(database, whole_run(database))
    archive.chmod(0o644)
    database.chmod(file_mode)
    folder.chmod(folder_mode)
    assert refused("import", archive, "--db", database).endswith(sentence)


@pytest.mark.usefixtures("processes")
@needs_two_users
def test_a_new_database_where_nothing_can_be_made_names_the_folder(database: Path, folder: Path) -> None:
    archive = exported(database, whole_run(database))
    archive.chmod(0o644)
    for path in (folder / "new.db", folder / "results" / "new.db"):
        sentence = refused("import", archive, "--db", path)
        assert sentence.startswith(f"bowerbird: {path}: ")
        assert sentence.endswith(
            f"you may not write to {folder}, which belongs to root (mode 0755); name another file with --db"
        )


@pytest.mark.parametrize("make", [Path.write_bytes, Path.symlink_to], ids=["file", "link to nothing"])
def test_a_new_database_below_something_else_than_a_folder_names_it(
    tmp_path: Path, make: Callable[[Path, bytes], object]
) -> None:
    make(tmp_path / "results", b"nowhere")
    for path in (tmp_path / "results" / "x.db", tmp_path / "results" / "more" / "x.db"):
        with pytest.raises(StoreError) as refusal:
            Store.create(path)
        assert str(refusal.value) == (
            f"{path}: no database can be made here: {tmp_path / 'results'} is not a folder; name another file with --db"
        )


def test_a_run_of_an_unwritable_database_is_not_locked(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "may_write", lambda _path: False)
    with pytest.raises(StoreError, match="cannot be written"):
        RunLock(database, "0123456789")
    assert [path.name for path in database.parent.iterdir()] == ["x.db"]


def test_a_file_that_changes_while_it_is_read_without_locks_is_refused(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "may_write", lambda _path: False)
    with Store.open(database) as store:
        assert store.run().row.name == "autumn"
        with closing(sqlite3.connect(database)) as writer:
            writer.execute("UPDATE run SET name = 'changed'")
            writer.commit()
            assert store.run().row.name == "autumn", "what is only in the log does not disturb a reader of the file"
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with pytest.raises(StoreError, match="was written to while it was being read; repeat the command"):
            store.run()
    with Store.open(database) as store:
        assert store.run().row.name == "changed"


def change_schema(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(sql)


TRIGGER = "CREATE TRIGGER evil AFTER INSERT ON game BEGIN UPDATE run SET name = 'mine'; END;"


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        (TRIGGER, "unknown trigger 'evil'"),
        ("DROP VIEW standings; CREATE VIEW standings AS SELECT 1;", "another view 'standings'"),
        ("CREATE TABLE notes (text TEXT);", "unknown table 'notes'"),
        ("CREATE INDEX game_by_end ON game (ended);", "unknown index 'game_by_end'"),
        ("CREATE VIEW best AS SELECT * FROM standings;", "unknown view 'best'"),
        ("DROP VIEW machines;", "no view 'machines'"),
        ("DROP INDEX seat_by_bot;", "no index 'seat_by_bot'"),
        ("ALTER TABLE cpu ADD COLUMN more TEXT DEFAULT '-- a'", "another table 'cpu'"),
        (TRIGGER.replace("evil", '"\x1b[2J\n"'), "unknown trigger '\\\\u001b[2J\\\\n'"),
        (TRIGGER.replace("evil", "e" * 200), f"unknown trigger '{'e' * 59}…'"),
        (
            "".join(f"CREATE TABLE t{n} (x);" for n in range(9)),
            "unknown table 't0', unknown table 't1', unknown table 't2', unknown table 't3', 5 more",
        ),
    ],
)
def test_another_schema_is_refused_by_name_and_left_alone(database: Path, sql: str, named: str) -> None:
    archive = exported(database, whole_run(database))
    change_schema(database, sql)
    before = database.read_bytes()
    opened: list[Callable[[], object]] = [
        lambda: Store.open(database),
        lambda: Store.create(database),
        lambda: imported(database, archive),
        lambda: connect(database),
        lambda: rename_run(database, "0123456789", "other"),
    ]
    for each in opened:
        with pytest.raises(StoreError) as refusal:
            each()
        assert str(refusal.value) == (
            f"{database}: its schema is not that of a Bowerbird database ({named}) and it was left untouched; "
            "drop what you added yourself, which belongs in a copy, and ask a stranger for the archive of a run"
        )
    assert database.read_bytes() == before


def test_a_trigger_in_an_older_database_is_refused_and_nothing_migrated(database: Path) -> None:
    change_schema(database, f"{SIXTH_VERSION}{TRIGGER}")
    before = database.read_bytes()
    with pytest.raises(StoreError, match="unknown trigger 'evil'"):
        Store.open(database)
    assert database.read_bytes() == before


def test_what_is_forged_as_a_table_of_sqlite_is_refused(database: Path) -> None:
    """SQLite reads the SQL of a row of its schema, and not the type and name beside it."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_schema VALUES ('table', 'sqlite_stat1', 'sqlite_stat1', 0, ?)", [TRIGGER.rstrip(";")]
        )
    with pytest.raises(StoreError, match=r"unknown table 'sqlite_stat1'|malformed"):
        Store.open(database)


def test_statistics_and_a_rebuilt_file_are_no_other_schema(database: Path) -> None:
    change_schema(database, "ANALYZE; VACUUM;")
    with Store.open(database) as store:
        assert store.run().row.name == "autumn"
