"""The examples and claims of the README hold."""

from __future__ import annotations

import re

import pytest

from harness.cli.main import COMMANDS
from harness.tournament.config.tournament_file import load_tournament
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _block(language: str, mark: str) -> str:
    """Return the code block of a language that contains `mark`."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    (found,) = [block for block in blocks if mark in block]
    return str(found)


def test_bot_of_the_readme_plays_without_a_fault(bowerbird: Bowerbird) -> None:
    folder = bowerbird.folder / "mybot"
    folder.mkdir()
    (folder / "bot.py").write_text(_block("python", "class MyBot"), encoding="utf-8")
    (folder / "bot.toml").write_text(_block("toml", '"mybot"\nversion'), encoding="utf-8")
    options = ["--variant", "buck", "--sets", "1", "--quiet"]
    standings = bowerbird.json("match", "mybot", "greedy", *options)["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"mybot", "greedy"}
    assert all(line["games"] and not any(line["faults"].values()) for line in standings)


def test_tournament_of_the_readme_is_read(bowerbird: Bowerbird) -> None:
    for name in ("mybot", "bots/greedy"):
        folder = bowerbird.folder / name
        folder.mkdir(parents=True)
        manifest = (ROOT / "bots/greedy/bot.toml").read_text(encoding="utf-8").replace('"../.."', f'"{ROOT}"')
        (folder / "bot.toml").write_text(manifest.replace('"greedy"', f'"{folder.name}"'), encoding="utf-8")
    text = _block("toml", "# autumn.toml").replace("sets = 50 ", "sets = 1 ")
    (bowerbird.folder / "autumn.toml").write_text(text, encoding="utf-8")
    document = bowerbird.json("tournament", "autumn.toml", "--quiet")
    assert document["run"]["name"] == "autumn"


def test_stop_rules_of_the_readme_are_read(bowerbird: Bowerbird) -> None:
    """Each line is a rule of its own."""
    rules = _block("toml", "stop = { settled").splitlines()
    assert len(rules) == 3
    folders = [bowerbird.bundled("greedy"), bowerbird.bundled("random")]
    for rule in rules:
        file = bowerbird.tournament(f'[tournament]\n{rule}\n[[variant]]\nname = "two-handed"\n', *folders)
        assert load_tournament(file).stop is not None


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_names_every_command(command: str) -> None:
    assert f"`bowerbird {command}" in README


def test_readme_shows_the_two_commands() -> None:
    assert "\nmake demo " in README
    assert "\nmake test " in README
