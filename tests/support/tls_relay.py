"""A relay that ends TLS in front of a unix socket, as nginx does in front of a service."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.deadline import DEADLINE_S

PIECE = 65536


@contextmanager
def tls_in_front_of(path: Path, context: ssl.SSLContext) -> Iterator[str]:
    """Relay TLS connections to the socket at `path` during the block; yield the address, "127.0.0.1:PORT"."""
    ready: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=asyncio.run, args=(_serve(path, context, ready),))
    thread.start()
    port, loop, stop = ready.result(DEADLINE_S)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(DEADLINE_S)


async def _serve(
    path: Path, context: ssl.SSLContext, ready: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]]
) -> None:
    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(str(path))
        await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))

    stop = asyncio.Event()
    server = await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context)
    ready.set_result((server.sockets[0].getsockname()[1], asyncio.get_running_loop(), stop))
    await stop.wait()
    server.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry bytes until the reader ends, then end the writer."""
    with suppress(OSError):
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
    writer.close()
