"""`bowerbird analyse RUN`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run_or_game
from bowerbird.harness.cli.shared.machine_options import work_machine_options
from bowerbird.harness.cli.shared.options import examples, number_option, output_option, progress_options

if TYPE_CHECKING:
    from bowerbird.harness.extras.analysis.analysing import Analyser, Plan
    from bowerbird.harness.extras.analysis.profile import Figures
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines

LEAST_WORLDS, WORLDS = 4, 20
"""The minimum number of worlds for a decision (each half needs two), and the default."""


@click.command(
    "analyse",
    epilog=examples(
        "analyse autumn-league --jobs 2",
        "analyse 4f1c9a/euchre-0/greedy+random/0/0",
        "analyse autumn-league --deals 200",
        "analyse autumn-league mybot --export positions.json",
        "analyse autumn-league --compare mybot-1 mybot-2",
        "analyse autumn-league --tables autumn-figures",
    ),
)
@click.argument("run", metavar="[RUN|GAME]", required=False, shell_complete=complete_run_or_game)
@click.argument("bots", metavar="[BOT]...", nargs=-1)
@click.option(
    "--game", "games", metavar="ID", multiple=True, help="Analyse only games whose id begins with ID. Repeatable."
)
@number_option(
    "--deals",
    click.IntRange(min=1),
    "Analyse a sample: random deal sets that have N hands. A larger N adds to it. By default all.",
)
@number_option(
    "--worlds",
    click.IntRange(min=LEAST_WORLDS),
    "Draw N possible deals of the hidden cards for each decision.",
    default=WORLDS,
)
@number_option("--jobs", click.IntRange(min=1), "Analyse in N processes. The result is the same.", default=1)
@work_machine_options
@output_option(
    "Write the costliest mistakes to FILE as positions for 'bowerbird ask FILE BOT'.",
    "--export",
    "positions",
    metavar="FILE",
)
@click.option(
    "--tables",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the figures to FOLDER as losses.csv and pars.csv.",
)
@click.option(
    "--compare", nargs=2, metavar="OLD NEW", help="Show what NEW does better and worse than OLD, deal by deal."
)
@progress_options
def command(
    *,
    run: str | None,
    bots: tuple[str, ...],
    games: tuple[str, ...],
    deals: int | None,
    worlds: int,
    jobs: int,
    machines: OtherMachines | None,
    positions: Path | None,
    tables: Path | None,
    compare: tuple[str, str] | None,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show what each decision of a complete run cost, in points, as champion judges it.

    RUN is a run's id, the beginning of it, or its name; by default the newest. GAME is the id of a game, or the
    beginning of it; every hand of a single game is shown with its par. With BOT, only games in which it played, and
    only its own figures. The figures are kept in a file beside the database, and an interrupted analysis
    continues where it stopped.
    """
    from bowerbird.harness.extras.analysis.analysing import plan_of
    from bowerbird.harness.records.store.store import Store

    ref, is_game, in_run = (run or "").partition("/")
    with Store.open(db) as store:
        found = store.run(ref or None)
        games = (*games, f"{found.fingerprint}/{in_run}") if is_game else games
        chosen = (*bots, *compare) if compare else bots
        analyser = _analyser(jobs, machines, quiet=quiet)
        plan = plan_of(found, worlds, chosen, games, deals)
        plan, figures = _figures(store, found, plan, analyser, quiet=quiet)
        if positions is not None:
            _export(store, figures, bots, positions)
        if tables is not None:
            _write_tables(plan, figures, tables)
        if compare:
            _show_comparison(figures, *compare, db=db, as_json=as_json)
        else:
            _show(found, plan, figures, bots, as_json=as_json)


def _analyser(jobs: int, machines: OtherMachines | None, *, quiet: bool) -> Analyser:
    """Return the analyser: `jobs` processes, or other machines."""
    from bowerbird.harness.extras.analysis.analysing import analysed_here, analysed_on

    if machines is None:
        return analysed_here(jobs)
    from bowerbird.harness.cli.display.progress import teller

    return analysed_on(machines, teller(quiet=quiet))


def _figures(store: Store, run: StoredRun, plan: Plan, analyser: Analyser, *, quiet: bool) -> tuple[Plan, Figures]:
    """Analyse the games that are not stored yet. Return the figures of all planned games, and notes for the reader."""
    from dataclasses import replace

    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.output import note, progress_bar
    from bowerbird.harness.extras.analysis.analysing import analyse
    from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile

    with AnalysisFile(store.path) as file:
        try:
            with progress_bar(f"analysing {run.fingerprint}", quiet) as progress:
                analyse(run, plan, file, analyser, progress)
        except KeyboardInterrupt:
            note(
                f"interrupted: {len(file.stored(run.fingerprint, plan.judges))} of {len(plan.judges)} games are "
                "analysed and kept; the same command continues with the others"
            )
            raise
        if came := file.imported_games(run.fingerprint, plan.judges):
            line = (
                f"{counted(came, 'game')}: figures as they came with the archive; to compute them here, delete "
                f"{file.path}"
            )
            plan = replace(plan, left_out=(*plan.left_out, line))
        return plan, dict(file.games(run.fingerprint, plan.judges))


def _show(run: StoredRun, plan: Plan, figures: Figures, bots: Sequence[str], *, as_json: bool) -> None:
    from bowerbird.harness.cli.shared.output import print_json, print_lines
    from bowerbird.harness.extras.analysis.profile import profiles
    from bowerbird.harness.extras.analysis.screen import document, hand_lines, lines, shown_mistakes
    from bowerbird.harness.extras.analysis.situations import before_mistakes

    found = profiles(figures, bots)
    if as_json:
        print_json(document(run.row, plan, found))
        return
    shown = [mistake for one in found for mistake in shown_mistakes(one, found)]
    print_lines(lines(run.row, plan, found, run.store.path, before_mistakes(run.store, shown)))
    if len(figures) == 1:
        print_lines(hand_lines(next(iter(figures.values()))))


def _show_comparison(figures: Figures, old: str, new: str, *, db: Path, as_json: bool) -> None:
    from bowerbird.harness.cli.shared.output import print_json, print_lines
    from bowerbird.harness.extras.analysis.comparison import compared
    from bowerbird.harness.extras.analysis.screen import comparison_lines

    found = compared(figures, old, new)
    if as_json:
        print_json(found)
    else:
        print_lines(comparison_lines(found, db))


def _write_tables(plan: Plan, figures: Figures, folder: Path) -> None:
    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.output import note
    from bowerbird.harness.extras.analysis.figure_tables import write_tables

    written = write_tables(figures, plan.judges, folder)
    rows = ", ".join(f"{name}.csv {counted(count, 'row')}" for name, count in written.items())
    note(f"written to {folder}: {rows}")


def _export(store: Store, figures: Figures, bots: Sequence[str], path: Path) -> None:
    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.output import note
    from bowerbird.harness.extras.analysis.exporting import positions_of
    from bowerbird.harness.records.store.atomic_file import replacing
    from bowerbird.harness.records.text.positions_file import positions_text

    positions = positions_of(store, figures, bots)
    if not positions:
        note(f"{path}: not written, since no decision is certain to have cost anything")
        return
    with replacing(path) as file:
        file.write(positions_text(positions))
    note(f"{path}: {counted(len(positions), 'position')}; to ask a bot for them: bowerbird ask {path} BOT")
