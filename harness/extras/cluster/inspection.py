"""Checks the workers of a cluster as a run would, but without a run (`bowerbird cluster check`)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from bowerbird.harness.extras.cluster.address import ClusterOptions
from bowerbird.harness.extras.cluster.connection import ClusterConnection, WorkerGoneError
from bowerbird.harness.extras.cluster.on_worker.site import WantedIsolation, WorkerSite
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts
from bowerbird.harness.extras.cluster.roll_call import WAIT_S, Candidate, RollCall
from bowerbird.harness.extras.cluster.tls import TlsFiles
from bowerbird.harness.referee.spec import BotSpec

ROUND_TRIPS = 5
"""How many calls to a worker are timed. The quickest counts, since the others were disturbed."""


@dataclass(frozen=True, slots=True)
class InspectedWorker:
    """A worker, and whether it can play.

    facts: its description of itself, if it sent one.
    tier: the isolation tier that works there; "" if unknown.
    round_trip_ms: how long a call takes; None if it cannot play.
    why: why it cannot play and, if known, what to do about it; "" if it can.
    """

    address: str
    name: str
    facts: WorkerFacts | None
    tier: str = ""
    round_trip_ms: float | None = None
    why: str = ""


def inspect_cluster(
    options: ClusterOptions, bots: Iterable[BotSpec], isolation: str, wait_s: float = WAIT_S
) -> tuple[InspectedWorker, ...]:
    """Return all workers, beginning with those that can play together.

    Each gets the bots, builds them and isolates them.

    Raises MachinesError if there is no scheduler or no worker.

    isolation: the requested tier; "" for the best.
    wait_s: how long to wait for the first worker.
    """
    connection = ClusterConnection(options.address, TlsFiles.find(options.tls) if options.tls is not None else None)
    connection.open()
    try:
        roll_call = RollCall(connection, bots, WantedIsolation(isolation), options.max_slowdown, wait_s=wait_s)
        return connection.loop.wait_for(_inspect(connection, roll_call))
    finally:
        connection.close()


async def _inspect(connection: ClusterConnection, roll_call: RollCall) -> tuple[InspectedWorker, ...]:
    admitted, left_out = await roll_call.look_over()
    playing = [await _timed(connection, one) for one in admitted]
    for one in admitted:
        await roll_call.leave_out(one, "")  # a run can use it at once
    return (
        *playing,
        *(InspectedWorker(one.address, one.name, one.facts, one.tier, None, one.why) for one in left_out),
    )


async def _timed(connection: ClusterConnection, worker: Candidate) -> InspectedWorker:
    times = []
    try:
        for _ in range(ROUND_TRIPS):
            begun = time.monotonic()
            await connection.call(worker.address, WorkerSite.renew)
            times.append(time.monotonic() - begun)
    except WorkerGoneError as error:
        return InspectedWorker(worker.address, worker.name, worker.facts, worker.choice.tier, None, str(error))
    fastest_ms = round(1000 * min(times), 1)
    return InspectedWorker(worker.address, worker.name, worker.facts, worker.choice.tier, fastest_ms)
