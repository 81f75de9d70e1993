"""`bowerbird cluster check ADDRESS [FILE]`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import debug_option, examples, isolation_option, json_option
from bowerbird.harness.cli.shared.output import print_json
from bowerbird.harness.extras.cluster.options import insecure_option, read_cluster, slowdown_option, tls_option

STAND_IN = "random"
"""The bundled bot with which the isolation is tried if there is no tournament file."""


@click.command(
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
def command(
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
    builds its bots and tries their isolation; otherwise it tries a bundled bot's. A resumed run also needs the
    isolation of its stored games. Exits with 1 if none of the workers can play, with 2 if there are none.
    """
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.extras.cluster.commands.workers_table import print_workers
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
