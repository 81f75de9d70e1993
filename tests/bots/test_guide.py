"""The examples of bots/README.md work as printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib import import_module

import pytest

from harness.cli.commands.new_bot import LANGUAGES
from harness.cli.main import COMMANDS, module_of
from tests.support.paths import ROOT
from tests.support.referee.seat_referee import DEADLINE_S

GUIDE = (ROOT / "bots" / "README.md").read_text(encoding="utf-8")


def blocks(language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)


def test_a_game_in_one_process_is_played_as_shown() -> None:
    [program] = blocks("python")
    folder = ROOT / "bots" / "starters" / "python"
    played = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert played.returncode == 0, played.stderr
    ranks, scores = re.findall(r"\([-0-9, ]+\)", played.stdout)
    assert len(ranks.split(",")) == len(scores.split(",")) == 4


def shown() -> list[str]:
    lines = [line for block in blocks() for line in block.splitlines()] + re.findall(r"`(bowerbird .+?)`", GUIDE)
    return sorted({line.partition("  #")[0].strip() for line in lines if line.startswith("bowerbird ")})


@pytest.mark.parametrize("line", shown())
def test_a_command_that_is_shown_has_these_options(line: str) -> None:
    name, *words = shlex.split(line)[1:]
    assert name in COMMANDS
    options = {option for parameter in import_module(module_of(name)).command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= options


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_line(language: str) -> None:
    assert f"| `starters/{language}` |" in GUIDE
