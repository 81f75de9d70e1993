"""gRPC's words on HTTP/2: messages in pieces, header blocks and statuses."""

from __future__ import annotations

import hpack
import pytest

from bowerbird.harness.http2.grpc_words import (
    BadPieceError,
    Pieces,
    StatusCode,
    block,
    message,
    not_grpc,
    refusal_block,
)

MESSAGES = [b"", b"a", b"bc" * 200, b"\0" * 1000, b"d"]


@pytest.mark.parametrize("size", [1, 3, 5, 6, 100, 10_000])
def test_messages_are_the_same_however_they_are_cut(size: int) -> None:
    pieces = Pieces(1000)
    sent = b"".join(message(one) for one in MESSAGES)
    found = [one for at in range(0, len(sent), size) for one in pieces.take(sent[at : at + size])]
    assert found == MESSAGES
    assert not pieces.is_inside_message


def test_the_end_inside_a_message_is_noticed() -> None:
    pieces = Pieces(1000)
    assert pieces.take(message(b"whole") + message(b"half")[:-1]) == [b"whole"]
    assert pieces.is_inside_message


@pytest.mark.parametrize("size", [1, 2000])
def test_a_message_that_is_too_long_is_refused_at_its_first_bytes(size: int) -> None:
    pieces = Pieces(1000)
    assert pieces.take(message(bytes(1000))) == [bytes(1000)]
    begun = message(bytes(1001))[:size]
    if size < 5:
        assert pieces.take(begun) == []
        begun = message(bytes(1001))[size:5]
    with pytest.raises(BadPieceError, match="1001 bytes; at most 1000") as caught:
        pieces.take(begun)
    assert caught.value.status == StatusCode.RESOURCE_EXHAUSTED


def test_a_message_begins_with_0_or_1() -> None:
    with pytest.raises(BadPieceError) as caught:
        Pieces(1000).take(b"\x02\0\0\0\x01a")
    assert caught.value.status == StatusCode.INTERNAL


def test_a_compressed_message_arrives_as_it_is() -> None:
    assert Pieces(1000).take(b"\x01\0\0\0\x02\x1f\x8b") == [b"\x1f\x8b"]


@pytest.mark.parametrize("value", ["", "x" * 126, "x" * 127, "x" * 128, "x" * 5000])
def test_header_blocks_say_what_they_should_and_leave_no_trace_in_the_clients_table(value: str) -> None:
    decoder = hpack.Decoder()
    found = [tuple(field) for field in decoder.decode(block((":status", "200"), ("a-name", value)), raw=True)]
    assert found == [(b":status", b"200"), (b"a-name", value.encode())]
    assert len(decoder.header_table.dynamic_entries) == 0


def test_a_sentence_of_a_status_is_escaped() -> None:
    decoded = hpack.Decoder().decode(refusal_block(12, "Zug um Zug: 100 % für \n dich"), raw=True)
    fields = {bytes(name): bytes(value) for name, value in decoded}
    assert fields[b"grpc-status"] == b"12"
    assert fields[b"grpc-message"] == b"Zug um Zug: 100 %25 f%C3%BCr %0A dich"


@pytest.mark.parametrize(
    ("method", "kind", "status"),
    [
        (b"POST", b"application/grpc", 0),
        (b"POST", b"application/grpc+proto", 0),
        (b"POST", b"application/grpc-web", 415),
        (b"POST", b"text/html", 415),
        (b"GET", b"application/grpc", 405),
    ],
)
def test_what_is_no_call_of_grpc_gets_an_http_status(method: bytes, kind: bytes, status: int) -> None:
    assert not_grpc([(b":method", method), (b":path", b"/x"), (b"content-type", kind)]) == status
