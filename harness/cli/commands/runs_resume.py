"""`bowerbird runs resume RUN`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import examples
from bowerbird.harness.cli.shared.playing import Playing, playing_options

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store, StoredRun


@click.command(
    "resume",
    short_help="Resume an unfinished run.",
    epilog=examples("runs resume autumn-league", "runs resume 4f1c9a --file autumn.toml"),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Use this tournament file instead of the stored copy. It may add bots, variants and deal sets.",
)
@playing_options(resume=False, serve=False)
def command(run: str, *, file: Path | None, playing: Playing) -> None:
    """Resume the unfinished RUN where it stopped, and show the standings.

    RUN is an id, the start of one, or a name. You don't need the tournament file: the database has a copy. The bots
    must be where they were, unchanged.
    """
    from bowerbird.harness.cli.display.standings import print_standings
    from bowerbird.harness.cli.shared.on_end import run_on_end
    from bowerbird.harness.cli.tournament_run import stored_file
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.tournament.config.tournament_file import load_tournament

    with Store.open(playing.db) as store:
        stored = _unfinished(store, run)
        if stored.row.ended and file is None:
            raise InputError(
                f"run {stored.fingerprint} ({stored.row.name}) is complete; --file FILE extends it, with a tournament "
                "file that has more deal sets, bots or variants"
            )
        tournament = stored_file(stored) if file is None else load_tournament(file)
        if file is not None and tournament.stage is not None:  # who takes part was decided when the run began
            tournament = load_tournament(file, [bot.name for bot in stored.bots()])
        played = playing.play(tournament, store, run=stored)
        print_standings(played, as_json=playing.as_json)
        run_on_end(tournament.on_end, tournament.folder, played)


def _unfinished(store: Store, ref: str) -> StoredRun:
    """Return the run that `ref` names; if several runs have the name, the newest unfinished one."""
    found = store.run(ref)
    if found.row.ended and found.row.name == ref:
        return next((run for run in store.runs() if run.row.name == ref and run.row.ended is None), found)
    return found
