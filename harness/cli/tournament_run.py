"""The run of a tournament: play it, resume it, store its commitment, work out its outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from harness.cli.display.faults import summary_lines
from harness.cli.display.progress import show_progress
from harness.cli.shared.errors import ExitCode, InputError
from harness.cli.shared.output import command_line
from harness.records.store.store import Store
from harness.records.values.game_result import by_set
from harness.tournament.formats.rounds import Outcome, RoundSequence
from harness.tournament.plan import Plan, make_plan
from harness.tournament.start import play_tournament

if TYPE_CHECKING:
    from harness.cli.display.progress import StatusText
    from harness.records.values.query_results import RunRow
    from harness.tournament.config.tournament_file import TournamentFile
    from harness.tournament.preparation.hosting import Hosting


def play_run(
    file: TournamentFile,
    store: Store,
    *,
    resume: bool,
    quiet: bool,
    hosting: Hosting | None = None,
    isolation: str | None = None,
    jobs: int = 1,
    status: StatusText | None = None,
) -> RunRow:
    """Play a tournament to its end, with progress on stderr, and return its run as stored.

    resume: continue the run that `resumed_plan` finds.
    hosting: the listener for remote bots; None if there is none.
    isolation: the tier from the command line; it overrides the file's.
    jobs: the number of worker processes.
    status: the text that progress shows for a saved deal set; None for live Elo.

    On an interrupt, prints the command that resumes the run and exits with `ExitCode.INTERRUPTED`. Raises InputError if
    there is nothing to resume, and what `make_plan` and `play_tournament` raise.
    """
    file = replace(file, isolation=isolation or file.isolation)
    plan = resumed_plan(file, store) if resume else make_plan(file)
    fingerprint = plan.header.fingerprint
    logs = store.path.parent / "logs" / fingerprint
    try:
        with show_progress(quiet, status) as on_event:
            play_tournament(plan, store, workspace=logs, progress=on_event, hosting=hosting, workers=jobs)
    except KeyboardInterrupt:
        _print_resume_command(store, fingerprint)
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    if not quiet:
        for line in summary_lines(store.faults(fingerprint), store.path.parent):
            click.echo(line, err=True)
    return store.run(fingerprint)


def run_outcome(file: TournamentFile, store: Store, run: RunRow) -> Outcome:
    """Return the outcome of a run's rounds, worked out from its results; an empty one if a round is unfinished."""
    rounds = RoundSequence(make_plan(file, store.secret_seed(run.fingerprint)).rounds())
    rounds.replay(by_set(store.results(run.fingerprint)))
    return rounds.outcome or Outcome()


def store_commitment(file: TournamentFile, store: Store) -> RunRow:
    """Draw the seed of a run that waits for its beacon, store the run with the commitment, and play nothing."""
    plan = make_plan(file)
    with store.begin(plan.header, plan.seed):
        return store.run(plan.header.fingerprint)


def resumed_plan(file: TournamentFile, store: Store) -> Plan:
    """Return the plan that resumes the newest unfinished run of this name, else extends the newest complete one.

    Raises InputError if no run has this name.
    """
    runs = [run for run in store.runs() if run.name == file.name]
    if not runs:
        raise InputError(f"{store.path}: no run is named {file.name!r}; leave --resume out to begin one")
    if file.seed:
        return make_plan(file)
    run = next((run for run in runs if run.ended is None), runs[0])
    return make_plan(file, store.secret_seed(run.fingerprint))


def _print_resume_command(store: Store, fingerprint: str) -> None:
    arguments = list(click.get_current_context().find_root().obj)
    if store.header(fingerprint) is None:
        click.echo(f"Interrupted before the first game. To begin again: {command_line(arguments)}", err=True)
        return
    if "--resume" not in arguments:
        arguments.append("--resume")
    sets = len(store.stored_sets(fingerprint))
    click.echo(f"Interrupted; {sets} deal sets are stored. To resume: {command_line(arguments)}", err=True)
