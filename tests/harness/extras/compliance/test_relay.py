"""The relay makes half-open connections: one side is closed, the other stays open."""

from __future__ import annotations

import socket
from functools import partial

import trio
import trio.testing

from bowerbird.harness.extras.compliance.driver.relay import Relay
from tests.support.deadline import DEADLINE_S


class Server:
    """Accepts one connection after another, and keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.ended = trio.Event()
        """Set when a connection has ended."""

    async def serve(self, stream: trio.SocketStream) -> None:
        async for data in stream:
            self.heard.append(bytes(data))
            await stream.send_all(data.upper())
        self.ended.set()


async def test_a_broken_connection_stands_on_the_server_s_side() -> None:
    server = Server()
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    relay = Relay(partial(trio.open_tcp_stream, "127.0.0.1", listeners[0].socket.getsockname()[1]))
    front = socket.create_server(("127.0.0.1", 0))
    dial = partial(trio.open_tcp_stream, "127.0.0.1", front.getsockname()[1])
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, server.serve, listeners)
            nursery.start_soon(relay.serve, front)
            first = await dial()
            await first.send_all(b"one")
            assert await first.receive_some() == b"ONE"
            relay.break_connections()
            assert await first.receive_some() == b"", "the bot's side is closed"
            second = await dial()
            await second.send_all(b"two")
            assert await second.receive_some() == b"TWO", "new connections are forwarded"
            assert not server.ended.is_set(), "the server's side of the first one stands"
            relay.close()
            await server.ended.wait()
            nursery.cancel_scope.cancel()
    assert server.heard == [b"one", b"two"]


async def test_a_connection_whose_server_is_gone_is_closed() -> None:
    front = socket.create_server(("127.0.0.1", 0))
    with socket.create_server(("127.0.0.1", 0)) as gone:
        relay = Relay(partial(trio.open_tcp_stream, "127.0.0.1", gone.getsockname()[1]))
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(relay.serve, front)
            bot = await trio.open_tcp_stream("127.0.0.1", front.getsockname()[1])
            assert await bot.receive_some() == b""
            relay.close()
