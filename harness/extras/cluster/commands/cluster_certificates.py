"""`bowerbird cluster certificates FOLDER`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import command_line, echo, print_json

if TYPE_CHECKING:
    from bowerbird.harness.extras.cluster.tls import TlsFiles

PORT = 8786
"""The port of a Dask scheduler."""

NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
"""A dashboard would show the run to everyone. Without one Dask still serves HTTP: on this machine only."""

WORKER = ("--nthreads", "1", "--memory-limit", "0", *NO_PAGES)
"""One thread: a worker has one referee. Dask sees its own memory alone; that of bots is bounded by us."""


@click.command(
    "certificates",
    short_help="Make a cluster's certificates.",
    epilog=examples("cluster certificates ./certificates", "cluster certificates ~/league/tls"),
)
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))
@json_option
@debug_option
def command(folder: Path, *, as_json: bool) -> None:
    """Make certificates for a cluster's scheduler and workers in FOLDER, which must be new or empty.

    One certificate serves all machines: anyone who has its key can use the cluster and run programs on it. The signing
    key isn't kept, so nobody can make another. Prints the commands that start a scheduler and a worker.
    """
    from bowerbird.harness.extras.cluster.tls import VALIDITY, make_certificates

    files = make_certificates(folder.resolve())
    commands = _commands(files)
    if as_json:
        print_json({"folder": str(files.folder), "valid_days": VALIDITY.days, "commands": commands})
        return
    for line in (
        f"{files.folder}: the certificates of a new cluster, valid for {VALIDITY.days // 365} years.",
        "The authority's key is not kept: make a new folder to replace them.",
        "Copy the folder to each machine, and keep it secret: anyone who has it can run programs there.",
        "",
        "Start the scheduler on one machine. Below, replace HOST by its name or address:",
        f"  {commands['scheduler']}",
        "Start a worker for each core on every machine:",
        f"  {commands['worker']}",
        "See what they can do:",
        f"  {commands['check']}",
    ):
        echo(line)


def _commands(files: TlsFiles) -> dict[str, str]:
    """Return the commands that start the cluster and look it over. HOST stands for the scheduler's machine."""
    address = f"tls://HOST:{PORT}"
    scheduler = ("dask", "scheduler", "--protocol", "tls", "--port", str(PORT), *NO_PAGES, *files.options)
    return {
        "scheduler": shlex.join(scheduler),
        "worker": shlex.join(("dask", "worker", address, *WORKER, *files.options)),
        "check": command_line(("cluster", "check", address, "--cluster-tls", str(files.folder))),
    }
