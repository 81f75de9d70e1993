"""`bowerbird tournament FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.playing import Playing, playing_options
from bowerbird.harness.cli.shared.options import examples
from bowerbird.harness.cli.shared.output import command_line, echo, print_json

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun


@click.command("tournament", epilog=examples("tournament autumn.toml --dry-run", "tournament autumn.toml --jobs 2"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Print the schedule and a forecast without playing.")
@playing_options()
def command(file: Path, *, dry_run: bool, playing: Playing) -> None:
    """Run the tournament FILE and show the standings.

    Each deal set is stored as soon as it is complete, so --resume can resume an interrupted run. If the file has a
    seed, the same command resumes it even without --resume.
    """
    from bowerbird.harness.cli.shared.on_end import run_on_end
    from bowerbird.harness.cli.tournament_run import entered_file, note_namesake, store_commitment
    from bowerbird.harness.tournament.config.bot_entries import check_all_local

    tournament = entered_file(file, playing.db, resume=playing.resume)
    if dry_run:
        from bowerbird.harness.cli.dry_run import print_dry_run

        print_dry_run(tournament, playing.db, resume=playing.resume, as_json=playing.as_json)
        return
    check_all_local(tournament.bots)
    with playing.store() as store:
        if not (playing.resume or playing.quiet):
            note_namesake(tournament, store)
        if tournament.beacon == "" and not playing.resume:
            print_commitment(store_commitment(tournament, store), playing.as_json)
            return
        run = playing.play(tournament, store)
        from bowerbird.harness.cli.display.standings import print_standings  # bots don't wait for this

        print_standings(run, as_json=playing.as_json)
        run_on_end(tournament.on_end, tournament.folder, run)


def print_commitment(run: StoredRun, as_json: bool) -> None:
    """Print the line to publish before the beacon is known, and the command that resumes the run afterwards."""
    if as_json:
        print_json({"run": run.row})
        return
    from bowerbird.harness.records.verify.beacons import source_in_words

    again = command_line([*click.get_current_context().find_root().obj, "--resume"])
    source = source_in_words(run.row.config)
    for line in (
        f"run {run.fingerprint} ({run.row.name}) commits to the seed {run.row.commitment}",
        *([f"The source of its beacon: {source}"] if source else []),
        "Publish this line, and the source of the beacon. When the beacon is known, enter it in the file as "
        'beacon = "...". Then run:',
        f"  {again}",
    ):
        echo(line)
