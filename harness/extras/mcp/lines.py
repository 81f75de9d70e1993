"""The Unix socket over which the agent's bots pass decisions to the server."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import trio

from bowerbird.harness.extras.mcp.seating import Seating
from bowerbird.harness.extras.play.bot_line import HELLO_S, SECRET_BYTES, lines_of, listen, says
from bowerbird.harness.records.text.bounded_json import load_json

MOST_WAITING = 16
"""How many answers may wait to be sent to a bot. It has one open decision at a time."""


class Door:
    """A socket for the bots of one agent. `path` and `secret` are only for them."""

    def __init__(self, path: Path, seating: Seating) -> None:
        """Use `open_door`."""
        self.path = path
        self.secret = secrets.token_urlsafe(SECRET_BYTES)
        self._seating = seating
        self._numbers = count()

    async def serve(self, listener: trio.SocketListener) -> None:
        """Accept connections that begin with the secret, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                nursery.start_soon(self._hear, await listener.accept())

    async def _hear(self, stream: trio.SocketStream) -> None:
        async with stream:
            lines = lines_of(stream)
            hello = b""
            with trio.move_on_after(HELLO_S), suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                hello = await anext(lines, b"")
            if not says(hello, self.secret):
                return
            line = next(self._numbers)
            send, receive = trio.open_memory_channel[Mapping[str, object]](MOST_WAITING)
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_answer, stream, receive)
                    async for message in _messages(lines):
                        self._seating.take(line, message, send.send_nowait)
                    nursery.cancel_scope.cancel()
            finally:
                self._seating.line_lost(line)


@asynccontextmanager
async def open_door(seating: Seating) -> AsyncIterator[Door]:
    """Open a socket in a folder that only its owner may enter, and receive messages until the context ends.

    If bots have their own users, as under root, they must be able to reach it. Then the secret keeps others out.
    """
    with tempfile.TemporaryDirectory(prefix="bowerbird-mcp-") as folder:
        door = Door(Path(folder) / "line", seating)
        async with listen(door.path, 16) as listener, trio.open_nursery() as nursery:
            nursery.start_soon(door.serve, listener)
            yield door
            nursery.cancel_scope.cancel()


async def _answer(stream: trio.SocketStream, answers: trio.MemoryReceiveChannel[Mapping[str, object]]) -> None:
    async for answer in answers:
        try:
            await stream.send_all(json.dumps(answer).encode() + b"\n")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return


async def _messages(lines: AsyncIterator[bytes]) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the messages of a connection, until it ends or one is too long or is not a JSON object."""
    try:
        async for line in lines:
            said = load_json(line)
            if not isinstance(said, dict):
                return
            yield said
    except (trio.BrokenResourceError, trio.ClosedResourceError, ValueError):
        return
