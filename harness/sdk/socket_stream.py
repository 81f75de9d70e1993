"""Reaches the referee that started the bot by its unix socket, without gRPC's package.

Importing that package takes a third of a bot's start, and its threads delay every message. What is spoken is the same:
HTTP/2 (RFC 9113) with one stream. Everything happens in the bot's own thread, except `cancel`: while the bot thinks,
nothing is read, and what the windows leave no room for waits until the bot listens again.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from google.protobuf.message import DecodeError

from bowerbird.harness.sdk.stream import FINAL, StreamBrokenError
from bowerbird.seat.v1 import seat_pb2

UNIX = "unix:"

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM = ACK = 0x1
END_HEADERS, PADDED = 0x4, 0x8
INITIAL_WINDOW_SIZE = 4
STREAM = 1
"""The number of the only stream."""

FIRST_WINDOW = 65535
"""The bytes that either side may send at first."""

WINDOW = 1 << 19
"""The bytes that the referee may send before the bot has read them."""

LONGEST_TEXT = 500
"""The most characters of the referee's reason for an end. Ours sends no more, and the bot's log must stay short."""

CONNECT_TIMEOUT_S = 10.0
MAX_FRAME = 16384
HEAD_BYTES = 9
PREFIX = 5
"""The bytes before each message: whether it is compressed, which it never is, and its length."""

READ_BYTES = 1 << 16
"""For a larger buffer the C library asks the system for memory each time."""

FIELDS = (
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", b"/bowerbird.seat.v1.SeatService/Play"),
    (b":authority", b"localhost"),
    (b"te", b"trailers"),
    (b"content-type", b"application/grpc"),
)


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def _window_update(stream: int, size: int) -> bytes:
    return _frame(WINDOW_UPDATE, 0, stream, size.to_bytes(4, "big"))


def _opening() -> bytes:
    """Return what begins a connection and its call.

    Each name and value is shorter than 127 bytes, so its length fits in one byte (RFC 7541, 5.1).
    """
    fields = b"".join(b"\0" + bytes((len(name),)) + name + bytes((len(value),)) + value for name, value in FIELDS)
    settings = struct.pack(">HI", INITIAL_WINDOW_SIZE, WINDOW)
    wider = _window_update(0, WINDOW - FIRST_WINDOW)
    return PREFACE + _frame(SETTINGS, 0, 0, settings) + wider + _frame(HEADERS, END_HEADERS, STREAM, fields)


class SocketStream:
    """See `Stream`. A second call needs a second object."""

    def __init__(self, address: str) -> None:
        """Connect to "unix:/path" and begin the call. Raises StreamBrokenError."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = bytearray()
        self._body = bytearray()
        self._blocks: list[bytes] = []
        """The header blocks so far. They are read only if the stream ends before it is closed."""
        self._why_closed = ""
        """What the referee said about the end of the connection."""
        self._unacknowledged = 0
        self._to_send = bytearray()
        self._room = self._stream_room = self._first_room = FIRST_WINDOW
        self._is_last = self._has_ended = False
        self._is_cut = self._is_closing = self._is_cancelled = False
        try:
            self._socket.settimeout(CONNECT_TIMEOUT_S)
            self._socket.connect(address.removeprefix(UNIX))
        except OSError as error:
            raise self._broken(error.strerror or str(error)) from error
        self._socket.settimeout(None)  # whatever the bot has made the default: it may wait for minutes
        self._write(_opening())

    def send(self, request: seat_pb2.PlayRequest) -> None:
        """See `Stream`."""
        data = request.SerializeToString()
        self._to_send += b"\0" + len(data).to_bytes(4, "big") + data
        self._write_on()

    def responses(self) -> Iterator[seat_pb2.PlayResponse]:
        """See `Stream`."""
        for data in self._messages():
            try:
                response = seat_pb2.PlayResponse.FromString(data)
            except DecodeError as error:
                raise self._broken("the referee sent what is not a message") from error
            yield response
        self._check_status()

    def close(self) -> None:
        """See `Stream`."""
        if self._is_cut:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
        self._is_closing = True
        self._write_on()
        with suppress(StreamBrokenError):  # either way it is over
            for _ in self._messages():
                pass
        self._socket.close()

    def cancel(self) -> None:
        """See `Stream`."""
        self._is_cancelled = True
        with suppress(OSError):  # the referee has closed it
            self._socket.shutdown(socket.SHUT_RDWR)

    # From the referee.

    def _messages(self) -> Iterator[bytes]:
        """Return each message until the stream ends, with whatever status. Raises StreamBrokenError."""
        try:
            yield from self._read_messages()
        except (IndexError, struct.error) as error:
            raise self._broken("the referee sent what is not HTTP/2") from error

    def _read_messages(self) -> Iterator[bytes]:
        while not self._has_ended:
            kind, flags, stream, payload = self._read_frame()
            if stream != STREAM or kind in (SETTINGS, PING, GOAWAY, WINDOW_UPDATE):
                self._obey(kind, flags, stream, payload)
                continue
            if kind == RST_STREAM:
                raise self._broken(f"the referee reset it with code {int.from_bytes(payload, 'big')}")
            if kind == DATA:
                self._acknowledge(len(payload))
            if kind in (DATA, HEADERS):
                self._is_last = bool(flags & END_STREAM)
                payload = payload[1 : len(payload) - payload[0]] if flags & PADDED else payload
            self._has_ended = self._is_last and (kind == DATA or bool(flags & END_HEADERS))
            if kind == DATA:
                self._body += payload
                yield from self._whole_messages()
            elif kind == HEADERS:
                self._blocks.append(payload)
            elif kind == CONTINUATION:
                self._blocks[-1] += payload

    def _whole_messages(self) -> Iterator[bytes]:
        body = self._body
        while len(body) >= PREFIX and len(body) >= (end := PREFIX + int.from_bytes(body[1:PREFIX], "big")):
            data = bytes(body[PREFIX:end])
            del body[:end]
            yield data

    def _obey(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Take a frame that carries no part of the answer. Unknown ones mean nothing (RFC 9113, 5.5)."""
        if kind == SETTINGS and not flags & ACK:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == INITIAL_WINDOW_SIZE:
                    self._stream_room += value - self._first_room
                    self._first_room = value
            self._write(_frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self._write(_frame(PING, ACK, 0, payload))
        elif kind == GOAWAY:
            self._why_closed = payload[8:].decode(errors="replace")[:LONGEST_TEXT]
        elif kind == WINDOW_UPDATE:
            if stream == STREAM:
                self._stream_room += int.from_bytes(payload, "big")
            else:
                self._room += int.from_bytes(payload, "big")
        self._write_on()

    def _acknowledge(self, size: int) -> None:
        """Give back the room of what was read, half a window at a time."""
        self._unacknowledged += size
        if self._unacknowledged > WINDOW // 2:
            self._write(_window_update(0, self._unacknowledged) + _window_update(STREAM, self._unacknowledged))
            self._unacknowledged = 0

    def _read_frame(self) -> tuple[int, int, int, bytes]:
        """Return the kind, the flags, the stream and the payload of the next frame. Raises StreamBrokenError.

        An interrupt leaves the frame whole, for `close` to read.
        """
        received = self._received
        self._receive(HEAD_BYTES)
        end = HEAD_BYTES + int.from_bytes(received[:3], "big")
        self._receive(end)
        frame = received[3], received[4], int.from_bytes(received[5:HEAD_BYTES], "big"), bytes(received[HEAD_BYTES:end])
        del received[:end]
        return frame

    def _receive(self, size: int) -> None:
        """Wait until `size` bytes have been received that are not read yet. Raises StreamBrokenError."""
        while len(self._received) < size:
            try:
                got = self._socket.recv(READ_BYTES)
            except OSError:
                got = b""
            if not got:
                why = (
                    "the referee did not answer in time" if self._is_cancelled else "the referee closed the connection"
                )
                raise self._broken(f"{why}: {self._why_closed}" if self._why_closed else why)
            self._received += got

    def _broken(self, why: str) -> StreamBrokenError:
        """Close the socket, since nothing can follow, and return the error to raise."""
        self._has_ended = True
        self._socket.close()
        return StreamBrokenError(why)

    def _check_status(self) -> None:
        """Raise StreamBrokenError unless the stream ended with status OK."""
        import hpack  # takes 5 ms, which a bot that gets its Goodbye can save

        decoder = hpack.Decoder()
        try:
            fields = dict(pair for block in self._blocks for pair in decoder.decode(block, raw=True))
        except hpack.HPACKError as error:
            raise self._broken(f"its end cannot be read: {error}") from error
        status = fields.get(b"grpc-status", b"")
        if status == b"0":
            return
        said = unquote(fields.get(b"grpc-message", b"").decode(errors="replace"))[:LONGEST_TEXT]
        code = int(status) if status.isdigit() else 0
        http = fields.get(b":status", b"200").decode(errors="replace")
        known = (
            f"with gRPC status {code}" if code else "without a status" if http == "200" else f"with HTTP status {http}"
        )
        raise StreamBrokenError(said or f"it ended {known}", is_final=code in FINAL)

    # To the referee.

    def _write_on(self) -> None:
        """Write what waits, as far as the windows have room, and the end behind it."""
        frames = bytearray()
        while (size := min(len(self._to_send), self._room, self._stream_room, MAX_FRAME)) > 0:
            frames += _frame(DATA, 0, STREAM, bytes(self._to_send[:size]))
            del self._to_send[:size]
            self._room -= size
            self._stream_room -= size
        if self._is_closing and not self._to_send and not self._has_ended:
            self._is_closing = False
            frames += _frame(DATA, END_STREAM, STREAM)
        if frames:
            self._write(frames)

    def _write(self, data: bytes | bytearray) -> None:
        """Write whole frames. After an error or an interrupt nothing can follow; `responses` tells what happened."""
        if not self._is_cut:
            self._is_cut = True
            with suppress(OSError):
                self._socket.sendall(data)
                self._is_cut = False
