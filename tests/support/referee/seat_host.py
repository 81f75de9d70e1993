"""A server for one bot process, as the referee makes it, with the events that it brings to trio, and its clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio

from bowerbird.harness.referee.connection.link_stream import LinkStream
from bowerbird.harness.referee.connection.local_server import LocalServer
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.stream import Received, StreamEvent
from tests.support.deadline import DEADLINE_S
from tests.support.referee.raw_client import RawClient, dial

TOKEN = "the token"


ServerKind = Callable[..., LocalServer]
"""What makes the server of a seat."""


class SeatHost:
    """A server, its streams and events, and its clients."""

    def __init__(self, address: str, patience_s: float = DEADLINE_S, kind: ServerKind = LocalServer) -> None:
        self.streams: list[LinkStream] = []
        self.events: list[StreamEvent] = []
        self._news = trio.Event()
        self.server: LocalServer = kind(
            address,
            TOKEN,
            self._on_connect,
            self._on_event,
            mailbox=Mailbox().open(),
            silence_s=patience_s,
        )
        self.clients: list[RawClient] = []

    def _on_connect(self, stream: LinkStream, hello: Received) -> None:
        self.streams.append(stream)
        self._on_event(hello)

    def _on_event(self, event: StreamEvent) -> None:
        self.events.append(event)
        self._news.set()

    def client(self) -> RawClient:
        client = RawClient(dial(self.server.target))
        self.clients.append(client)
        return client

    async def until(self, count: int) -> None:
        """Wait until `count` events have come in."""
        while len(self.events) < count:
            await self._news.wait()
            self._news = trio.Event()

    async def close(self) -> None:
        with trio.CancelScope(shield=True):
            for client in self.clients:
                client.close()
            await self.server.stop()


@asynccontextmanager
async def open_seat(
    address: str, patience_s: float = DEADLINE_S, kind: ServerKind = LocalServer
) -> AsyncIterator[SeatHost]:
    """Listen for one bot; stop on leaving."""
    host = SeatHost(address, patience_s, kind)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.server.serve)
        try:
            yield host
        finally:
            await host.close()
