"""`bowerbird export ID`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.shared.completion import complete_run_or_game
from harness.cli.shared.errors import InputError
from harness.cli.shared.options import check_output, db_option, debug_option, examples, quiet_option
from harness.cli.shared.output import echo, json_text, note, progress_bar


@click.command(
    "export",
    epilog=examples("export autumn-league -o autumn.tar.gz", "export 4f1c9a/euchre-0/greedy+random/0/0 -o game.toml"),
)
@click.argument("ref", metavar="ID", shell_complete=complete_run_or_game)
@click.option(
    "--format",
    "form",
    type=click.Choice(["toml", "json"]),
    help="The form of a game: toml (the default), the record itself, byte for byte; json, its content for programs.",
)
@click.option("--json", "as_json", is_flag=True, help="Write a game as JSON, as --format json does.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=check_output,
    help="Write to this file instead of stdout.",
)
@db_option
@quiet_option
@debug_option
def command(*, ref: str, form: str | None, as_json: bool, output: Path | None, db: Path, quiet: bool) -> None:
    """Write the record of the game ID, or the whole run ID to one archive (with -o run.tar.gz).

    ID is the id of a game or the beginning of it, with at least one "/"; or the id of a run, the beginning of it, or
    its name. The same run gives the same bytes. 'bowerbird import' reads both.
    """
    form = "json" if as_json else form
    if "/" in ref:
        _export_game(ref, form or "toml", output, db)
    else:
        _export_run(ref, form, output, db, quiet=quiet)


def _export_game(ref: str, form: str, output: Path | None, db: Path) -> None:
    from harness.records.store.atomic_file import replacing
    from harness.records.store.store import Store
    from harness.records.text.canonical import as_json as json_of

    with Store.open(db) as store:
        text = json_text(json_of(store.record(ref))) + "\n" if form == "json" else store.record_text(ref)
    if output is None:
        if sys.stdout.isatty():
            for line in text.splitlines():
                echo(line)  # a stranger's database may hold any text
        else:
            click.echo(text, nl=False)
        return
    with replacing(output) as file:
        file.write(text.encode())
    note(f"written: {output}")


def _export_run(ref: str, form: str | None, output: Path | None, db: Path, *, quiet: bool) -> None:
    from engine import counted
    from harness.records.archive.archive import write_archive
    from harness.records.store.store import Store

    with Store.open(db) as store:
        run = store.run(ref)
        if form is not None:
            raise InputError(
                f"{ref!r} is a run, which is written as one archive, not as {form}; leave --format and --json out"
            )
        if output is None:
            raise InputError(f"run {run.fingerprint} is written to a file: add -o {run.fingerprint}.tar.gz")
        with progress_bar(f"exporting {run.fingerprint}", quiet) as progress:
            written = write_archive(store, run.fingerprint, output, progress)
    parts = [counted(written.games, "game")]
    if written.stories:
        parts.append(f"stories of {counted(written.stories, 'fault')}")
    if output.is_file():
        parts.append(f"{output.stat().st_size:,} bytes")
    note(f"written: {output}, {', '.join(parts)}")
