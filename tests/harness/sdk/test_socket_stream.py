"""What a bot sends and reads on its socket, frame by frame (RFC 9113). The test writes the referee's frames."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import hpack
import pytest

from bowerbird.harness.http2.client import LONGEST_TEXT
from bowerbird.harness.sdk.socket_stream import WINDOW, SocketStream
from bowerbird.harness.sdk.stream import StreamBrokenError
from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.hostile_frames import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    message,
)
from tests.support.deadline import DEADLINE_S

PADDED = 0x8
GOAWAY = 7
FIRST = ((b":status", b"200"), (b"content-type", b"application/grpc"))
OK = ((b"grpc-status", b"0"),)


class Referee:
    """The other end of a stream, in the same thread: what it writes waits in the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.settimeout(DEADLINE_S)
        self._encoder = hpack.Encoder()
        assert self._read(len(PREFACE)) == PREFACE

    def write(self, *frames: bytes) -> None:
        self._socket.sendall(b"".join(frames))

    def fields(self, *pairs: tuple[bytes, bytes]) -> bytes:
        """Return a header block as gRPC writes it: with Huffman codes and an index."""
        return self._encoder.encode(pairs)

    def end(self, *pairs: tuple[bytes, bytes]) -> None:
        self.write(frame(HEADERS, END_HEADERS, 1, self.fields(*FIRST)))
        self.write(frame(HEADERS, END_HEADERS | END_STREAM, 1, self.fields(*pairs)))

    def read(self) -> tuple[int, int, int, bytes]:
        head = self._read(9)
        return head[3], head[4], int.from_bytes(head[5:], "big"), self._read(int.from_bytes(head[:3], "big"))

    def read_data(self) -> bytes:
        """Return the payload of the next DATA frame."""
        while (read := self.read())[0] != DATA:
            pass
        return read[3]

    def close(self) -> None:
        self._socket.close()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            got = self._socket.recv(size - len(data))
            assert got, "the bot closed its connection"
            data += got
        return data


@contextmanager
def connected(folder: Path) -> Iterator[tuple[SocketStream, Referee]]:
    path = folder / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        stream = SocketStream(f"unix:{path}")
        connection, _ = listening.accept()
    with connection:
        referee = Referee(connection)
        yield stream, referee
        referee.close()
        stream.close()


def ping(number: int) -> seat_pb2.PlayResponse:
    return seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=number))


def pong(size: int) -> seat_pb2.PlayRequest:
    return seat_pb2.PlayRequest(bot_fault=seat_pb2.BotFault(detail="x" * size))


def said(*numbers: int) -> bytes:
    return b"".join(message(ping(number).SerializeToString()) for number in numbers)


def test_it_begins_with_wide_windows_and_the_call(tmp_path: Path) -> None:
    with connected(tmp_path) as (_, referee):
        assert referee.read() == (SETTINGS, 0, 0, struct.pack(">HI", 4, WINDOW))
        assert referee.read() == (WINDOW_UPDATE, 0, 0, (WINDOW - 65535).to_bytes(4, "big"))
        kind, flags, number, block = referee.read()
        assert (kind, flags, number) == (HEADERS, END_HEADERS, 1)
        fields = dict(hpack.Decoder().decode(block, raw=True))
        assert fields[b":path"] == b"/bowerbird.seat.v1.SeatService/Play"
        assert (fields[b":method"], fields[b"te"], fields[b"content-type"]) == (
            b"POST",
            b"trailers",
            b"application/grpc",
        )


@pytest.mark.parametrize(
    "frames",
    [
        (frame(DATA, 0, 1, said(1, 2, 3)),),
        tuple(frame(DATA, 0, 1, bytes((byte,))) for byte in said(1, 2, 3)),
        (frame(DATA, PADDED, 1, b"\4" + said(1, 2) + bytes(4)), frame(DATA, 0, 1, said(3))),
        (frame(DATA, 0, 1, said(1)), frame(0xFA, 7, 1, b"new"), frame(SETTINGS, ACK, 0), frame(DATA, 0, 1, said(2, 3))),
        (frame(GOAWAY, 0, 0, bytes(8)), frame(DATA, 0, 1, said(1, 2, 3))),
    ],
    ids=["in one frame", "byte by byte", "padded", "between unknown frames", "after the announcement of the end"],
)
def test_messages_come_out_whole_however_they_were_cut(tmp_path: Path, frames: Sequence[bytes]) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(*frames)
        referee.end(*OK)
        assert list(stream.responses()) == [ping(1), ping(2), ping(3)]
        stream.close()


