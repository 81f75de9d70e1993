"""The options of commands that can use a cluster: --cluster and those that go with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from harness.tournament.executors.cluster.address import ClusterOptions

_OPTIONS = (
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the workers of a Dask cluster: tls://HOST:PORT of its scheduler, or local:N. Excludes --jobs.",
    ),
    click.option(
        "--cluster-tls",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="The certificates of the cluster, as `bowerbird cluster certificates FOLDER` makes them.",
    ),
    click.option(
        "--insecure-cluster", is_flag=True, help="Allow plain tcp:// to another machine, which everybody can read."
    ),
    click.option(
        "--max-slowdown",
        type=click.FloatRange(min=1),
        default=1.5,
        show_default=True,
        metavar="FACTOR",
        help="Leave out workers that are this many times slower than the fastest.",
    ),
)


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options. The command gets them as one argument `cluster`: a ClusterOptions, or None without --cluster."""

    @wraps(command)
    def with_cluster(
        *, cluster: str | None, cluster_tls: Path | None, insecure_cluster: bool, max_slowdown: float, **others: Any
    ) -> Any:
        read = None
        if cluster is not None:
            read = read_cluster(cluster, cluster_tls, insecure=insecure_cluster, max_slowdown=max_slowdown)
            if others.get("jobs", 1) != 1:
                raise click.UsageError("--jobs is for this machine alone: leave it out with --cluster")
        return command(cluster=read, **others)

    decorated: Callable[..., Any] = with_cluster
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def read_cluster(address: str, tls: Path | None, *, insecure: bool, max_slowdown: float = 1.5) -> ClusterOptions:
    """Return what the options say. Raises ClusterError for an address that is not allowed."""
    from harness.tournament.executors.cluster.address import ClusterOptions, parse_address

    return ClusterOptions(parse_address(address, allow_insecure=insecure), tls, max_slowdown)
