"""Where the processes of the bot under test are started, and made to end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from harness.compliance.connection import UNIX, Connection
from harness.compliance.verdict import Patience
from harness.referee.doorstep import PROTOCOL_VERSION
from harness.referee.launcher import Launcher
from harness.referee.lifeline import Lifeline
from harness.referee.spec import BotSpec
from harness.referee.tiers import tier_named


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: a bot that is ready to be started (built, its program found), under an isolation tier that works.

    `isolation` is the tier's name.
    """

    bot: BotSpec
    isolation: str
    patience: Patience


class Yard:
    """Where the processes of one bot are started."""

    def __init__(self, trial: Trial, launcher: Launcher, nursery: trio.Nursery, folder: Path) -> None:
        """Use `open_yard`."""
        self.trial = trial
        self._tier = tier_named(trial.isolation)
        self._launcher = launcher
        self._nursery = nursery
        self._folder = folder
        self._started: list[Connection] = []

    async def start(self, *, transport: str = UNIX, protocols: str = str(PROTOCOL_VERSION)) -> Connection:
        """A new process, which has said nothing yet. Raises FailedError if the system cannot start it."""
        connection = Connection(self._folder, str(len(self._started)))
        self._started.append(connection)
        await connection.start(
            self.trial.bot,
            self._tier,
            self._launcher,
            self._nursery,
            transport=transport,
            protocols=protocols,
            startup=self.trial.patience.startup,
        )
        return connection

    @property
    def latest(self) -> Connection | None:
        """The connection that was started last."""
        return self._started[-1] if self._started else None

    async def close(self) -> None:
        """Close every connection."""
        for connection in self._started:
            await connection.close()


@asynccontextmanager
async def open_yard(trial: Trial) -> AsyncIterator[Yard]:
    """A yard for one bot; afterwards no process and no folder of it is left."""
    lifeline = Lifeline.start()
    launcher = Launcher(lifeline)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(launcher.run)
        yard = Yard(trial, launcher, nursery, lifeline.folder)
        try:
            yield yard
        finally:
            with trio.CancelScope(shield=True):
                await yard.close()
                await launcher.close()
            nursery.cancel_scope.cancel()
