"""A full disk, and two referees for one run (faults.md rows 23 and 24)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.machine import can_mount
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.verdicts import played

FILE = """
[tournament]
seed = "{seed}"
sets = {sets}
[[variant]]
name = "euchre"
options = {{ target = 5 }}
"""


def tournament(bowerbird: Bowerbird, seed: str, sets: int) -> Path:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "last")
    return bowerbird.tournament(FILE.format(seed=seed, sets=sets), *bots)


def expect_said(finished: subprocess.CompletedProcess[str], reason: str) -> None:
    assert finished.returncode == 2, f"exit code {finished.returncode}: {finished.stderr}"
    lines = finished.stderr.splitlines()
    last = next(line for line in reversed(lines) if line.startswith("bowerbird: "))
    assert lines[-2] == "When there is room again, resume with:", finished.stderr
    assert "--resume" in lines[-1], finished.stderr
    assert reason in last
    assert "what was stored before is untouched" in last
    assert "Traceback" not in finished.stderr


@pytest.mark.long
@pytest.mark.row(23)
def test_a_write_that_the_system_refuses_is_said_and_the_run_can_be_gone_on_with(
    bowerbird: Bowerbird, seen: Seen
) -> None:
    """A limit on file sizes makes the system refuse a write of the store in the middle of the run."""
    file = tournament(bowerbird, "refused", 60)
    limited = (
        "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    finished = bowerbird.run(sys.executable, "-c", limited, COMMAND, "tournament", file, "--db", "x.db")
    expect_said(finished, "disk I/O error while writing deal set")
    assert not bowerbird.wait_until_gone()
    before, _ = played(bowerbird.folder / "x.db")
    assert 0 < len(before) < 120
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    after, _ = played(bowerbird.folder / "x.db")
    assert len(after) == 120
    assert before.items() <= after.items()
    bowerbird.done("verify", "--db", "x.db")
    seen(f"{finished.stderr.splitlines()[-3].partition(': ')[2].partition(': ')[2]}; resumed, all verified")


# A remount that names no device repeats the user and group numbers from outside, which do not exist inside.
SMALL_DISK = """
set -eu
mount -t tmpfs -o size=1500k none small
if "$1" tournament "$2" --db small/x.db; then echo "it fitted"; exit 1; else echo "exit code $?"; fi
mount -n -o remount,size=64m none small
"$1" verify --db small/x.db
"$1" tournament "$2" --resume --db small/x.db --quiet >/dev/null
"$1" verify --db small/x.db
"""


@pytest.mark.row(23)
def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(bowerbird: Bowerbird, seen: Seen) -> None:
    """The store, its log and the bots' logs are on a real file system of 1.5 MB."""
    if not can_mount():
        pytest.skip("needs user namespaces, to mount a small file system without being root")
    (bowerbird.folder / "small").mkdir()
    own_disk = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"]
    finished = bowerbird.run(*own_disk, COMMAND, tournament(bowerbird, "full", 150))
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "exit code 2" in finished.stdout
    [said] = [line for line in finished.stderr.splitlines() if line.startswith("bowerbird: ")]
    assert "database or disk is full" in said
    assert "When there is room again, resume with:" in finished.stderr
    assert "Traceback" not in finished.stderr
    seen(f"{said.partition(': ')[2].partition(': ')[2]}; verified, and resumed when there was room")


@pytest.mark.row(24)
def test_a_second_referee_for_one_run_is_refused_and_the_first_goes_on(bowerbird: Bowerbird, seen: Seen) -> None:
    file = tournament(bowerbird, "two referees", 300)
    with bowerbird.start("tournament", file, "--db", "x.db") as first:
        assert first.stderr is not None
        for line in first.stderr:
            if "commitment to its seed" in line:
                break
        refused = bowerbird.refused("tournament", file, "--db", "x.db", "--resume", "--quiet")
        assert f"pid {first.pid}" in refused
        assert first.poll() is None, "the first referee must play on"
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=DEADLINE_S)
        assert first.returncode == 130
    bowerbird.done("verify", "--db", "x.db")
    seen(refused.removeprefix("bowerbird: "))
