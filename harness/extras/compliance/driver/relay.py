"""A relay between the bot and its server, which can break a connection on the bot's side only."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Awaitable, Callable

import trio

CHUNK_BYTES = 65536


class Relay:
    """A relay that forwards the bytes of every connection. `connect` opens a new connection to the server.

    `break_connections` makes half-open connections: the bot's side closes and the server's side stays open, as when a
    network loses a connection and only one side learns of it.
    """

    def __init__(self, connect: Callable[[], Awaitable[trio.abc.Stream]]) -> None:
        """Create a relay without connections."""
        self._connect = connect
        self._forwarding: set[trio.CancelScope] = set()
        self._scope = trio.CancelScope()

    async def serve(self, listener: socket.socket) -> None:
        """Accept connections until `close`, then close `listener`, which must already be listening."""
        listener.setblocking(False)
        with self._scope:
            await trio.serve_listeners(self._handle, [trio.SocketListener(trio.socket.from_stdlib_socket(listener))])

    def break_connections(self) -> None:
        """Close the bot's side of all connections. The server's side stays open until `close`."""
        for scope in self._forwarding:
            scope.cancel()

    def close(self) -> None:
        """Close all connections and stop listening. A second call does nothing."""
        self._scope.cancel()

    async def _handle(self, bot_side: trio.SocketStream) -> None:
        try:
            server_side = await self._connect()
        except OSError:  # the server is gone, and its bot soon will be
            await trio.aclose_forcefully(bot_side)
            return
        scope = trio.CancelScope()
        self._forwarding.add(scope)
        try:
            with scope:
                await _forward(bot_side, server_side)
            self._forwarding.discard(scope)
            if scope.cancelled_caught:
                await trio.aclose_forcefully(bot_side)
                await trio.sleep_forever()
        finally:
            self._forwarding.discard(scope)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(bot_side)
                await trio.aclose_forcefully(server_side)


async def _forward(one: trio.abc.Stream, other: trio.abc.Stream) -> None:
    """Copy data both ways until one side closes."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_copy, one, other, nursery.cancel_scope)
        nursery.start_soon(_copy, other, one, nursery.cancel_scope)


async def _copy(source: trio.abc.Stream, sink: trio.abc.Stream, scope: trio.CancelScope) -> None:
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(CHUNK_BYTES):
            await sink.send_all(data)
    scope.cancel()
