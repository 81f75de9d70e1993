"""pimc and ismcts in a tournament that is played twice: with enough time for their worlds the games are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.run_records import untimed_games
from tests.support.paths import ROOT

CUP = """
[tournament]
seed = "again"
sets = 1
unit = "deals"
[time]
per_decision = "300s"
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
"""
PATIENT = """
[[bot]]
path = "{folder}"
arguments = ["--worlds", "6", "--seconds", "120"]
"""
"""The limit in worlds ends a decision long before the limit in seconds, however busy the machine is."""


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep every core busy with other work."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def cup(folder: Path) -> Path:
    """Return a tournament of both bots in which worlds limit a decision."""
    file = folder / "again.toml"
    file.write_text(CUP + "".join(PATIENT.format(folder=ROOT / "bots" / name) for name in ("pimc", "ismcts")))
    return file


@pytest.mark.long
def test_searching_bots_play_the_same_records_again_on_a_busy_machine(bowerbird: Bowerbird) -> None:
    """bots/README.md: a limit in worlds is repeatable if the time suffices. Every process hashes differently."""
    file = cup(bowerbird.folder)
    bowerbird.done("tournament", file, "--db", "one.db", "--quiet")
    with busy_machine():
        bowerbird.done("tournament", file, "--db", "two.db", "--quiet", "--jobs", "2")
    first = untimed_games(bowerbird.folder / "one.db")
    assert len(first) == 2 + 4, "a deal set of two bots is two games of euchre and four of buck"
    assert untimed_games(bowerbird.folder / "two.db") == first
