"""An unknown command or option is answered with what the word usually means, or with a similar word that is not
hidden."""

from __future__ import annotations

import re

import click
import pytest

from bowerbird.harness.cli import main
from bowerbird.harness.cli.shared.errors import ExitCode
from bowerbird.harness.cli.shared.unknown_words import MEANINGS, unknown_option
from tests.support.docs.commands import commands

COMMANDS = commands()
TYPED = [typed for words in MEANINGS for typed in words.split(", ")]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("resume", "runs resume"),
        ("watch", "serve"),
        ("delete", "runs delete"),
        ("list", "runs"),
        ("pause", "runs resume"),
        ("results", "standings"),
        ("init", "new-tournament"),
    ],
)
def test_a_word_of_other_programs_is_answered_with_what_it_means(
    word: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([word]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert said.startswith(f"bowerbird: unknown command {word!r}: ")
    assert f"'bowerbird {meant}" in said


def test_each_word_is_unknown_and_stands_once() -> None:
    assert len(TYPED) == len(set(TYPED))
    for typed in TYPED:
        path, _, word = typed.rpartition(" ")
        known = {option for each in COMMANDS[path].params for option in each.opts} if "-" in word else COMMANDS
        assert (word if "-" in word else typed) not in known, f"{typed!r} exists and needs no explanation"


@pytest.mark.parametrize("meaning", MEANINGS.values())
def test_what_a_meaning_names_exists(meaning: str) -> None:
    named = re.findall(r"'bowerbird ([a-z -]+)", meaning)
    assert {name.strip() for name in named} <= set(COMMANDS), meaning
    options = {option for command in COMMANDS.values() for each in command.params for option in each.opts}
    assert set(re.findall(r"--[a-z-]+", meaning)) <= options
    assert named or re.search(r"--|key", meaning), f"{meaning!r} names nothing to type"


@pytest.mark.parametrize("path", [path for path, command in COMMANDS.items() if isinstance(command, click.Group)])
def test_the_answer_names_no_hidden_command(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    hidden = [name.split()[-1] for name, one in COMMANDS.items() if one.hidden and name.startswith(f"{path} ")]
    for word in (*(f"{name}x" for name in hidden), "xyzzy"):
        assert main.run([*path.split(), word]) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert not [name for name in hidden if repr(name) in said], said


def test_the_answer_names_no_hidden_option() -> None:
    said = unknown_option(click.Context(COMMANDS["serve"], info_name="bowerbird serve"), "--with-parents")
    assert said == "unknown option '--with-parents'; 'bowerbird serve --help' lists the options"
