"""Floods of a local bot's address end their connection, and are blamed on the bot where nobody else can have sent
them."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from bowerbird.harness.http2.server import HEADERS_TOO_LARGE
from bowerbird.harness.referee.connection import link
from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.link import FLOOD_OF_FRAMES
from bowerbird.harness.referee.connection.local_server import LocalServer
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.seat_door import FLOOD_OF_CALLS
from bowerbird.harness.referee.connection.stream import Malformed, Received, StreamEnded
from bowerbird.harness.referee.process.open_files import raise_open_files, restore_open_files
from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_frames import (
    CONTINUATION,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    RawConnection,
    call_fields,
    field,
    frame,
    message,
)
from tests.support.deadline import DEADLINE_S
from tests.support.referee.raw_client import PLAY, call
from tests.support.referee.seat_host import TOKEN, SeatHost, open_seat


async def flood(host: SeatHost, write: Callable[[RawConnection], object]) -> None:
    """Let a client write frames until it is done or cut off."""
    connection = await call(lambda: RawConnection(host.server.target))
    try:
        await call(lambda: write(connection))
        assert await call(lambda: connection.wait_for_end(DEADLINE_S)), "the connection is still open"
    finally:
        connection.socket.close()


def repeated(one: bytes) -> Callable[[RawConnection], object]:
    """Return a function that writes a frame until it is cut off."""

    def repeat(connection: RawConnection) -> None:
        while connection.write(one * 1000):
            pass

    return repeat


FLOODS = {
    "PING": repeated(frame(PING, 0, 0, bytes(8))),
    "SETTINGS": repeated(frame(SETTINGS, 0, 0)),
    "unknown frames": repeated(frame(99, 0, 0)),
    "WINDOW_UPDATE": repeated(frame(WINDOW_UPDATE, 0, 0, (1).to_bytes(4, "big"))),
}


@pytest.mark.parametrize("kind", FLOODS)
@pytest.mark.parametrize("is_private", [False, True])
async def test_frames_that_belong_to_no_message_end_their_connection_and_are_the_bots_where_only_it_can_send(
    tmp_path: Path, kind: str, is_private: bool
) -> None:
    async with open_seat(f"unix:{tmp_path}/seat", kind=partial(LocalServer, is_private=is_private)) as host:
        await flood(host, FLOODS[kind])
        assert [event.why for event in host.events if isinstance(event, Malformed)] == [FLOOD_OF_FRAMES] * is_private
        if not is_private:
            host.client().hello(TOKEN)
            await host.until(1)
            assert isinstance(host.events[0], Received), "the address is served as before"


async def test_a_flood_beside_the_bots_own_stream_is_the_bots_at_any_address(tmp_path: Path) -> None:
    async with open_seat(f"unix:{tmp_path}/seat") as host:

        def play_and_flood(connection: RawConnection) -> None:
            connection.call(1, PLAY)
            hello = seat_pb2.PlayRequest(hello=seat_pb2.Hello(token=TOKEN, protocol_versions=[1]))
            connection.data(1, message(hello.SerializeToString()))
            FLOODS["PING"](connection)

        await flood(host, play_and_flood)
        await host.until(3)
        assert [type(event) for event in host.events] == [Received, Malformed, StreamEnded]


async def test_a_header_block_without_an_end_is_cut_off_long_before_it_takes_memory(tmp_path: Path) -> None:
    """faults.md row 33."""
    async with open_seat(f"unix:{tmp_path}/seat", kind=partial(LocalServer, is_private=True)) as host:

        def never_end(connection: RawConnection) -> None:
            connection.write(frame(HEADERS, 0, 1, call_fields(PLAY)))
            while connection.write(frame(CONTINUATION, 0, 1, field(b"x", bytes(1000)))):
                pass

        await flood(host, never_end)
        assert [event.why for event in host.events if isinstance(event, Malformed)] == [HEADERS_TOO_LARGE]


async def test_streams_that_are_reset_at_once_are_calls_that_come_too_fast(tmp_path: Path) -> None:
    """faults.md row 46."""
    async with open_seat(f"unix:{tmp_path}/seat", kind=partial(LocalServer, is_private=True)) as host:

        def open_and_reset(connection: RawConnection) -> None:
            number = 1
            while connection.call(number, PLAY) and connection.write(frame(RST_STREAM, 0, number, bytes(4))):
                number += 2

        await flood(host, open_and_reset)
        assert {event.why for event in host.events if isinstance(event, Malformed)} <= {FLOOD_OF_CALLS, FLOOD_OF_FRAMES}
        assert any(isinstance(event, Malformed) for event in host.events)


async def test_a_client_that_never_says_that_it_speaks_http2_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "HANDSHAKE_S", 0.05)
    async with open_seat(f"unix:{tmp_path}/seat") as host:
        connection = await call(lambda: RawConnection(host.server.target, begin=False))
        assert await call(lambda: connection.wait_for_end(DEADLINE_S))
        connection.socket.close()


async def test_a_connection_without_a_call_is_closed_where_others_can_reach_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "SHARED_IDLE_MS", 50)
    async with open_seat(f"unix:{tmp_path}/seat") as host:
        connection = await call(lambda: RawConnection(host.server.target))
        assert await call(lambda: connection.wait_for_end(DEADLINE_S))
        connection.socket.close()


async def test_connections_that_come_too_fast_wait_and_none_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults.md row 32: otherwise a bot could keep the trio thread busy with connections alone."""
    monkeypatch.setattr(link, "ACCEPTS_AT_ONCE", 1)
    async with open_seat(f"unix:{tmp_path}/seat") as host:
        connections = [await call(lambda: RawConnection(host.server.target)) for _ in range(5)]
        for connection in connections:
            connection.socket.settimeout(DEADLINE_S)
            assert await call(partial(connection.socket.recv, 1)), "it is not served"
            connection.socket.close()


async def test_a_refused_client_that_never_reads_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its window lets nothing out, so the end of its stream cannot be written."""
    monkeypatch.setattr(link, "LINGER_S", 0.05)
    no_window = frame(SETTINGS, 0, 0, (4).to_bytes(2, "big") + bytes(4))
    async with open_seat(f"unix:{tmp_path}/seat") as host:

        def refuse_to_read(connection: RawConnection) -> None:
            connection.write(no_window)
            connection.call(1, PLAY)
            connection.data(1, message(b"no Hello"))

        connection = await call(lambda: RawConnection(host.server.target))
        await call(lambda: refuse_to_read(connection))
        assert isinstance(host.server, LocalServer)
        links = host.server._links
        assert links is not None, "it serves"
        with trio.fail_after(DEADLINE_S):
            while not host.server.refused or any(one._http2.streams for one in links.links):
                await trio.sleep(0.005)
        connection.socket.close()


async def test_a_server_that_is_not_private_blames_nobody(tmp_path: Path) -> None:
    for is_private, count in ((False, 0), (True, 1)):
        endpoint = Endpoint(f"unix:{tmp_path}/{is_private}", Mailbox().open(), 5, is_private=is_private)
        endpoint.blame("flooded")
        await endpoint.stop()
        await trio.lowlevel.checkpoint()
        assert len(endpoint.inbox.events) == count
        assert endpoint.refused == ("flooded" if is_private else "")


def test_the_limit_of_open_files_is_raised_to_the_hard_limit_and_given_back() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(soft, 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        assert raise_open_files() == lower
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
        restore_open_files(lower)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (lower, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
