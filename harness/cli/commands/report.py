"""`bowerbird report [RUN] -o report.html`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared.options import progress_options
from harness.cli.shared.output import print_json, progress_bar

if TYPE_CHECKING:
    from harness.records.store.store import Store
    from harness.records.values.query_results import RunRow


@click.command("report")
@click.argument("run", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="The file of the report; the games that it links to lie beside it, in a folder NAME-games.",
)
@click.option(
    "--replays",
    type=click.IntRange(min=0),
    help="Write replay pages for at most this many games: those with faults first, then of each line-up in turn. "
    "If left out: one of each line-up and variant, 100 with faults, and 200 at least.",
)
@progress_options
def command(*, run: str | None, output: Path, replays: int | None, db: Path, as_json: bool, quiet: bool) -> None:
    """Write the report of RUN (its id, the beginning of it, or its name; the newest run if left out).

    One file for the browser: standings with intervals, crosstable, rating curves, each variant, faults with their
    stories, times. It can be sent alone; with the folder beside it each cell of a crosstable opens its games.
    """
    from harness.records.store.store import Store

    with Store.open(db) as store:
        found = store.run(run)
        size, folder, pages = save_report(store, found, output, replays=replays, quiet=quiet)
    if as_json:
        print_json({"report": output, "bytes": size, "games": folder, "replays": pages})
        return
    click.echo(f"written: {output} ({size:,} bytes) and {pages} replays in {folder}")


def save_report(store: Store, run: RunRow, output: Path, *, replays: int | None, quiet: bool) -> tuple[int, Path, int]:
    """Write a report, with progress on stderr. Return its bytes, the folder of its replays, and their number."""
    from harness.report.report_page import write_report

    with progress_bar(f"report of {run.fingerprint}", quiet) as progress:
        written = write_report(store, run, output, replays=replays, progress=progress)
    return written.size, written.folder, written.replays
