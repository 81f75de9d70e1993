"""`bowerbird.sdk` as an author uses it: under a debugger, and in one process (python.md, bowerbird.sdk)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.sdk import Bot, Decision, play
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT


class Passing(Bot):
    """Takes the first legal action, which is to pass."""

    def act(self, decision: Decision) -> int:
        return 0


def test_a_game_in_which_all_pass_for_ever_stops() -> None:
    game = play("euchre", [Passing()] * 4, seed="1")
    assert (game.ended, len(game.results)) == ("limit", 100)


def test_the_options_may_say_when_a_game_stops() -> None:
    assert len(play("euchre", [Passing()] * 4, options={"max_hands": 3}).results) == 3
    assert play("buck", [Passing()] * 4, options={"max_hands": 0, "start": 1}).ended != "limit"


@pytest.mark.usefixtures("processes")
def test_the_starter_can_be_imported_and_played_in_one_process() -> None:
    program = (
        "from bot import RandomBot; from bowerbird.sdk import play; print(play('euchre', [RandomBot()] * 4).is_over)"
    )
    folder = ROOT / "bots" / "starters" / "python"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    assert done.stdout == "True\n"


@pytest.mark.usefixtures("processes")
def test_the_starter_started_by_hand_says_how_to_play_it(tmp_path: Path) -> None:
    bot = ROOT / "bots" / "starters" / "python" / "bot.py"
    done = subprocess.run(
        [sys.executable, str(bot)], cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 1
    assert f"`bowerbird match {bot.parent} random --variant euchre`" in done.stderr
    assert len(done.stderr.splitlines()) == 1
