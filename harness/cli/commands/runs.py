"""`bowerbird runs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared.options import result_options
from harness.cli.shared.output import Column, print_json, print_lines, table

if TYPE_CHECKING:
    from harness.records.values.query_results import RunRow


@click.command("runs")
@result_options
def command(db: Path, as_json: bool) -> None:
    """List the recorded runs, the newest first."""
    from harness.records.store.store import Store

    with Store.open(db) as store:
        runs = store.runs()
    if as_json:
        print_json(runs)
        return
    if not runs:
        click.echo(f"{db}: no run is recorded yet.", err=True)
        return
    print_lines(table(_COLUMNS, [_row(run) for run in runs]))


_COLUMNS = (
    Column("run"),
    Column("name"),
    Column("started (UTC)"),
    Column("state"),
    Column("seed"),
    Column("bots", right=True),
    Column("sets", right=True),
    Column("games", right=True),
)


def _row(run: RunRow) -> tuple[str, ...]:
    return (
        run.fingerprint,
        run.name,
        run.started[:16].replace("T", " "),
        "complete" if run.ended else "unfinished",
        "typed (practice)" if run.practice else "drawn",
        str(run.bots),
        str(run.sets),
        str(run.games),
    )
