"""Foreign text, archives that expand, pages, and the signs of a check (faults.md rows 40, 41, 48, 50)."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import COMMAND, DEADLINE_S
from tests.support.records.bombs import MIB, Bombs
from tests.support.referee.fault_matrix import Seen

MOST_MEMORY = 200 * MIB
MOST_CPU_S = 5.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: exit code, stderr, highest resident memory in bytes and CPU time in seconds."""

    code: int
    stderr: str
    memory: int
    cpu_s: float


def measured(folder: Path, *arguments: str | Path) -> Ended:
    """Run the command with a deadline, and return how it ended."""
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            [COMMAND, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        deadline = threading.Timer(DEADLINE_S, process.kill)
        deadline.start()
        _, status, usage = os.wait4(process.pid, 0)
        deadline.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    text = (folder / "err").read_text(encoding="utf-8")
    return Ended(process.returncode, text, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)


def is_refused(what: str, ended: Ended) -> None:
    """Assert that a file was refused in one short sentence, with bounded memory and CPU time."""
    said = ended.stderr.replace("verify", "").splitlines()
    assert ended.code in (1, 2), f"{what}: exit code {ended.code}: {ended.stderr[:500]}"
    assert ended.code == 1 or (len(said) == 1 and len(said[0]) < 600), (
        f"{what}: no short sentence: {ended.stderr[:900]}"
    )
    assert "defect" not in ended.stderr, f"{what}: {ended.stderr[:500]}"
    assert ended.memory < MOST_MEMORY, f"{what}: {ended.memory // MIB} MiB"
    assert ended.cpu_s < MOST_CPU_S, f"{what}: {ended.cpu_s:.1f} s of CPU time"


MOST_TELLING = ("GNU long name", "long rotations", "rotations of long lists", "dotted keys")


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Bombs:
    return Bombs(tmp_path_factory.mktemp("bombs"))


def tried(bombs: Bombs, folder: Path, names: tuple[str, ...], seen: Seen) -> None:
    made = bombs.archives()
    highest = Ended(0, "", 0, 0.0)
    for what in names:
        file = made[what]()
        for command in (("import", file, "--db", "x.db"), ("verify", file)):
            ended = measured(folder, *command)
            print(f"{what}, {command[0]}: {ended}")
            is_refused(what, ended)
            highest = max(highest, ended, key=lambda one: one.memory)
        file.unlink()
    seen(f"{len(names)} archives refused, at most {highest.memory // MIB} MiB", ms=round(highest.cpu_s * 1000))


@pytest.mark.row(41)
def test_archives_that_expand_are_refused_in_a_sentence(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    tried(bombs, tmp_path, MOST_TELLING, seen)


@pytest.mark.slow
@pytest.mark.row(41)
def test_every_other_archive_that_expands_is_refused(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    tried(bombs, tmp_path, tuple(name for name in bombs.archives() if name not in MOST_TELLING), seen)


@pytest.mark.slow
@pytest.mark.row(41)
def test_records_that_expand_are_refused_in_a_sentence(bombs: Bombs, tmp_path: Path, seen: Seen) -> None:
    for what, make in bombs.records().items():
        file = make()
        for command in (("import", file, "--db", "x.db"), ("verify", file), ("replay", file)):
            ended = measured(tmp_path, *command)
            print(f"{what}, {command[0]}: {ended}")
            is_refused(what, ended)
    seen("each refused by import, verify and replay")
