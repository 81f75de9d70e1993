"""`bowerbird standings [RUN]...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.options import VARIANT, examples, number_option, result_options
from bowerbird.harness.cli.shared.output import Column, note, output_width, print_json, print_lines, table

if TYPE_CHECKING:
    from bowerbird.harness.cli.display.standings import SeasonShown
    from bowerbird.harness.records.store.store import Store, StoredRun


@click.command(
    "standings",
    epilog=examples(
        "standings",
        "standings autumn-league --variant buck",
        "standings --between greedy mybot",
        "standings --format csv",
    ),
)
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=complete_run)
@click.option("--full", is_flag=True, help="Show every table, not just the first screen.")
@click.option("--variant", metavar="NAME", type=VARIANT, help="Show every table, of this variant only.")
@click.option("--pooled", "only_pooled", is_flag=True, help="Show only the tables over all variants.")
@click.option("--between", nargs=2, metavar="A B", help="Compare two bots, by variant and against common opponents.")
@click.option("--all", "every_run", is_flag=True, help="Rate all runs in the database together.")
@click.option("--league", metavar="NAME", help="Rate all epochs of this league's current season together.")
@number_option("--season", click.IntRange(min=1), "With --league: use season N instead.")
@click.option("--untrusted", is_flag=True, help="With --all: include imported runs without a trusted signature.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(("csv", "md")),
    help="Print csv with every number, or md to post in a forum.",
)
@click.option("--explain", is_flag=True, help="Explain the columns and terms instead of showing a run.")
@result_options
def command(
    *,
    runs: tuple[str, ...],
    full: bool,
    variant: str | None,
    only_pooled: bool,
    between: tuple[str, str] | None,
    every_run: bool,
    league: str | None,
    season: int | None,
    untrusted: bool,
    file_format: str | None,
    explain: bool,
    db: Path,
    as_json: bool,
) -> None:
    """Show the standings of RUN, by default the newest. Several runs are rated together.

    RUN is an id, the start of one, or a name.

    One screen shows each bot's rank, rating with 95% interval, score and faults, then the leaders of each variant and
    what is still open. The rating over several variants is their mean. Different options or time controls are rated
    separately, and so are single hands and whole games.

    --all counts runs played here, and imported runs with a trusted signature ('bowerbird keys'). One line names the
    runs that are left out.
    """
    if explain:
        _print_words(as_json=as_json)
        return
    if untrusted and not every_run:
        raise click.UsageError("--untrusted belongs to --all; a run that is named is always shown")
    if league is not None and (runs or every_run):
        raise click.UsageError("--league rates the epochs of a league; leave out --all and the names of runs")
    if season is not None and league is None:
        raise click.UsageError("--season belongs to --league")
    _check(runs, every_run=every_run, variant=variant, only_pooled=only_pooled)
    if sum((file_format is not None, between is not None, as_json and file_format is not None)) > 1:
        raise click.UsageError("--format prints a file of leaderboards; leave out --between and --json")
    from bowerbird.harness.cli.display.standings import print_combined_standings
    from bowerbird.harness.cli.shared.runs import rated_runs
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        shown = None if league is None else _season(store, league, season)
        found = rated_runs(store, runs, every_run=every_run) if shown is None else _epochs(store, shown)
        found = list({run.fingerprint: run for run in found}.values())
        if every_run and not untrusted:
            from bowerbird.harness.cli.shared.vouching import vouched_for

            found, left_out = vouched_for(found)
            if left_out:
                note(left_out)
        if between is not None:
            from bowerbird.harness.cli.display.head_to_head import print_head_to_head

            print_head_to_head(found, between, variant=variant, as_json=as_json)
        elif file_format is not None:
            from bowerbird.harness.cli.display.leaderboard_file import print_leaderboards

            print_leaderboards(found, file_format, variant=variant)
        else:
            print_combined_standings(
                store, found, as_json=as_json, variant=variant, full=full, only_pooled=only_pooled, season=shown
            )


def _print_words(*, as_json: bool) -> None:
    """Print the meaning of each term in the standings. Wrap the text at 80 columns if the output is a pipe."""
    from bowerbird.harness.ratings.standings.text.words import WORDS

    if as_json:
        print_json(WORDS)
        return
    columns = [Column("word"), Column("meaning", wrap=True)]
    print_lines(table(columns, list(WORDS.items()), output_width() or 80))


def _check(runs: tuple[str, ...], *, every_run: bool, variant: str | None, only_pooled: bool) -> None:
    """Raise UsageError if options contradict each other."""
    if every_run and runs:
        raise click.UsageError("--all rates every run; leave out the names of runs")
    if variant is not None and only_pooled:
        raise click.UsageError("--pooled covers all variants; leave out --variant")


def _season(store: Store, league: str, number: int | None) -> SeasonShown:
    """Return the league season to show, by default the current one. Raises StoreError for a later one."""
    from bowerbird.harness.cli.display.standings import SeasonShown
    from bowerbird.harness.records.store.league import season_number, the_league

    name = the_league(store, league)
    season = store.season(name)
    assert season is not None  # `the_league` found it
    shown = season_number(season.league, number)
    return SeasonShown(name, shown, ("--season", str(number)) if number else ())


def _epochs(store: Store, shown: SeasonShown) -> list[StoredRun]:
    """Return the runs of a season of a league. Raises InputError if it has none."""
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.records.store.league import season_runs

    season = store.season(shown.league, shown.number)
    assert season is not None  # `_season` found it
    found = season_runs(store, season)
    if not found:
        raise InputError(f"season {shown.number} of league {shown.league} has no epoch in the database")
    return found
