"""An interrupted import leaves the store as it was before (faults.md, Durability)."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run

DB = ("--db", "x.db")
GAMES = 362
"""The games of the archive."""

BREAK_OFF = """
import os, sys
from bowerbird.harness.cli.entry import main
from bowerbird.harness.records.archive import merge

number, step, left = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
take = getattr(merge, step)

def take_or_end(*arguments, **named):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), number)
    return take(*arguments, **named)

setattr(merge, step, take_or_end)
sys.argv = ["bowerbird", *sys.argv[4:]]
sys.exit(main())
"""
"""Runs the command, which sends itself a signal before a step of an import: an end that no other clock decides."""


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


def break_off(here: Bowerbird, number: int, code: int, step: str, nth: int) -> None:
    """Import, and let a signal end the import before it takes a step for the nth time."""
    ended = here.run(sys.executable, "-c", BREAK_OFF, str(number), step, str(nth), "import", "run.tar.gz", *DB)
    assert ended.returncode == code, f"the signal before {step} {nth} did not end it: {ended.stdout}{ended.stderr}"
    assert "Traceback" not in ended.stderr
    assert not ended.stdout, "it said that it was done"


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
    done = here.done("import", "run.tar.gz", *DB)
    assert f"{GAMES} new games" in done
    everything = told(here.folder)
    assert len(str(everything)) > len(str(before))
    for step, nth in (
        ("insert_game", 1),
        ("insert_game", GAMES // 2),
        ("insert_game", GAMES),
        ("replace_results_digest", 1),
    ):
        put_back(prepared, here)
        break_off(here, number, code, step, nth)
        assert told(here.folder) == before, f"a part of the run was imported before {step} {nth}"
    put_back(prepared, here)
    break_off(here, number, code, "store_run_digest", 1)
    assert told(here.folder)[1:] == everything[1:], "all games are stored by now"
    assert f"0 new games, {GAMES} already stored" in here.done("import", "run.tar.gz", *DB)
    assert told(here.folder) == everything, "the digest of the run came late"
    put_back(prepared, here)
    merged = here.json("import", "run.tar.gz", *DB)[0]
    assert merged["new"] == GAMES
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
