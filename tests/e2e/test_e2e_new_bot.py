"""`bowerbird new-bot` makes a bot that plays at once, also outside the project."""

from __future__ import annotations

import tomllib

import pytest

from bowerbird.harness.cli.commands.new_bot import LANGUAGES
from tests.support.command.bowerbird_command import Bowerbird


def test_a_new_python_bot_plays_at_once(bowerbird: Bowerbird) -> None:
    assert "match ./mine random" in bowerbird.done("new-bot", "mine", "--lang", "python")
    options = ["--variant", "two-handed", "--sets", "1", "--quiet"]
    standings = bowerbird.json("match", "./mine", "random", *options)["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"mine", "random"}
    assert all(line["games"] and not any(line["faults"].values()) for line in standings)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_carries_all_that_its_build_needs(bowerbird: Bowerbird, language: str) -> None:
    bowerbird.done("new-bot", "bots/mine", "--lang", language, "--name", "other")
    folder = bowerbird.folder / "bots" / "mine"
    assert tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))["name"] == "other"
    ignored = (folder / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"target/", ".bowerbird-build", "*.env"} <= set(ignored), "a token must not get into a repository"
    assert not [path for path in folder.rglob("*") if path.is_symlink() or path.name in ("target", "node_modules")]
    protocol = {path.name for path in folder.glob("proto/bowerbird/seat/v1/*")}
    assert protocol == (set() if language == "python" else {"action.proto", "seat.proto", "table.proto", "view.proto"})


def test_a_folder_that_holds_something_is_left_alone(bowerbird: Bowerbird) -> None:
    kept = bowerbird.folder / "mine" / "kept"
    kept.parent.mkdir()
    kept.write_text("mine", encoding="utf-8")
    assert "this folder is not empty" in bowerbird.refused("new-bot", "mine", "--lang", "go")
    assert [path.name for path in kept.parent.iterdir()] == ["kept"]


def test_a_name_that_no_bot_can_have_is_refused(bowerbird: Bowerbird) -> None:
    sentence = bowerbird.refused("new-bot", "my bot", "--lang", "go")
    assert "'my bot' is not allowed" in sentence
    assert "--name" in sentence
    assert not (bowerbird.folder / "my bot").exists()


def test_an_unknown_language_is_refused(bowerbird: Bowerbird) -> None:
    assert "cobol" in bowerbird.refused("new-bot", "mine", "--lang", "cobol")
