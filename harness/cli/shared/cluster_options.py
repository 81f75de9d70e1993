"""The options of commands that can use a cluster: --cluster and those that go with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.tournament.executors.cluster.address import ClusterOptions

_CONNECTION = (
    click.option(
        "--cluster-tls",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="The certificates of the cluster, as `bowerbird cluster certificates FOLDER` makes them.",
    ),
    click.option(
        "--insecure-cluster", is_flag=True, help="Allow plain tcp:// to another machine, which everybody can read."
    ),
)
_SLOWDOWN = click.option(
    "--max-slowdown",
    type=click.FloatRange(min=1),
    default=1.5,
    show_default=True,
    metavar="FACTOR",
    help="Leave out workers that are this many times slower than the fastest.",
)


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that plays.

    The command gets them as one argument `cluster`: a ClusterOptions, or None without --cluster.
    """
    return _with_options(command, "Play", (*_CONNECTION, _SLOWDOWN))


def verify_cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that verifies, as `cluster_options`: its workers may be of any speed."""
    return _with_options(command, "Verify", _CONNECTION)


def _with_options(
    command: Callable[..., Any], does: str, further: Sequence[Callable[[Any], Any]]
) -> Callable[..., Any]:
    @wraps(command)
    def with_cluster(
        *,
        cluster: str | None,
        cluster_tls: Path | None,
        insecure_cluster: bool,
        max_slowdown: float = 1.5,
        **others: Any,
    ) -> Any:
        read = None
        if cluster is None and (useless := _given_without_cluster()):
            raise click.UsageError(f"{useless} is for --cluster: add --cluster, or leave it out")
        if cluster is not None:
            read = read_cluster(cluster, cluster_tls, insecure=insecure_cluster, max_slowdown=max_slowdown)
            if others.get("jobs", 1) != 1:
                raise click.UsageError("--jobs is for this machine alone: leave it out with --cluster")
        return command(cluster=read, **others)

    decorated: Callable[..., Any] = with_cluster
    for option in reversed((_cluster_option(does), *further)):
        decorated = option(decorated)
    return decorated


def _cluster_option(does: str) -> Callable[[Any], Any]:
    where = "tls://HOST:PORT of its scheduler, or local:N"
    return click.option(
        "--cluster",
        metavar="ADDRESS",
        help=f"{does} on the workers of a Dask cluster: {where}. Excludes --jobs.",
    )


def _given_without_cluster() -> str:
    """Return the first option of this command line that has a meaning with --cluster alone; "" if there is none."""
    context = click.get_current_context()
    names = {"cluster_tls": "--cluster-tls", "insecure_cluster": "--insecure-cluster", "max_slowdown": "--max-slowdown"}
    given = (
        option
        for name, option in names.items()
        if context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
    )
    return next(given, "")


def read_cluster(address: str, tls: Path | None, *, insecure: bool, max_slowdown: float = 1.5) -> ClusterOptions:
    """Return what the options say. Raises ClusterError for an address that is not allowed."""
    from bowerbird.harness.tournament.executors.cluster.address import ClusterOptions, parse_address

    parsed = parse_address(address, allow_insecure=insecure)
    if not parsed.is_encrypted:
        note(
            f"cluster {parsed}: without TLS, all users of this machine and of the way to it can read the seed and run "
            "programs on the workers"
        )
    return ClusterOptions(parsed, tls, max_slowdown)
