"""The extras of a wheel: each installs what it promises, and a command without its extra says which one to install."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed_wheel import Installed, build, install, ordinary_python, tools_of_this_user
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

MATCH = ("match", "greedy", "random", "--variant", "two-handed", "--deals", "--sets", "4", "--quiet")


@pytest.fixture
def with_cluster(tmp_path: Path) -> Iterator[Installed]:
    """Return the command of a wheel with the extra `cluster`, in an empty folder, with an empty home."""
    command = Installed(tmp_path / "venv", tmp_path / "work", tmp_path / "home", tools=tools_of_this_user())
    command.folder.mkdir()
    command.home.mkdir()
    install(build("wheel", ROOT, tmp_path), command.venv, ordinary_python(), "cluster")
    yield command
    left = command.wait_until_gone()
    assert not left, f"processes that outlived the command: {left}"


def test_the_extra_cluster_plays_and_verifies_on_a_local_cluster(with_cluster: Installed) -> None:
    """cluster.md, "Try it on one machine"."""
    standings = with_cluster.json(*MATCH, "--cluster", "local:1")["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"greedy", "random"}
    assert all(line["games"] == 8 and not any(line["faults"].values()) for line in standings), standings
    assert "8 games in 1 run: replayed, no differences" in with_cluster.done("verify", "--cluster", "local:1")


def test_without_the_extra_cluster_the_sentence_names_it(wheel: Installed) -> None:
    finished = wheel.run("bowerbird", *MATCH, "--cluster", "local:1")
    assert finished.returncode == 2
    assert "pip install 'bowerbird[cluster]'" in finished.stderr
    assert "Traceback" not in finished.stderr
