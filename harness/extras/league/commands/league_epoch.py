"""`bowerbird league epoch FILE`: one epoch of a league, in its own process. `league FILE` starts it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bowerbird.harness.cli.shared import options
from bowerbird.harness.cli.shared.machine_options import machine_options
from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.extras.league.remote import Listening
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines

EPOCH = "epoch"

Command = TypeVar("Command", bound=Callable[..., Any])


def remote_options(command: Command) -> Command:
    """Add the options for remote bots to a command: that of a league or of an epoch."""
    wait = click.option(
        "--wait",
        "wait_s",
        type=click.FloatRange(min=0, min_open=True),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="How long an epoch waits at its start for remote bots that played in the last one.",
    )
    readable = click.option(
        "--allow-readable-seed",
        is_flag=True,
        help="Play with remote bots even if bots on this machine could read the secret seed.",
    )
    return wait(readable(command))


@click.command(
    EPOCH, hidden=True, epilog=options.examples("league epoch league.toml", "league epoch league.toml --jobs 2")
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop when stdin ends.")
@click.option("--listen-fd", type=int, hidden=True, help="The listener for remote bots.")
@click.option("--public-name", "names", multiple=True, hidden=True, help="A name that they connect to.")
@remote_options
@options.isolation_option
@options.jobs_option
@machine_options
@options.db_option
@options.quiet_option
@options.debug_option
def command(
    *,
    file: Path,
    with_parent: bool,
    listen_fd: int | None,
    names: tuple[str, ...],
    wait_s: float,
    allow_readable_seed: bool,
    isolation: str | None,
    jobs: int,
    machines: OtherMachines | None,
    db: Path,
    quiet: bool,
) -> int:
    """Play one epoch of the league FILE: the one that was interrupted, or the next."""
    from bowerbird.harness.cli.display.progress import show_progress
    from bowerbird.harness.extras.league.epoch import EpochSettings, play_epoch
    from bowerbird.harness.records.store.store import Store

    if with_parent:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    settings = EpochSettings(
        workers=jobs,
        isolation=isolation,
        machines=machines,
        listening=None if listen_fd is None else _listening(listen_fd, names, wait_s),
        allow_readable_seed=allow_readable_seed,
    )
    with Store.open(db) as store, show_progress(quiet) as progress:
        return int(play_epoch(file, store, settings, progress, note))


def _listening(descriptor: int, names: tuple[str, ...], wait_s: float) -> Listening:
    from bowerbird.harness.extras.league.remote import Listening
    from bowerbird.harness.tournament.preparation.hosting import inherited

    return Listening(inherited(descriptor), names, wait_s)


def _end_with_stdin() -> None:
    """Interrupt this process when its parent process has ended."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)
