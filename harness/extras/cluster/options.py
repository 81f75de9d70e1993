"""The options for commands that can use a cluster: --cluster and those that need it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.extras.cluster.address import ClusterOptions
    from bowerbird.harness.extras.cluster.machines import ClusterMachines

tls_option = click.option(
    "--cluster-tls",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="The folder of the cluster's certificates, made by 'bowerbird cluster certificates'.",
)
insecure_option = click.option(
    "--insecure-cluster",
    is_flag=True,
    help="Allow unencrypted tcp:// to another machine, which anyone on the way can read.",
)
slowdown_option = click.option(
    "--max-slowdown",
    type=click.FloatRange(min=1),
    default=1.5,
    show_default=True,
    metavar="FACTOR",
    help="Leave out workers more than this many times slower than the fastest.",
)
_NAMES = {"cluster_tls": "--cluster-tls", "insecure_cluster": "--insecure-cluster", "max_slowdown": "--max-slowdown"}
"""The options that only make sense with --cluster, by the names of their arguments."""


def options(*, plays: bool) -> list[Callable[[Any], Any]]:
    """Return the options for a command that plays, or for one that works on games, whose workers may have any speed."""
    cluster = click.option(
        "--cluster",
        metavar="ADDRESS",
        help=f"{'Play' if plays else 'Work'} on the workers of a Dask cluster: tls://HOST:PORT of its scheduler, or "
        "local:N. Not with --jobs.",
    )
    return [cluster, tls_option, insecure_option, *([slowdown_option] if plays else [])]


def taken_from(given: dict[str, Any]) -> ClusterMachines | None:
    """Remove the options from the arguments of a command. Return the cluster that they name; None without --cluster.

    Raises UsageError for an option that needs --cluster, MachinesError for an address that is not allowed.
    """
    address = given.pop("cluster")
    tls, insecure = given.pop("cluster_tls"), given.pop("insecure_cluster")
    slowdown = given.pop("max_slowdown", 1.5)
    if address is not None:
        from bowerbird.harness.extras.cluster.machines import ClusterMachines

        return ClusterMachines(read_cluster(address, tls, insecure=insecure, max_slowdown=slowdown))
    source = click.get_current_context().get_parameter_source
    useless = [option for name, option in _NAMES.items() if source(name) not in (None, ParameterSource.DEFAULT)]
    if useless:
        raise click.UsageError(f"{useless[0]} needs --cluster: add that option, or leave this one out")
    return None


def read_cluster(address: str, tls: Path | None, *, insecure: bool, max_slowdown: float = 1.5) -> ClusterOptions:
    """Return the cluster that the options name. Raises MachinesError for an address that is not allowed."""
    from bowerbird.harness.extras.cluster.address import ClusterOptions, parse_address

    parsed = parse_address(address, allow_insecure=insecure)
    if not parsed.is_encrypted:
        note(
            f"cluster {parsed}: without TLS, anyone on this machine or on the way to it can read the seed and run "
            "programs on the workers"
        )
    return ClusterOptions(parsed, tls, max_slowdown)
