"""Connections that nobody can hold forever: a listener with a limit on connections, and streams with deadlines."""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from bowerbird.harness.extras.serve.limits import LOCAL, Limits
from bowerbird.harness.rate_limit import network_of

FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 10\r\n"
    b"Connection: close\r\nContent-Length: 61\r\n\r\n"
    b"This server has as many connections as it takes; come again.\n"
)

HTTP_2 = b"PRI "
"""The first bytes of a connection that uses HTTP/2 without asking. hypercorn would keep it forever, however idle."""

SWITCHING = b"HTTP/1.1 101 "
"""The first bytes of an answer that switches to another protocol, which hypercorn would do for `Upgrade: h2c`."""

NO_SWITCH = (
    b"HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\nContent-Length: 32\r\n\r\n"
    b"This server speaks HTTP/1.1 only\n"
)


@dataclass(slots=True)
class Counts:
    """Counts of connections: open now, accepted so far, refused and cut off."""

    open: int = 0
    accepted: int = 0
    refused: int = 0
    displaced: int = 0
    cut: int = 0


class GuardedStream(trio.abc.HalfCloseableStream):
    """A connection to a browser. A reader that is too slow is cut off."""

    def __init__(self, inner: trio.SocketStream, home: BoundedListener, address: str) -> None:
        self.socket = inner.socket
        self.address = address
        self.has_asked = False
        self._inner = inner
        self._home = home
        self._first: bytes | None = b""
        """The bytes so far, while they may be the beginning of HTTP_2; None once they are not."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Wait for bytes from the browser. A connection that begins with HTTP_2 is treated as closed."""
        received: bytes | bytearray = await self._inner.receive_some(max_bytes)
        while self._first is not None and received:
            self._first += received
            if self._first.startswith(HTTP_2):
                self.abort()
                return b""
            if not HTTP_2.startswith(self._first):
                received, self._first = self._first, None
                break
            received = await self._inner.receive_some(max_bytes)
        self.has_asked = self.has_asked or bool(received)
        return received

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes. Raise BrokenResourceError if the browser does not take them in time, or asked for HTTP/2."""
        if bytes(data[: len(SWITCHING)]) == SWITCHING:
            with suppress(trio.BrokenResourceError), trio.move_on_after(self._home.limits.send_s):
                await self._inner.send_all(NO_SWITCH)
            self.abort()
            raise trio.BrokenResourceError("the reader asked for another protocol")
        with trio.move_on_after(self._home.limits.send_s + len(data) / self._home.limits.least_rate) as deadline:
            await self._inner.send_all(data)
        if deadline.cancelled_caught:
            self._home.counts.cut += 1
            self.abort()
            raise trio.BrokenResourceError("the reader is too slow")

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the browser may accept bytes."""
        await self._inner.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """End our direction of the connection. A closed connection stays closed."""
        if self.socket.fileno() >= 0:
            await self._inner.send_eof()

    async def aclose(self) -> None:
        """Close the connection."""
        self._home.forget(self)
        await self._inner.aclose()

    def abort(self) -> None:
        """Close the connection at once, even if bytes remain to be sent. Its tasks notice."""
        self._home.forget(self)
        self.socket.close()


class BoundedListener(trio.abc.Listener[GuardedStream]):
    """A listener that never has more open connections than its limits allow."""

    def __init__(self, listening: socket.socket, limits: Limits, *, is_behind_proxy: bool) -> None:
        """Take over a listening socket.

        Behind a proxy all connections come from one address, so that address has no limit.
        """
        self.limits = limits
        self.counts = Counts()
        self.port = int(listening.getsockname()[1])
        self._inner = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
        self._is_behind_proxy = is_behind_proxy
        self._open: dict[GuardedStream, None] = {}
        self._by_address: Counter[str] = Counter()

    async def accept(self) -> GuardedStream:
        """Wait for a connection that there is room for. Refuse the others with a reason and close them."""
        while True:
            inner = await self._inner.accept()
            address = network_of(_address_of(inner))
            if self._has_room(address):
                stream = GuardedStream(inner, self, address)
                self._open[stream] = None
                self._by_address[address] += 1
                self.counts.open += 1
                self.counts.accepted += 1
                return stream
            self.counts.refused += 1
            _turn_away(inner)

    def forget(self, stream: GuardedStream) -> None:
        """Stop counting a connection. A second call does nothing."""
        if self._open.pop(stream, stream) is None:
            self.counts.open -= 1
            self._by_address[stream.address] -= 1
            if not self._by_address[stream.address]:
                del self._by_address[stream.address]

    async def aclose(self) -> None:
        """Stop listening."""
        await self._inner.aclose()

    def _has_room(self, address: str) -> bool:
        is_one_of_many = address in LOCAL or self._is_behind_proxy
        if not is_one_of_many and self._by_address[address] >= self.limits.connections_each:
            return False
        if self.counts.open < self.limits.connections:
            return True
        silent = next((one for one in self._open if not one.has_asked), None)
        if silent is None:
            return False
        self.counts.displaced += 1
        silent.abort()
        return True


def http_handler(application: Any, limits: Limits, context: WorkerContext | None = None) -> partial[TCPServer]:
    """Return a handler for `trio.serve_listeners` that answers one connection's requests with an ASGI application."""
    config = Config()
    config.keep_alive_timeout = limits.idle_s
    config.h11_max_incomplete_size = limits.head_bytes
    config.h2_max_concurrent_streams = 1
    config.h2_max_header_list_size = limits.head_bytes
    config.include_server_header = False
    config.alpn_protocols = ["http/1.1"]
    config.errorlog = None
    config.accesslog = None
    return partial(TCPServer, ASGIWrapper(application), config, context or WorkerContext(None), ConnectionState({}))


def _address_of(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return ""  # it has gone already


def _turn_away(stream: trio.SocketStream) -> None:
    """Answer that there is no room, if that is possible without waiting, and close."""
    with socket.socket(fileno=stream.socket.detach()) as plain, suppress(OSError):
        plain.setblocking(False)
        plain.send(FULL)
