"""`bowerbird void RUN GAME...`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.completion import complete_game_of_run, complete_run
from bowerbird.harness.cli.shared.correcting import correctable_run, correction_options, decided_by, is_confirmed
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import echo


@click.command(
    "void",
    epilog=examples(
        'void cup 4f1c9a/euchre-0/greedy+random/3/0 --why "disk full"',
        'void cup euchre-0/greedy+random/3 --why "the disk was full" --yes',
    ),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.argument("games", metavar="GAME...", nargs=-1, required=True, shell_complete=complete_game_of_run)
@correction_options
@result_options
def command(*, run: str, games: tuple[str, ...], why: str, by: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Publicly take the deal sets of games out of RUN's results, to be played again.

    RUN is an id, the start of one, or a name. GAME is the id of a game or deal set, or the start of one. A deal set
    counts as a whole or not at all, so all its games go. In a knockout or Swiss the later rounds go, too, since their
    pairings follow from these results.

    The games stay in the database and in archives, marked with the reason. The command draws a new secret seed and
    prints the commitment to it; publish that before you resume. 'bowerbird runs resume' plays the deal sets again from
    the new seed. A run can be corrected only where it was played.
    """
    from bowerbird.harness.cli.display.corrections import print_corrected
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.tournament.corrections import plan_void, void_games

    name = decided_by(why, by)
    with Store.open(db) as store:
        stored = correctable_run(store, run)
        plan = plan_void(stored, games)
        if not is_confirmed(stored, plan, "", why=why, by=name, yes=yes):
            echo("nothing was changed", err=True)
            return
        print_corrected(stored, void_games(stored, games, why=why, by=name), as_json=as_json)
