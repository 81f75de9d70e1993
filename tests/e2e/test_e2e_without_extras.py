"""Core plays, rates, reports and verifies where the folder of the optional parts is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

CUP = """[tournament]
name = "cup"
sets = 1
isolation = "none"
[[variant]]
name = "euchre"
[[bot]]
path = "greedy"
[[bot]]
path = "random"
"""
MAIN = "from bowerbird.harness.cli.entry import main; main()"


class WithoutExtras(Bowerbird):
    """The command of a copy of the package that has no `harness/extras`; its bots import the whole one."""

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        packages = self.folder.parent / "packages"
        if not packages.exists():
            left_out = shutil.ignore_patterns("extras", "node_modules", "target", "__pycache__", "networks")
            shutil.copytree(ROOT / "bowerbird", packages / "bowerbird", ignore=left_out)
            (packages / "docs").symlink_to(ROOT / "docs")
        return self.run(sys.executable, "-c", MAIN, *arguments, PYTHONPATH=str(packages))


@pytest.fixture
def core(bowerbird: Bowerbird) -> WithoutExtras:
    return WithoutExtras(bowerbird.folder, bowerbird.mark)


def test_a_tournament_is_played_stored_rated_reported_exported_and_verified(core: WithoutExtras) -> None:
    (core.folder / "cup.toml").write_text(CUP)
    core.done("tournament", "cup.toml", "--db", "x.db", "-q")
    assert {bot["bot"] for bot in core.json("standings", "--db", "x.db")["overall"]["standings"]} == {
        "greedy",
        "random",
    }
    core.done("report", "--db", "x.db", "-o", "report.html")
    core.done("export", "--db", "x.db", "cup", "-o", "cup.tar.gz")
    assert "no differences" in core.done("verify", "cup.tar.gz")


def test_help_lists_what_there_is_and_a_command_that_is_left_out_is_unknown(core: WithoutExtras) -> None:
    listed = core.done("--help")
    assert "tournament" in listed
    assert "check-bot" not in listed
    assert "unknown command 'check-bot'" in core.refused("check-bot", "greedy")


def test_pages_beside_a_run_say_that_this_installation_has_none(core: WithoutExtras) -> None:
    finished = core("match", "greedy", "random", "--variant", "euchre", "--sets", "1", "--db", "x.db", "-q", "--serve")
    assert finished.returncode == 2
    assert "this installation was built without the pages" in finished.stderr
