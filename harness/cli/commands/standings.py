"""`bowerbird standings [RUN]...`."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.shared.completion import complete_run
from harness.cli.shared.options import complete_variant, examples, result_options


@click.command("standings", epilog=examples("standings", "standings autumn-league --variant buck"))
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=complete_run)
@click.option("--variant", shell_complete=complete_variant, help="Show this variant only.")
@click.option("--pooled", "only_pooled", is_flag=True, help="Show only the ratings over all variants.")
@click.option("--all", "every_run", is_flag=True, help="Rate all runs of the database together.")
@result_options
def command(
    *, runs: tuple[str, ...], variant: str | None, only_pooled: bool, every_run: bool, db: Path, as_json: bool
) -> None:
    """Show the standings of RUN, by default of the newest run. Several runs are rated together.

    RUN is its id, the beginning of it, or its name.

    Elo is fitted to all complete deal sets and has a 95% interval. A bot ranks above another if the interval of their
    difference excludes 0. LOS is the likelihood that a bot is stronger than the next one. "live" is the incremental Elo
    that progress shows. points/deal is the difference from the table's mean, with its standard error. won-drawn-lost
    counts pairs of bots: at each table, each bot on another side is an opponent. p50 and p99 are percentiles of the
    time charged for a decision.
    """
    from harness.cli.display.standings import print_standings
    from harness.records.store.store import Store

    if every_run and runs:
        raise click.UsageError("--all rates every run, leave the names of runs out")
    if variant is not None and only_pooled:
        raise click.UsageError("--pooled covers all variants, leave --variant out")
    with Store.open(db) as store:
        found = [store.run(run) for run in runs] or (store.runs() if every_run else [store.run()])
        if len(found) > 1 or every_run:
            from harness.cli.display.combined_standings import print_combined_standings

            print_combined_standings(store, found, variant=variant, as_json=as_json)
            return
        store.require_variant(found[0].fingerprint, variant)
        print_standings(store, found[0], as_json=as_json, variant=variant, only_pooled=only_pooled)
