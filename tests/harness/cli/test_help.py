"""Every help text is in plain sentences, fits the terminal and ends with examples to copy (commands.md)."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from bowerbird.harness.cli import main
from tests.support.docs.commands import commands

WIDTHS = (80, 100)


COMMANDS = {"": main.cli, **commands()}


def context_of(path: str, width: int = 80) -> click.Context:
    """Return the context in which a command shows its help."""
    context = click.Context(main.cli, info_name="bowerbird", terminal_width=width, max_content_width=100)
    for word in path.split():
        assert isinstance(context.command, click.Group)
        command = context.command.get_command(context, word)
        assert command is not None
        context = click.Context(command, parent=context, info_name=word, terminal_width=width, max_content_width=100)
    return context


def examples_of(path: str) -> list[str]:
    """Return the lines of the examples."""
    _, found, examples = context_of(path).get_help().partition("Examples:\n")
    assert found, f"the help of {path or 'the program'} has no examples"
    return [line.strip() for line in examples.splitlines() if line.strip()]


@pytest.mark.parametrize("path", COMMANDS)
def test_every_help_ends_with_examples_that_parse(path: str) -> None:
    lines = examples_of(path)
    assert len(lines) >= 2
    for line in lines:
        assert line.startswith(f"bowerbird {path}".rstrip())
        assert len(line) <= 76, "the help fits 80 columns"
        words = shlex.split(line)[1:]
        context: click.Context = main.cli.make_context("bowerbird", list(words), resilient_parsing=True)
        command: click.Command = main.cli
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            _, found, words = command.resolve_command(context, words)  # `league FILE` is short for `league run FILE`
            assert found is not None, line
            command = found
        _parse(command, words)


def _parse(command: click.Command, words: list[str]) -> None:
    """Parse the words as the command does; the only excuse is a file that must exist but does not here."""
    if "--help" in words:
        return
    try:
        command.make_context(command.name, words)
    except click.BadParameter as error:
        if "does not exist" not in error.message:
            raise


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", COMMANDS)
def test_no_line_of_a_help_is_wider_than_the_terminal(path: str, width: int) -> None:
    lines = context_of(path, width).get_help().splitlines()
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_and_command_is_explained_in_whole_sentences(path: str) -> None:
    command = COMMANDS[path]
    assert command.help is not None
    for paragraph in command.help.split("\n\n"):
        assert paragraph.rstrip().endswith("."), paragraph
    for parameter in command.get_params(context_of(path)):
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.help.endswith("."), parameter.help
            assert parameter.help[0].isupper(), parameter.help
            words = parameter.make_metavar(context_of(path))
            assert parameter.hidden or not re.search("RANGE|INTEGER|FLOAT", words), f"{parameter.name} {words}"


@pytest.mark.parametrize("path", [path for path, command in COMMANDS.items() if isinstance(command, click.Group)])
def test_no_line_of_a_list_of_commands_is_cut(path: str) -> None:
    assert "..." not in context_of(path).get_help().partition("Usage: ")[2].partition("\n")[2]


def test_the_list_of_variants_gives_seats_and_cards_as_ranges_over_the_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["variants"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.search(r"4 to 10 +24 to 52 +each alone$", next(line for line in lines if line.startswith("dirty-clubs ")))
    assert re.search(r" 4 +24 to 33 +0\+2 - 1\+3$", next(line for line in lines if line.startswith("euchre ")))
    assert re.search(r" 4 +25 +0\+2 - 1\+3$", next(line for line in lines if line.startswith("hasenpfeffer ")))


def test_the_list_of_variants_names_the_games_that_are_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["variants"]) == 0
    *_, last = capsys.readouterr().out.split("\n\n")
    assert "not here" in last
    assert "Five Hundred" in last


def test_the_explanations_of_standings_fit_80_columns_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main.run(["standings", "--explain"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
