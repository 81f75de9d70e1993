"""What others on the machine can read while a run is unfinished (faults.md row 57)."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

BOT = """
import sys
from bowerbird.sdk import Bot, Decision, run


class Talker(Bot):
    def act(self, decision: Decision) -> int:
        print("my view:", decision, file=sys.stderr)
        return 0


run(Talker())
"""


def readable(folder: Path) -> list[str]:
    """Return the files below a folder that a stranger can read, through folders that a stranger can enter."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(parent, name).stat().st_mode & stat.S_IXOTH]
        found += [name for name in files if Path(parent, name).lstat().st_mode & (stat.S_IROTH | stat.S_IRGRP)]
    return sorted(found)


def wait_for_a_set(database: Path) -> None:
    """Wait until a run that is not complete has stored a deal set."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        with Store.open(database) as store:
            if any(run.row.ended is None and run.stored_sets() for run in store.runs()):
                return
        time.sleep(0.05)  # nothing tells this process
    raise AssertionError("no deal set was stored")


@pytest.mark.row(57)
def test_nobody_else_reads_an_unfinished_run(bowerbird: Bowerbird, seen: Seen) -> None:
    """With a umask that closes nothing, and a database that another run left open."""
    bot, results = bowerbird.folder / "ada", bowerbird.folder / "results"
    bot.mkdir()
    (bot / "bot.py").write_text(BOT, encoding="utf-8")
    (bot / "bot.toml").write_text('name = "ada"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
    common = ("match", "./ada", "random", "--variant", "euchre", "--isolation", "limits", "--db", "results/x.db")
    before = bowerbird.run(COMMAND, *common, "--sets", "1", "-q")
    assert before.returncode == 0, before.stderr
    for file in results.glob("x.db*"):
        file.chmod(0o644)
    with subprocess.Popen(
        [COMMAND, *common, "--sets", "1000", "--seed", "endless"],
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        umask=0,
    ) as process:
        wait_for_a_set(results / "x.db")
        open_files = readable(results)
        process.terminate()
        process.communicate(timeout=DEADLINE_S)
    assert open_files == []
    seen("database, log, index, lock, seed and logs: none is readable")
