"""The pages on bots work as printed: tune-a-bot.md, and bot-in-another-language.md in TypeScript."""

from __future__ import annotations

import re

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block
from tests.support.paths import DOCS

TUNE = DOCS / "how-to" / "tune-a-bot.md"
LANGUAGE = DOCS / "tutorials" / "bot-in-another-language.md"


@pytest.fixture
def tuned(bowerbird: Bowerbird) -> Bowerbird:
    """Return the command in a folder with the bot and the files of the page on tuning; runs are small."""
    bowerbird.done("new-bot", "mybot", "--lang", "python")
    (bowerbird.folder / "mybot" / "bot.py").write_text(block(TUNE, "python", "class MyBot"), encoding="utf-8")
    tune = block(TUNE, "toml", "sets = 100").replace("sets = 100", "sets = 2")
    (bowerbird.folder / "tune.toml").write_text(tune, encoding="utf-8")
    confirm = block(TUNE, "toml", "sets = 20000").replace("sets = 20000", "sets = 4")
    (bowerbird.folder / "confirm.toml").write_text(confirm, encoding="utf-8")
    return bowerbird


def test_values_of_an_argument_are_compared_as_bots_of_their_own(tuned: Bowerbird) -> None:
    lines = tuned.json("tournament", "tune.toml", "--quiet")["overall"]["standings"]
    assert {line["bot"] for line in lines} == {"least-2", "least-3", "least-4", "greedy"}
    assert not any(any(line["faults"].values()) for line in lines)


def test_test_of_two_values_runs(tuned: Bowerbird) -> None:
    document = tuned.json("tournament", "confirm.toml", "--quiet")
    assert {line["bot"] for line in document["overall"]["standings"]} == {"least-2", "least-3"}
    assert document["overall"]["rank_by"] == "points"


@pytest.fixture
def author(bowerbird: Bowerbird) -> Bowerbird:
    """Return the command in a folder with the bot in TypeScript, changed as the tutorial says."""
    bowerbird.done("new-bot", "mynode", "--lang", "node")
    folder = bowerbird.folder / "mynode"
    (folder / "choose.ts").write_text(block(LANGUAGE, "ts", "export function choose"), encoding="utf-8")
    program = (folder / "main.ts").read_text(encoding="utf-8")
    answers = block(LANGUAGE, "ts", "const decisions")
    answers = answers.replace("view!),\n", "view!),\n" + block(LANGUAGE, "ts", "note:"))
    program, count = re.subn(r"    const decisions = .*?\n    \}\)\);\n", lambda _: answers, program, flags=re.DOTALL)
    assert count == 1, "the starter has the lines that the tutorial replaces"
    (folder / "main.ts").write_text(block(LANGUAGE, "ts", "import { choose }") + program, encoding="utf-8")
    return bowerbird


@pytest.mark.long
@pytest.mark.toolchain("node", "npm")
def test_bot_in_typescript_beats_random_and_answers_the_same_again(author: Bowerbird) -> None:
    match = ("match", "./mynode", "random", "--variant", "buck", "--deals", "--sets", "20", "--seed", "tutorial")
    [first, other] = author.json(*match, "--quiet")["overall"]["standings"]
    assert (first["bot"], other["bot"]) == ("mynode", "random")
    assert not any(first["faults"].values())
    author.done("transcript", "./mynode", "-o", "game.jsonl")
    assert "0 with another legal action" in author.done("play-transcript", "game.jsonl", "./mynode", "--exact")
    notes = "".join(log.read_text(encoding="utf-8") for log in (author.folder / "results").rglob("mynode*.log"))
    assert re.search(r"hand (\w\w ?)+", notes), "the note of an answer is in the log"
