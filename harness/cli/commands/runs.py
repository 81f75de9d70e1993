"""`bowerbird runs`, the list of runs, and the commands that change one: `resume`, `rename`, `delete`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.playing import Playing, playing_options
from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import (
    Column,
    echo,
    note,
    output_width,
    plain_fields,
    print_json,
    print_lines,
    table,
)

if TYPE_CHECKING:
    from bowerbird.harness.records.store.changes import Deleted
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.tournament.formats.catalogue import Extent


NOTHING = "-"
EXACTLY = "exactly"
"""The bound of an `Extent` with exact numbers, repeated here so that `bowerbird runs` need not import it."""


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
    from bowerbird.harness.tournament.played_so_far import nothing_left

    with Store.open(db) as store:
        runs = store.runs()
        readable = {run.fingerprint for run in runs if could_read_seed(run)}
        vouchers = Vouchers()
        vouching = {run.fingerprint: vouchers.of(run) for run in runs}
        faults = store.fault_counts()
        missed = {run.fingerprint: run.unplayed_games() for run in runs}
        due = {run.fingerprint: _due(run) for run in runs if run.row.ended is None and not nothing_left(run)}
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
    """Return how many games a run plays in all; None if that is unknown, for example because its bots are missing."""
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
    """Return `390`, or `90 of 390` if some games are unplayed, with `at most` or `at least` if results decide it.

    missed: how many stored games were not played because bots had been withdrawn.
    """
    played = run.row.games - missed
    if due is not None and due.games > run.row.games:
        return f"{played} of {'' if due.bound == EXACTLY else f'{due.bound} '}{due.games}"
    return f"{played} of {run.row.games}" if missed else str(played)


def _row(run: StoredRun, could_read_seed: bool, trusted: bool) -> tuple[str, ...]:
    """Return the cells of a run, except its games and faults.

    could_read_seed: True if its bots could read the seed (`protection`).
    trusted: True if it was played here, or a trusted key vouches for it (`vouching`).
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


@command.command(
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
def resume(run: str, *, file: Path | None, playing: Playing) -> None:
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
        if file is not None and tournament.stage is not None:  # the participants were fixed when the run began
            tournament = load_tournament(file, [bot.name for bot in stored.bots()])
        played = playing.play(tournament, store, run=stored)
        print_standings(played, as_json=playing.as_json)
        run_on_end(tournament.on_end, tournament.folder, played)


def _unfinished(store: Store, ref: str) -> StoredRun:
    """Return the run that `ref` names, or the newest unfinished run if several have that name."""
    found = store.run(ref)
    if found.row.ended and found.row.name == ref:
        return next((run for run in store.runs() if run.row.name == ref and run.row.ended is None), found)
    return found


@command.command(
    "rename",
    short_help="Rename a run.",
    epilog=examples("runs rename 4f1c9a autumn-league", "runs rename demo first-try"),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.argument("name", metavar="NAME")
@result_options
def rename(run: str, name: str, db: Path, as_json: bool) -> None:
    """Rename RUN to NAME.

    RUN is an id, the start of one, or a name. The ids of the run and its games don't change.
    """
    from bowerbird.harness.cli.shared.runs import the_run
    from bowerbird.harness.records.store.changes import rename_run
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.records.values.run import wrong_name

    if wrong := wrong_name(name):
        raise InputError(f"the name {wrong}")
    with Store.open(db) as store:
        stored = the_run(store, run)
        runs = store.runs()
        if any(name == other.fingerprint for other in runs):
            raise InputError(f"the name {name!r} is the id of a run; choose another name")
        others = [run.fingerprint for run in runs if run.row.name == name and run != stored]
        rename_run(store.path, stored.fingerprint, name)
    if as_json:
        print_json({"run": stored.fingerprint, "name": name, "before": stored.row.name})
        return
    echo(f"run {stored.fingerprint} is now named {name}; it was {stored.row.name}")
    if others:
        note(f"run {', '.join(others)} also has this name, which now means the run started last")


@command.command(
    "delete",
    short_help="Delete a run with its games and logs.",
    epilog=examples("runs delete 4f1c9a", "runs delete 4f1c9a --yes --vacuum"),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.option("--yes", is_flag=True, help="Don't ask for confirmation. Required without a terminal.")
@click.option("--vacuum", is_flag=True, help="Shrink the database file afterwards. Needs free space for a copy.")
@result_options
def delete(run: str, *, yes: bool, vacuum: bool, db: Path, as_json: bool) -> None:
    """Delete RUN: its games, faults, ratings, secret seed and logs.

    RUN is an id, the start of one, or a name. A run that is being played can't be deleted. The database file keeps its
    size and later runs reuse the space; --vacuum shrinks it.
    """
    from bowerbird.harness.records.store.changes import delete_run
    from bowerbird.harness.records.store.changes import vacuum as shrink
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        fingerprint = _confirmed(store, run, yes)
    if not fingerprint:
        echo("nothing was deleted", err=True)
        return
    deleted = delete_run(db, fingerprint)
    size = shrink(db) if vacuum else None
    if as_json:
        print_json({"run": fingerprint, **_document(deleted), "size": size})
        return
    for line in _lines(fingerprint, deleted, db, size):
        echo(line)


def _confirmed(store: Store, ref: str, yes: bool) -> str:
    """Return the id of the run to delete; "" if the user says no. Raises InputError if there is no terminal."""
    from bowerbird.harness.cli.shared.runs import the_run
    from bowerbird.harness.records.quoting import shown
    from bowerbird.harness.records.store.sidecar import logs_of
    from bowerbird.harness.records.values.run import is_run_id

    if is_run_id(ref) and store[ref].header() is None and logs_of(store.path, ref).is_dir():
        # an earlier deletion was interrupted before it removed the logs
        fingerprint, what, question = ref, f"run {ref}, of which only logs are left", f"Delete the logs of run {ref}?"
    else:
        run = the_run(store, ref)
        fingerprint, what, question = run.fingerprint, _described(run), f"Delete {_described(run)}, with its logs?"
    if yes:
        return fingerprint
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{what}: add --yes to delete it, since there is no terminal to ask on")
    return fingerprint if click.confirm(shown(question), err=True) else ""


def _described(run: StoredRun) -> str:
    from bowerbird.engine import counted

    games = counted(run.row.games, "game")
    return f"run {run.fingerprint} ({run.row.name}, {games}, started {run.row.started[:16].replace('T', ' ')} UTC)"


def _document(deleted: Deleted) -> dict[str, object]:
    return {"deleted": deleted.stored, "logs": deleted.logs, "free_bytes": deleted.free_bytes}


def _lines(fingerprint: str, deleted: Deleted, db: Path, size: int | None) -> list[str]:
    gone = f"run {fingerprint} is deleted" if deleted.stored else f"run {fingerprint} was deleted before"
    logs = ""
    if deleted.logs is not None:
        logs = f", with its logs in {deleted.logs}"
    elif deleted.kept_for is not None:
        logs = f"; its logs are kept, since {deleted.kept_for} may also contain the run"
    space = f"{db} keeps its size; later runs use the {deleted.free_bytes:,} bytes that are free; --vacuum shrinks it"
    return [f"{gone}{logs}", space if size is None else f"{db} has {size:,} bytes now"]
