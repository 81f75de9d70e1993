"""The client's side of one call without I/O. How it reads frames is in `test_socket_stream`, over a socket."""

from __future__ import annotations

import pytest

from bowerbird.harness.http2 import frames as http2
from bowerbird.harness.http2 import grpc_words
from bowerbird.harness.http2.client import ClientCall, UnreadableError
from bowerbird.harness.http2.server import Data, Ended, Opened, ServerConnection
from tests.support.bots.hostile_frames import field, frame, message

METHOD = "/package.Service/Method"


def exchange(call: ClientCall, server: ServerConnection) -> list[object]:
    """Carry bytes both ways until neither side has any; return what the server was told."""
    told: list[object] = []
    while (sent := call.take_output()) or server.has_output:
        told += server.receive(sent)
        call.receive(server.take_output())
        found = call.next_message()
        assert found is None, "a message nobody expected"
    assert server.error is None
    return told


def test_the_referees_side_and_a_clients_understand_each_other() -> None:
    call, server = ClientCall(METHOD), ServerConnection(1)
    call.send(b"question")
    call.end()
    opened, *rest = exchange(call, server)
    assert isinstance(opened, Opened)
    assert grpc_words.not_grpc(opened.headers) == 0
    assert grpc_words.path_of(opened.headers) == METHOD
    assert rest == [Data(1, message(b"question")), Ended(1)]
    server.respond(1, grpc_words.HEADERS_BLOCK)
    server.send(1, message(b"one") + message(b""))
    server.finish(1, grpc_words.trailers_block(grpc_words.StatusCode.NOT_FOUND, "no 50% é"))
    call.receive(server.take_output())
    assert [call.next_message(), call.next_message(), call.next_message()] == [b"one", b"", None]
    assert call.has_ended
    assert call.status() == (5, "no 50% é")


@pytest.mark.parametrize("window", [http2.WINDOW, 10 * http2.WINDOW])
def test_more_than_the_windows_hold_goes_both_ways(window: int) -> None:
    call, server = ClientCall(METHOD, window=window), ServerConnection(1)
    call.send(bytes(1_000_000))
    told = exchange(call, server)
    assert sum(len(event.payload) for event in told if isinstance(event, Data)) == 1_000_005
    for _ in range(100):
        server.send(1, message(bytes(10_000)))
    found = 0
    while server.has_output:
        call.receive(server.take_output())
        while call.next_message() is not None:
            found += 1
        server.receive(call.take_output())
    assert found == 100


def test_what_cannot_be_read_is_said_after_all_that_came_before() -> None:
    call = ClientCall(METHOD, limit=100)
    call.receive(frame(http2.DATA, 0, 1, message(bytes(100))) + frame(http2.DATA, 0, 1, message(bytes(101))))
    assert call.next_message() == bytes(100)
    with pytest.raises(UnreadableError, match="a message of 101 bytes; at most 100 are read"):
        call.next_message()
    assert call.has_ended
    assert call.next_message() is None


def test_a_reset_is_an_end_without_a_status() -> None:
    call = ClientCall(METHOD)
    call.receive(frame(http2.DATA, 0, 1, message(b"one")) + frame(http2.RST_STREAM, 0, 1, (8).to_bytes(4, "big")))
    assert [call.next_message(), call.next_message()] == [b"one", None]
    assert call.has_ended
    assert call.status() == (None, "it was reset with code 8")


def test_padding_and_priority_are_no_part_of_a_header_block() -> None:
    call = ClientCall(METHOD)
    block = field(b":status", b"200") + field(b"grpc-status", b"0")
    flags = http2.END_HEADERS | http2.END_STREAM | http2.PADDED | http2.PRIORITIZED
    call.receive(frame(http2.HEADERS, flags, 1, b"\2" + bytes(5) + block + b"\0\0"))
    assert call.next_message() is None
    assert call.status() == (0, "")
