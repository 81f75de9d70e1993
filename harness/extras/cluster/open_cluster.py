"""A cluster that is ready for a run: connected, its workers checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bowerbird.harness.extras.cluster.address import ClusterOptions
from bowerbird.harness.extras.cluster.connection import ClusterConnection
from bowerbird.harness.extras.cluster.on_worker.site import WantedIsolation
from bowerbird.harness.extras.cluster.roll_call import RollCall, Roster
from bowerbird.harness.extras.cluster.tls import TlsFiles
from bowerbird.harness.referee.spec import BotSpec


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """A connection, a roll call that checks joining workers, and the current workers."""

    connection: ClusterConnection
    examination: RollCall
    roster: Roster


@contextmanager
def open_cluster(options: ClusterOptions, bots: Iterable[BotSpec], wanted: WantedIsolation) -> Iterator[OpenCluster]:
    """Connect to a cluster, check its workers, and disconnect at the end. Raises MachinesError if none can play."""
    connection = ClusterConnection(options.address, TlsFiles.find(options.tls) if options.tls is not None else None)
    connection.open()
    try:
        examination = RollCall(connection, bots, wanted, options.max_slowdown)
        yield OpenCluster(connection, examination, connection.loop.wait_for(examination.of_all()))
    finally:
        connection.close()
