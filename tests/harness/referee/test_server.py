"""The bridge between a gRPC stream and trio, with real clients in this process."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
import trio

from bowerbird.seat.v1 import seat_pb2
from harness.referee.connection import messages
from harness.referee.connection.mailbox import Mailbox
from harness.referee.connection.server import SeatServer
from harness.referee.connection.stream import (
    MAX_MESSAGE,
    MAX_UNREAD,
    Malformed,
    Received,
    SeatStream,
    StreamEnded,
    StreamEvent,
)

TOKEN = "the token"
LIMIT_S = 30


class Client:
    """One stream to a server. Makes its blocking calls in threads, each with a deadline."""

    def __init__(self, target: str) -> None:
        self.channel = grpc.insecure_channel(target)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: grpc.StreamStreamMultiCallable[bytes, seat_pb2.PlayResponse] = self.channel.stream_stream(
            "/bowerbird.seat.v1.SeatService/Play", response_deserializer=seat_pb2.PlayResponse.FromString
        )
        self.call = play(iter(self._outbox.get, None), timeout=LIMIT_S)

    def say(self, message: seat_pb2.PlayRequest | bytes) -> None:
        self._outbox.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(self, token: str = TOKEN) -> None:
        self.say(seat_pb2.PlayRequest(hello=seat_pb2.Hello(token=token, protocol_versions=[1])))

    def half_close(self) -> None:
        self._outbox.put(None)

    async def hear(self) -> seat_pb2.PlayResponse | None:
        """Return the next message, or None at the end of the stream."""
        return await trio.to_thread.run_sync(next, self.call, None, abandon_on_cancel=True)

    async def headers(self) -> object:
        return await trio.to_thread.run_sync(self.call.initial_metadata, abandon_on_cancel=True)

    def close(self) -> None:
        self._outbox.put(None)
        self.channel.close()


class Host:
    """A server, its streams and events, and its clients."""

    def __init__(self, address: str, patience_s: float = LIMIT_S) -> None:
        self.streams: list[SeatStream] = []
        self.events: list[StreamEvent] = []
        self._news = trio.Event()
        self.server = SeatServer(
            address,
            TOKEN,
            self._on_connect,
            self._on_event,
            mailbox=Mailbox().open(),
            silence_s=patience_s,
        )
        self.clients: list[Client] = []

    def _on_connect(self, stream: SeatStream, hello: Received) -> None:
        self.streams.append(stream)
        self._on_event(hello)

    def _on_event(self, event: StreamEvent) -> None:
        self.events.append(event)
        self._news.set()

    def client(self) -> Client:
        client = Client(self.server.target)
        self.clients.append(client)
        return client

    async def until(self, count: int) -> None:
        """Wait until `count` events have come in."""
        while len(self.events) < count:
            await self._news.wait()
            self._news = trio.Event()


@pytest.fixture
def transport() -> str:
    return "unix"


@pytest.fixture
@asynccontextmanager
async def host(tmp_path: Path, transport: str) -> AsyncIterator[Host]:
    """Start a server; stop it after the test."""
    host = Host(f"unix:{tmp_path}/seat" if transport == "unix" else "127.0.0.1:0")
    try:
        yield host
    finally:
        with trio.CancelScope(shield=True):
            for client in host.clients:
                client.close()
            await host.server.stop()


@pytest.mark.parametrize("transport", ["unix", "tcp"])
async def test_messages_go_both_ways_in_order(host: Host) -> None:
    client = host.client()
    client.hello()
    for number in range(5):
        client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=number)))
    await host.until(6)
    assert [event.request.pong.ping_id for event in host.events[1:] if isinstance(event, Received)] == [
        0,
        1,
        2,
        3,
        4,
    ]
    for reason in ("FINISHED", "FAULT"):
        host.streams[0].send(messages.goodbye(reason, 1))
    reasons = [(await client.hear()).goodbye.reason for _ in range(2)]  # type: ignore[union-attr]  # it was sent
    assert reasons == [seat_pb2.GOODBYE_REASON_FINISHED, seat_pb2.GOODBYE_REASON_FAULT]


async def test_headers_come_before_anything_is_said(host: Host) -> None:
    """ARCHITECTURE.md: some clients wait for headers before they send."""
    await host.client().headers()
    assert host.events == []


async def test_thinking_time_is_stamped_at_both_ends(host: Host) -> None:
    client = host.client()
    client.hello()
    await host.until(1)
    outgoing = host.streams[0].send(messages.goodbye("FINISHED", 1))
    assert outgoing.handed_over_ns == 0, "not before the writer takes it"
    await client.hear()
    client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
    await host.until(2)
    assert 0 < outgoing.handed_over_ns < host.events[1].arrival_ns


async def test_a_wrong_token_is_refused(host: Host) -> None:
    """FAULTS.md 12."""
    client = host.client()
    client.hello("another token")
    answer = await client.hear()
    assert answer is not None
    assert answer.error.fatal
    assert answer.error.code == seat_pb2.ERROR_CODE_TOKEN
    assert await client.hear() is None
    assert host.events == []
    assert host.server.refused == "this token is not known here"


async def test_a_token_works_once(host: Host) -> None:
    """FAULTS.md 12 and 13."""
    first, second = host.client(), host.client()
    first.hello()
    await host.until(1)
    second.hello()
    answer = await second.hear()
    assert answer is not None
    assert answer.error.message == "this token was used before"
    first.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))
    await host.until(2)
    assert len(host.streams) == 1, "the seat's own stream is not disturbed"


async def test_a_stranger_that_says_something_else_first_is_refused(host: Host) -> None:
    for first in (seat_pb2.PlayRequest(ready=seat_pb2.Ready()), b"\xff\xff"):
        client = host.client()
        client.say(first)
        answer = await client.hear()
        assert answer is not None
        assert answer.error.fatal


async def test_strangers_do_not_use_up_the_token(host: Host) -> None:
    stranger = host.client()
    stranger.hello("guess")
    await stranger.hear()
    host.client().hello()
    await host.until(1)


async def test_a_stream_that_says_nothing_is_cut_off(tmp_path: Path) -> None:
    """FAULTS.md 14."""
    hasty = Host(f"unix:{tmp_path}/hasty", patience_s=0.05)
    client = hasty.client()
    assert await client.hear() is None
    client.close()
    await hasty.server.stop()


async def test_malformed_bytes_are_told_from_the_end_of_the_stream(host: Host) -> None:
    """FAULTS.md 7."""
    client = host.client()
    client.hello()
    client.say(b"\xff\xff\xff\xff")
    await host.until(2)
    assert isinstance(host.events[1], Malformed)


async def test_a_message_that_is_too_large_is_blamed_on_its_sender(host: Host) -> None:
    """FAULTS.md 8."""
    client = host.client()
    client.hello()
    client.say(b"\0" * (MAX_MESSAGE + 1))
    await host.until(2)
    event = host.events[1]
    assert isinstance(event, Malformed)
    assert event.why == "a message of 65537 bytes; at most 65536 are taken"


@pytest.mark.parametrize("way", ["half-close", "cancel", "channel"])
async def test_the_end_of_the_stream_is_told_however_it_ends(host: Host, way: str) -> None:
    client = host.client()
    client.hello()
    await host.until(1)
    {"half-close": client.half_close, "cancel": client.call.cancel, "channel": client.close}[way]()
    await host.until(2)
    assert isinstance(host.events[1], StreamEnded)


async def test_a_flood_waits_in_the_bots_own_stream(host: Host) -> None:
    """FAULTS.md 9: the number of unhandled messages is bounded."""
    client = host.client()
    client.hello()
    for _ in range(10 * MAX_UNREAD):
        client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
    await host.until(1 + MAX_UNREAD)
    host.streams[0].send(messages.goodbye("FINISHED", 1))
    await client.hear()
    assert len(host.events) == 1 + MAX_UNREAD
    for _ in range(9 * MAX_UNREAD):
        host.streams[0].event_handled()
    await host.until(1 + 10 * MAX_UNREAD)


async def test_stop_ends_the_stream_and_frees_the_address(host: Host, tmp_path: Path) -> None:
    client = host.client()
    client.hello()
    await host.until(1)
    await host.server.stop()
    with contextlib.suppress(grpc.RpcError):
        while await client.hear() is not None:
            pass
    again = Host(f"unix:{tmp_path}/seat")
    await again.server.stop()


async def test_an_address_that_cannot_be_had_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot listen"):
        Host(f"unix:{tmp_path}/no/such/folder/seat")


async def test_variants_are_listed_without_a_token(host: Host) -> None:
    client = host.client()
    ask = client.channel.unary_unary(
        "/bowerbird.seat.v1.SeatService/ListVariants",
        request_serializer=seat_pb2.ListVariantsRequest.SerializeToString,
        response_deserializer=seat_pb2.ListVariantsResponse.FromString,
    )
    listed = await trio.to_thread.run_sync(lambda: ask(seat_pb2.ListVariantsRequest(), timeout=LIMIT_S))
    euchre = next(variant for variant in listed.variants if variant.name == "euchre")
    assert euchre.players == 4
    assert {option.name for option in euchre.options} >= {"target", "stick_dealer"}


def test_grpc_knows_how_it_is_told_to_wait() -> None:
    """A version without these names complains on stderr, in every bot's log and in front of every user."""
    program = """
import harness, os, grpc
from concurrent.futures import ThreadPoolExecutor
server = grpc.server(ThreadPoolExecutor(1))
server.add_insecure_port("127.0.0.1:0")
server.start()
server.stop(0).wait()
print(os.environ["GRPC_EXPERIMENTS"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "event_engine" in done.stdout
    assert done.stderr == "", "see harness/__init__.py: the installed gRPC does not know what is set there"


def test_what_is_set_for_grpc_in_the_environment_stays() -> None:
    program = "import os, harness; print(os.environ['GRPC_EXPERIMENTS'])"
    own = {**os.environ, "GRPC_EXPERIMENTS": "-event_engine_listener"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True, env=own
    )
    assert done.stdout == "-event_engine_listener\n"
