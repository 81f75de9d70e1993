"""`bowerbird tournament FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.options import isolation_option, jobs_option, playing, resume_option
from harness.cli.output import Column, print_json, print_lines, table
from harness.cli.program import command_line

if TYPE_CHECKING:
    from harness.records.rows import RunRow
    from harness.tournament.rounds import Outcome, Place


@click.command("tournament")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", is_flag=True, help="Print the schedule and what it comes to, and play nothing.")
@resume_option
@isolation_option
@jobs_option
@playing
def command(
    file: Path,
    *,
    dry_run: bool,
    resume: bool,
    isolation: str | None,
    jobs: int,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run the tournament FILE and show its standings.

    Every deal set is stored as soon as it is complete. A run that was interrupted goes on with --resume; with a typed
    seed, the same command goes on by itself.
    """
    from harness.cli.playing import commit, outcome_of, play
    from harness.cli.standings import show_standings, standings_document
    from harness.records.store import Store
    from harness.tournament.config import load_tournament

    described = load_tournament(file)
    if dry_run:
        from harness.cli.dry_run import show

        show(described, db, resume=resume, as_json=as_json)
        return
    with Store.create(db) as store:
        if described.beacon == "" and not resume:
            say_commitment(commit(described, store), as_json)
            return
        run = play(described, store, resume=resume, quiet=quiet, isolation=isolation, jobs=jobs)
        outcome = outcome_of(described, store, run)
        if as_json:
            print_json({"outcome": outcome, **standings_document(store, run)})
            return
        print_lines(_outcome_lines(outcome))
        show_standings(store, run, as_json=False)


PLACES = (
    Column("place", right=True),
    Column("bot"),
    Column("matches won", right=True),
    Column("games", right=True),
    Column(""),
)


def _outcome_lines(outcome: Outcome) -> list[str]:
    """Why it stopped, and the places of a format that has its own."""
    lines = [f"stopped: {outcome.reason}", ""] if outcome.reason else []
    if outcome.places:
        lines += [*table(PLACES, [_place_row(place) for place in outcome.places]), ""]
    return lines


def _place_row(place: Place) -> tuple[str, ...]:
    points = "" if place.points is None else f"{place.points:g}"
    share = "" if place.share is None else f"{place.share:.1%}"
    return str(place.place), place.bot, points, share, place.remark


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
