"""A Dask cluster in this process: its scheduler and workers are objects, and what travels is pickled."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from distributed import Client

from bowerbird.harness.extras.cluster.address import ClusterAddress
from bowerbird.harness.extras.cluster.connection import ClusterConnection
from bowerbird.harness.extras.cluster.examiner import do_at_site, examined
from bowerbird.harness.extras.cluster.on_worker.site import Done, at_site, enter_site
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts
from bowerbird.harness.records.verify.game_checks import StoredGame

Games = tuple[StoredGame, ...]


async def _do_nothing(_: Games) -> None:
    return


@dataclass(eq=False)
class WorkerInProcess:
    """A worker, with the attributes that a site uses.

    bowerbird: the version that it claims to have; "" for the true one.
    on_examine: is awaited with each block before it is examined, and with () before another call on games.
    examined: the ids of the games of each block that it has examined.
    finds: what it answers to work instead of what it found, or makes of that; None for what it found.
    """

    address: str
    name: str
    local_directory: Path
    bowerbird: str = ""
    on_examine: Callable[[Games], Awaitable[None]] = _do_nothing
    extensions: dict[str, object] = field(default_factory=dict)
    examined: list[tuple[str, ...]] = field(default_factory=list)
    finds: object = None


class ClusterInProcess:
    """The scheduler and its client. Workers join and leave by `workers`."""

    def __init__(self, *workers: WorkerInProcess) -> None:
        """Have these workers."""
        self.workers = {worker.address: worker for worker in workers}
        self.scheduler = self

    async def identity(self) -> Mapping[str, object]:
        """Return what the connection reads of a scheduler."""
        return {"workers": {address: {"name": worker.name} for address, worker in self.workers.items()}}

    async def run(self, function: Any, *args: Any, workers: list[str], on_error: str) -> Mapping[str, object]:
        """Call a function on a worker as `Client.run` does: an error of the worker is returned."""
        [address] = workers
        assert on_error == "return"
        worker = self.workers.get(address)
        if worker is None:
            return {address: OSError("closed")}
        function, args = pickle.loads(pickle.dumps((function, args)))
        works = function is at_site and args[1] is do_at_site
        games = args[2][1][0] if works and args[2][0] is examined else None
        if works:
            await worker.on_examine(games or ())
        if self.workers.get(address) is not worker:
            return {address: OSError("it ended meanwhile")}
        answer = pickle.loads(pickle.dumps(await function(*args, dask_worker=worker)))
        if games is not None:
            worker.examined.append(tuple(str(game.rows.game["id"]) for game in games))
        if works and worker.finds is not None:
            answer = worker.finds(answer) if callable(worker.finds) else worker.finds
        if function is enter_site and worker.bowerbird:
            answer = Done(replace(cast(Done[WorkerFacts], answer).value, bowerbird=worker.bowerbird))
        return {address: answer}

    def lose(self, worker: WorkerInProcess) -> Callable[[Games], Awaitable[None]]:
        """Return an `on_examine` with which a worker ends at its first block."""

        async def end(_: Games) -> None:
            del self.workers[worker.address]

        return end

    def silence(self, worker: WorkerInProcess) -> Callable[[Games], Awaitable[None]]:
        """Return an `on_examine` with which a worker never answers, and leaves the cluster."""

        async def wait_for_ever(_: Games) -> None:
            del self.workers[worker.address]
            await asyncio.Event().wait()

        return wait_for_ever


@contextmanager
def connected(cluster: ClusterInProcess) -> Iterator[ClusterConnection]:
    """Yield an open connection to the cluster."""
    connection = ClusterConnection(ClusterAddress("tcp://127.0.0.1:8786"))
    connection._client = cast(Client, cluster)  # it has all that the connection calls after it is open
    connection.loop.start()
    try:
        yield connection
    finally:
        connection.loop.stop()
