"""`bowerbird analyse` with real processes: killed, beside a run that is being played, after corrections, elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from bowerbird.engine import counted
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.hosted import hosted, remote
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run

WORLDS = ("--worlds", "4")
DB = ("--db", "x.db")
SHORT = """
[tournament]
name = "autumn"
seed = "short"
sets = {sets}
unit = "deals"
instances = "shared"
{more}
[[variant]]
name = "two-handed"
"""

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
            time.sleep(0.01)  # nothing to wait on: it says nothing until it ends
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


def test_a_run_that_is_being_played_is_refused_until_it_is_complete(bowerbird: Bowerbird) -> None:
    """One bot falls silent after the first deal set, and has all the time in the world."""
    bots = bowerbird.bundled("greedy"), bowerbird.bot("silent", "silent", "40")
    time_control = '[time]\nper_decision = "1h"\n'
    cup = bowerbird.tournament(SHORT.format(sets=20, more="tables = 1") + time_control, *bots)
    deadline = time.monotonic() + DEADLINE_S
    with bowerbird.start("tournament", cup, *DB, "--quiet") as process:
        try:
            while '"ended"' not in bowerbird("matches", "autumn", "--json", *DB).stdout:  # no run yet, or no game
                assert time.monotonic() < deadline, "no game was stored"
            sentence = bowerbird.refused("analyse", "autumn", *WORLDS, *DB)
        finally:
            process.kill()
            process.communicate(timeout=DEADLINE_S)
    assert "is not complete, and an analysis shows hidden cards" in sentence
    assert "runs resume" in sentence
    assert not (bowerbird.folder / "x.analysis.db").exists()
    assert not bowerbird.wait_until_gone()


def test_games_that_do_not_count_are_left_out_with_their_sentence(bowerbird: Bowerbird) -> None:
    """A bot that fails is withdrawn; then its games are void, and others are played in their place."""
    bots = bowerbird.bundled("greedy"), bowerbird.bundled("random"), bowerbird.bot("bad", "illegal", "0", "--every")
    cup = bowerbird.tournament(SHORT.format(sets=3, more="max_faults = 1\ntables = 1"), *bots)
    bowerbird.done("tournament", cup, *DB, "--quiet")
    ended = [game["ended"] for game in bowerbird.json("matches", "autumn", *DB)]
    withdrawn, forfeited = ended.count("withdrawn"), ended.count("forfeit")
    assert withdrawn, "one game after the other: those after the first faults are never begun"
    first = analysed(bowerbird)
    said = " ".join(first["left_out"])
    assert f"{counted(withdrawn, 'game')} of withdrawn bots left out, since nobody played" in said
    assert ("forfeited" in said) == bool(forfeited)
    assert {one["bot"] for one in first["bots"]} >= {"greedy", "random"}

    bowerbird.done(
        "void", "autumn", "two-handed-0/greedy+random/0", "--why", "a power cut", "--by", "Ada", "--yes", *DB
    )
    assert "is not complete" in bowerbird.refused("analyse", "autumn", *WORLDS, *DB)
    bowerbird.done("runs", "resume", "autumn", *DB, "--quiet")
    after = analysed(bowerbird)
    assert "1 deal set removed by corrections left out, since they do not count" in after["left_out"]
    assert after["games"] == first["games"]
    assert after["bots"] != first["bots"], "what was played in its place is judged"


def test_figures_are_the_same_where_no_bot_is_left(bowerbird: Bowerbird, tmp_path: Path) -> None:
    """The remote bot has gone, the folder of the other one is deleted, and the run was imported elsewhere."""
    cup = bowerbird.tournament(
        SHORT.format(sets=1, more="") + '[[bot]]\nremote = true\nname = "ada"\n', bowerbird.bundled("greedy")
    )
    with hosted(bowerbird, cup) as host:
        host.until_invited()
        with remote(host, "ada"):
            host.ended()
    shutil.rmtree(bowerbird.folder / "bots")
    here = analysed(bowerbird)
    assert {one["bot"] for one in here["bots"]} == {"ada", "greedy"}
    bowerbird.done("export", "autumn", "-o", "autumn.tar.gz", *DB)
    away = Bowerbird(tmp_path / "away", bowerbird.mark)
    away.folder.mkdir()
    shutil.copy(bowerbird.folder / "autumn.tar.gz", away.folder)
    away.done("import", "autumn.tar.gz", *DB)
    there = analysed(away)
    assert there["bots"] == here["bots"]
    assert any("was imported: its records are analysed as they came" in sentence for sentence in there["left_out"])


def test_a_disk_without_room_is_said_and_nothing_is_lost(bowerbird: Bowerbird) -> None:
    store_run(bowerbird.folder / "x.db", sets=range(4), variants=("two-handed",))
    whole = analysed(bowerbird)
    path = bowerbird.folder / "x.analysis.db"
    room = path.stat().st_size // 2
    path.unlink()
    limit = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); "
    words = ("-c", f"{limit}os.execv(sys.argv[1], sys.argv[1:])", COMMAND, "analyse", "autumn", *WORLDS, *DB)
    ended = bowerbird.run(sys.executable, *words)
    assert ended.returncode == 2, ended
    assert "Traceback" not in ended.stderr
    assert "writing the figures of game" in ended.stderr
    before = stored_games(path)
    assert 0 < len(before) < whole["games"]
    assert analysed(bowerbird) == whole
    assert stored_games(path).items() > before.items()
