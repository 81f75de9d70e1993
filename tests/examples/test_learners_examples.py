"""The examples that learn with sb3-contrib and with Tianshou: each learns, is saved, and beats random play."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

LEARNERS = ROOT / ".venv-learners" / "bin"
MINUTES = 60.0


@pytest.mark.long
@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(("example", "saved"), [("sb3", "policy.zip"), ("tianshou", "network.pt")])
def test_what_it_learnt_beats_random_play_over_the_protocol(bowerbird: Bowerbird, example: str, saved: str) -> None:
    """After a third of the training that the page describes."""
    if not (LEARNERS / "python").exists():
        pytest.skip("PyTorch is not installed; `make learners` adds it")
    folder = bowerbird.folder / example
    shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns(saved, "__pycache__"))
    done = bowerbird.run(LEARNERS / "python", folder / "learn.py", "--steps", "30000", timeout_s=15 * MINUTES)
    assert done.returncode == 0, done.stderr
    assert (folder / saved).exists()
    match = bowerbird.run(
        *(LEARNERS / "bowerbird", "match", folder, "random", "--variant", "two-handed"),
        *("--sets", "100", "--seed", "t", "--json"),
        timeout_s=15 * MINUTES,
    )
    assert match.returncode == 0, match.stderr
    lines = {line["bot"]: line for line in json.loads(match.stdout)["overall"]["standings"]}
    (learnt,) = (line for bot, line in lines.items() if bot != "random")
    assert not any(learnt["faults"].values()), learnt
    assert learnt["points"]["mean"] > 3 * learnt["points"]["error"], learnt


def untaught(bowerbird: Bowerbird, example: str) -> Path:
    """Return a copy of an example that has learnt nothing."""
    folder = bowerbird.folder / example
    shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns("*.zip", "*.pt", "__pycache__"))
    return folder


@pytest.mark.long
@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("example", ["sb3", "tianshou"])
def test_a_bot_that_has_learnt_nothing_says_what_makes_it_learn(bowerbird: Bowerbird, example: str) -> None:
    if not (LEARNERS / "python").exists():
        pytest.skip("PyTorch is not installed; `make learners` adds it")
    command = (LEARNERS / "bowerbird", "match", untaught(bowerbird, example), "random", "--variant", "two-handed")
    match = bowerbird.run(*command, "--sets", "1", timeout_s=5 * MINUTES)
    assert match.returncode != 0
    assert "is missing: python learn.py makes it" in match.stdout + match.stderr
