"""`bowerbird cluster`: the commands `certificates` and `check`, which prepare a cluster for runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import debug_option, examples, isolation_option, json_option
from bowerbird.harness.cli.shared.output import Column, command_line, echo, output_width, print_json, print_lines, table
from bowerbird.harness.extras.cluster.options import insecure_option, read_cluster, slowdown_option, tls_option

if TYPE_CHECKING:
    from bowerbird.harness.extras.cluster.inspection import InspectedWorker
    from bowerbird.harness.extras.cluster.tls import TlsFiles


@click.group(
    "cluster",
    cls=CommandGroup,
    epilog=examples("cluster certificates ./certificates", "cluster check local:2"),
)
def command() -> None:
    """Prepare and check a cluster for runs on many machines.

    A cluster is a Dask scheduler with workers. 'cluster certificates' prints the commands that start them. Then
    --cluster of match, test and tournament plays on the workers.
    """


PORT = 8786
"""The port of a Dask scheduler."""

NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
"""A dashboard would show the run to everyone. Dask still serves HTTP without one, but only on this machine."""

WORKER = ("--nthreads", "1", "--memory-limit", "0", *NO_PAGES)
"""One thread, since a worker has one referee. Dask would limit only its own memory; we limit that of the bots."""


@command.command(
    "certificates",
    short_help="Make a cluster's certificates.",
    epilog=examples("cluster certificates ./certificates", "cluster certificates ~/league/tls"),
)
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False))
@json_option
@debug_option
def certificates(folder: Path, *, as_json: bool) -> None:
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
        "Check which of them can play:",
        f"  {commands['check']}",
    ):
        echo(line)


def _commands(files: TlsFiles) -> dict[str, str]:
    """Return the commands that start and check the cluster. HOST stands for the scheduler's machine."""
    address = f"tls://HOST:{PORT}"
    scheduler = ("dask", "scheduler", "--protocol", "tls", "--port", str(PORT), *NO_PAGES, *files.options)
    return {
        "scheduler": shlex.join(scheduler),
        "worker": shlex.join(("dask", "worker", address, *WORKER, *files.options)),
        "check": command_line(("cluster", "check", address, "--cluster-tls", str(files.folder))),
    }


STAND_IN = "random"
"""The bundled bot for checking isolation if there is no tournament file."""


@command.command(
    "check",
    short_help="Check which workers can play.",
    epilog=examples("cluster check local:2", "cluster check tls://scheduler:8786 autumn.toml"),
)
@click.argument("address", metavar="ADDRESS")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@tls_option
@insecure_option
@slowdown_option
@isolation_option
@json_option
@debug_option
def check(
    address: str,
    file: Path | None,
    *,
    cluster_tls: Path | None,
    insecure_cluster: bool,
    max_slowdown: float,
    isolation: str | None,
    as_json: bool,
) -> None:
    """Check the workers of the cluster at ADDRESS as a run would, and show which can play.

    ADDRESS is as for --cluster: tls://HOST:PORT of a Dask scheduler, or local:N. With a tournament FILE each worker
    builds its bots and checks their isolation; otherwise it checks a bundled bot's. A resumed run also needs the
    isolation of its stored games. Exits with 1 if none of the workers can play, with 2 if there are none.
    """
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.resources import bundled_bots
    from bowerbird.harness.tournament.config.bot_entries import check_all_local
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.tournament_file import load_tournament
    from bowerbird.harness.tournament.errors import MachinesError

    options = read_cluster(address, cluster_tls, insecure=insecure_cluster, max_slowdown=max_slowdown)
    tournament = load_tournament(file) if file is not None else None
    bots = tournament.bots if tournament is not None else (load_bot(bundled_bots()[STAND_IN]),)
    check_all_local(bots)
    try:
        from bowerbird.harness.extras.cluster.inspection import inspect_cluster
    except ModuleNotFoundError as error:
        raise MachinesError(f"a cluster needs the library {error.name!r}: pip install 'bowerbird[cluster]'") from None

    asked = isolation or (tournament.isolation if tournament is not None else "")
    workers = inspect_cluster(options, bots, asked)
    if as_json:
        print_json({"cluster": str(options.address), "workers": workers})
    else:
        print_workers(workers)
    if all(one.why for one in workers):
        raise click.exceptions.Exit(ExitCode.FAILED)


COLUMNS = (
    Column("worker", cut=True),
    Column("host", cut=True),
    Column("cores", right=True),
    Column("Python", below="Python "),
    Column("Bowerbird", below="Bowerbird "),
    Column("isolation"),
    Column("speed", right=True),
    Column("ms", right=True),
    Column("build tools", below="build tools: "),
)
UNKNOWN = "-"


def print_workers(workers: Sequence[InspectedWorker]) -> None:
    """Print a row for each worker, how many can play, and why the others can't."""
    fastest = max((one.facts.speed for one in workers if one.facts is not None), default=0.0)
    for line in table(COLUMNS, [_row(one, fastest) for one in workers], output_width()):
        echo(line)
    playing = sum(not one.why for one in workers)
    lines = ["", f"{playing} of {len(workers)} workers can play"]
    lines += [f"left out: worker {one.name}: {one.why}" for one in workers if one.why]
    print_lines(lines)


def _row(worker: InspectedWorker, fastest: float) -> tuple[str, ...]:
    """Return the cells of a worker. `fastest` is the speed shown as 1."""
    facts = worker.facts
    tier = worker.tier or UNKNOWN
    if facts is None:
        return worker.name, *[UNKNOWN] * 4, tier, *[UNKNOWN] * 3
    return (
        worker.name,
        facts.host,
        str(facts.cores),
        facts.python,
        facts.bowerbird,
        tier,
        f"{facts.speed / fastest:.2f}" if fastest else UNKNOWN,
        UNKNOWN if worker.round_trip_ms is None else f"{worker.round_trip_ms:.1f}",
        " ".join(facts.tools) or "none",
    )
