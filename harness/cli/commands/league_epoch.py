"""`bowerbird league epoch FILE`: one epoch of a league, in a process of its own. `league FILE` starts it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.shared.cluster_options import cluster_options
from harness.cli.shared.options import db_option, debug_option, isolation_option, jobs_option, quiet_option
from harness.cli.shared.output import note

if TYPE_CHECKING:
    from harness.tournament.executors.cluster.address import ClusterOptions

EPOCH = "epoch"


@click.command(EPOCH, hidden=True)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop when stdin ends.")
@isolation_option
@jobs_option
@cluster_options
@db_option
@quiet_option
@debug_option
def command(
    *,
    file: Path,
    with_parent: bool,
    isolation: str | None,
    jobs: int,
    cluster: ClusterOptions | None,
    db: Path,
    quiet: bool,
) -> int:
    """Play one epoch of the league FILE: the one that was interrupted, or the next."""
    from harness.cli.display.progress import show_progress
    from harness.league.epoch import EpochSettings, play_epoch
    from harness.records.store.store import Store

    if with_parent:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    settings = EpochSettings(workers=jobs, isolation=isolation, cluster=cluster)
    with Store.open(db) as store, show_progress(quiet) as progress:
        return int(play_epoch(file, store, settings, progress, note))


def _end_with_stdin() -> None:
    """Interrupt this process when the one that started it has ended."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)
