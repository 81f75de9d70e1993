"""The streams of a seat's address, with real clients in this process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import grpc
import pytest

from bowerbird.harness.http2.client import ClientCall
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.messages import MAX_MESSAGE
from bowerbird.harness.referee.connection.seat_door import PLAY, STREAMS
from bowerbird.harness.referee.connection.stream import (
    MAX_UNREAD,
    Malformed,
    Received,
    StreamEnded,
)
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.referee.seat_host import TOKEN, SeatHost, open_seat


@pytest.fixture
def transport() -> str:
    return "unix"


@pytest.fixture
def host(tmp_path: Path, transport: str) -> AbstractAsyncContextManager[SeatHost]:
    """Return a server that is stopped after the test."""
    return open_seat(f"unix:{tmp_path}/seat" if transport == "unix" else "127.0.0.1:0")


@pytest.mark.parametrize("transport", ["unix", "tcp"])
async def test_messages_go_both_ways_in_order(host: SeatHost) -> None:
    client = host.client()
    client.hello(TOKEN)
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
    reasons = [(await client.hear_a("goodbye")).goodbye.reason for _ in range(2)]
    assert reasons == [seat_pb2.GOODBYE_REASON_FINISHED, seat_pb2.GOODBYE_REASON_FAULT]


async def test_headers_come_before_anything_is_said(host: SeatHost) -> None:
    """architecture.md, Trio and gRPC: some clients wait for headers before they send."""
    await host.client().headers()
    assert host.events == []


async def test_thinking_time_is_stamped_at_both_ends(host: SeatHost) -> None:
    client = host.client()
    client.hello(TOKEN)
    await host.until(1)
    outgoing = host.streams[0].send(messages.goodbye("FINISHED", 1))
    assert outgoing.handed_over_ns == 0, "not before the writer takes it"
    await client.hear()
    client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
    await host.until(2)
    pong = host.events[1]
    assert isinstance(pong, Received)
    assert 0 < outgoing.handed_over_ns < pong.arrival_ns


async def test_a_wrong_token_is_refused(host: SeatHost) -> None:
    """faults.md row 12."""
    client = host.client()
    client.hello("another token")
    assert await client.refusal() == ("TOKEN", "this token is not known here", grpc.StatusCode.UNAUTHENTICATED)
    assert host.events == []
    assert host.server.refused == "this token is not known here"


async def test_a_token_works_once(host: SeatHost) -> None:
    """faults.md rows 12 and 13."""
    first, second = host.client(), host.client()
    first.hello(TOKEN)
    await host.until(1)
    second.hello(TOKEN)
    assert await second.refusal() == ("TOKEN", "this token was used before", grpc.StatusCode.UNAUTHENTICATED)
    first.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))
    await host.until(2)
    assert len(host.streams) == 1, "the seat's own stream is not disturbed"


@pytest.mark.parametrize("first", [seat_pb2.PlayRequest(ready=seat_pb2.Ready()), seat_pb2.PlayRequest(), b"\xff\xff"])
async def test_a_stranger_that_says_something_else_first_is_refused(
    host: SeatHost, first: seat_pb2.PlayRequest | bytes
) -> None:
    client = host.client()
    client.say(first)
    code, sentence, status = await client.refusal()
    assert (code, status) == ("PROTOCOL", grpc.StatusCode.INVALID_ARGUMENT)
    assert sentence.startswith("the first message must be a Hello")


async def test_a_session_cannot_be_resumed_where_there_are_none(host: SeatHost) -> None:
    client = host.client()
    client.hello(secret="of another referee")
    code, _, status = await client.refusal()
    assert (code, status) == ("SESSION_OVER", grpc.StatusCode.ABORTED)
    assert host.events == []


async def test_strangers_do_not_use_up_the_token(host: SeatHost) -> None:
    stranger = host.client()
    stranger.hello("guess")
    await stranger.hear()
    host.client().hello(TOKEN)
    await host.until(1)


async def test_a_stream_that_says_nothing_is_cut_off(tmp_path: Path) -> None:
    """faults.md row 14."""
    async with open_seat(f"unix:{tmp_path}/hasty", patience_s=0.05) as hasty:
        refusal = await hasty.client().refusal()
    assert refusal == ("STARTUP", "no Hello came within 0.05 s", grpc.StatusCode.DEADLINE_EXCEEDED)


async def test_malformed_bytes_are_told_from_the_end_of_the_stream(host: SeatHost) -> None:
    """faults.md row 7."""
    client = host.client()
    client.hello(TOKEN)
    client.say(b"\xff\xff\xff\xff")
    await host.until(2)
    assert isinstance(host.events[1], Malformed)


async def test_a_message_that_is_too_large_is_blamed_on_its_sender(host: SeatHost) -> None:
    """faults.md row 8."""
    client = host.client()
    client.hello(TOKEN)
    client.say(b"\0" * (MAX_MESSAGE + 1))
    await host.until(2)
    event = host.events[1]
    assert isinstance(event, Malformed)
    assert event.why == "a message of 65537 bytes; at most 65536 are allowed"


@pytest.mark.parametrize("way", ["half-close", "cancel", "channel"])
async def test_the_end_of_the_stream_is_told_however_it_ends(host: SeatHost, way: str) -> None:
    client = host.client()
    client.hello(TOKEN)
    await host.until(1)
    {"half-close": client.half_close, "cancel": client.call.cancel, "channel": client.close}[way]()
    await host.until(2)
    assert isinstance(host.events[1], StreamEnded)


async def test_calls_that_ended_make_room_for_others(host: SeatHost) -> None:
    refused = []
    for _ in range(3 * STREAMS):
        client = host.client()
        client.hello("another token")
        refused.append(await client.refusal())
    assert len(set(refused)) == 1, "each is refused for its token, and none because others came before"
    host.client().hello(TOKEN)
    await host.until(1)


async def test_a_flood_waits_in_the_bots_own_stream(host: SeatHost) -> None:
    """faults.md row 9: the number of unhandled messages is bounded."""
    client = host.client()
    client.hello(TOKEN)
    for _ in range(10 * MAX_UNREAD):
        client.say(seat_pb2.PlayRequest(pong=seat_pb2.Pong()))
    await host.until(1 + MAX_UNREAD)
    host.streams[0].send(messages.goodbye("FINISHED", 1))
    await client.hear()
    assert len(host.events) == 1 + MAX_UNREAD
    for _ in range(9 * MAX_UNREAD):
        host.streams[0].event_handled()
    await host.until(1 + 10 * MAX_UNREAD)


async def test_an_end_that_came_with_a_flood_waits_behind_its_messages(host: SeatHost, tmp_path: Path) -> None:
    call = ClientCall(PLAY)
    call.send(seat_pb2.PlayRequest(hello=seat_pb2.Hello(token=TOKEN, protocol_versions=[1])).SerializeToString())
    for _ in range(2 * MAX_UNREAD):
        call.send(seat_pb2.PlayRequest(pong=seat_pb2.Pong()).SerializeToString())
    call.end()
    with socket.socket(socket.AF_UNIX) as bot:
        bot.connect(f"{tmp_path}/seat")
        bot.sendall(call.take_output())
        await host.until(1 + MAX_UNREAD)
        for _ in range(MAX_UNREAD + 1):
            host.streams[0].event_handled()
        await host.until(1 + 2 * MAX_UNREAD + 1)
    assert [type(event) for event in host.events[-2:]] == [Received, StreamEnded]


async def test_stop_ends_the_stream_and_frees_the_address(host: SeatHost, tmp_path: Path) -> None:
    client = host.client()
    client.hello(TOKEN)
    await host.until(1)
    await host.server.stop()
    assert await client.status() != grpc.StatusCode.DEADLINE_EXCEEDED, "the stream ended, not the client's patience"
    async with open_seat(f"unix:{tmp_path}/seat"):
        pass


async def test_an_address_that_cannot_be_had_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot listen"):
        SeatHost(f"unix:{tmp_path}/no/such/folder/seat")


@pytest.mark.usefixtures("processes")
def test_grpc_knows_how_it_is_told_to_wait() -> None:
    """A version without these names complains on stderr, in every bot's log and to every user."""
    program = """
import harness, os, grpc
from concurrent.futures import ThreadPoolExecutor
server = grpc.server(ThreadPoolExecutor(1))
server.add_insecure_port("127.0.0.1:0")
server.start()
server.stop(0).wait()
print(os.environ["GRPC_EXPERIMENTS"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    assert "event_engine" in done.stdout
    assert done.stderr == "", "see harness/__init__.py: the installed gRPC does not know what is set there"


@pytest.mark.usefixtures("processes")
def test_what_is_set_for_grpc_in_the_environment_stays() -> None:
    program = "import os, harness; print(os.environ['GRPC_EXPERIMENTS'])"
    own = {**os.environ, "GRPC_EXPERIMENTS": "-event_engine_listener"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=True, env=own
    )
    assert done.stdout == "-event_engine_listener\n"
