"""Frames of bots' connections: each is understood as the library h2 understands it, and nothing that is sent makes us
fail."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from bowerbird.harness.http2 import frames as http2
from bowerbird.harness.http2 import grpc_words
from bowerbird.harness.http2.server import Opened, ServerConnection
from tests.support.bots.hostile_frames import call_fields, field, frame
from tests.support.fuzz.against_h2 import BEGIN, compare
from tests.support.fuzz.mutation import Fuzz, nearly

STREAMS = st.sampled_from((0, 1, 1, 1, 3, 5, 7))
NUMBERS = st.sampled_from((0, 1, 100, 16384, 65535, 2**31 - 1, 2**31))
CALL = call_fields("/x")
BLOCKS = st.one_of(
    st.just(CALL),
    st.just(CALL + field(b"grpc-timeout", b"5S", index=True)),
    st.just(CALL + field(b"x", b"y", index=True) + b"\xbe" * 3),
    st.just(field(b"grpc-status", b"0")),
    st.just(CALL + b"\xff\xff\xff"),
    st.sampled_from((b"Upper", b"connection", b"te", b":path", b":status", b"upgrade", b":x")).map(
        lambda name: CALL + field(name, b"x")
    ),
    st.just(field(b":method", b"POST") + field(b":scheme", b"http")),
)


def _setting(name: int, value: int) -> bytes:
    return frame(http2.SETTINGS, 0, 0, name.to_bytes(2, "big") + value.to_bytes(4, "big"))


def _headers(stream: int, block: bytes, *, ends: bool, pieces: int, is_padded: bool) -> bytes:
    """Return a block in one frame, or in several."""
    size = len(block) // pieces + 1
    first, *others = (block[at : at + size] for at in range(0, max(1, len(block)), size))
    flags = (http2.END_STREAM if ends else 0) | (http2.PADDED if is_padded else 0)
    if is_padded:
        first = b"\3" + first + bytes(3)
    said = frame(http2.HEADERS, flags | (0 if others else http2.END_HEADERS), stream, first)
    for left, piece in zip(range(len(others) - 1, -1, -1), others, strict=True):
        said += frame(http2.CONTINUATION, 0 if left else http2.END_HEADERS, stream, piece)
    return said


FRAMES = st.one_of(
    st.builds(
        _headers,
        st.sampled_from((1, 3, 5, 7, 9, 2)),
        BLOCKS,
        ends=st.booleans(),
        pieces=st.sampled_from((1, 1, 2, 4)),
        is_padded=st.booleans(),
    ),
    st.builds(
        frame,
        st.just(http2.DATA),
        st.sampled_from((0, 0, http2.END_STREAM, http2.PADDED, http2.PADDED | http2.END_STREAM)),
        STREAMS,
        st.one_of(st.binary(max_size=9), st.just(bytes(16384)), st.just(bytes(16385))),
    ),
    st.builds(
        frame, st.just(http2.PING), st.sampled_from((0, http2.ACK)), STREAMS, st.sampled_from((bytes(8), bytes(7)))
    ),
    st.builds(_setting, st.integers(0, 9), NUMBERS),
    st.just(frame(http2.SETTINGS, http2.ACK, 0)),
    st.builds(lambda stream, value: frame(http2.WINDOW_UPDATE, 0, stream, value.to_bytes(4, "big")), STREAMS, NUMBERS),
    st.builds(frame, st.integers(11, 255), st.integers(0, 255), STREAMS, st.binary(max_size=5)),
)

GOAWAYS = st.builds(
    frame, st.just(http2.GOAWAY), st.just(0), st.sampled_from((0, 1)), st.binary(min_size=7, max_size=9)
)


def test_frames_mean_what_they_mean_to_h2(fuzz: Fuzz[list[bytes]]) -> None:
    fuzz(st.lists(FRAMES, min_size=1, max_size=20), compare)


def test_nothing_that_a_client_sends_makes_its_connection_fail(fuzz: Fuzz[tuple[list[bytes], int]]) -> None:
    """Bytes that are nearly frames, cut anywhere and answered: an error is noted, output and streams are bounded."""

    def check(drawn: tuple[Sequence[bytes], int]) -> None:
        pieces, size = drawn
        sent = BEGIN + b"".join(pieces)
        made, received, said = ServerConnection(3), 0, 0
        for at in range(0, len(sent), size):
            received += len(sent[at : at + size])
            for event in made.receive(sent[at : at + size]):
                if isinstance(event, Opened):
                    made.respond(event.stream, grpc_words.HEADERS_BLOCK)
                    made.send(event.stream, b"answer")
            said += len(made.take_output())
            assert made.streams <= 3
            if made.error is not None:
                made.go_away(made.error.code, str(made.error))
                break
        assert said <= 1000 + 20 * received, "a client makes us say much more than it says"

    whole = [frame(http2.HEADERS, http2.END_HEADERS, 1, CALL) + frame(http2.DATA, http2.END_STREAM, 1, b"abc")]
    pieces = st.lists(st.one_of(FRAMES, GOAWAYS, nearly([*whole, BEGIN])), min_size=1, max_size=20)
    fuzz(st.tuples(pieces, st.sampled_from((1, 7, 100, 10**6))), check)
