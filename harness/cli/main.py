"""The `bowerbird` command group: the list of commands, and the exit code for each outcome."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.errors import ExitCode, describe_error, unwrap_group
from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import debug_option, examples
from bowerbird.harness.extensions import extensions
from bowerbird.harness.slow_reading import saying

CORE = {
    "Play matches": {
        "demo": "Play a small tournament between the bundled bots.",
        "match": "Compare bots without a tournament file.",
        "test": "Test whether one bot is stronger than another.",
        "new-tournament": "Write a tournament file to start from.",
        "tournament": "Run a tournament file.",
    },
    "Look at results": {
        "standings": "Show the standings of a run.",
        "matches": "List the games of a run.",
        "replay": "Show a recorded game step by step.",
        "report": "Write a report on a run for the browser.",
        "runs": "List the recorded runs; resume, rename or delete one.",
    },
    "Write a bot": {
        "new-bot": "Start your own bot in one of six languages.",
    },
    "Leagues and other machines": {
        "host": "Run a tournament file with remote bots.",
    },
    "Check, correct and share results": {
        "verify": "Replay recorded games and check them.",
        "void": "Take games out of a run, to be played again.",
        "withdraw": "Take a bot out of a run.",
        "reinstate": "Take a withdrawn bot back into a run.",
        "export": "Write a game to a file, or a whole run.",
        "import": "Import exported runs and records.",
        "datasette": "Print metadata for browsing a database with Datasette.",
    },
    "Look things up": {
        "variants": "List the variants, or describe one.",
        "docs": "List the documentation pages, or print one.",
    },
}
"""The help line of each core command, grouped by purpose. Optional parts add their own."""

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


@cache
def groups() -> Mapping[str, Mapping[str, str]]:
    """Return the help line of each command by heading, without importing any command."""
    found = {title: dict(lines) for title, lines in CORE.items()}
    for extension in extensions().values():
        for title, lines in extension.commands.items():
            found.setdefault(title, {}).update(lines)
    return found


def commands() -> dict[str, str]:
    """Return the help line of each command, in the order of the help."""
    return {name: line for group in groups().values() for name, line in group.items()}


def module_of(command: str) -> str:
    """Return the module of a command: its name with "_" for "-", and a trailing "_" if it is a Python keyword."""
    name = command.replace("-", "_")
    added = (part for part, one in extensions().items() for lines in one.commands.values() if command in lines)
    return f"{next(added, 'bowerbird.harness.cli')}.commands.{name}{'_' if iskeyword(name) else ''}"


class LazyGroup(CommandGroup):
    """A group that imports a command when it is used: the attribute `command` of the module named by `module_of`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, in the order of the help."""
        return list(commands())

    @property
    def shown(self) -> list[str]:
        """All commands: none is hidden."""
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none with this name."""
        if cmd_name not in commands():
            return None
        command = import_module(module_of(cmd_name)).command
        assert isinstance(command, click.Command)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing any of them, and the options below it."""
        width = max(map(len, commands()))
        for title, group in groups().items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])
        click.Command.format_options(self, ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, without importing any."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=line) for name, line in commands().items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _show_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"bowerbird {version('bowerbird')}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples("demo", "match greedy random --variant euchre", "match --help"),
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@debug_option
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A referee and ratings for bots that play the Euchre family of card games."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _say(sentence: str) -> None:
    from bowerbird.harness.cli.shared.output import note

    note(f"bowerbird: {sentence}")


def run(arguments: Sequence[str]) -> int:
    """Run a command line, without the program's name, and return its exit code.

    Prints an error as one sentence on stderr; `--debug` prints the traceback instead.
    """
    try:
        with saying(_say):
            result = cli.main(list(arguments), prog_name="bowerbird", standalone_mode=False, obj=tuple(arguments))
    except BaseException as error:
        if isinstance(unwrap_group(error), (BrokenPipeError, SystemExit)):
            # The reader of stdout (`head`, a pager) has closed it. click turns that into SystemExit, which nothing else
            # raises here. Send the output that Python flushes at exit to the null device.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitCode.SUCCESS
        code, sentence = describe_error(error)
        if "--debug" in arguments and code is not ExitCode.INTERRUPTED:
            import traceback

            traceback.print_exc()
        elif sentence:
            from bowerbird.harness.cli.shared.output import note
            from bowerbird.harness.records.quoting import bounded_sentence, shown

            for argument in arguments:  # a file name can contain a newline, which could forge a line
                sentence = sentence.replace(argument, shown(argument)) if "\n" in argument else sentence
            note("\n".join(map(shown, bounded_sentence(f"bowerbird: {sentence}").split("\n"))))
        return code
    return result if isinstance(result, int) else ExitCode.SUCCESS
