"""An interrupted import leaves the store as it was before (faults.md, Durability)."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run

DB = ("--db", "x.db")
MOMENTS = (0.3, 0.6, 0.0)
"""When to end an import after it took its run's lock, as fractions of a whole import on this machine."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with run.tar.gz (all variants, with stories) and x.db, which holds another run."""
    folder = tmp_path_factory.mktemp("prepared")
    run = store_run(folder / "large.db", sets=range(5), faulty=(0, 3))
    with Store.open(folder / "large.db") as store:
        write_archive(store[run], folder / "run.tar.gz")
    store_run(folder / "x.db", variants=("euchre",), faulty=(0,), name="winter")
    return folder


@pytest.fixture
def here(prepared: Path, tmp_path: Path) -> Bowerbird:
    for name in ("run.tar.gz", "x.db"):
        shutil.copyfile(prepared / name, tmp_path / name)
    return Bowerbird(tmp_path)


def told(folder: Path) -> list[object]:
    """Return everything in the database, read through the store."""
    with Store.open(folder / "x.db") as store:
        runs = store.runs()
        games = [game for run in runs for game in run.game_ids()]
        told_of = [(store.record_text(game), store.stories(game)) for game in games]
        return [[run.row for run in runs], told_of, store.damage()]


def begun(here: Bowerbird, process: subprocess.Popen[str]) -> float:
    """Wait until the import has taken its run's lock; return that moment."""
    deadline = time.monotonic() + DEADLINE_S
    while not list(here.folder.glob("x.db-*.lock")):
        assert process.poll() is None, "the import ended before it took its lock"
        assert time.monotonic() < deadline
        time.sleep(0.005)  # no event to wait for: it prints nothing until it is done
    return time.monotonic()


def whole_import(here: Bowerbird) -> tuple[float, str]:
    """Import everything; return the seconds from its lock to its end, and what it said."""
    with here.start("import", "run.tar.gz", *DB) as process:
        beginning = begun(here, process)
        out, said = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0, said
    return time.monotonic() - beginning, out


def broken_off(here: Bowerbird, number: int, after_s: float) -> subprocess.CompletedProcess[str]:
    """Send the import a signal this long after it has begun."""
    with here.start("import", "run.tar.gz", *DB) as process:
        begun(here, process)
        time.sleep(after_s)
        process.send_signal(number)
        out, said = process.communicate(timeout=DEADLINE_S)
    for lock in here.folder.glob("x.db-*.lock"):  # its process is gone, nobody holds it
        lock.unlink()
    return subprocess.CompletedProcess(process.args, process.returncode, out, said)


def put_back(prepared: Path, here: Bowerbird) -> None:
    """Restore the database as it was before any import."""
    for left in here.folder.glob("x.db*"):
        left.unlink()
    shutil.copyfile(prepared / "x.db", here.folder / "x.db")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_import_that_is_ended_has_imported_all_or_nothing(
    prepared: Path, here: Bowerbird, number: int, code: int
) -> None:
    before = told(here.folder)
    whole, done = whole_import(here)
    assert "362 new games" in done
    everything = told(here.folder)
    assert len(str(everything)) > len(str(before))
    ended_early = 0
    for moment in MOMENTS * 3:  # a busy machine may end an import before the signal comes: then the next one counts
        put_back(prepared, here)
        ended = broken_off(here, number, moment * whole)
        assert "Traceback" not in ended.stderr
        if ended.stdout:  # it was done, and said so, before the signal came
            assert ended.stdout == done
        else:
            assert ended.returncode == code, ended.stderr
        now = told(here.folder)
        assert now in (before, everything), "a part of the run was imported"
        assert not ended.stdout or now == everything, "the import said that it was done, and it was not"
        ended_early += now == before
        if ended_early == 2:
            break
    assert ended_early, f"a whole import took {whole:.2f} s, and all of these were over sooner"
    put_back(prepared, here)
    merged = here.json("import", "run.tar.gz", *DB)[0]
    assert merged["new"] > 300
    assert merged["stories"] > 100
    assert "no differences" in here.done("verify", *DB, "--quiet")


def limited(here: Bowerbird, size: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a limit on file sizes, in bytes."""
    limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
    return subprocess.run(
        [sys.executable, "-c", f"{limit}os.execv(sys.argv[1], sys.argv[1:])", COMMAND, *arguments],
        cwd=here.folder,
        env=here.environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def test_import_that_finds_no_room_has_imported_nothing(here: Bowerbird) -> None:
    before = told(here.folder)
    ended = limited(here, 500_000, "import", "run.tar.gz", *DB)
    assert ended.returncode == 2, ended.stderr
    assert "what was stored before is untouched" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert told(here.folder) == before
    here.done("import", "run.tar.gz", *DB)


def test_export_that_finds_no_room_leaves_no_file(here: Bowerbird) -> None:
    here.done("import", "run.tar.gz", *DB)
    ended = limited(here, 50_000, "export", "autumn", "-o", "again.tar.gz", *DB)
    assert ended.returncode == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    assert not [*here.folder.glob("*again*"), *here.folder.glob(".*again*")]
    here.done("export", "autumn", "-o", "again.tar.gz", *DB)
    assert (here.folder / "again.tar.gz").read_bytes() == (here.folder / "run.tar.gz").read_bytes()
