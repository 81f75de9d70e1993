"""What `tournament`, `match` and `demo` have in common: play a plan, store it, and be able to go on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.errors import InputError
from harness.cli.program import command_line
from harness.cli.progress import progress
from harness.records.store import Store
from harness.tournament.plan import Plan, make_plan
from harness.tournament.runner import play_tournament

if TYPE_CHECKING:
    from harness.records.rows import RunRow
    from harness.tournament.config import TournamentFile


def play(file: TournamentFile, store: Store, *, resume: bool, quiet: bool) -> RunRow:
    """Play a tournament to its end and return its run as it is stored then.

    With `resume` the newest run of its name is gone on with, with the seed that was drawn for it. On Ctrl-C the
    command that goes on is printed, and KeyboardInterrupt raised. Raises InputError where there is nothing to go on
    with, and what `make_plan` and `play_tournament` raise.
    """
    plan = _resumed(file, store) if resume else make_plan(file)
    fingerprint = plan.header.fingerprint
    try:
        with progress(quiet) as show:
            play_tournament(plan, store, workspace=store.path.parent / "logs" / fingerprint, progress=show)
    except KeyboardInterrupt:
        _say_how_to_go_on(store, fingerprint)
        raise
    return store.run(fingerprint)


def _resumed(file: TournamentFile, store: Store) -> Plan:
    runs = [run for run in store.runs() if run.name == file.name]
    if not runs:
        raise InputError(
            f"{store.path}: there is no run named {file.name!r} to resume; leave --resume out to begin one"
        )
    if file.seed:
        return make_plan(file)
    return make_plan(file, store.secret_seed(runs[-1].fingerprint))


def _say_how_to_go_on(store: Store, fingerprint: str) -> None:
    """Print the command that goes on after an interruption."""
    arguments = list(click.get_current_context().find_root().obj)
    if store.header(fingerprint) is None:
        click.echo(f"Interrupted before the first game. To begin again: {command_line(arguments)}", err=True)
        return
    if "--resume" not in arguments:
        arguments.append("--resume")
    sets = len(store.stored_sets(fingerprint))
    click.echo(f"Interrupted; {sets} deal sets are stored. To go on: {command_line(arguments)}", err=True)
