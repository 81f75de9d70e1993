"""`bowerbird tournament FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.options import isolation_option, jobs_option, playing, resume_option
from harness.cli.output import print_json
from harness.cli.program import command_line

if TYPE_CHECKING:
    from harness.records.rows import RunRow


@click.command("tournament")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@resume_option
@isolation_option
@jobs_option
@playing
def command(
    file: Path, *, resume: bool, isolation: str | None, jobs: int, db: Path, as_json: bool, quiet: bool
) -> None:
    """Run the tournament FILE and show its standings.

    Every deal set is stored as soon as it is complete. A run that was interrupted goes on with --resume; with a typed
    seed, the same command goes on by itself.
    """
    from harness.cli.playing import commit, play
    from harness.cli.standings import show_standings
    from harness.records.store import Store
    from harness.tournament.config import load_tournament

    described = load_tournament(file)
    with Store.create(db) as store:
        if described.beacon == "" and not resume:
            say_commitment(commit(described, store), as_json)
            return
        run = play(described, store, resume=resume, quiet=quiet, isolation=isolation, jobs=jobs)
        show_standings(store, run, as_json=as_json)


def say_commitment(run: RunRow, as_json: bool) -> None:
    """Print what is to be published before the beacon is known, and how to go on when it is."""
    if as_json:
        print_json({"run": run})
        return
    again = command_line([*click.get_current_context().find_root().obj, "--resume"])
    for line in (
        f"run {run.fingerprint} ({run.name}) commits to the seed {run.commitment}",
        'Publish this line and where the beacon will come from. When it is known, enter it as beacon = "..."; then:',
        f"  {again}",
    ):
        click.echo(line)
