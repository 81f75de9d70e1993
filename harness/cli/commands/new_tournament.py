"""`bowerbird new-tournament FILE`: a tournament file with every key, commented out with its default."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.playing import note_equal_names
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import VARIANT, complete_bot, debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import command_line, echo, print_json

if TYPE_CHECKING:
    from bowerbird.harness.tournament.config.template import NewBot

BOTS = ("greedy", "random")
VARIANTS = ("euchre",)


@click.command(
    "new-tournament",
    epilog=examples("new-tournament autumn.toml", "new-tournament cup.toml --bot mybot --bot greedy --variant buck"),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--bot",
    "bots",
    metavar="BOT",
    multiple=True,
    shell_complete=complete_bot,
    help=f"A bot to enter. Repeatable. By default {' and '.join(BOTS)}.",
)
@click.option(
    "--variant",
    "variants",
    metavar="NAME",
    multiple=True,
    type=VARIANT,
    help=f"A variant to play. Repeatable. By default {' and '.join(VARIANTS)}.",
)
@click.option("--name", metavar="NAME", help="The tournament's name. By default the file's name.")
@json_option
@debug_option
def command(file: Path, bots: tuple[str, ...], variants: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """Write a tournament file to FILE, which must not exist yet.

    You can play the file as it is. It lists every key with its meaning and default, commented out.
    """
    write_tournament(file, bots or BOTS, variants or VARIANTS, name)
    note_equal_names(bots or BOTS)
    then = (["tournament", str(file), "--dry-run"], "see what will be played"), (["tournament", str(file)], "play it")
    if as_json:
        print_json({"file": file, "next": [command_line(arguments) for arguments, _ in then]})
        return
    echo(f"written: {file}")
    echo("Try next:")
    for arguments, why in then:
        echo(f"  # {why}")
        echo(f"  {command_line(arguments)}")


def write_tournament(file: Path, bots: Sequence[str], variants: Sequence[str], name: str | None) -> None:
    """Write a tournament file.

    bots: as typed on the command line, at least two.
    name: the name of the tournament; None for the file's name.

    Raises InputError or ConfigError, before anything is written, if the file exists, a bot or variant is unknown, or
    the tournament file would be refused for any other reason.
    """
    from bowerbird.harness.records.values.run import wrong_name
    from bowerbird.harness.tournament.config.template import template
    from bowerbird.harness.tournament.config.tournament_file import parse_tournament

    if os.path.lexists(file):
        raise InputError(f"{file}: already exists and was left untouched; name another file")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}; make it first or name another file")
    if wrong := wrong_name(file.stem if name is None else name):
        raise InputError(f"the tournament's name {wrong}; give it one with --name")
    if len(bots) < 2:
        raise InputError("only one bot is named; a tournament has at least 2, so repeat --bot")
    text = template(name, variants, _entered(bots, file.parent), file.stem)
    parse_tournament(text, file)
    with file.open("x", encoding="utf-8") as target:
        target.write(text)


def _entered(bots: Sequence[str], folder: Path) -> list[NewBot]:
    """Return the entries of the bots for a file in `folder`."""
    from bowerbird.harness.tournament.config.bot_entries import entered_names
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.template import NewBot

    loaded = [load_bot(find_bot(text)) for text in bots]
    return [
        NewBot(_path(text, folder), name, name != bot.name, bot.tables)
        for text, bot, name in zip(bots, loaded, entered_names(loaded), strict=True)
    ]


def _path(text: str, folder: Path) -> str:
    """Return the path of a bot for a file in `folder`. A bundled name or an absolute path stays as typed."""
    from bowerbird.harness.resources import bundled_bots
    from bowerbird.harness.tournament.config.bot_paths import is_bare

    if text in bundled_bots() or os.path.isabs(text):
        return text
    path = os.path.relpath(text, folder)
    return f"./{path}" if is_bare(path) else path
