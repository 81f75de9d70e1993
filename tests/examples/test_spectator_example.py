"""The spectator in Node, written from `watch.proto` alone, follows a run and a table of it to the end."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.tournament.spectators import running_address

FOLDER = ROOT / "examples" / "spectator"
CUP = """
[tournament]
seed = "node"
sets = 20
packs = "own"
tables = 4
[[variant]]
name = "euchre"
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("node", "npm")
def test_it_shows_results_a_table_card_by_card_and_a_record(
    bowerbird: Bowerbird, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    program = tmp_path / "spectator"
    shutil.copytree(FOLDER, program, ignore=shutil.ignore_patterns("node_modules"))
    install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run(install, cwd=program, check=True, timeout=DEADLINE_S)
    file = bowerbird.tournament(CUP, bowerbird.bundled("greedy"), bowerbird.bundled("random"))
    run = bowerbird.start("tournament", file, "--db", "x.db")
    running_address(run)
    done = bowerbird.run("node", program / "spectator.js", BOWERBIRD_PROTO=str(ROOT / "proto"))
    _, said = run.communicate(timeout=DEADLINE_S)
    assert run.returncode == 0, said
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "the run is complete" in lines, done.stdout
    assert any(line.startswith("greedy+random, deal set ") for line in lines), done.stdout
    assert any(line.startswith("  seat ") and " plays " in line for line in lines), done.stdout
    assert any(line.startswith("all hands of deal set") for line in lines), done.stdout
