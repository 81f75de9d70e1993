"""The bridge between a gRPC stream and trio, with real clients in this process."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest
import trio

from harness.referee import messages
from harness.referee.post import Post
from harness.referee.server import MAX_MESSAGE, UNREAD, Event, Link, Malformed, Said, SeatServer, StreamEnded
from harness.v1 import seat_pb2

TOKEN = "the token"
LIMIT_S = 30


class Client:
    """One stream to a server. Its blocking calls are made in threads, each with a deadline."""

    def __init__(self, target: str) -> None:
        self.channel = grpc.insecure_channel(target)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play = self.channel.stream_stream(
            "/harness.v1.SeatService/Play", response_deserializer=seat_pb2.PlayResponse.FromString
        )
        self.call = play(iter(self._outbox.get, None), timeout=LIMIT_S)

    def say(self, message: seat_pb2.PlayRequest | bytes) -> None:
        self._outbox.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(self, token: str = TOKEN) -> None:
        self.say(seat_pb2.PlayRequest(hello=seat_pb2.Hello(token=token, protocol_versions=[1])))

    def half_close(self) -> None:
        self._outbox.put(None)

    async def hear(self) -> seat_pb2.PlayResponse | None:
        """The next message, or None at the end of the stream."""
        return await trio.to_thread.run_sync(next, self.call, None, abandon_on_cancel=True)

    async def headers(self) -> object:
        return await trio.to_thread.run_sync(self.call.initial_metadata, abandon_on_cancel=True)

    def close(self) -> None:
        self._outbox.put(None)
        self.channel.close()


class Host:
    """A server, what came in over it, and its clients."""

    def __init__(self, address: str, patience_s: float = LIMIT_S) -> None:
        self.links: list[Link] = []
        self.events: list[Event] = []
        self._news = trio.Event()
        self.server = SeatServer(
            address,
            TOKEN,
            self._on_connect,
            self._on_event,
            post=Post().open(),
            patience_s=patience_s,
        )
        self.clients: list[Client] = []

    def _on_connect(self, link: Link, hello: Said) -> None:
        self.links.append(link)
        self._on_event(hello)

    def _on_event(self, event: Event) -> None:
        self.events.append(event)
        self._news.set()

    def client(self) -> Client:
        client = Client(self.server.target)
        self.clients.append(client)
        return client

    async def until(self, count: int) -> None:
        """Until so many events have come in."""
        while len(self.events) < count:
            await self._news.wait()
            self._news = trio.Event()


def with_host(folder: Path, body: Callable[[Host], Awaitable[None]], transport: str = "unix") -> None:
    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            host = Host(f"unix:{folder}/seat" if transport == "unix" else "127.0.0.1:0")
            try:
                await body(host)
            finally:
                with trio.CancelScope(shield=True):
                    for client in host.clients:
                        client.close()
                    await host.server.stop()

    trio.run(main)


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_messages_go_both_ways_in_order(tmp_path, transport):
    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        for number in range(5):
            client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=number)))
        await host.until(6)
        assert [event.request.pong.ping_id for event in host.events[1:] if isinstance(event, Said)] == [0, 1, 2, 3, 4]
        for reason in ("FINISHED", "FAULT"):
            host.links[0].send(messages.goodbye(reason, 1))
        reasons = [(await client.hear()).goodbye.reason for _ in range(2)]  # type: ignore[union-attr]  # it was sent
        assert reasons == [seat_pb2.GOODBYE_REASON_FINISHED, seat_pb2.GOODBYE_REASON_FAULT]

    with_host(tmp_path, body, transport)


def test_headers_come_before_anything_is_said(tmp_path):
    """ARCHITECTURE.md: some clients wait for headers before they send."""

    async def body(host: Host) -> None:
        await host.client().headers()
        assert host.events == []

    with_host(tmp_path, body)


def test_thinking_time_is_stamped_at_both_ends(tmp_path):
    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        await host.until(1)
        outgoing = host.links[0].send(messages.goodbye("FINISHED", 1))
        assert outgoing.handed_over == 0, "not before the writer takes it"
        await client.hear()
        client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
        await host.until(2)
        assert 0 < outgoing.handed_over < host.events[1].arrival

    with_host(tmp_path, body)


def test_a_wrong_token_is_refused(tmp_path):
    """FAULTS.md 12."""

    async def body(host: Host) -> None:
        client = host.client()
        client.hello("another token")
        answer = await client.hear()
        assert answer is not None
        assert answer.error.fatal
        assert answer.error.code == seat_pb2.ERROR_CODE_TOKEN
        assert await client.hear() is None
        assert host.events == []
        assert host.server.refused == "this token is not known here"

    with_host(tmp_path, body)


def test_a_token_works_once(tmp_path):
    """FAULTS.md 12 and 13."""

    async def body(host: Host) -> None:
        first, second = host.client(), host.client()
        first.hello()
        await host.until(1)
        second.hello()
        answer = await second.hear()
        assert answer is not None
        assert answer.error.message == "this token was used before"
        first.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))
        await host.until(2)
        assert len(host.links) == 1, "the seat's own stream is not disturbed"

    with_host(tmp_path, body)


def test_a_stranger_that_says_something_else_first_is_refused(tmp_path):
    async def body(host: Host) -> None:
        for first in (seat_pb2.PlayRequest(ready=seat_pb2.Ready()), b"\xff\xff"):
            client = host.client()
            client.say(first)
            answer = await client.hear()
            assert answer is not None
            assert answer.error.fatal

    with_host(tmp_path, body)


def test_strangers_do_not_use_up_the_token(tmp_path):
    async def body(host: Host) -> None:
        stranger = host.client()
        stranger.hello("guess")
        await stranger.hear()
        host.client().hello()
        await host.until(1)

    with_host(tmp_path, body)


def test_a_stream_that_says_nothing_is_cut_off(tmp_path):
    """FAULTS.md 14."""

    async def body(host: Host) -> None:
        hasty = Host(f"unix:{tmp_path}/hasty", patience_s=0.05)
        client = hasty.client()
        assert await client.hear() is None
        client.close()
        await hasty.server.stop()

    with_host(tmp_path, body)


def test_malformed_bytes_are_told_from_the_end_of_the_stream(tmp_path):
    """FAULTS.md 7."""

    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        client.say(b"\xff\xff\xff\xff")
        await host.until(2)
        assert isinstance(host.events[1], Malformed)

    with_host(tmp_path, body)


def test_a_message_that_is_too_large_is_blamed_on_its_sender(tmp_path):
    """FAULTS.md 8."""

    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        client.say(b"\0" * (MAX_MESSAGE + 1))
        await host.until(2)
        event = host.events[1]
        assert isinstance(event, Malformed)
        assert event.why == "a message of 65537 bytes; at most 65536 are taken"

    with_host(tmp_path, body)


@pytest.mark.parametrize("way", ["half-close", "cancel", "channel"])
def test_the_end_of_the_stream_is_told_however_it_ends(tmp_path, way):
    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        await host.until(1)
        {"half-close": client.half_close, "cancel": client.call.cancel, "channel": client.close}[way]()
        await host.until(2)
        assert isinstance(host.events[1], StreamEnded)

    with_host(tmp_path, body)


def test_a_flood_waits_in_the_bots_own_stream(tmp_path):
    """FAULTS.md 9: what the referee has not dealt with is bounded."""

    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        for _ in range(10 * UNREAD):
            client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
        await host.until(1 + UNREAD)
        host.links[0].send(messages.goodbye("FINISHED", 1))
        await client.hear()
        assert len(host.events) == 1 + UNREAD
        for _ in range(9 * UNREAD):
            host.links[0].heard()
        await host.until(1 + 10 * UNREAD)

    with_host(tmp_path, body)


def test_stop_ends_the_stream_and_frees_the_address(tmp_path):
    async def body(host: Host) -> None:
        client = host.client()
        client.hello()
        await host.until(1)
        await host.server.stop()
        with contextlib.suppress(grpc.RpcError):
            while await client.hear() is not None:
                pass
        again = Host(f"unix:{tmp_path}/seat")
        await again.server.stop()

    with_host(tmp_path, body)


def test_an_address_that_cannot_be_had_is_an_error(tmp_path):
    async def main() -> None:
        with pytest.raises(OSError, match="cannot listen"):
            Host(f"unix:{tmp_path}/no/such/folder/seat")

    trio.run(main)


def test_variants_are_listed_without_a_token(tmp_path):
    async def body(host: Host) -> None:
        client = host.client()
        ask = client.channel.unary_unary(
            "/harness.v1.SeatService/ListVariants",
            request_serializer=seat_pb2.ListVariantsRequest.SerializeToString,
            response_deserializer=seat_pb2.ListVariantsResponse.FromString,
        )
        listed = await trio.to_thread.run_sync(lambda: ask(seat_pb2.ListVariantsRequest(), timeout=LIMIT_S))
        euchre = next(variant for variant in listed.variants if variant.name == "euchre")
        assert euchre.players == 4
        assert {option.name for option in euchre.options} >= {"target", "stick_dealer"}

    with_host(tmp_path, body)


def test_grpc_knows_how_it_is_told_to_wait() -> None:
    """A version that has forgotten these names says so on stderr, where every bot's log and every user would see it."""
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
