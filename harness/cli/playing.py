"""What `tournament`, `match` and `demo` have in common: play a plan, store it, and be able to go on with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from harness.cli.errors import Ending, InputError
from harness.cli.faults import fault_lines
from harness.cli.program import command_line
from harness.cli.progress import progress
from harness.records.rows import by_set
from harness.records.store import Store
from harness.tournament.plan import Plan, make_plan
from harness.tournament.play import play_tournament
from harness.tournament.rounds import Course, Outcome

if TYPE_CHECKING:
    from harness.cli.progress import Status
    from harness.records.rows import RunRow
    from harness.tournament.config import TournamentFile
    from harness.tournament.hosting import Hosting


def play(
    file: TournamentFile,
    store: Store,
    *,
    resume: bool,
    quiet: bool,
    hosting: Hosting | None = None,
    isolation: str | None = None,
    jobs: int = 1,
    status: Status | None = None,
) -> RunRow:
    """Play a tournament to its end and return its run as it is stored then; its remote bots come in through `hosting`.

    `isolation` is the tier that was asked for on the command line; it goes before the file's. `status` is what progress
    says of the bots.

    With `resume` the newest run of its name is gone on with, with the seed that was drawn for it. On Ctrl-C the
    command that goes on is printed, and the command exits with Ending.INTERRUPTED. Raises InputError where there is
    nothing to go on with, and what `make_plan` and `play_tournament` raise.
    """
    file = replace(file, isolation=isolation or file.isolation)
    plan = resumed(file, store) if resume else make_plan(file)
    fingerprint = plan.header.fingerprint
    logs = store.path.parent / "logs" / fingerprint
    try:
        with progress(quiet, status) as show:
            play_tournament(plan, store, workspace=logs, progress=show, hosting=hosting, workers=jobs)
    except KeyboardInterrupt:
        _say_how_to_go_on(store, fingerprint)
        raise click.exceptions.Exit(Ending.INTERRUPTED) from None
    if not quiet:
        for line in fault_lines(store.faults(fingerprint), store.path.parent):
            click.echo(line, err=True)
    return store.run(fingerprint)


def outcome_of(file: TournamentFile, store: Store, run: RunRow) -> Outcome:
    """How the rounds of a run came to their end, worked out from its results; an empty one where that is open."""
    course = Course(make_plan(file, store.secret_seed(run.fingerprint)).rounds())
    course.take_in(by_set(store.results(run.fingerprint)))
    return course.outcome or Outcome()


def commit(file: TournamentFile, store: Store) -> RunRow:
    """Store a run that waits for its beacon: its seed is drawn and committed to, and nothing is played."""
    plan = make_plan(file)
    with store.begin(plan.header, plan.seed):
        return store.run(plan.header.fingerprint)


def resumed(file: TournamentFile, store: Store) -> Plan:
    """The plan that goes on with the newest unfinished run of this name, else adds to the newest that is complete."""
    runs = [run for run in store.runs() if run.name == file.name]
    if not runs:
        raise InputError(f"{store.path}: no run is named {file.name!r}; leave --resume out to begin one")
    if file.seed:
        return make_plan(file)
    run = next((run for run in runs if run.ended is None), runs[0])
    return make_plan(file, store.secret_seed(run.fingerprint))


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
