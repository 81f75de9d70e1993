"""Where the `bowerbird` command starts: the list of commands, and how each way of ending becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING

import click

from harness.cli.errors import Ending, bare, ending_of
from harness.cli.options import debug_option
from harness.garbage import collect_rarely

COMMANDS = {
    "demo": "Play a small tournament between the bundled bots.",
    "variants": "List the variants, or describe one.",
    "match": "Compare bots without a tournament file.",
    "test": "Test whether one bot is stronger than another, as soon as that can be known.",
    "tournament": "Run a tournament file.",
    "host": "Run a tournament file with bots that dial in from elsewhere.",
    "standings": "Show the standings of a run.",
    "runs": "List the recorded runs.",
    "matches": "List the games of a run.",
    "replay": "Show a recorded game step by step.",
    "report": "Write the report of a run, for the browser.",
    "verify": "Play recorded games again and check them.",
    "check-bot": "Check whether a bot keeps to the protocol.",
    "export": "Write the record of a game, or a whole run to one file.",
    "import": "Take in exported runs and records.",
    "new-bot": "Begin a bot of your own, in one of six languages.",
}
"""Every command with the line that `bowerbird --help` shows for it, so that help imports no command."""


if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def module_of(command: str) -> str:
    """The module of a command: of its name, with "_" for a dash, and after a word that Python has taken."""
    name = command.replace("-", "_")
    return f"harness.cli.{name}_" if iskeyword(name) else f"harness.cli.{name}"


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, `harness.cli.NAME`, each with a function `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(module_of(cmd_name)).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that `args` begin with; an unknown one is a UsageError with the nearest match."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from engine.wording import unknown

            raise click.UsageError(unknown("command", args[0], COMMANDS), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table above, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command from the table above, importing none of them."""
        from click.shell_completion import CompletionItem

        commands = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)


def _show_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"bowerbird {version('bowerbird')}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with 'bowerbird demo'. Every command explains itself: 'bowerbird match --help'.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@debug_option
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A referee and rating harness for bots that play the Euchre family of card games."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line (without the program's name) and return its exit code.

    Whatever goes wrong ends as one sentence on standard error; only `--debug` shows a traceback.
    """
    try:
        code = cli.main(list(arguments), prog_name="bowerbird", standalone_mode=False, obj=tuple(arguments))
    except BaseException as error:
        if isinstance(bare(error), (BrokenPipeError, SystemExit)):
            # Whoever read our output (`head`, a pager) has had enough; click makes a SystemExit of that, and nothing
            # else raises one here. Python flushes stdout once more while it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return Ending.DONE
        ending, sentence = ending_of(error)
        if "--debug" in arguments and ending is not Ending.INTERRUPTED:
            import traceback

            traceback.print_exc()
        elif sentence:
            click.echo(f"bowerbird: {sentence}", err=True)
        return ending
    return code if isinstance(code, int) else Ending.DONE


def main() -> None:
    """The entry point of the installed command."""
    collect_rarely()
    sys.exit(run(sys.argv[1:]))
