"""A bot whose folder hides a package of ours is refused by every command, before anything is recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird

BOT = """from bowerbird.sdk import Bot, Decision, run


class First(Bot):
    def act(self, decision: Decision) -> int:
        return 0


if __name__ == "__main__":
    run(First())
"""


@pytest.fixture
def folder(bowerbird: Bowerbird) -> Path:
    """Return the folder of a bot that would play, were there not its file engine.py."""
    folder = bowerbird.folder / "mine"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "mine"\ncommand = ["{python}", "bot.py"]\n')
    (folder / "bot.py").write_text(BOT)
    (folder / "engine.py").write_text("def best_card(view):\n    return 0\n")
    return folder


MATCH = ("random", "--variant", "euchre", "--sets", "1", "--db", "runs.db", "-q")


@pytest.mark.parametrize("isolation", ["none", "sandbox"])
def test_a_match_is_refused_before_anything_is_recorded(bowerbird: Bowerbird, folder: Path, isolation: str) -> None:
    sentence = bowerbird.refused("match", "mine", *MATCH, "--isolation", isolation)
    assert sentence.endswith(
        f"bot 'mine' cannot be started, {folder}/engine.py hides Bowerbird's own package 'engine', because Python "
        "finds it first: rename the file engine.py"
    )
    left = {path.name for path in bowerbird.folder.iterdir()}
    assert left <= {"mine", "runs.db"}
    if "runs.db" in left:
        assert bowerbird.json("runs", "--db", "runs.db") == []


def test_check_bot_refuses_it_too(bowerbird: Bowerbird, folder: Path) -> None:
    assert "rename the file engine.py" in bowerbird.refused("check-bot", "mine")


def test_it_plays_once_the_file_is_renamed(bowerbird: Bowerbird, folder: Path) -> None:
    (folder / "engine.py").rename(folder / "my_engine.py")
    said = bowerbird.json("match", "mine", *MATCH, "--seed", "1")
    assert "mine" in str(said)


def test_what_a_referee_refuses_ends_so_when_the_bot_is_started_by_hand(bowerbird: Bowerbird, folder: Path) -> None:
    done = bowerbird.run(sys.executable, folder / "bot.py")
    assert done.returncode == 1
    assert f"ImportError: {folder}/engine.py hides Bowerbird's own package 'engine'" in done.stderr
