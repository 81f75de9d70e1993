"""`bowerbird export ID`."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import db_option, debug_option
from harness.cli.output import json_text


@click.command("export")
@click.argument("game", metavar="ID")
@click.option(
    "--format",
    "form",
    type=click.Choice(["toml", "json"]),
    default="toml",
    show_default=True,
    help="toml: the record itself, byte for byte; json: the same content for programs.",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, not to stdout."
)
@db_option
@debug_option
def command(game: str, form: str, as_json: bool, output: Path | None, db: Path) -> None:
    """Write the record of the game ID (its id, or the beginning of it)."""
    from harness.records.export import as_json as json_of
    from harness.records.store import Store

    with Store.open(db) as store:
        text = json_text(json_of(store.record(game))) + "\n" if as_json or form == "json" else store.record_text(game)
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"written: {output}", err=True)
