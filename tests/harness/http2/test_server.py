"""The server's side of HTTP/2 without I/O, against the frames of a hostile client and against the library h2."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from bowerbird.harness.http2 import frames as http2
from bowerbird.harness.http2 import grpc_words
from bowerbird.harness.http2.server import MAX_CONTINUATIONS, Data, Ended, Event, Opened, ServerConnection
from tests.support.bots.hostile_frames import PREFACE, call_fields, field, frame
from tests.support.fuzz.against_h2 import BEGIN, compare

CALL = frame(http2.HEADERS, http2.END_HEADERS, 1, call_fields("/x"))
END_HEADERS, END_STREAM, ACK, PADDED = http2.END_HEADERS, http2.END_STREAM, http2.ACK, http2.PADDED


def frames(data: bytes) -> list[tuple[int, int, int, bytes]]:
    """Return the kind, flags, stream and payload of each frame."""
    found = []
    while data:
        size = int.from_bytes(data[:3], "big")
        found.append((data[3], data[4], int.from_bytes(data[5:9], "big"), data[9 : 9 + size]))
        data = data[9 + size :]
    return found


def begun(*more: bytes, max_streams: int = 3) -> tuple[ServerConnection, Sequence[Event]]:
    """Return a connection after these frames, without the output so far, and the events."""
    made = ServerConnection(max_streams)
    events = made.receive(BEGIN + b"".join(more))
    made.take_output()
    return made, events


def integer(value: int) -> bytes:
    return value.to_bytes(4, "big")


def setting(name: int, value: int) -> bytes:
    return frame(http2.SETTINGS, 0, 0, name.to_bytes(2, "big") + integer(value))


def test_a_call_is_opened_carries_data_and_ends() -> None:
    _, events = begun(CALL, frame(http2.DATA, 0, 1, b"abc"), frame(http2.DATA, END_STREAM, 1, b"d"))
    opened, *others = events
    assert isinstance(opened, Opened)
    assert (b":path", b"/x") in opened.headers
    assert others == [Data(1, b"abc"), Data(1, b"d"), Ended(1)]


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_it_does_not_matter_how_bytes_are_cut(size: int) -> None:
    padded = frame(http2.DATA, PADDED, 1, b"\x02abc\0\0")
    sent = BEGIN + CALL + padded + frame(http2.PING, 0, 0, bytes(8)) + frame(http2.DATA, END_STREAM, 1)
    whole = ServerConnection(3)
    cut = ServerConnection(3)
    expected = list(whole.receive(sent))
    events = [event for at in range(0, len(sent), size) for event in cut.receive(sent[at : at + size])]
    assert events == expected
    assert cut.take_output() == whole.take_output()


BREAKS = {
    "no preface": (b"GET / HTTP/1.1\r\n\r\n" + bytes(9), http2.PROTOCOL_ERROR),
    "no SETTINGS": (PREFACE + frame(http2.PING, 0, 0, bytes(8)), http2.PROTOCOL_ERROR),
    "an acknowledgement first": (PREFACE + frame(http2.SETTINGS, ACK, 0), http2.PROTOCOL_ERROR),
    "a long frame": (BEGIN + frame(http2.DATA, 0, 1, bytes(16385)), http2.FRAME_SIZE_ERROR),
    "DATA on stream 0": (BEGIN + frame(http2.DATA, 0, 0, b"x"), http2.PROTOCOL_ERROR),
    "DATA on an idle stream": (BEGIN + frame(http2.DATA, 0, 1, b"x"), http2.PROTOCOL_ERROR),
    "HEADERS on stream 0": (BEGIN + frame(http2.HEADERS, END_HEADERS, 0, call_fields("/x")), http2.PROTOCOL_ERROR),
    "HEADERS on an even stream": (BEGIN + frame(http2.HEADERS, END_HEADERS, 2, b""), http2.PROTOCOL_ERROR),
    "HEADERS on an older stream": (
        BEGIN + frame(http2.HEADERS, END_HEADERS, 5, call_fields("/x")) + CALL,
        http2.STREAM_CLOSED,
    ),
    "trailers without an end": (BEGIN + CALL + CALL, http2.PROTOCOL_ERROR),
    "HEADERS after the end": (
        BEGIN + frame(http2.HEADERS, END_HEADERS | END_STREAM, 1, call_fields("/x")) + CALL,
        http2.STREAM_CLOSED,
    ),
    "an interrupted block": (
        BEGIN + frame(http2.HEADERS, 0, 1, call_fields("/x")) + frame(http2.PING, 0, 0, bytes(8)),
        http2.PROTOCOL_ERROR,
    ),
    "CONTINUATION alone": (BEGIN + frame(http2.CONTINUATION, END_HEADERS, 1), http2.PROTOCOL_ERROR),
    "HPACK of nothing": (BEGIN + frame(http2.HEADERS, END_HEADERS, 1, b"\xff\xff\xff"), http2.COMPRESSION_ERROR),
    "a self-dependency": (BEGIN + frame(http2.PRIORITY, 0, 3, integer(3) + b"\0"), http2.PROTOCOL_ERROR),
    "PRIORITY of 4 bytes": (BEGIN + frame(http2.PRIORITY, 0, 3, bytes(4)), http2.FRAME_SIZE_ERROR),
    "RST_STREAM of an idle stream": (BEGIN + frame(http2.RST_STREAM, 0, 1, bytes(4)), http2.PROTOCOL_ERROR),
    "RST_STREAM of 3 bytes": (BEGIN + CALL + frame(http2.RST_STREAM, 0, 1, bytes(3)), http2.FRAME_SIZE_ERROR),
    "SETTINGS on a stream": (BEGIN + frame(http2.SETTINGS, 0, 1), http2.PROTOCOL_ERROR),
    "SETTINGS of 5 bytes": (BEGIN + frame(http2.SETTINGS, 0, 0, bytes(5)), http2.FRAME_SIZE_ERROR),
    "an acknowledgement with settings": (BEGIN + frame(http2.SETTINGS, ACK, 0, bytes(6)), http2.FRAME_SIZE_ERROR),
    "ENABLE_PUSH 2": (BEGIN + setting(http2.ENABLE_PUSH, 2), http2.PROTOCOL_ERROR),
    "a small MAX_FRAME_SIZE": (BEGIN + setting(http2.MAX_FRAME_SIZE, 16383), http2.PROTOCOL_ERROR),
    "a large window": (BEGIN + setting(http2.INITIAL_WINDOW_SIZE, 2**31), http2.FLOW_CONTROL_ERROR),
    "PUSH_PROMISE": (BEGIN + CALL + frame(http2.PUSH_PROMISE, 0, 1, bytes(4)), http2.PROTOCOL_ERROR),
    "PING on a stream": (BEGIN + frame(http2.PING, 0, 1, bytes(8)), http2.PROTOCOL_ERROR),
    "PING of 7 bytes": (BEGIN + frame(http2.PING, 0, 0, bytes(7)), http2.FRAME_SIZE_ERROR),
    "GOAWAY on a stream": (BEGIN + frame(http2.GOAWAY, 0, 1, bytes(8)), http2.PROTOCOL_ERROR),
    "GOAWAY of 7 bytes": (BEGIN + frame(http2.GOAWAY, 0, 0, bytes(7)), http2.FRAME_SIZE_ERROR),
    "WINDOW_UPDATE of 0": (BEGIN + frame(http2.WINDOW_UPDATE, 0, 0, integer(0)), http2.PROTOCOL_ERROR),
    "WINDOW_UPDATE of 3 bytes": (BEGIN + frame(http2.WINDOW_UPDATE, 0, 0, bytes(3)), http2.FRAME_SIZE_ERROR),
    "WINDOW_UPDATE of an idle stream": (BEGIN + frame(http2.WINDOW_UPDATE, 0, 1, integer(1)), http2.PROTOCOL_ERROR),
    "a window beyond the largest": (
        BEGIN + frame(http2.WINDOW_UPDATE, 0, 0, integer(2**31 - 1)),
        http2.FLOW_CONTROL_ERROR,
    ),
    "more padding than data": (BEGIN + CALL + frame(http2.DATA, PADDED, 1, b"\x05abcd"), http2.PROTOCOL_ERROR),
    "more DATA than the window": (
        BEGIN
        + b"".join(CALL[:8] + bytes((number,)) + CALL[9:] for number in (1, 3))
        + frame(http2.DATA, 0, 1, bytes(16384)) * 5,
        None,
    ),
}


@pytest.mark.parametrize("how", BREAKS)
def test_who_breaks_http2_is_told_how(how: str) -> None:
    sent, code = BREAKS[how]
    made = ServerConnection(3)
    made.receive(sent)
    if code is None:
        assert made.error is None, "windows are given back as DATA are read"
    else:
        assert made.error is not None
        assert made.error.code == code, str(made.error)


def test_what_came_before_an_error_counts() -> None:
    made, events = begun(CALL, frame(http2.DATA, 0, 1, b"answer"), frame(http2.PING, 0, 0, bytes(7)))
    assert made.error is not None
    assert events[-1] == Data(1, b"answer")


@pytest.mark.parametrize(
    "fields",
    [
        call_fields("/x").replace(b":method", b":mathod"),
        call_fields("/x") + field(b":path", b"/y"),
        call_fields("/x") + field(b"Upper", b"case"),
        call_fields("/x") + field(b"connection", b"close"),
        call_fields("/x") + field(b"te", b"gzip"),
        call_fields("/x") + field(b":authority", b"late"),
        call_fields(""),
        field(b":method", b"POST") + field(b":scheme", b"http"),
    ],
)
def test_a_malformed_request_ends_its_stream_alone(fields: bytes) -> None:
    made, events = begun(
        frame(http2.HEADERS, END_HEADERS, 1, fields), frame(http2.HEADERS, END_HEADERS, 3, call_fields("/x"))
    )
    assert [event.stream for event in events] == [3]
    assert made.error is None


LENGTHS = {
    "as it says": (b"5", (b"12", b"345"), True),
    "nothing": (b"0", (b"",), True),
    "too short": (b"5", (b"12",), False),
    "too long": (b"5", (b"123456",), False),
    "no number": (b"5x", (b"12345",), False),
    "negative": (b"-1", (b"",), False),
    "a number without an end": (b"1" * 5000, (b"",), False),
}
"""A content-length, the pieces of the body, and whether they agree."""


@pytest.mark.parametrize("case", LENGTHS)
def test_a_body_of_another_length_than_its_request_says_ends_its_stream_alone(case: str) -> None:
    said, pieces, agrees = LENGTHS[case]
    block = call_fields("/x") + field(b"content-length", said)
    made = ServerConnection(3)
    sent = BEGIN + frame(http2.HEADERS, END_HEADERS, 1, block)
    sent += b"".join(frame(http2.DATA, 0, 1, piece) for piece in pieces[:-1])
    sent += frame(http2.DATA, END_STREAM, 1, pieces[-1])
    events = made.receive(sent)
    assert any(isinstance(event, Ended) for event in events) is agrees
    reset = frame(http2.RST_STREAM, 0, 1, integer(http2.PROTOCOL_ERROR))
    assert (reset in made.take_output()) is not agrees
    assert made.error is None
    assert made.is_open(1) is agrees


def test_a_body_that_is_awaited_must_not_end_with_its_headers() -> None:
    block = call_fields("/x") + field(b"content-length", b"1")
    made = ServerConnection(3)
    made.receive(BEGIN + frame(http2.HEADERS, END_HEADERS | END_STREAM, 1, block))
    assert frame(http2.RST_STREAM, 0, 1, integer(http2.PROTOCOL_ERROR)) in made.take_output()


def test_streams_beyond_the_most_are_refused() -> None:
    made = ServerConnection(1)
    made.receive(BEGIN + CALL)
    made.take_output()
    assert made.receive(frame(http2.HEADERS, END_HEADERS, 3, call_fields("/x"))) == []
    assert frames(made.take_output()) == [(http2.RST_STREAM, 0, 3, integer(http2.REFUSED_STREAM))]


@pytest.mark.parametrize(
    "block",
    [
        field(b"x", bytes(9000)),
        field(b"x", bytes(4000), index=True) + b"\xbe" * 100,
    ],
)
def test_headers_that_expand_are_a_flood(block: bytes) -> None:
    made, _ = begun(frame(http2.HEADERS, END_HEADERS, 1, call_fields("/x") + block))
    assert made.error is not None
    assert made.error.is_flood


def test_a_block_goes_on_in_few_frames() -> None:
    block = call_fields("/x")
    pieces = [block[at : at + len(block) // 8] for at in range(0, len(block), len(block) // 8)]
    first, *middle, last = pieces
    assert len(middle) < MAX_CONTINUATIONS
    _, events = begun(
        frame(http2.HEADERS, 0, 1, first),
        *(frame(http2.CONTINUATION, 0, 1, piece) for piece in middle),
        frame(http2.CONTINUATION, END_HEADERS, 1, last),
    )
    assert [event.stream for event in events] == [1]
    made, _ = begun(frame(http2.HEADERS, 0, 1, block), *[frame(http2.CONTINUATION, 0, 1)] * 9)
    assert made.error is not None
    assert made.error.is_flood


def test_data_wait_for_the_windows_and_the_end_waits_for_the_data() -> None:
    made, _ = begun(setting(http2.INITIAL_WINDOW_SIZE, 10), CALL)
    made.respond(1, grpc_words.HEADERS_BLOCK)
    made.send(1, b"0123456789abcdef")
    made.send(1, b"g")
    made.finish(1, b"")
    said = frames(made.take_output())
    assert [(kind, payload) for kind, _, _, payload in said[1:]] == [(http2.DATA, b"0123456789")]
    made.receive(frame(http2.WINDOW_UPDATE, 0, 1, integer(3)))
    assert [payload for *_, payload in frames(made.take_output())] == [b"abc"]
    made.receive(setting(http2.INITIAL_WINDOW_SIZE, 100))
    kinds = [kind for kind, *_ in frames(made.take_output())]
    assert kinds == [http2.SETTINGS, http2.DATA, http2.DATA, http2.HEADERS, http2.RST_STREAM]
    assert made.streams == 0


def test_the_window_of_the_connection_holds_all_streams_back() -> None:
    made, _ = begun(setting(http2.INITIAL_WINDOW_SIZE, 10**6), CALL)
    made.send(1, bytes(10**5))
    assert sum(len(payload) for *_, payload in frames(made.take_output())) == http2.WINDOW
    made.receive(frame(http2.WINDOW_UPDATE, 0, 0, integer(10**5)))
    sizes = [len(payload) for *_, payload in frames(made.take_output())]
    assert sum(sizes) == 10**5 - http2.WINDOW
    assert max(sizes) == http2.MAX_FRAME


def test_a_client_may_send_for_ever() -> None:
    made, _ = begun(CALL)
    for _ in range(100):
        [event] = made.receive(frame(http2.DATA, 0, 1, bytes(16384)))
        assert event == Data(1, bytes(16384))
    given = [payload for kind, _, _, payload in frames(made.take_output()) if kind == http2.WINDOW_UPDATE]
    assert sum(int.from_bytes(payload, "big") for payload in given) >= 2 * 100 * 16384 - 2 * http2.WINDOW
    assert made.error is None


def test_who_sends_more_than_the_windows_allow_is_cut_off() -> None:
    """Whoever reads gives windows back at once, so this takes a window that is smaller than any half."""
    made, _ = begun(CALL)
    made._receive_window = 10
    made.receive(frame(http2.DATA, 0, 1, bytes(11)))
    assert made.error is not None
    assert made.error.code == http2.FLOW_CONTROL_ERROR


def anything(rng: random.Random) -> bytes:
    """Return a frame that a client may send, or one that is wrong in some states."""
    data_flags, number = rng.choice((0, 0, END_STREAM, PADDED)), rng.choice((1, 3, 5, 7))
    return rng.choice(
        (
            frame(http2.DATA, data_flags, rng.choice((0, 1, 3, 5)), rng.randbytes(rng.randrange(9))),
            frame(http2.HEADERS, END_HEADERS | rng.choice((0, 0, END_STREAM)), number, call_fields("/x")),
            frame(http2.RST_STREAM, 0, rng.choice((0, 1, 1, 1)), bytes(4)),
            frame(http2.PING, rng.choice((0, ACK)), rng.choice((0, 0, 0, 1)), bytes(rng.choice((8, 8, 8, 7)))),
            setting(rng.randrange(1, 7), rng.choice((0, 1, 100, 16384, 65535))),
            frame(http2.SETTINGS, ACK, 0),
            frame(http2.WINDOW_UPDATE, 0, rng.choice((0, 1, 3, 9)), integer(rng.choice((1, 1000, 2**31 - 1)))),
            frame(rng.randrange(11, 256), rng.randrange(256), rng.choice((0, 1)), rng.randbytes(5)),
        )
    )


@pytest.mark.parametrize("seed", range(40))
def test_what_h2_understands_is_understood_and_what_it_refuses_is_refused(seed: int) -> None:
    """The same bytes lead to the same events, up to the first error, which both see in the same frame."""
    rng = random.Random(seed)
    for _ in range(50):
        compare([anything(rng) for _ in range(rng.randrange(1, 12))])
