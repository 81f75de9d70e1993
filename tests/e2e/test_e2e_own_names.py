"""A bot may have files and folders with names that Bowerbird used at the top of an installation: it simply plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird

BOT = """import engine, records, bots.cards, harness
from bowerbird.sdk import Bot, Decision, run


class First(Bot):
    def act(self, decision: Decision) -> int:
        assert engine.NAME == records.NAME == bots.cards.NAME == harness.NAME == "mine"
        return 0


if __name__ == "__main__":
    run(First())
"""

MATCH = ("random", "--variant", "euchre", "--sets", "1", "--db", "runs.db", "-q")


@pytest.fixture
def folder(bowerbird: Bowerbird) -> Path:
    """Return the folder of a bot that has modules of its own with these names."""
    folder = bowerbird.folder / "mine"
    for name in ("engine.py", "records.py", "bots/__init__.py", "bots/cards.py", "harness/__init__.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('NAME = "mine"\n')
    (folder / "bot.toml").write_text('name = "mine"\ncommand = ["{python}", "bot.py"]\n')
    (folder / "bot.py").write_text(BOT)
    return folder


@pytest.mark.parametrize("isolation", ["none", "limits", "sandbox"])
def test_it_plays_under_every_isolation(bowerbird: Bowerbird, folder: Path, isolation: str) -> None:
    said = bowerbird.json("match", "mine", *MATCH, "--seed", "1", "--isolation", isolation)
    assert said["faults"] == [], "an import of its own modules would have cost a game"


def test_it_passes_its_check(bowerbird: Bowerbird, folder: Path) -> None:
    bowerbird.done("check-bot", "mine")


@pytest.mark.parametrize("command", [("match", "--sets", "1"), ("test", "--max-sets", "1")])
def test_folders_of_one_name_are_told_apart_before_the_first_game(
    bowerbird: Bowerbird, command: tuple[str, ...]
) -> None:
    folder = bowerbird.bundled("random").relative_to(bowerbird.folder)
    name, *options = command
    told = bowerbird(name, folder, "random", "--variant", "two-handed", *options, "--db", "runs.db")
    assert told.returncode == 0, told.stderr
    assert told.stderr.startswith(f"same name: random = {folder}, random-2 = bundled random (")
