"""`bowerbird withdraw RUN BOT`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.completion import complete_bot_of_run, complete_run
from bowerbird.harness.cli.shared.correcting import correctable_run, correction_options, decided_by, is_confirmed
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import echo


@click.command(
    "withdraw",
    epilog=examples(
        'withdraw cup greedy --why "its author asked for it"',
        'withdraw cup greedy --annul --why "it cheated" --by jury --yes',
    ),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.argument("bot", metavar="BOT", shell_complete=complete_bot_of_run)
@correction_options
@click.option("--annul", is_flag=True, help="Also remove BOT's finished games from the results.")
@result_options
def command(*, run: str, bot: str, why: str, by: str | None, yes: bool, annul: bool, db: Path, as_json: bool) -> None:
    """Publicly take BOT out of RUN: it misses all games not yet played.

    RUN is an id, the start of one, or a name. If it is being played, interrupt it, withdraw the bot, and resume. Games
    that BOT has played still count; those it misses are recorded as not played. With --annul, deal sets with its
    finished games no longer count. At tables of three to seven seats, they then count for no bot. Nothing is played
    again, and later rounds of a Swiss or knockout stand.

    Standings, report and archive say who decided and why. 'bowerbird reinstate' undoes it. A run can be corrected only
    where it was played.
    """
    from bowerbird.harness.cli.display.corrections import print_corrected
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.tournament.corrections import plan_withdrawal, withdraw_bot

    name = decided_by(why, by)
    with Store.open(db) as store:
        stored = correctable_run(store, run)
        plan = plan_withdrawal(stored, bot, annul=annul)
        if not is_confirmed(stored, plan, f"bot {bot} is withdrawn", why=why, by=name, yes=yes, annuls=True):
            echo("nothing was changed", err=True)
            return
        print_corrected(stored, withdraw_bot(stored, bot, why=why, by=name, annul=annul), as_json=as_json)
