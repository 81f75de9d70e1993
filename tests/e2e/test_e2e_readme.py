"""The README works as printed: its bot plays, its match and tournament run, and it stays short."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import README, block, shown_commands
from tests.support.paths import ROOT

MOST_LINES = 120


@pytest.fixture
def author(bowerbird: Bowerbird) -> Bowerbird:
    """Return the command in a folder with the README's bot `mybot` and its tournament `autumn.toml`."""
    folder = bowerbird.folder / "mybot"
    folder.mkdir()
    (folder / "bot.py").write_text(block(README, "python", "class MyBot"), encoding="utf-8")
    (folder / "bot.toml").write_text(block(README, "toml", 'name = "mybot"'), encoding="utf-8")
    tournament = block(README, "toml", "[tournament]")
    (bowerbird.folder / "autumn.toml").write_text(tournament.replace("sets = 50\n", "sets = 1\n"), encoding="utf-8")
    return bowerbird


def test_bot_of_the_readme_plays_its_match_without_a_fault(author: Bowerbird) -> None:
    [match] = [words for words in shown_commands(README) if words[0] == "match"]
    standings = author.json(*match, "--sets", "1", "--quiet")["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"mybot", "greedy", "random"}
    assert all(line["games"] and not any(line["faults"].values()) for line in standings)


def test_bot_of_the_readme_can_be_imported(author: Bowerbird) -> None:
    """A debugger or a test imports it; only `python bot.py` starts it."""
    finished = author.run(sys.executable, "-c", "import sys; sys.path.insert(0, 'mybot'); import bot; bot.MyBot()")
    assert finished.returncode == 0, finished.stderr


def test_tournament_of_the_readme_runs(author: Bowerbird) -> None:
    document = author.json("tournament", "autumn.toml", "--quiet")
    assert document["run"]["name"] == "autumn"
    assert {line["bot"] for line in document["overall"]["standings"]} == {"mybot", "greedy"}


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", [README, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_make_has_every_target_that_is_named(page: Path) -> None:
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    assert set(named) <= set(targets)


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README.read_text(encoding="utf-8"))
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
