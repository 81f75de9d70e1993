"""`bowerbird analyse` with real processes: killed in the middle, it goes on."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run

WORLDS = ("--worlds", "4")
DB = ("--db", "x.db")
pytest.importorskip("numpy", reason="the networks of champion need it")


def analysed(bowerbird: Bowerbird, *arguments: str) -> Any:  # JSON
    """Return the figures of the run as JSON."""
    return bowerbird.json("analyse", "autumn", *arguments, *WORLDS, *DB)


def stored_games(path: Path) -> dict[str, int]:
    """Return the games in a file of figures with their numbers, which count how often a game was stored."""
    with closing(sqlite3.connect(path)) as file:
        return dict(file.execute("SELECT game, number FROM game"))


def kill_when_partly_stored(bowerbird: Bowerbird, jobs: int) -> None:
    """Analyse, and kill -9 the command when a game is stored: while the file is locked, it cannot store more."""
    file = f"file:{bowerbird.folder / 'x.analysis.db'}?mode=rw"
    deadline = time.monotonic() + DEADLINE_S
    with bowerbird.start("analyse", "autumn", *WORLDS, *DB, "--jobs", str(jobs)) as process:
        while time.monotonic() < deadline:
            with (
                suppress(sqlite3.OperationalError),  # it is not there yet, or has no tables
                closing(sqlite3.connect(file, uri=True, isolation_level=None, timeout=DEADLINE_S)) as figures,
            ):
                figures.execute("BEGIN IMMEDIATE")
                if figures.execute("SELECT count(*) FROM game").fetchone() != (0,):
                    process.kill()
                    process.communicate(timeout=DEADLINE_S)
                    return
            time.sleep(0.01)  # nothing to wait on: it says nothing meanwhile
        process.kill()
    raise AssertionError("no game was stored")


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_analysis_that_is_killed_goes_on_and_finds_the_same(bowerbird: Bowerbird, jobs: int) -> None:
    path = bowerbird.folder / "x.analysis.db"
    store_run(bowerbird.folder / "x.db", sets=range(4), variants=("two-handed",))
    whole = analysed(bowerbird)
    for _ in range(5):  # where the whole analysis was faster than the look at it, it is tried again
        path.unlink()
        kill_when_partly_stored(bowerbird, jobs)
        assert not bowerbird.wait_until_gone(), "a process of the analysis is left"
        before = stored_games(path)
        if len(before) < whole["games"]:
            break
    assert 0 < len(before) < whole["games"]
    assert analysed(bowerbird) == whole
    assert stored_games(path).items() > before.items(), "what was stored was not analysed again"
