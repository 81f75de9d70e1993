"""`bowerbird runs`, the list of runs, and the group of commands that change one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.commands import runs_delete, runs_rename, runs_resume
from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import Column, note, output_width, plain_fields, print_json, print_lines, table

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.tournament.formats.catalogue import Extent

NOTHING = "-"
EXACTLY = "exactly"
"""The bound of an `Extent` whose numbers are exact; repeated here to spare `bowerbird runs` an import."""


@click.group(
    "runs",
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=examples("runs", "runs resume demo"),
    subcommand_metavar="[COMMAND [ARGS]...]",
)
@result_options
@click.pass_context
def command(ctx: click.Context, db: Path, as_json: bool) -> None:
    """List the recorded runs, newest first, or change one."""
    if ctx.invoked_subcommand is not None:
        given = {name: value for name, value in (("db", db), ("as_json", as_json)) if _is_typed(ctx, name)}
        ctx.default_map = {ctx.invoked_subcommand: given}
        return
    from bowerbird.harness.cli.display.corrections import corrections_document
    from bowerbird.harness.cli.shared.vouching import vouching_document
    from bowerbird.harness.records.store.protection import could_read_seed
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.records.vouching import Vouchers

    with Store.open(db) as store:
        runs = store.runs()
        readable = {run.fingerprint for run in runs if could_read_seed(run)}
        vouchers = Vouchers()
        vouching = {run.fingerprint: vouchers.of(run) for run in runs}
        faults = store.fault_counts()
        missed = {run.fingerprint: run.unplayed_games() for run in runs}
        due = {run.fingerprint: _due(run) for run in runs if run.row.ended is None}
        corrections = {run.fingerprint: corrections_document(run) for run in runs if run.row.corrections}
    if as_json:
        print_json(
            [
                {
                    **plain_fields(run.row),
                    "faults": faults.get(run.fingerprint, 0),
                    "games_due": None if (extent := due.get(run.fingerprint)) is None else extent.games,
                    "games_missed": missed[run.fingerprint],
                    "could_read_seed": run.fingerprint in readable,
                    **vouching_document(vouching[run.fingerprint]),
                    "correction_list": corrections.get(run.fingerprint, []),
                }
                for run in runs
            ]
        )
        return
    if not runs:
        note(f"{db}: no run is recorded yet.")
        return
    rows = [
        (
            *_row(run, run.fingerprint in readable, vouching[run.fingerprint].trusted),
            _games(run, due.get(run.fingerprint), missed[run.fingerprint]),
            str(faults.get(run.fingerprint, 0) or NOTHING),
        )
        for run in runs
    ]
    print_lines(table(_COLUMNS, rows, output_width()))


command.add_command(runs_resume.command)
command.add_command(runs_rename.command)
command.add_command(runs_delete.command)


def _is_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


_COLUMNS = (
    Column("run"),
    Column("name", cut=True),
    Column("started (UTC)", drop=3),
    Column("state"),
    Column("seed", drop=1),
    Column("bots", right=True, drop=2),
    Column("sets", right=True, drop=4),
    Column("games", right=True),
    Column("faults", right=True, drop=5),
)


def _due(run: StoredRun) -> Extent | None:
    """Return how much a run is to play; None if that is unknown, for example without its bots."""
    from bowerbird.harness.tournament.config.tournament_file import stored_tournament
    from bowerbird.harness.tournament.errors import ConfigError
    from bowerbird.harness.tournament.formats.catalogue import extent

    folder = run.config_folder()
    if folder is None:
        return None
    try:
        return extent(stored_tournament(run.row.config, folder, run.fingerprint))
    except ConfigError:
        return None


def _games(run: StoredRun, due: Extent | None, missed: int) -> str:
    """Return `390`, or `90 of 390` if some are not played; `at most` or `at least` where results decide.

    missed: how many stored games were not played because bots had been withdrawn.
    """
    played = run.row.games - missed
    if due is not None and due.games > run.row.games:
        return f"{played} of {'' if due.bound == EXACTLY else f'{due.bound} '}{due.games}"
    return f"{played} of {run.row.games}" if missed else str(played)


def _row(run: StoredRun, could_read_seed: bool, trusted: bool) -> tuple[str, ...]:
    """Return the cells of a run, except its games and faults.

    could_read_seed: whether its bots could read the seed (`protection`).
    trusted: whether it was played here, or a trusted key vouches for it (`vouching`).
    """
    state = "complete" if run.row.ended else "unfinished"
    if could_read_seed:
        state += ", seed readable"
    if not trusted:
        state += ", untrusted"
    if run.row.corrections:
        state += ", corrected"
    return (
        run.fingerprint,
        run.row.name,
        run.row.started[:16].replace("T", " "),
        state,
        "typed (practice)" if run.row.practice else "drawn",
        str(run.row.bots),
        f"{run.row.sets} ({run.row.left_out} left out)" if run.row.left_out else str(run.row.sets),
    )
