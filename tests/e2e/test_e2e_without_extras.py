"""Core plays, rates, reports and verifies where the folder of the optional parts is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.extras.signatures.key_files import KeyFiles
from bowerbird.harness.extras.signatures.vouching import own_signer
from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT
from tests.support.records.stored_runs import store_run

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


def test_a_signature_is_reported_as_not_checked_and_an_archive_is_written_unsigned(core: WithoutExtras) -> None:
    signed, database = core.folder / "signed.tar.gz", core.folder / "x.db"
    run = store_run(database, variants=("euchre",), sets=range(1))
    with Store.open(database) as store:
        write_archive(store[run], signed, sign=own_signer(KeyFiles(core.folder / "keys")).sign)
    said = core("verify", signed)
    assert said.returncode == 0
    assert "signed, but its signature is not checked: this installation was built without" in said.stderr
    assert "not checked" in core("import", signed, "--db", "y.db").stderr
    assert [each["trusted"] for each in core.json("runs", "--db", "y.db")] == [False]
    assert "not signed: this installation was built" in core("export", "--db", "y.db", run, "-o", "z.tar.gz").stderr
    assert "cannot be signed" in core.refused("export", "--db", "y.db", run, "-o", "zz.tar.gz", "--sign")
