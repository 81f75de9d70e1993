"""`bowerbird standings [RUN]...`."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.shared.options import check_variant, complete_variant, result_options


@click.command("standings")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option("--variant", shell_complete=complete_variant, help="Only this variant.")
@click.option("--pooled", "only_pooled", is_flag=True, help="Only what holds over all variants.")
@click.option("--all", "every_run", is_flag=True, help="All runs of the database together.")
@result_options
def command(
    *, runs: tuple[str, ...], variant: str | None, only_pooled: bool, every_run: bool, db: Path, as_json: bool
) -> None:
    """Show the standings of RUN (its id, the beginning of it, or its name; the newest run if left out).

    Elo is the rating of record, fitted to all complete deal sets, with its 95% interval; one bot is ranked above
    another where the interval of their difference excludes 0. LOS is the likelihood that a bot is stronger than the
    next one. "live" is the incremental Elo that progress shows. Points are above the table's mean, with their standard
    error. Won, drawn and lost count pairs of bots: at each table, each bot on another side is an opponent. Times are
    what a decision took, as charged. Several runs are rated together.
    """
    from harness.cli.display.standings import print_standings
    from harness.records.store.store import Store

    if every_run and runs:
        raise click.UsageError("--all takes every run, leave the names of runs out")
    if variant is not None and only_pooled:
        raise click.UsageError("--pooled is about all variants, leave --variant out")
    with Store.open(db) as store:
        found = [store.run(run) for run in runs] or (store.runs() if every_run else [store.run()])
        if len(found) > 1 or every_run:
            from harness.cli.display.combined_standings import print_combined_standings

            print_combined_standings(store, found, variant=variant, as_json=as_json)
            return
        check_variant(store, found[0], variant)
        print_standings(store, found[0], as_json=as_json, variant=variant, only_pooled=only_pooled)
