"""`bowerbird verify [RUN|FILE]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.errors import Ending
from harness.cli.options import playing
from harness.cli.output import print_json

if TYPE_CHECKING:
    from harness.records.rows import RunRow
    from harness.records.store import Store
    from harness.records.verify import Difference


@click.command("verify")
@click.argument("target", metavar="[RUN|FILE]", required=False)
@playing
def command(target: str | None, as_json: bool, quiet: bool, db: Path) -> Ending:
    """Play recorded games again through the engine and compare.

    RUN is a run's id, the beginning of it, or its name; FILE is one exported record; every run of the database if
    both are left out. Checks the digest, every action, every score, the packs against the committed seed, and the
    ratings. Exit code 1 if anything differs.
    """
    if target is not None and Path(target).is_file():
        from harness.records.verify import verify_text

        differences = verify_text(Path(target).read_bytes())
        _report(differences, f"{target}: the record", as_json)
        return Ending.DIFFERS if differences else Ending.DONE
    from harness.records.store import Store

    with Store.open(db) as store:
        runs = store.runs() if target is None else [store.run(target)]
        if not runs:
            click.echo(f"{db}: no run is recorded yet, there is nothing to verify.", err=True)
        differences = [each for run in runs for each in verify_stored(store, run, quiet=quiet)]
    games = sum(run.games for run in runs)
    _report(differences, f"{db}: {games} games in {len(runs)} {'run' if len(runs) == 1 else 'runs'}", as_json)
    return Ending.DIFFERS if differences else Ending.DONE


def verify_stored(store: Store, run: RunRow, *, quiet: bool) -> Sequence[Difference]:
    """Verify a stored run, with progress on stderr where that is a terminal."""
    from harness.ratings.ladder import rate
    from harness.records.verify import verify_run

    with _counter(f"verifying {run.fingerprint}", quiet) as progress:
        return verify_run(store, run.fingerprint, rate, progress)


@contextmanager
def _counter(title: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A rich bar on stderr for (done, total); nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _report(differences: Sequence[Difference], what: str, as_json: bool) -> None:
    if as_json:
        print_json({"verified": not differences, "differences": differences})
        return
    for difference in differences:
        click.echo(str(difference))
    if differences:
        click.echo(f"{what}: {len(differences)} {'difference' if len(differences) == 1 else 'differences'}.")
    else:
        click.echo(f"{what}: everything was played again and agrees.")
