"""Starts the processes of the bot under test, and ends them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.connection import BotConnection, Transport
from bowerbird.harness.extras.compliance.results import CheckFailedError, Evidence
from bowerbird.harness.referee.connection.endpoint import PROTOCOL_VERSION
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.isolation.tiers import tier_named
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle


class ProcessHost:
    """The processes of one bot and their connections."""

    def __init__(
        self, config: CheckConfig, supervisor: Supervisor, clock: RunningTime, nursery: trio.Nursery, folder: Path
    ) -> None:
        """Store the arguments. Use `open_process_host` instead."""
        self.config = config
        self._clock = clock
        self._tier = tier_named(config.isolation, measures=config.measures)
        self._supervisor = supervisor
        self._nursery = nursery
        self._folder = folder
        self._started: list[BotConnection] = []

    async def start(
        self, *, transport: Transport = Transport.UNIX, protocols: str = str(PROTOCOL_VERSION)
    ) -> BotConnection:
        """Start a process. Raises the errors of `BotConnection.start`."""
        connection = BotConnection(self._clock, self._folder, str(len(self._started) + 1))
        self._started.append(connection)
        await connection.start(
            self.config.bot,
            self._tier,
            self._supervisor,
            self._nursery,
            transport=transport,
            protocols=protocols,
            startup=self.config.timeouts.startup,
        )
        return connection

    async def failure_of(self, conversation: Callable[[BotConnection], Awaitable[None]]) -> tuple[str, Evidence | None]:
        """Start a process and talk to it. Return why it failed and the evidence, or "" and None."""
        try:
            await conversation(await self.start())
        except CheckFailedError as error:
            return str(error), await self.latest.collect_evidence() if self.latest is not None else None
        return "", None

    @property
    def latest(self) -> BotConnection | None:
        """The connection that was started last."""
        return self._started[-1] if self._started else None

    async def close(self) -> None:
        """Close every connection."""
        for connection in self._started:
            await connection.close()


@asynccontextmanager
async def open_process_host(config: CheckConfig) -> AsyncIterator[ProcessHost]:
    """Open a host for one bot. On exit, remove all its processes and folders."""
    handle = SupervisorHandle.start()
    supervisor, clock = Supervisor(handle), RunningTime()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(supervisor.run)
        nursery.start_soon(clock.run, handle.pid)
        host = ProcessHost(config, supervisor, clock, nursery, handle.folder)
        try:
            yield host
        finally:
            with trio.CancelScope(shield=True):
                await host.close()
                await supervisor.close()
            nursery.cancel_scope.cancel()
