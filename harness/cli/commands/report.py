"""`bowerbird report [RUN] -o report.html`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.options import examples, number_option, output_option, progress_options
from bowerbird.harness.cli.shared.output import echo, print_json, progress_bar

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun


@click.command("report", epilog=examples("report", "report autumn-league -o autumn.html"))
@click.argument("run", required=False, shell_complete=complete_run)
@output_option(
    "Write the report to this file, and the games it links to into the folder NAME-games beside it.",
    default=Path("report.html"),
    show_default=True,
)
@number_option(
    "--replays",
    click.IntRange(min=0),
    "Write replay pages for at most this many games: those with faults first, then each line-up in turn. By default "
    "one game of each line-up and variant, 100 games with faults, and at least 200 in all.",
)
@progress_options
def command(*, run: str | None, output: Path, replays: int | None, db: Path, as_json: bool, quiet: bool) -> None:
    """Write a report on RUN, by default the newest, as one file for the browser.

    RUN is an id, the start of one, or a name. The report has standings with intervals, a crosstable, rating curves,
    each variant, times, and the story of each fault. It works as a single file; with its folder, crosstable cells also
    link to their games.
    """
    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.runs import rated_runs
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        found = rated_runs(store, () if run is None else (run,))[0]
        size, folder, pages = save_report(found, output, replays=replays, quiet=quiet)
    if as_json:
        print_json({"report": output, "bytes": size, "games": folder, "replays": pages})
        return
    echo(f"written: {output} ({size:,} bytes) and {counted(pages, 'replay')} in {folder}")


def save_report(run: StoredRun, output: Path, *, replays: int | None, quiet: bool) -> tuple[int, Path, int]:
    """Write a report, with progress on stderr. Return its size, the folder of its replays, and their number."""
    from bowerbird.harness.cli.shared.marks import marks_of, sections_of
    from bowerbird.harness.report.report_page import write_report
    from bowerbird.harness.tournament.played_so_far import played_so_far

    with progress_bar(f"report of {run.fingerprint}", quiet) as progress, marks_of(run.store.path) as marks:
        written = write_report(
            run,
            output,
            replays=replays,
            progress=progress,
            sections=sections_of(run),
            marks_of=marks,
            played=played_so_far(run),
        )
    return written.size, written.folder, written.replays
