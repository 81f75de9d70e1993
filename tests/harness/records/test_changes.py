"""A stored run gets another name, or is deleted: all of it and nothing else (database.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import open_archive, write_archive
from bowerbird.harness.records.archive.merge import merge_run, verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store import access
from bowerbird.harness.records.store.changes import delete_run, rename_run, vacuum
from bowerbird.harness.records.store.database import connect
from bowerbird.harness.records.store.sidecar import RunLock, SeedFile, logs_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import run_fingerprint
from bowerbird.harness.records.verify.verification import verify_run
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.records.played_games import SEED, database, header
from tests.support.records.stored_runs import store_run

KILLED = """
import os, signal, sys
from pathlib import Path
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store import access
from bowerbird.harness.records.store.changes import delete_run

path, run, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
begun = []

def count(statement):
    begun.append(statement)
    if len(begun) == number:
        os.kill(os.getpid(), signal.SIGKILL)

open_database = database.connect

def connect(path):
    connection = open_database(path)
    connection.set_trace_callback(count)
    return connection

database.connect = connect
delete_run(path, run)
print(len(begun))
"""
"""A process that deletes a run, and kills itself before SQLite runs the statement with this number."""


def content(path: Path, run: str) -> dict[str, int]:
    """Return the number of rows of a run by table."""
    games = "game IN (SELECT id FROM game WHERE run = :run)"
    conditions = {"run": "fingerprint = :run", "fault": games, "story": games, "note": games}
    connection = connect(path)
    try:
        tables = ("run", "bot", "job", "game", "seat", "fault", "story", "note", "incident")
        counted = (
            (table, f"SELECT COUNT(*) FROM {table} WHERE {conditions.get(table, 'run = :run')}") for table in tables
        )
        return {table: connection.execute(sql, {"run": run}).fetchone()[0] for table, sql in counted}
    finally:
        connection.close()


def two_runs(folder: Path) -> tuple[Path, str, str]:
    """Store two runs with faults and logs; the first is unfinished. Return the database and the runs."""
    path = database(folder)
    runs = [
        store_run(path, sets=range(3), variants=("euchre",), name=name, end=name == "winter", faulty={1}, noted={1})
        for name in ("autumn", "winter")
    ]
    for run in runs:
        logs_of(path, run).mkdir(parents=True)
        (logs_of(path, run) / "ann.log").write_text("a log\n")
    return path, runs[0], runs[1]


def test_a_run_is_deleted_with_all_its_rows_and_files_and_the_others_stay(tmp_path: Path) -> None:
    path, autumn, winter = two_runs(tmp_path)
    before = content(path, winter)
    assert all(content(path, autumn)[table] for table in ("game", "seat", "fault", "story", "note", "job", "bot"))
    deleted = delete_run(path, autumn)
    assert deleted.stored
    assert deleted.free_bytes > 0
    assert deleted.logs == logs_of(path, autumn)
    assert not any(content(path, autumn).values())
    assert not logs_of(path, autumn).exists()
    assert not SeedFile(path, autumn).path.exists()
    assert content(path, winter) == before
    assert (logs_of(path, winter) / "ann.log").exists()
    with Store.open(path) as store:
        assert verify_run(store[winter], digest_of) == []
        assert store.damage() == []
    assert not list(path.parent.glob("*.lock"))
    with pytest.raises(StoreError, match="no longer recorded here"):
        delete_run(path, autumn)


def killed_at(path: Path, run: str, statement: int) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(path), run, str(statement)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=DEADLINE_S,
    )


@pytest.mark.usefixtures("processes")
def test_kill_9_of_a_deletion_leaves_the_run_whole_or_gone(tmp_path: Path) -> None:
    """Killed at each of its statements in turn, until it reaches its end."""
    path, autumn, winter = two_runs(tmp_path)
    whole, other = content(path, autumn), content(path, winter)
    for statement in range(1, 40):
        done = killed_at(path, autumn, statement)
        assert content(path, winter) == other
        with Store.open(path) as store:
            assert store.damage() == []
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        if any(content(path, autumn).values()):
            assert content(path, autumn) == whole
            assert logs_of(path, autumn).exists(), "logs may go only after the run"
            with Store.open(path) as store:
                assert store[autumn].secret_seed() == SEED, "the run can still be resumed"
        else:
            assert not delete_run(path, autumn).stored, "a second call removes the files that are left"
            break
    assert not any(content(path, autumn).values())
    assert not logs_of(path, autumn).exists()
    assert not SeedFile(path, autumn).path.exists()


def test_a_run_that_is_being_played_is_not_deleted(tmp_path: Path) -> None:
    path, autumn, _ = two_runs(tmp_path)
    before = content(path, autumn)
    with (
        Store.open(path) as store,
        store.begin(header("autumn"), SEED),
        pytest.raises(StoreError, match=f"pid {os.getpid()}"),
    ):
        delete_run(path, autumn)
    assert content(path, autumn) == before


def test_logs_stay_for_another_database_in_the_folder_that_holds_the_run(tmp_path: Path) -> None:
    path, autumn, _ = two_runs(tmp_path)
    copy = path.with_name("copy.db")
    assert store_run(copy, variants=("euchre",)) == autumn
    deleted = delete_run(path, autumn)
    assert (deleted.logs, deleted.kept_for) == (None, copy)
    assert logs_of(path, autumn).exists()
    assert delete_run(copy, autumn).logs == logs_of(path, autumn)


@pytest.mark.parametrize("has_unreadable_log", [False, True])
def test_another_database_that_may_only_be_read_does_not_stop_a_deletion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_unreadable_log: bool
) -> None:
    """The run is gone by then: an error would leave its logs, and say that nothing had happened."""
    path, autumn, winter = two_runs(tmp_path)
    copy = path.with_name("copy.db")
    store_run(copy, variants=("euchre",))
    if has_unreadable_log:
        access.log_of(copy).write_bytes(b"a log without its index")
    monkeypatch.setattr(access, "may_write", lambda file: file != copy)
    assert delete_run(path, autumn).kept_for == copy
    kept = copy if has_unreadable_log else None
    assert delete_run(path, winter).kept_for == kept, "a database that cannot be read may hold the run"
    assert logs_of(path, winter).exists() == has_unreadable_log


def test_a_folder_of_logs_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    path, autumn, winter = two_runs(tmp_path)
    logs = logs_of(path, autumn)
    for file in logs.iterdir():
        file.unlink()
    logs.rmdir()
    logs.symlink_to(logs_of(path, winter))
    delete_run(path, autumn)
    assert (logs_of(path, winter) / "ann.log").exists()


PAGE = 4096
"""Bytes by which a rewritten table may be larger, where its pages are filled otherwise."""


def test_vacuum_gives_the_space_of_a_deleted_run_back(tmp_path: Path) -> None:
    path, autumn, winter = two_runs(tmp_path)
    free = delete_run(path, autumn).free_bytes
    before = path.stat().st_size
    assert vacuum(path) == path.stat().st_size <= before - free + PAGE
    with Store.open(path) as store:
        assert verify_run(store[winter], digest_of) == []


def test_a_renamed_run_keeps_its_id_and_verifies(tmp_path: Path) -> None:
    path, autumn, winter = two_runs(tmp_path)
    rename_run(path, winter, "league")
    with Store.open(path) as store:
        run = store.run("league")
        assert (run.fingerprint, run.row.name, run.row.original_name) == (winter, "league", "winter")
        assert run.fingerprint == run_fingerprint(run.row.original_name, run.row.commitment)
        assert store.run(autumn).row.name == "autumn"
        assert verify_run(store[winter], digest_of) == []
        with pytest.raises(StoreError, match="no run 'winter'"):
            store.run("winter")
        with store.begin(header("winter"), SEED):
            assert store.run(winter).row.name == "league", "a resumed run keeps its new name"
    rename_run(path, winter, "winter")
    with Store.open(path) as store:
        assert store.run("winter").row.name == store.run("winter").row.original_name


def test_an_archive_of_a_renamed_run_has_its_new_name(tmp_path: Path) -> None:
    path, _, winter = two_runs(tmp_path)
    rename_run(path, winter, "league")
    archive = tmp_path / "league.tar.gz"
    with Store.open(path) as store:
        write_archive(store[winter], archive)
    assert verify_archive(archive, digest_of).differences == []
    with Store.create(tmp_path / "other" / "x.db") as other, open_archive(archive) as opened:
        merge_run(other, opened, digest_of)
        assert other.run("league").fingerprint == winter
        again = tmp_path / "again.tar.gz"
        write_archive(other[winter], again)
    assert again.read_bytes() == archive.read_bytes()


def test_an_id_means_its_run_even_if_another_run_has_it_as_its_name(tmp_path: Path) -> None:
    path, autumn, winter = two_runs(tmp_path)
    rename_run(path, winter, autumn)
    with Store.open(path) as store:
        assert store.run(autumn).fingerprint == autumn


@pytest.mark.parametrize("hostile", ["..", "../..", "", "4f1c9a00b", "4f1c9a00b/", "4F1C9A00BD"])
def test_an_id_that_bowerbird_does_not_form_names_no_files(tmp_path: Path, hostile: str) -> None:
    """A stranger's database may hold any id: "logs/.." must not be removed as the logs of a run."""
    for name_of in (logs_of, SeedFile, RunLock):
        with pytest.raises(StoreError, match="is not the id of a run"):
            name_of(tmp_path / "x.db", hostile)
    assert not list(tmp_path.iterdir())


def test_a_link_to_a_database_has_the_lock_of_the_database(tmp_path: Path) -> None:
    path = tmp_path / "real" / "x.db"
    path.parent.mkdir()
    run = store_run(path)
    (tmp_path / "link.db").symlink_to(path)
    with Store.open(tmp_path / "link.db") as store:
        assert store.path == path
    with RunLock(path, run), pytest.raises(StoreError, match="is being played by another process"):
        delete_run(tmp_path / "link.db", run)


def test_a_pipe_is_no_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.db")
    for open_it in (Store.open, Store.create):
        with pytest.raises(StoreError, match="is not a file, so it is not a database"):
            open_it(tmp_path / "x.db")
