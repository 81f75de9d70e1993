"""Acts that flood the bot's own address with connections, frames and calls. The bot plays on as long as it may."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import grpc

from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_acts import Turn, act, honest
from tests.support.bots.hostile_frames import (
    CANCEL,
    CONTINUATION,
    DATA,
    END_HEADERS,
    FRAME_BYTES,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    RawConnection,
    call_fields,
    field,
    frame,
    message,
)
from tests.support.bots.hostile_starts import STARTS, Start
from tests.support.bots.hostile_stream import GrpcStream, Message, Stream
from tests.support.bots.plain_call import PLAY

IDLE = 600
FLOODING = 120
MOST_SERVED = 3
CLOSED_WITHIN_S = 5.0

FLOOD_S = 20.0
"""How long a flood goes on if nobody ends it."""

CALLS_AT_ONCE, MOST_CALLS, CALL_S = 60, 6000, 60.0
"""How many calls a flood of calls makes, and how long one may take."""

SMALLEST_KEPT = 24
"""The shortest piece of a message for which gRPC keeps the whole buffer that it read."""

UNKNOWN_FRAME = 0x77
LIST_VARIANTS = "/bowerbird.seat.v1.SeatService/ListVariants"

_KEPT: list[object] = []


def connections(count: int) -> list[RawConnection]:
    """Open connections, and say how many the referee has kept open."""
    made = [RawConnection(os.environ["BOWERBIRD_ADDRESS"]) for _ in range(count)]
    end = time.monotonic() + CLOSED_WITHIN_S
    while sum(one.is_open for one in made) > MOST_SERVED and time.monotonic() < end:
        for one in made:
            one.wait_for_end(0)
    _KEPT.extend(made)
    print("served", sum(one.is_open for one in made), "of", count, flush=True)
    return [one for one in made if one.is_open]


@act("hoards-connections")
def hoards_connections(turn: Turn) -> Iterator[Message]:
    """Row 32: open 600 HTTP/2 connections and keep them."""
    connections(IDLE)
    yield from honest(turn)


def flood(turn: Turn, begin: bytes, chunk: Callable[[int], bytes]) -> Iterator[Message]:
    """Answer, then write `begin` and chunk after chunk into each connection until all are closed or time is up."""
    yield from honest(turn)
    made = connections(FLOODING)
    for one in made:
        one.write(begin)
    end = time.monotonic() + FLOOD_S
    number = 0
    while made and time.monotonic() < end:
        data = chunk(number)
        made = [one for one in made if one.write(data)]
        number += 1
    print("flooded", number, "times", flush=True)


@act("floods-headers")
def floods_headers(turn: Turn) -> Iterator[Message]:
    """Row 33: HEADERS and endless CONTINUATION, with a new field every 100 bytes."""
    fields = b"".join(field(b"x%d" % number, b"v" * 90) for number in range(150))
    more = frame(CONTINUATION, 0, 1, fields[:FRAME_BYTES])
    return flood(turn, frame(HEADERS, 0, 1, call_fields(PLAY)), lambda number: more)


@act("floods-indexed-headers")
def floods_indexed_headers(turn: Turn) -> Iterator[Message]:
    """Row 33: CONTINUATION frames that name one field of the table 16,000 times each."""
    more = frame(CONTINUATION, 0, 1, b"\x90" * FRAME_BYTES)
    return flood(turn, frame(HEADERS, 0, 1, call_fields(PLAY)), lambda number: more)


@act("floods-pieces")
def floods_pieces(turn: Turn) -> Iterator[Message]:
    """Row 33: a message in pieces of 24 bytes, each followed by a meaningless frame of 8 KiB."""
    body = message(b"\0" * 60_000)
    useless = frame(UNKNOWN_FRAME, 0, 0, bytes(8000))

    def chunk(number: int) -> bytes:
        piece = body[number * SMALLEST_KEPT : (number + 1) * SMALLEST_KEPT]
        return frame(DATA, 0, 1, piece) + useless if len(piece) == SMALLEST_KEPT else useless

    return flood(turn, frame(HEADERS, END_HEADERS, 1, call_fields(PLAY)), chunk)


@act("floods-settings")
def floods_settings(turn: Turn) -> Iterator[Message]:
    """Row 33: SETTINGS and PINGs, each of which wants an answer."""
    more = (frame(SETTINGS, 0, 0, b"\x00\x04\x00\x00\xff\xff") + frame(PING, 0, 0, bytes(8))) * 500
    return flood(turn, b"", lambda number: more)


@act("floods-resets")
def floods_resets(turn: Turn) -> Iterator[Message]:
    """Row 33: streams that are cancelled at once."""

    def chunk(number: int) -> bytes:
        streams = range(100 * number, 100 * number + 100)
        call = call_fields(PLAY)
        cancel = CANCEL.to_bytes(4, "big")
        return b"".join(
            frame(HEADERS, END_HEADERS, 2 * stream + 1, call) + frame(RST_STREAM, 0, 2 * stream + 1, cancel)
            for stream in streams
        )

    return flood(turn, b"", chunk)


@act("floods-calls")
def floods_calls(turn: Turn) -> Iterator[Message]:
    """Row 46: ListVariants again and again."""
    yield from honest(turn)
    options = (("grpc.use_local_subchannel_pool", 1),)
    with grpc.insecure_channel(os.environ["BOWERBIRD_ADDRESS"], options=options) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(LIST_VARIANTS)
        request = seat_pb2.ListVariantsRequest(token=os.environ["BOWERBIRD_TOKEN"]).SerializeToString()
        until_refused(lambda: call.future(request, timeout=CALL_S).code)


@act("floods-tokens")
def floods_tokens(turn: Turn) -> Iterator[Message]:
    """Row 46: a Hello with a wrong token again and again."""
    yield from honest(turn)
    options = (("grpc.use_local_subchannel_pool", 1),)
    with grpc.insecure_channel(os.environ["BOWERBIRD_ADDRESS"], options=options) as channel:
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(PLAY)
        hello = seat_pb2.PlayRequest(hello=seat_pb2.Hello(token="guess", protocol_versions=[1])).SerializeToString()

        def begin() -> Callable[[], grpc.StatusCode]:
            call = play(iter([hello]), timeout=CALL_S)
            return lambda: end_of(call, call.code)

        until_refused(begin)


def end_of(answers: Iterable[bytes], status: Callable[[], grpc.StatusCode]) -> grpc.StatusCode:
    """Read a call to its end: gRPC tells no status before that, although the referee has ended the call.

    See findings/grpcio-a-status-waits-for-answers-that-nobody-reads.sh.
    """
    with suppress(grpc.RpcError):
        for _ in answers:
            pass
    return status()


def until_refused(begin: Callable[[], Callable[[], grpc.StatusCode]]) -> None:
    """Make calls, `CALLS_AT_ONCE` at a time, until the address is gone or `MOST_CALLS` calls have been made.

    `begin` begins one and returns what waits for its end. One call alone may take so long that none comes too fast.
    """
    made = 0
    while made < MOST_CALLS:
        waits = [begin() for _ in range(CALLS_AT_ONCE)]
        made += CALLS_AT_ONCE
        if {wait() for wait in waits} == {grpc.StatusCode.UNAVAILABLE}:
            break
    print("made", made, "calls", flush=True)


def says_20000_versions(stream: Stream, events: bool) -> None:
    """Row 46: begin with a Hello of 20,000 protocol versions."""
    stream.hello(versions=tuple(range(100_000_000, 100_020_000)))


def says_16_mebibytes(stream: Stream, events: bool) -> None:
    """Row 46: begin four streams with 16 MiB each."""
    streams = [stream, *(GrpcStream() for _ in range(3))]
    for one in streams:
        one.say(bytes(16 << 20))


STARTS["says-20000-versions"] = Start(greet=says_20000_versions)
STARTS["says-16-mebibytes"] = Start(greet=says_16_mebibytes)


@act("tells-open-files")
def tells_open_files(turn: Turn) -> Iterator[Message]:
    """Row 32: print how many files this process may open."""
    print("open files:", resource.getrlimit(resource.RLIMIT_NOFILE)[0], flush=True)
    yield from honest(turn)
