"""`bowerbird runs rename RUN NAME`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import examples, result_options
from bowerbird.harness.cli.shared.output import echo, note, print_json


@click.command(
    "rename",
    short_help="Rename a run.",
    epilog=examples("runs rename 4f1c9a autumn-league", "runs rename demo first-try"),
)
@click.argument("run", metavar="RUN", shell_complete=complete_run)
@click.argument("name", metavar="NAME")
@result_options
def command(run: str, name: str, db: Path, as_json: bool) -> None:
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
    echo(f"run {stored.fingerprint} is named {name} now; it was {stored.row.name}")
    if others:
        note(f"run {', '.join(others)} has this name, too; the name means the run that was started last")
