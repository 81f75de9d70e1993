"""The programs of the tutorials and how-to guides run as printed."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block
from tests.support.paths import DOCS

FIRST_BOT = DOCS / "tutorials" / "first-bot.md"


@pytest.fixture
def author(bowerbird: Bowerbird) -> Bowerbird:
    """Return the command in a folder with the Python starter as `mybot`."""
    bowerbird.done("new-bot", "mybot", "--lang", "python")
    return bowerbird


def run_in_bot_folder(author: Bowerbird, program: str) -> str:
    """Run a program as `watch.py` in the folder of the bot; return what it printed."""
    (author.folder / "mybot" / "watch.py").write_text(program, encoding="utf-8")
    finished = author.run("sh", "-c", f"cd mybot && {sys.executable} watch.py")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def faults_of(author: Bowerbird, *match: str) -> dict[str, int]:
    """Play a match; return the number of faults of each bot."""
    lines = author.json("match", *match, "--sets", "1", "--quiet")["overall"]["standings"]
    assert all(line["games"] for line in lines)
    return {line["bot"]: sum(line["faults"].values()) for line in lines}


def test_first_bot_watches_the_starter_as_printed(author: Bowerbird) -> None:
    printed = run_in_bot_folder(author, block(FIRST_BOT, "python", "class Watched"))
    shown = block(FIRST_BOT, "", "python watch.py\n").partition("python watch.py\n")[2]
    assert printed.startswith(shown.removesuffix("…\n"))
    assert re.search(r"^\([\d, ]+\) \([\d, ]+\)$", printed, re.MULTILINE)


@pytest.mark.parametrize("variant", ["buck", "euchre"])
def test_bot_of_the_tutorial_plays_without_a_fault(author: Bowerbird, variant: str) -> None:
    (author.folder / "mybot" / "bot.py").write_text(block(FIRST_BOT, "python", "class MyBot"), encoding="utf-8")
    assert faults_of(author, "./mybot", "random", "--variant", variant) == {"mybot": 0, "random": 0}


def test_first_bot_watches_its_own_bot(author: Bowerbird) -> None:
    (author.folder / "mybot" / "bot.py").write_text(block(FIRST_BOT, "python", "class MyBot"), encoding="utf-8")
    watch = block(FIRST_BOT, "python", "class Watched").replace("RandomBot", "MyBot")
    assert "euchre, seat 0 of 4, hand 0" in run_in_bot_folder(author, watch)


def test_game_in_one_process_is_played_as_printed(author: Bowerbird) -> None:
    printed = run_in_bot_folder(author, block(DOCS / "how-to" / "debug-a-fault.md", "python", "play("))
    ranks, scores = re.findall(r"\([-0-9, ]+\)", printed)
    assert len(ranks.split(",")) == len(scores.split(",")) == 4


def test_batch_bot_plays_without_a_fault(author: Bowerbird) -> None:
    program = block(DOCS / "how-to" / "large-runs.md", "python", "act_batch")
    (author.folder / "mybot" / "bot.py").write_text(program, encoding="utf-8")
    assert faults_of(author, "./mybot", "random", "--variant", "buck") == {"mybot": 0, "random": 0}


def test_program_that_reads_the_database_runs(played: Bowerbird) -> None:
    (played.folder / "results").mkdir()
    shutil.copy(played.folder / "x.db", played.folder / "results" / "bowerbird.db")
    program = block(DOCS / "how-to" / "study-games.md", "python", "open_database")
    finished = played.run(sys.executable, "-c", program)
    assert finished.returncode == 0, finished.stderr
    first, *seats = finished.stdout.splitlines()
    assert re.fullmatch(r"good [1-9]\d*", first)
    assert len(seats) == 4


@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda page: page.name)
def test_tutorial_leads_on(page: Path) -> None:
    """It ends with the pages to read next."""
    assert "\n## Next\n" in page.read_text(encoding="utf-8")
