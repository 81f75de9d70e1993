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
@click.option("--annul", is_flag=True, help="Also take the finished games of BOT out of the results.")
@result_options
def command(*, run: str, bot: str, why: str, by: str | None, yes: bool, annul: bool, db: Path, as_json: bool) -> None:
    """Take BOT out of RUN, in public: it misses all games that are not played yet.

    RUN is its id, the beginning of it, or its name. Interrupt a run that is being played, withdraw the bot, and resume.
    Games that BOT played still count, and those that it misses are recorded as not played and count nowhere. With
    --annul the deal sets with its finished games count nowhere, too: at a table of three to seven seats they go for all
    bots. Nothing is played again, and later rounds of a Swiss or a knockout stand.

    Standings, report and archive say who decided it and why. 'bowerbird reinstate' is the opposite. Only where a run
    was played can it be corrected.
    """
    from bowerbird.harness.cli.display.corrected import print_corrected
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
