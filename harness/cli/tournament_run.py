"""The run of a tournament: play it, resume it, store its commitment."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.display.faults import summary_lines
from bowerbird.harness.cli.display.progress import show_progress
from bowerbird.harness.cli.shared.errors import ExitCode, InputError
from bowerbird.harness.cli.shared.output import command_line, note, recorded_command
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.sidecar import OnEndFile
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.run_text import schedule_of, tournament_table
from bowerbird.harness.records.values.run import commitment_of
from bowerbird.harness.tournament.config.tournament_file import load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError, MachinesError
from bowerbird.harness.tournament.plan import Plan, make_plan, seed_of
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

if TYPE_CHECKING:
    from pathlib import Path

    from bowerbird.harness.cli.display.progress import StatusText
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.tournament.config.tournament_file import TournamentFile


def play_run(
    file: TournamentFile,
    store: Store,
    options: RunOptions,
    *,
    resume: bool = False,
    run: StoredRun | None = None,
    quiet: bool,
    isolation: str | None = None,
    status: StatusText | None = None,
) -> StoredRun:
    """Play a tournament to its end, with progress on stderr. Return its run as stored.

    resume: resume the run that `resumed_plan` finds.
    run: resume this stored run.
    isolation: the tier from the command line; it overrides the file's.
    status: returns the text that progress shows for a saved deal set; None to show ratings.

    On an interrupt, prints the command that resumes the run and exits with `ExitCode.INTERRUPTED`. Raises InputError if
    there is nothing to resume, and the errors of `make_plan` and `play_tournament`.
    """
    file = replace(file, isolation=isolation or file.isolation)
    if run is not None:
        plan = plan_of_run(file, run)
    elif resume:
        plan = resumed_plan(file, store)
    else:
        plan = make_plan(file)
    played = store[plan.header.fingerprint]
    OnEndFile(store.path, played.fingerprint).keep(file.on_end)
    options = replace(options, interim_ratings=not quiet and status is None)
    try:
        with show_progress(quiet, status, run.row.name if run else "") as on_event:
            play_tournament(plan, store, on_event, options)
    except KeyboardInterrupt:
        _print_resume_command(played, by_id=run is not None)
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    except StoreError as error:
        if not isinstance(error.__cause__, (sqlite3.Error, OSError)):  # the disk is not to blame
            raise
        again = _resume_command(by_id=run is not None)
        raise InputError(f"{error}\nWhen there is room again, resume with:\n  {again}") from error
    except MachinesError as error:
        if played.header() is None:  # nothing has begun
            raise
        raise InputError(f"{error}\nTo resume:\n  {_resume_command(by_id=run is not None)}") from error
    if not quiet:
        for line in summary_lines([one for one in played.faults() if one.was_played], store.path.parent):
            note(line)
    return store.run(played.fingerprint)


def note_namesake(file: TournamentFile, store: Store) -> None:
    """If there is an earlier run with this name, print on stderr that the new run does not continue it."""
    latest = next((run for run in store.runs() if run.row.name == file.name), None)
    if latest is None or (file.seed and latest.row.commitment == commitment_of(seed_of(file.seed))):
        return  # a typed seed continues its run
    state = "complete" if latest.row.ended else "unfinished"
    note(
        f"run {latest.fingerprint} ({file.name}) is {state}; this starts another run with that name "
        "(--resume continues the earlier one)"
    )


def entered_file(path: Path, db: Path, *, resume: bool) -> TournamentFile:
    """Read a tournament file.

    If it has a stage, an earlier run in the database `db` decides which bots take part. A run that has begun keeps its
    bots when it is resumed, or started again with the same typed seed.

    Raises ConfigError, or StoreError if the database or the earlier run does not exist.
    """
    file = load_tournament(path)
    if file.stage is None:
        return file
    from bowerbird.harness.tournament.stage import best_of

    with Store.open(db) as store:
        begun = next((run for run in store.runs() if run.row.original_name == file.name), None)
        is_same = begun is not None and (
            resume or (bool(file.seed) and begun.row.commitment == commitment_of(seed_of(file.seed)))
        )
        names = tuple(bot.name for bot in begun.bots()) if begun is not None and is_same else best_of(file, store)
    note(f"{file.name}: these bots of run {file.stage.run} take part: {', '.join(names)}")
    return load_tournament(path, names)


def stored_file(run: StoredRun) -> TournamentFile:
    """Return the tournament file stored with a run, with its bots as they are now, and its `on_end` command.

    Raises InputError, with advice, if the run cannot be resumed from the database: a bot is gone, changed or remote,
    the folder of the bots is unknown, or the run is waiting for its beacon.
    """
    run.secret_seed()  # raises StoreError if the seed is missing, when no file would help
    where = f"run {run.fingerprint} ({run.row.name})"
    if run.row.beacon == "":
        raise InputError(
            f"{where} waits for its beacon: enter it in the tournament file, and name the file with --file FILE"
        )
    folder = run.config_folder()
    if folder is None:
        raise InputError(
            f"{where}: the database does not state the folder of its bots (it was imported, or "
            "played by an older version); name the tournament file with --file FILE"
        )
    try:
        file = stored_tournament(run.row.config, folder, where)
    except ConfigError as error:
        raise InputError(f"{error}; put the bot back, or name the tournament file with --file FILE") from None
    remote = [bot.name for bot in file.bots if bot.remote]
    if remote:
        raise InputError(f"{where}: bot {remote[0]!r} is remote; resume with bowerbird host FILE --resume")
    entered = {bot.name: bot for bot in run.bots()}
    for bot in file.bots:
        stored = entered.get(bot.name)
        if stored is not None and (bot.version, bot.fingerprint) != (stored.version, stored.fingerprint):
            what = "another version" if bot.version != stored.version else "other files or arguments"
            raise InputError(
                f"{where}: bot {bot.name!r} in {bot.source.parent} has {what} than in the stored games; "
                "restore it, or start another run"
            )
    return replace(file, on_end=OnEndFile(run.store.path, run.fingerprint).read())


def store_commitment(file: TournamentFile, store: Store) -> StoredRun:
    """Draw the seed of a run that waits for its beacon, and store the run with the commitment. Play nothing."""
    plan = make_plan(file)
    with store.begin(plan.header, plan.seed, file.folder):
        return store.run(plan.header.fingerprint)


def resumed_plan(file: TournamentFile, store: Store) -> Plan:
    """Return the plan that resumes the newest run with this name, or extends it if it is complete.

    Mentions older unfinished runs with the name. Raises InputError if no run has this name.
    """
    stored = store.runs()
    runs = [run for run in stored if run.row.name == file.name]
    if not runs:
        renamed = next((run for run in stored if run.row.original_name == file.name), None)
        hint = "leave out --resume to begin one"
        if renamed is not None:
            again = recorded_command(store.path, "runs", "resume", renamed.fingerprint)
            hint = f"run {renamed.fingerprint} had this name and is now {renamed.row.name!r}; resume it with: {again}"
        raise InputError(f"{store.path}: no run is named {file.name!r}; {hint}")
    if file.seed:
        commitment = commitment_of(seed_of(file.seed))
        same = next((run for run in runs if run.row.commitment == commitment), None)
        return make_plan(file) if same is None else plan_of_run(file, same)
    newest, *older = runs
    for run in older:
        if run.row.ended is None:
            again = recorded_command(store.path, "runs", "resume", run.fingerprint)
            note(
                f"--resume continues the newest run with this name, {newest.fingerprint}; "
                f"an older one is unfinished; resume that with: {again}"
            )
    return plan_of_run(file, newest)


def plan_of_run(file: TournamentFile, run: StoredRun) -> Plan:
    """Return the plan of a stored run with this file, but with the name, seed and rules that the run began with.

    Raises InputError if its stored file does not state those rules.
    """
    seed = run.secret_seed()
    try:
        table = tournament_table(run.row.config)
        schedule, limits = schedule_of(table), file.limits
    except ValueError as error:
        raise InputError(f"run {run.fingerprint} ({run.row.name}): {error}") from None
    if file.max_faults_share:  # the limit comes from the games that the run had at the start
        limits = replace(limits, max_faults=int(table.get("max_faults", limits.max_faults)))
    return make_plan(
        replace(
            file,
            limits=limits,
            name=run.row.original_name,
            seed=seed.hex() if run.row.practice else "",
            terms=replace(file.terms, schedule=schedule),
        ),
        seed,
    )


def _print_resume_command(run: StoredRun, *, by_id: bool) -> None:
    if run.header() is None:
        arguments = list(click.get_current_context().find_root().obj)
        note(f"Interrupted before the first game. To begin again:\n  {command_line(arguments)}")
        return
    sets = counted(len(run.stored_sets()), "deal set")
    note(f"Interrupted; {sets} stored. To resume:\n  {_resume_command(by_id=by_id)}")


def _resume_command(*, by_id: bool) -> str:
    """Return the command line that resumes the run of this command."""
    arguments = list(click.get_current_context().find_root().obj)
    if "--resume" not in arguments and not by_id:
        arguments.append("--resume")
    return command_line(arguments)
