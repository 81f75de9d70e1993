"""The options that many commands share, named and explained once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.cli.errors import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_DB = Path("results") / "bowerbird.db"
"""Where runs are recorded, relative to the working folder."""

debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error, not its sentence alone."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for programs.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
resume_option = click.option(
    "--resume", is_flag=True, help="Go on with the newest run of this name, after the deal sets that are stored."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(("sandbox", "limits", "none")),
    help="What the bots run under; by default a sandbox where that works for all of them, else limits.",
)
jobs_option = click.option(
    "--jobs",
    "jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Play in N processes, each with a referee and bots of its own; the results are the same.",
)


def _drawn_or_given(_ctx: click.Context, _parameter: click.Parameter, seed: str | None) -> str:
    """The seed, "" where one is to be drawn; an empty one that was given is more likely a mistake of a script."""
    if seed == "":
        raise click.UsageError("an empty --seed is not allowed, leave it out to have one drawn")
    return seed or ""


seed_option = click.option(
    "--seed",
    metavar="HEX_OR_TEXT",
    callback=_drawn_or_given,
    help="Play the deals of this seed, a practice run; otherwise one is drawn.",
)
variant_options = click.option(
    "--option", "options", metavar="K=V", multiple=True, help="An option of the variant; may be repeated."
)
db_option = click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT_DB,
    show_default=True,
    help="The database of recorded runs.",
)


def reading(command: Command) -> Command:
    """The options of a command that shows what is recorded: --db, --json, --debug."""
    return db_option(json_option(debug_option(command)))


def playing(command: Command) -> Command:
    """The options of a command that plays: --db, --json, --quiet, --debug."""
    return db_option(json_option(quiet_option(debug_option(command))))


def chosen_options(written: tuple[str, ...]) -> dict[str, str]:
    """What --option gave, as name -> text; the engine reads the text. Raises InputError for one of another form."""
    options: dict[str, str] = {}
    for text in written:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError(f"--option {text!r} is not of the form NAME=VALUE, such as --option start=20")
        if name in options:
            raise InputError(f"--option {name} is given twice")
        options[name] = value
    return options


def complete_variant(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of variants, for the shell's completion."""
    from click.shell_completion import CompletionItem

    from engine import rules_of, variant_names

    return [CompletionItem(name, help=rules_of(name).title) for name in variant_names() if name.startswith(incomplete)]


def complete_bot(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of bundled bots, and folders, for the shell's completion."""
    from click.shell_completion import CompletionItem

    from harness.cli.bundled import bundled_bots

    names = [CompletionItem(name) for name in bundled_bots() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="dir")]
