"""A referee for one run, in a child process of a Dask worker, which takes requests and returns replies.

The child is the worker process of `--jobs`. It ends when this process ends, for whatever reason, and so do its bots.
Everything here runs in the event loop of the worker.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bowerbird.harness.process_settings import GRPC_EXPERIMENTS, GRPC_VARIABLE
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.tournament.executors import messages
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.pipe import LENGTH, framed

CLOSE_S = 8.0
"""How long the referee may take to end its bots and itself before it is killed."""

EXIT_S = 1.0
"""How long a referee that has sent its last message may take to exit."""

_ROLL_CALL = 0
"""The key of a roll call among the requests. The keys of chunks are their numbers, from 1."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a referee.
    number: the number of an update, from 1, because each update comes at once and again with every answer after it. 0
        for a reply that is not an update.
    """

    number: int
    message: object


@dataclass(slots=True)
class _Request:
    """A request: its replies so far, and finally whether they are complete or the referee ended first."""

    answered: asyncio.Future[bool]
    replies: list[Reply] = field(default_factory=list)


class RefereeEndedError(Exception):
    """The referee has ended unexpectedly; `str` is its signal or exit status."""


class RefereeSession:
    """A running referee. It carries out either one roll call or up to two chunks at a time."""

    def __init__(self, process: asyncio.subprocess.Process, on_update: Callable[[Reply], None]) -> None:
        """Take over a process that has its setup. `on_update` receives each update as soon as it comes."""
        assert process.stdin is not None  # both are pipes (`start`)
        assert process.stdout is not None
        self._process = process
        self._inward, self._outward = process.stdout, process.stdin
        self._on_update = on_update
        self._requests: dict[int, _Request] = {}
        """The open requests: chunks by number, and `_ROLL_CALL`."""
        self._between: list[Reply] = []
        """Updates that came while no request was open."""
        self._updates = self._chunks = 0
        self._why = ""
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, setup: RefereeSetup, on_update: Callable[[Reply], None]) -> RefereeSession:
        """Start a referee, in its own session so that a Ctrl-C at a terminal does not reach it."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "bowerbird.harness.tournament.executors.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            env={GRPC_VARIABLE: GRPC_EXPERIMENTS, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        session = cls(process, on_update)
        await session.send(setup)
        return session

    async def roll_call(self) -> tuple[BotStory, ...]:
        """Start each bot once, and return the stories of those that did not become ready. Raises RefereeEndedError."""
        *_, last = await self._request(messages.RollCallRequest(frozenset()), _ROLL_CALL)
        assert isinstance(last.message, messages.RollCallReply), last  # the last reply is the answer (`messages`)
        return last.message.absent

    async def play(self, tables: tuple[TableSpec, ...]) -> list[Reply]:
        """Play tables, after those in play if there are any. Raises RefereeEndedError.

        Return their replies and all updates before these, in order. The last reply is ChunkPlayed or WorkerFailed.
        """
        self._chunks += 1
        return await self._request(messages.PlayChunk(tables, self._chunks), self._chunks)

    async def _request(self, message: object, key: int) -> list[Reply]:
        if self._reading.done():
            raise await self._ended()
        request = self._requests[key] = _Request(asyncio.get_running_loop().create_future(), self._between)
        self._between = []
        try:
            await self.send(message)
            is_answered = await request.answered
        finally:
            self._requests.pop(key, None)
        if not is_answered:
            raise await self._ended()
        return request.replies

    async def send(self, message: object) -> None:
        """Send a message. It is dropped if the referee no longer reads, which the next request notices."""
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
            while not self._why:
                self._take(await self._receive())
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            asyncio.get_running_loop().call_soon(self._fail_open)  # after this task is done

    def _take(self, message: object) -> None:
        match message:
            case messages.LedgerUpdate() | messages.StallEnded():
                self._updates += 1
                reply = Reply(self._updates, message)
                for replies in [one.replies for one in self._requests.values()] or [self._between]:
                    replies.append(reply)
                self._on_update(reply)
            case messages.GameEnded(chunk) | messages.GameVoided(chunk):
                self._reply(chunk, message)
            case messages.ChunkPlayed(chunk):
                self._reply(chunk, message, is_last=True)
            case messages.RollCallReply():
                self._reply(_ROLL_CALL, message, is_last=True)
            case messages.WorkerFailed():
                for key in tuple(self._requests):
                    self._reply(key, message, is_last=True)
            case messages.SupervisorEnded():
                self._why = "its supervisor process was killed"

    async def _receive(self) -> Any:
        (length,) = LENGTH.unpack(await self._inward.readexactly(LENGTH.size))
        return pickle.loads(await self._inward.readexactly(length))

    def _reply(self, key: int, message: object, *, is_last: bool = False) -> None:
        """Pass a reply to its request, unless the run has given the request up. Nothing follows the last reply."""
        request = self._requests.get(key)
        if request is not None:
            request.replies.append(Reply(0, message))
            if is_last:
                del self._requests[key]
                _settle(request, is_answered=True)

    def _fail_open(self) -> None:
        """End the wait of each open request, since the referee sends nothing more."""
        for request in self._requests.values():
            _settle(request, is_answered=False)

    async def _ended(self) -> RefereeEndedError:
        """Return an error that says how the referee ended. Its supervisor process ends its bots."""
        with suppress(TimeoutError):
            async with asyncio.timeout(EXIT_S):
                await self._process.wait()
        self.kill()
        status = await self._process.wait()
        if self._why:
            return RefereeEndedError(self._why)
        return RefereeEndedError(signal.Signals(-status).name if status < 0 else f"exit status {status}")


def _settle(request: _Request, *, is_answered: bool) -> None:
    if not request.answered.done():
        request.answered.set_result(is_answered)
