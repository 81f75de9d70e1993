"""`bowerbird runs delete RUN`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import echo, print_json

if TYPE_CHECKING:
    from bowerbird.harness.records.store.changes import Deleted
    from bowerbird.harness.records.store.store import Store, StoredRun


@click.command(
    "delete",
    short_help="Delete a run with its games and logs.",
    epilog=examples("runs delete 4f1c9a", "runs delete 4f1c9a --yes --vacuum"),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.option("--yes", is_flag=True, help="Don't ask for confirmation. Required without a terminal.")
@click.option("--vacuum", is_flag=True, help="Shrink the database file afterwards. Needs free space for a copy.")
@result_options
def command(run: str, *, yes: bool, vacuum: bool, db: Path, as_json: bool) -> None:
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
        raise InputError(f"{what}: add --yes to delete it, since there is no terminal to ask at")
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
        logs = f"; its logs are kept, since {deleted.kept_for} may also hold the run"
    space = f"{db} keeps its size; later runs use the {deleted.free_bytes:,} bytes that are free; --vacuum shrinks it"
    return [f"{gone}{logs}", space if size is None else f"{db} has {size:,} bytes now"]
