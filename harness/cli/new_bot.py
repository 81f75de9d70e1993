"""`bowerbird new-bot DIR --lang X`."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import debug_option, json_option

LANGUAGES = ("python", "go", "rust", "java", "node", "cpp")


@click.command("new-bot")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--lang", required=True, type=click.Choice(LANGUAGES), help="What it is written in.")
@click.option("--name", help="What it is called in standings; by default the folder's name.")
@json_option
@debug_option
def command(folder: Path, lang: str, name: str | None, as_json: bool) -> None:
    """Make the folder DIR with a bot that plays every variant at once, at random, to begin with.

    It holds all that it needs, the protocol too, and may be moved anywhere.
    """
    from harness.cli.output import print_json
    from harness.cli.program import command_line
    from harness.cli.starters import copy_starter

    manifest = copy_starter(lang, folder, name)
    if as_json:
        print_json({"folder": folder, "manifest": manifest, "language": lang})
        return
    click.echo(f"written: {folder}; read {folder / 'README.md'}")
    click.echo("Try next:")
    for arguments, why in (
        (["match", _as_bot(folder), "random", "--variant", "buck"], "play it"),
        (["check-bot", str(manifest)], "check it against the whole protocol"),
    ):
        click.echo(f"  # {why}")
        click.echo(f"  {command_line(arguments)}")


def _as_bot(folder: Path) -> str:
    """How the folder is named on a command line, where a bare name would mean a bundled bot."""
    return str(folder) if len(folder.parts) > 1 else f"./{folder}"
