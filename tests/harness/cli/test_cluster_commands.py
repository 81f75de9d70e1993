"""The commands of `bowerbird cluster` without a cluster: their output, exit codes and refusals."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from bowerbird.harness.cli import main
from bowerbird.harness.cli.shared.errors import ExitCode
from bowerbird.harness.extras.cluster import inspection
from bowerbird.harness.extras.cluster.inspection import InspectedWorker
from bowerbird.harness.extras.cluster.on_worker.worker_facts import TOOLS, WorkerFacts

FACTS = WorkerFacts("boot", "node-17.league.example.org", "3.12.11", "1.10.2", "code", "A CPU", 128, 1e5, TOOLS)
FAST = InspectedWorker("tls://a:1", "tls://192.168.100.17:34567", FACTS, "sandbox", 12.5)
MUTE = InspectedWorker("tls://b:1", "silent", None, why="it has no Bowerbird: pip install 'bowerbird[cluster]' there")


def check(monkeypatch: pytest.MonkeyPatch, *workers: InspectedWorker) -> int:
    """Run the command on made-up workers; return its exit code."""
    monkeypatch.setattr(inspection, "inspect_cluster", lambda *_: workers)
    monkeypatch.setenv("COLUMNS", "80")
    return main.run(["cluster", "check", "local:1"])


def test_the_table_of_workers_fits_80_columns_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(monkeypatch, FAST, MUTE) == ExitCode.SUCCESS
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert f"build tools: {' '.join(TOOLS)}" in text
    assert "1 of 2 workers can play" in lines
    assert f"left out: worker silent: {MUTE.why}" in text
    assert "not shown" not in text


def test_a_cluster_on_which_nobody_can_play_fails_and_shows_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(monkeypatch, MUTE) == ExitCode.FAILED
    shown = " ".join(capsys.readouterr().out.split())
    assert "0 of 1 workers can play" in shown
    assert f"left out: worker silent: {MUTE.why}" in shown


def test_text_of_a_worker_cannot_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check(monkeypatch, InspectedWorker("tls://c:1", "\x1b[2Jbad", None, why="\x1b[31mred"))
    assert "\x1b" not in capsys.readouterr().out


def test_a_missing_library_is_named_with_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("bowerbird.harness.extras.cluster.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main.run(["cluster", "check", "local:1"]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        "bowerbird: a cluster needs the library 'distributed': pip install 'bowerbird[cluster]'\n"
    )


def test_certificates_need_their_library(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert main.run(["cluster", "certificates", str(tmp_path / "tls")]) == ExitCode.USAGE
    assert capsys.readouterr().err.endswith("'cryptography': pip install 'bowerbird[cluster]'\n")
    assert not (tmp_path / "tls").exists()


def test_the_commands_of_a_new_cluster_stand_on_lines_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "of the league"
    assert main.run(["cluster", "certificates", str(folder)]) == ExitCode.SUCCESS
    lines = [shlex.split(line) for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert [line[:2] for line in lines] == [["dask", "scheduler"], ["dask", "worker"], ["bowerbird", "cluster"]]
    for line in lines[:2]:
        assert {word for word in line if word.startswith(str(folder))} == set(map(str, folder.iterdir()))
        assert "--no-dashboard" in line


def test_the_printed_commands_are_understood_by_dask(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    assert main.run(["cluster", "certificates", str(tmp_path / "tls"), "--json"]) == ExitCode.SUCCESS
    commands = json.loads(capsys.readouterr().out)["commands"]
    for command, name in ((scheduler, "scheduler"), (worker, "worker")):
        command.make_context(name, shlex.split(commands[name])[2:])  # raises for an option that does not exist


@pytest.mark.parametrize(
    "given", [["--cluster-tls", "tls"], ["--insecure-cluster"], ["--max-slowdown", "2"]], ids=lambda given: given[0]
)
def test_an_option_that_only_a_cluster_uses_is_refused_without_one(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise the run would silently begin on this machine."""
    assert main.run(["match", "greedy", "random", "--variant", "buck", *given]) == ExitCode.USAGE
    assert f"{given[0]} needs --cluster: add that option, or leave this one out" in capsys.readouterr().err
