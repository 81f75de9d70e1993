"""`bowerbird reinstate RUN BOT`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.completion import complete_bot_of_run, complete_run
from bowerbird.harness.cli.shared.correcting import correctable_run, correction_options, decided_by, is_confirmed
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import echo


@click.command(
    "reinstate",
    epilog=examples(
        'reinstate cup greedy --why "our network failed, not the bot"',
        'reinstate cup greedy --with-faults --why "wrong clock" --yes',
    ),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.argument("bot", metavar="BOT", shell_complete=complete_bot_of_run)
@correction_options
@click.option("--with-faults", is_flag=True, help="Also play again the deal sets in which BOT has a fault.")
@result_options
def command(
    *, run: str, bot: str, why: str, by: str | None, yes: bool, with_faults: bool, db: Path, as_json: bool
) -> None:
    """Publicly take the withdrawn BOT back into RUN, and play the games it missed.

    RUN is an id, the start of one, or a name. The deal sets with games that BOT missed are voided, as by 'bowerbird
    void', so that 'bowerbird runs resume' plays them again. Games that were annulled count again, and BOT's failures
    so far no longer count against its limits.
    """
    from bowerbird.harness.cli.display.corrections import print_corrected
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.tournament.corrections import plan_reinstatement, reinstate_bot

    name = decided_by(why, by)
    with Store.open(db) as store:
        stored = correctable_run(store, run)
        plan = plan_reinstatement(stored, bot, with_faults=with_faults)
        if not is_confirmed(stored, plan, f"bot {bot} is reinstated", why=why, by=name, yes=yes):
            echo("nothing was changed", err=True)
            return
        done = reinstate_bot(stored, bot, why=why, by=name, with_faults=with_faults)
        print_corrected(stored, done, as_json=as_json)
