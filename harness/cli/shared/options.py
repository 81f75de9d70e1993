"""Options that several commands share, with their completion, parsing and checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bowerbird.harness.cli.shared.errors import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_DB = Path("results") / "bowerbird.db"
"""The database of recorded runs, relative to the working folder."""


def number_option(
    flag: str,
    kind: click.ParamType[Any],
    text: str,
    *,
    name: str | None = None,
    metavar: str = "N",
    default: float | None = None,
) -> Callable[[Command], Command]:
    """Return an option for a number. Its help shows a short name instead of the type.

    flag: such as `--sets`.
    kind: the click type that parses the number and checks its range.
    text: the help.
    name: the argument of the command; by default the flag's name.
    metavar: what the help calls the number.
    default: shown in the help; None without one.
    """
    names = (flag,) if name is None else (flag, name)
    return click.option(
        *names, type=kind, metavar=metavar, default=default, show_default=default is not None, help=text
    )


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error, not just the message."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Don't show progress.")
resume_option = click.option("--resume", is_flag=True, help="Resume the newest run of this name where it stopped.")
startup_option = number_option(
    "--startup",
    click.FloatRange(min=0.1, max=3600),
    "How long a bot may take to start ([time] startup in a tournament file).",
    metavar="SECONDS",
    default=20.0,
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(("sandbox", "limits", "none")),
    metavar="HOW",
    help="How to isolate the bots: sandbox, limits or none. By default sandbox if it works for all of them, else "
    "limits.",
)
jobs_option = number_option(
    "--jobs",
    click.IntRange(min=1),
    "Play in N processes, each with its own referee and bots. The results don't change.",
    default=1,
)
watch_option = click.option(
    "--no-watch", "watch", is_flag=True, flag_value=False, default=True, help="Don't allow spectators."
)


def _check_seed(_ctx: click.Context, _parameter: click.Parameter, seed: str | None) -> str:
    """Return the seed; "" to draw one. Refuse an empty --seed, which is probably a mistake in a script."""
    if seed == "":
        raise click.UsageError("--seed is empty; leave it out to have one drawn")
    return seed or ""


seed_option = click.option(
    "--seed",
    metavar="HEX_OR_TEXT",
    callback=_check_seed,
    help="Deal from this seed, for a practice run. By default the seed is random.",
)
variant_options = click.option(
    "--option", "set_options", metavar="K=V", multiple=True, help="Set an option of the variant. Repeatable."
)
deals_option = click.option("--deals", is_flag=True, help="Play single hands, not whole games.")
public_name_option = click.option(
    "--public-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="The name or IP address that remote bots connect to. By default this machine's. Repeatable.",
)
db_option = click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    default=DEFAULT_DB,
    show_default=True,
    help="The database of recorded runs.",
)


opponents_option = click.option(
    "--with",
    "opponents",
    metavar="BOT[,BOT...]",
    default="greedy",
    show_default=True,
    help="The bots in the other seats, in turn.",
)


def output_option(text: str, *names: str, **more: Any) -> Callable[[Command], Command]:
    """Return an option for the path of a file to write, by default -o. `more` is of `click.option`.

    The command raises InputError at the start if the folder is missing.
    """
    settings: dict[str, Any] = {"type": click.Path(path_type=Path, dir_okay=False), "callback": _check_output, **more}
    return click.option(*(names or ("-o", "--output")), help=text, **settings)


def _check_output(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")
    return path


def examples(*lines: str) -> str:
    """Return the epilog of a command's help: examples to copy. Each is passed without the leading `bowerbird`."""
    return "\n".join(("\b", "Examples:", *(f"  bowerbird {line}" for line in lines)))


def result_options(command: Command) -> Command:
    """Add --db, --json and --debug to a command that shows recorded data."""
    return db_option(json_option(debug_option(command)))


def progress_options(command: Command) -> Command:
    """Add --db, --json, --quiet and --debug to a command that takes a while and shows its progress."""
    return db_option(json_option(quiet_option(debug_option(command))))


def variant_option(command: Command) -> Command:
    """Add --variant and --option to a command that plays one variant, by default euchre."""
    name = click.option(
        "--variant", type=VARIANT, default="euchre", show_default=True, metavar="NAME", help="The variant to play."
    )
    return name(variant_options(command))


def parse_variant_options(texts: tuple[str, ...]) -> dict[str, str]:
    """Return the values of --option by name, for the engine to parse. Raises InputError if one has the wrong form."""
    options: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError(f"--option {text!r} is not of the form NAME=VALUE, such as --option start=20")
        if name in options:
            raise InputError(f"--option {name} is given twice")
        options[name] = value
    return options


def checked_variant_options(variant: str, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the values of --option for a variant, by name. Raises InputError if one has the wrong form or value.

    The code that reads the options reports an unknown variant.
    """
    options = parse_variant_options(texts)
    from bowerbird.engine import InvalidOption, resolve_options, variant_names

    if variant in variant_names():
        try:
            resolve_options(variant, {**options})
        except InvalidOption as error:
            raise InputError(f"--option: {error}") from error
    return options


class _VariantName(click.ParamType[str]):
    """The id of a variant. Its title and other common names are accepted, too."""

    name = "name"

    def convert(self, value: str, _parameter: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id.

        Raises UnknownVariant; if the word resembles no id, the error says where the pages mention it.
        """
        from bowerbird.engine import UnknownVariant, variant_named

        if ctx is not None and ctx.resilient_parsing:
            return value
        try:
            return variant_named(value)
        except UnknownVariant as error:
            from bowerbird.harness.cli.shared.doc_pages import where_found

            if "there are" not in str(error):
                raise
            raise UnknownVariant(f"{error}{where_found(value)}") from None

    def shell_complete(self, _ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the id."""
        from click.shell_completion import CompletionItem

        from bowerbird.engine import rules_of, variant_names

        found = (name for name in variant_names() if name.startswith(incomplete))
        return [CompletionItem(name, help=rules_of(name).title) for name in found]


VARIANT = _VariantName()


def complete_bot(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a bundled bot, or a folder."""
    from click.shell_completion import CompletionItem

    from bowerbird.harness.resources import bundled_bots

    names = [CompletionItem(name) for name in bundled_bots() if name.startswith(incomplete)]
    return [CompletionItem(incomplete, type="dir"), *names]  # in bash "dir" replaces all items before it