def test_close_waits_for_the_rest_of_a_stream_but_not_for_what_follows_its_end(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(frame(DATA, END_STREAM, 1, said(1, 2)))
        assert next(stream.responses()) == ping(1)
        stream.close()


def test_a_ping_and_settings_are_answered(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(frame(SETTINGS, 0, 0), frame(PING, 0, 0, b"12345678"), frame(DATA, 0, 1, said(1)))
        assert next(stream.responses()) == ping(1)
        for _ in range(3):
            referee.read()
        assert referee.read() == (SETTINGS, ACK, 0, b"")
        assert referee.read() == (PING, ACK, 0, b"12345678")


def test_what_the_windows_have_no_room_for_follows_when_there_is_some_and_the_end_comes_last(tmp_path: Path) -> None:
    long = pong(100_000)
    whole = message(long.SerializeToString())
    with connected(tmp_path) as (stream, referee):
        stream.send(long)
        sent = b""
        while len(sent) < 65535:
            sent += referee.read_data()
        assert sent == whole[:65535]
        referee.write(frame(WINDOW_UPDATE, 0, 0, (1 << 20).to_bytes(4, "big")), frame(DATA, 0, 1, said(1)))
        responses = stream.responses()
        assert next(responses) == ping(1)
        # Room on the connection alone is none. The next settings widen the stream by 20,000 bytes.
        referee.write(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535 + 20_000)), frame(DATA, 0, 1, said(2)))
        assert next(responses) == ping(2)
        sent += referee.read_data() + referee.read_data()
        assert len(sent) == 65535 + 20_000
        closing = threading.Thread(target=stream.close)
        closing.start()
        referee.write(frame(WINDOW_UPDATE, 0, 1, (1 << 20).to_bytes(4, "big")))
        sent += referee.read_data()
        assert sent == whole
        assert referee.read() == (DATA, END_STREAM, 1, b"")
        referee.end(*OK)
        closing.join(DEADLINE_S)
        assert not closing.is_alive(), "close waits for the referee's end, and no longer"


def test_the_referee_gets_back_its_room(tmp_path: Path) -> None:
    """More than the window holds comes through, and half a window at a time is given back, padding included."""
    long = seat_pb2.PlayResponse(error=seat_pb2.Error(message="x" * 2000))
    whole = message(long.SerializeToString())
    with connected(tmp_path) as (stream, referee):
        responses = stream.responses()
        for _ in range(WINDOW // 2 // len(whole) + 1):
            referee.write(frame(DATA, PADDED, 1, b"\0" + whole))
            assert next(responses) == long
        while (read := referee.read())[0] != WINDOW_UPDATE or read[3] == (WINDOW - 65535).to_bytes(4, "big"):
            pass
        size = int.from_bytes(read[3], "big")
        assert WINDOW // 2 < size <= WINDOW // 2 + len(whole) + 1
        assert size % (len(whole) + 1) == 0
        assert read == (WINDOW_UPDATE, 0, 0, size.to_bytes(4, "big"))
        assert referee.read() == (WINDOW_UPDATE, 0, 1, size.to_bytes(4, "big"))


@pytest.mark.parametrize(
    ("pairs", "why", "is_final"),
    [
        (((b"grpc-status", b"16"), (b"grpc-message", b"the token is wrong%21")), "the token is wrong!", True),
        (((b"grpc-status", b"14"), (b"grpc-message", b"try again")), "try again", False),
        (((b"grpc-status", b"8"), (b"grpc-message", b"x" * 5000)), "x" * LONGEST_TEXT, False),
        (((b"grpc-status", b"12"),), "it ended with gRPC status 12", True),
        ((), "it ended without a status", False),
    ],
)
def test_a_stream_that_ends_badly_says_why(
    tmp_path: Path, pairs: Sequence[tuple[bytes, bytes]], why: str, is_final: bool
) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.end(*pairs)
        with pytest.raises(StreamBrokenError) as told:
            list(stream.responses())
        assert (str(told.value), told.value.is_final) == (why, is_final)


def test_an_answer_that_is_not_grpc_says_so(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(frame(HEADERS, END_HEADERS | END_STREAM, 1, referee.fields((b":status", b"415"))))
        with pytest.raises(StreamBrokenError, match="it ended with HTTP status 415"):
            list(stream.responses())


def test_a_header_block_in_two_frames_is_read_as_one(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, referee):
        block = referee.fields(*FIRST, (b"grpc-status", b"9"), (b"grpc-message", b"not now"))
        referee.write(frame(HEADERS, END_STREAM, 1, block[:9]), frame(CONTINUATION, END_HEADERS, 1, block[9:]))
        with pytest.raises(StreamBrokenError, match="not now"):
            list(stream.responses())


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff"), "the referee sent headers that cannot be read"),
        (frame(SETTINGS, 0, 0, b"12345"), "the referee sent what is not HTTP/2"),
        (frame(DATA, PADDED, 1), "the referee sent what is not HTTP/2"),
        (frame(CONTINUATION, END_HEADERS, 1), "the referee sent what is not HTTP/2"),
        (frame(DATA, 0, 1, message(b"\xff")), "the referee sent what is not a message"),
        (frame(RST_STREAM, 0, 1, (8).to_bytes(4, "big")), "it was reset with code 8"),
    ],
)
def test_what_no_server_sends_breaks_the_stream_and_is_no_fault_of_the_bot(
    tmp_path: Path, sent: bytes, why: str
) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(sent)
        with pytest.raises(StreamBrokenError, match=why):
            list(stream.responses())
        stream.close()  # waits for nothing


