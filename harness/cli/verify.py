"""`bowerbird verify [RUN|FILE]`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.counter import counter
from harness.cli.errors import Ending
from harness.cli.options import playing
from harness.cli.output import print_json

if TYPE_CHECKING:
    from harness.records.examine import Difference
    from harness.records.rows import RunRow
    from harness.records.store import Store


@click.command("verify")
@click.argument("target", metavar="[RUN|FILE]", required=False)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Verify in N processes; what is found is the same.",
)
@playing
def command(target: str | None, jobs: int, as_json: bool, quiet: bool, db: Path) -> Ending:
    """Play recorded games again through the engine and compare.

    RUN is a run's id, the beginning of it, or its name; FILE is an exported record or the archive of a run; everything
    in the database if both are left out. Checks the digest, every action, every score, the packs against the committed
    seed, and the ratings. Exit code 1 if anything differs.
    """
    if target is not None and Path(target).is_file():
        return _verify_file(Path(target), as_json=as_json, quiet=quiet, jobs=jobs)
    from harness.records.store import Store
    from harness.records.verify import verify_file, verify_singles

    with Store.open(db) as store:
        runs = store.runs() if target is None else [store.run(target)]
        singles = store.singles() if target is None else []
        differences = verify_file(store)
        if not (runs or singles or differences):
            click.echo(f"{db}: nothing is recorded yet, there is nothing to verify.", err=True)
        differences += [each for run in runs for each in verify_stored(store, run, quiet=quiet, jobs=jobs)]
        differences += verify_singles(singles)
    games = sum(run.games for run in runs)
    what = f"{games} games in {len(runs)} {'run' if len(runs) == 1 else 'runs'}"
    _report(differences, f"{db}: {what}{f' and {len(singles)} single records' if singles else ''}", as_json)
    return Ending.DIFFERS if differences else Ending.DONE


def _verify_file(path: Path, *, as_json: bool, quiet: bool, jobs: int) -> Ending:
    """Verify an exported record, or the archive of a run."""
    from harness.records.archive import is_archive

    if not is_archive(path):
        from harness.records.examine import verify_text

        differences = verify_text(path.read_bytes())
        _report(differences, f"{path}: the record", as_json, f"{path}: ")
        return Ending.DIFFERS if differences else Ending.DONE
    from harness.ratings.ladder import rate
    from harness.records.merge import verify_archive

    with counter(f"verifying {path}", quiet) as progress:
        games, differences = verify_archive(path, rate, progress, jobs)
    _report(differences, f"{path}: {games} games", as_json, f"{path}: ")
    return Ending.DIFFERS if differences else Ending.DONE


def verify_stored(store: Store, run: RunRow, *, quiet: bool, jobs: int = 1) -> Sequence[Difference]:
    """Verify a stored run, with progress on stderr where that is a terminal."""
    from harness.ratings.ladder import rate
    from harness.records.verify import verify_run

    with counter(f"verifying {run.fingerprint}", quiet) as progress:
        return verify_run(store, run.fingerprint, rate, progress, jobs)


def _report(differences: Sequence[Difference], what: str, as_json: bool, place: str = "") -> None:
    """Print what was found in `what`; each difference with its `place`, if that is not the database."""
    if as_json:
        print_json({"verified": not differences, "differences": differences})
        return
    for difference in differences:
        click.echo(f"{place}{difference}")
    if differences:
        click.echo(f"{what}: {len(differences)} {'difference' if len(differences) == 1 else 'differences'}.")
    else:
        click.echo(f"{what}: everything was played again and agrees.")
