"""The wheel in every Python that there is (`make test-pythons`): install, play, check a bot, the engine's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed_wheel import Installed, build, install, tools_of_this_user
from tests.support.paths import ROOT

KNOWN = ("python3.11", "python3.12", "python3.13", "python3.14")
ENGINE_TESTS = (
    "test_actions",
    "test_almonte",
    "test_buck",
    "test_euchre",
    "test_laws",
    "test_sampling",
    "test_shuffle",
)


def pythons() -> list[str]:
    """Return the interpreters of the variable PYTHONS, else those on the PATH that run."""
    named = os.environ.get("PYTHONS", "").split()
    return named or [python for python in KNOWN if _runs(python)]


def _runs(python: str) -> bool:
    found = shutil.which(python)
    return found is not None and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", params=pythons())
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """Return the command, installed with the extras test and host into an environment of one Python."""
    top = tmp_path_factory.mktemp("python")
    install(build("wheel", ROOT, top), top / "venv", request.param, "test", "host")
    for folder in (top / "work", top / "home"):
        folder.mkdir()
    command = Installed(top / "venv", top / "work", top / "home", tools=tools_of_this_user())
    yield command
    assert not command.wait_until_gone()
    shutil.rmtree(top)


@pytest.mark.long
def test_demo(command: Installed) -> None:
    assert "games were played again from their records and agree." in command.done("demo", "--db", "demo/demo.db")


@pytest.mark.long
def test_a_new_bot_plays_and_passes_the_check(command: Installed) -> None:
    command.done("new-bot", "mine", "--lang", "python")
    standings = command.json("match", "./mine", "greedy", "--variant", "buck", "--sets", "2", "--quiet")
    assert not [line for line in standings["overall"]["standings"] if any(line["faults"].values())]
    said = command.json("check-bot", "./mine", "--isolation", "limits", "--quiet")
    assert [one for one in said["sentences"] if one["verdict"] != "pass"] == []


@pytest.mark.long
def test_the_engine(command: Installed) -> None:
    """Its own tests, against the engine of the wheel: there is no other beside them."""
    beside = command.folder / "beside"
    shutil.copytree(ROOT / "tests", beside / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    markers = "".join(f"    {name}: x\n" for name in ("mock_clock", "slow", "long", "row", "toolchain"))
    settings = f"[pytest]\npythonpath = .\naddopts = -q --import-mode=importlib\nmarkers =\n{markers}"
    (beside / "pytest.ini").write_text(settings, encoding="utf-8")
    where = "from bowerbird import engine; print(bowerbird.engine.__file__)"
    assert Path(command.run("python", "-c", where).stdout).is_relative_to(command.venv)
    words: list[str | Path] = ["-m", "pytest", "--rootdir", beside, "-c", beside / "pytest.ini", "-m", "not slow"]
    said = command.run("python", *words, *(beside / "tests" / "engine" / f"{name}.py" for name in ENGINE_TESTS))
    assert said.returncode == 0, said.stdout