def test_a_lost_connection_breaks_the_stream_with_the_last_words_of_the_referee(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, referee):
        referee.write(frame(GOAWAY, 0, 0, bytes(8) + b"too many pings"), frame(DATA, 0, 1, said(1)[:-1]))
        referee.close()
        with pytest.raises(StreamBrokenError, match="the referee closed the connection: too many pings"):
            list(stream.responses())
        stream.send(pong(10))  # is lost, and no error


def test_the_default_timeout_of_a_bots_sockets_is_none_of_the_referees(tmp_path: Path) -> None:
    """A bot that asks a service sets one, and then a referee that thinks for longer seemed to have left."""
    before = socket.getdefaulttimeout()
    try:
        socket.setdefaulttimeout(0.001)
        with connected(tmp_path) as (stream, _):
            assert stream._socket.gettimeout() is None
    finally:
        socket.setdefaulttimeout(before)


def test_an_interrupt_between_two_pieces_of_a_frame_leaves_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(tmp_path) as (stream, referee):
        own = stream._socket
        sent = frame(DATA, END_STREAM, 1, said(1))
        pieces = [sent[:12]]

        class Interrupted:
            """A socket whose user presses Ctrl-C after the first piece."""

            def recv(self, size: int) -> bytes:
                if not pieces:
                    raise KeyboardInterrupt
                return pieces.pop()

        monkeypatch.setattr(stream, "_socket", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            next(stream.responses())
        monkeypatch.setattr(stream, "_socket", own)
        referee.write(sent[12:])
        assert stream._next_message() == ping(1).SerializeToString()
        assert stream._next_message() is None


def test_a_stream_that_is_cancelled_ends_at_once(tmp_path: Path) -> None:
    with connected(tmp_path) as (stream, _):
        stream.cancel()
        with pytest.raises(StreamBrokenError, match="did not answer in time"):
            list(stream.responses())


@pytest.mark.parametrize("is_in_frame", [True, False])
def test_nothing_follows_a_frame_that_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_frame: bool
) -> None:
    """After Ctrl-C in the middle of a frame, what follows would be read as its rest; before it, the frame is lost."""
    with connected(tmp_path) as (stream, referee):

        class Interrupted:
            """A socket whose user presses Ctrl-C while it sends."""

            def sendall(self, data: bytes = b"") -> None:
                raise KeyboardInterrupt

        if is_in_frame:
            monkeypatch.setattr(stream, "_socket", Interrupted())
        else:
            monkeypatch.setattr(stream._call, "take_output", Interrupted().sendall)
        with pytest.raises(KeyboardInterrupt):
            stream.send(pong(10))
        monkeypatch.undo()
        stream.send(pong(10))
        closing = threading.Thread(target=stream.close)
        closing.start()
        for kind in (SETTINGS, WINDOW_UPDATE, HEADERS):
            assert referee.read()[0] == kind
        with pytest.raises(AssertionError, match="closed its connection"):
            referee.read()
        referee.close()
        closing.join(DEADLINE_S)
