"""The examples that learn with sb3-contrib and with Tianshou: each learns, is saved, and beats random play."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

LEARNERS = ROOT / ".venv-learners" / "bin"
MINUTES = 60.0


def played(bowerbird: Bowerbird, folder: Path, sets: int) -> subprocess.CompletedProcess[str]:
    """Play a bot against random play, with all the time that PyTorch may need on a busy machine."""
    cup = bowerbird.folder / "cup.toml"
    cup.write_text(
        f'[tournament]\nsets = {sets}\nseed = "t"\n[time]\nstartup = "10m"\nper_decision = "1m"\n'
        f'[[variant]]\nname = "two-handed"\n[[bot]]\npath = "{folder}"\n[[bot]]\npath = "random"\n',
        encoding="utf-8",
    )
    return bowerbird.run(LEARNERS / "bowerbird", "tournament", cup, "--json", timeout_s=15 * MINUTES)


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
    match = played(bowerbird, folder, sets=100)
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
    match = played(bowerbird, untaught(bowerbird, example), sets=1)
    assert match.returncode != 0
    assert "is missing: python learn.py makes it" in match.stdout + match.stderr
