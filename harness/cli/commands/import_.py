"""`bowerbird import FILE…`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared.options import examples, progress_options
from harness.cli.shared.output import echo, print_json, progress_bar

if TYPE_CHECKING:
    from harness.records.archive.merge import Merged
    from harness.records.store.store import Store


@click.command("import", epilog=examples("import autumn.tar.gz", "import game.toml winter.tar.gz --db all.db"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@progress_options
def command(files: tuple[Path, ...], db: Path, as_json: bool, quiet: bool) -> None:
    """Import each FILE: the archive of a run, or the record of one game, from 'bowerbird export'.

    Checks every record against the rules, and the stories of its faults against the record. Runs are merged: games that
    are stored already must be equal byte for byte. Otherwise the file is refused and nothing of it is imported. A
    record without its run can be replayed, verified and exported. It counts in no standings.
    """
    from engine import counted
    from harness.cli.shared.recording import recording_store

    done: list[dict[str, object]] = []
    with recording_store(db, quiet=quiet) as store:
        for file in files:
            merged = _take_in(store, file, quiet=quiet)
            done.append({"file": str(file), **asdict(merged)})
            if not as_json:
                stories = f"; new stories of {counted(merged.stories, 'fault')}" if merged.stories else ""
                new = counted(merged.new, "new game")
                echo(f"{file}: run {merged.run}, {new}, {merged.known} already stored{stories}")
    if as_json:
        print_json(done)


def _take_in(store: Store, file: Path, *, quiet: bool) -> Merged:
    from harness.records.archive.archive import is_archive, open_archive
    from harness.records.archive.merge import add_single, merge_run

    if not is_archive(file):
        return add_single(store, file)
    from harness.ratings.elo.live_ratings import rate
    from harness.tournament.record_ratings import record_ratings

    with open_archive(file) as archive, progress_bar(f"importing {archive.run.header.fingerprint}", quiet) as progress:
        return merge_run(store, archive, rate, progress=progress, rate_of_record=record_ratings)
