"""A referee for one run, in a child process of a Dask worker: requests go in, replies come out.

The child is the worker process of `--jobs`. It ends with this process, however this process ends, and its bots end with
it. Everything here runs in the event loop of the worker.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from harness.process_settings import GRPC_EXPERIMENTS, GRPC_VARIABLE
from harness.tournament.executors.contract import RefereeSetup
from harness.tournament.executors.messages import (
    ChunkPlayed,
    LedgerUpdate,
    RollCallReply,
    StallEnded,
    SupervisorEnded,
    WorkerFailed,
)
from harness.tournament.executors.pipe import LENGTH, framed

CLOSE_S = 8.0
"""How long the referee may take to end its bots and itself before it is killed."""

EXIT_S = 1.0
"""How long a referee that says nothing more may take to end by itself."""

Update = LedgerUpdate | StallEnded
"""What a referee may send at any time."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a referee. `number` counts its replies from 1: updates come twice, at once and with the answer."""

    number: int
    message: object


class RefereeEndedError(Exception):
    """The referee has ended unexpectedly; `str` is its signal or exit status."""


class RefereeSession:
    """A running referee, which answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process, on_update: Callable[[Reply], None]) -> None:
        """Take over a process that has its setup. `on_update` gets each update as soon as it comes."""
        assert process.stdin is not None  # both are pipes (`start`)
        assert process.stdout is not None
        self._process = process
        self._inward, self._outward = process.stdout, process.stdin
        self._on_update = on_update
        self._replies: list[Reply] = []
        self._number = 0
        self._answered: asyncio.Future[None] | None = None
        self._why = ""
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, setup: RefereeSetup, on_update: Callable[[Reply], None]) -> RefereeSession:
        """Start a referee, in a session of its own so that a Ctrl-C at a terminal does not reach it."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "harness.tournament.executors.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            env={GRPC_VARIABLE: GRPC_EXPERIMENTS, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        session = cls(process, on_update)
        await session.send(setup)
        return session

    async def request(self, message: object) -> list[Reply]:
        """Send a request. Return all replies since the last answer, this answer last. Raises RefereeEndedError."""
        self._answered = asyncio.get_running_loop().create_future()
        await self.send(message)
        if self._reading.done():
            raise await self._ended()
        await self._answered
        if self._reading.done():
            raise await self._ended()
        return self._taken()

    async def send(self, message: object) -> None:
        """Send a message. One that a referee no longer reads is dropped: the next request finds out."""
        try:
            self._outward.write(framed(message))
            await self._outward.drain()
        except ConnectionError:
            return

    async def close(self) -> None:
        """End the referee with its bots; kill it after `CLOSE_S`."""
        self._outward.close()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()
        await self._reading

    def kill(self) -> None:
        """Kill the referee if it runs. Its supervisor process ends its bots (faults.md, Launching)."""
        if self._process.returncode is None:
            self._process.kill()

    async def _read(self) -> None:
        try:
            while True:
                message = await self._receive()
                self._number += 1
                reply = Reply(self._number, message)
                self._replies.append(reply)
                if isinstance(message, Update):
                    self._on_update(reply)
                elif isinstance(message, SupervisorEnded):
                    self._why = "its supervisor process was killed"
                    return
                elif isinstance(message, ChunkPlayed | RollCallReply | WorkerFailed):
                    self._wake()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            asyncio.get_running_loop().call_soon(self._wake)  # after this task is done

    async def _receive(self) -> Any:
        (length,) = LENGTH.unpack(await self._inward.readexactly(LENGTH.size))
        return pickle.loads(await self._inward.readexactly(length))

    def _wake(self) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(None)

    def _taken(self) -> list[Reply]:
        taken, self._replies = self._replies, []
        return taken

    async def _ended(self) -> RefereeEndedError:
        """Return the error that says how the referee ended. Its supervisor process ends its bots."""
        with suppress(TimeoutError):
            async with asyncio.timeout(EXIT_S):
                await self._process.wait()
        self.kill()
        status = await self._process.wait()
        if self._why:
            return RefereeEndedError(self._why)
        return RefereeEndedError(signal.Signals(-status).name if status < 0 else f"exit status {status}")
