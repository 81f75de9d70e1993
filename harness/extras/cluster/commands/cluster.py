"""`bowerbird cluster`, the group of commands that prepare a cluster for runs."""

from __future__ import annotations

import click

from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import examples
from bowerbird.harness.extras.cluster.commands import cluster_certificates, cluster_check


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


command.add_command(cluster_certificates.command)
command.add_command(cluster_check.command)
