"""The broker process: carries connections of one bot to one host, and nowhere else.

Its arguments: the descriptor of a listening Unix socket, and the target. When its stdin ends, it removes the socket and
its folder, and ends. It resolves the name for each connection and connects to an address that it has checked, so a
changed name leads nowhere new. It does not interpret the data: with TLS, only the bot and the host can read it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from contextlib import suppress

from bowerbird.harness.referee.network.target import TargetError, addresses_of, read_target

MOST_CONNECTIONS = 64
"""The most connections at a time. Further ones are closed at once."""

CONNECT_S = 10.0
CHUNK_BYTES = 1 << 16

MOST_LINES = 100
"""The most lines on stderr, so that a bot cannot fill a disk by reconnecting."""


class Broker:
    """A carrier of connections to `target`."""

    def __init__(self, target: str) -> None:
        self._target = read_target(target)
        self._open = 0
        self._lines = 0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until both sides have ended or one has broken."""
        if self._open >= MOST_CONNECTIONS:
            self._say(f"more than {MOST_CONNECTIONS} connections at once")
            writer.close()
            return
        self._open += 1
        try:
            far = await self._connected()
            if far is not None:
                await _joined((reader, writer), far)
        finally:
            self._open -= 1
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Return a connection to the target; if there is none, print the reason and return None."""
        why = "it has no address"
        try:
            async with asyncio.timeout(CONNECT_S):
                for address in await asyncio.to_thread(addresses_of, self._target):
                    try:
                        return await asyncio.open_connection(address, self._target.port)
                    except OSError as error:
                        why = f"{address}: {error.strerror or error}"
        except TargetError as error:
            why = str(error)
        except TimeoutError:
            why = f"no connection within {CONNECT_S:g} s"
        self._say(f"{self._target} cannot be reached: {why}")
        return None

    def _say(self, line: str) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            print(line, file=sys.stderr, flush=True)


async def _joined(
    near: tuple[asyncio.StreamReader, asyncio.StreamWriter], far: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Carry bytes both ways until both sides have ended or one has broken."""
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_pumped(near[0], far[1]))
            tasks.create_task(_pumped(far[0], near[1]))
    except* OSError:
        pass  # one side broke the connection: both are closed
    finally:
        far[1].close()


async def _pumped(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Carry bytes one way until their end, and pass the end on. Read no faster than the other side accepts."""
    while data := await source.read(CHUNK_BYTES):
        sink.write(data)
        await sink.drain()
    if sink.can_write_eof():
        sink.write_eof()


async def _until_stdin_ends(listening: socket.socket, target: str) -> None:
    server = await asyncio.start_unix_server(Broker(target).carry, sock=listening)
    path = listening.getsockname()
    await asyncio.to_thread(sys.stdin.buffer.read)
    server.close()
    with suppress(OSError):  # the starter of this process may be quicker
        os.unlink(path)
        os.rmdir(os.path.dirname(path))


def main() -> None:
    """Carry connections until stdin ends."""
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        asyncio.run(_until_stdin_ends(listening, sys.argv[2]))


if __name__ == "__main__":
    main()
