"""`bowerbird tournament FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import playing, resume_option


@click.command("tournament")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@resume_option
@playing
def command(file: Path, resume: bool, db: Path, as_json: bool, quiet: bool) -> None:
    """Run the tournament FILE and show its standings.

    Every deal set is stored as soon as it is complete. A run that was interrupted goes on with --resume; with a typed
    seed, the same command goes on by itself.
    """
    from harness.cli.playing import play
    from harness.cli.standings import show_standings
    from harness.records.store import Store
    from harness.tournament.config import load_tournament

    described = load_tournament(file)
    with Store.create(db) as store:
        run = play(described, store, resume=resume, quiet=quiet)
        show_standings(store, run, as_json=as_json)
