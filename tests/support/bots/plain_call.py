"""One call of Play over HTTP/2 by hand, for bots that need no gRPC: its import takes longer than many of them play.

Messages go in and come out as bytes. The frames come from `hostile_frames`.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

from tests.support.bots.hostile_frames import (
    ACK,
    DATA,
    END_HEADERS,
    END_STREAM,
    FRAME_BYTES,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    address_of,
    call_fields,
    frame,
    message,
)

PLAY = "/bowerbird.seat.v1.SeatService/Play"
STREAM = 1
INITIAL_WINDOW_SIZE = 4
WIDEST = 2**31 - 1
DEFAULT_WINDOW = 65535
STATUS = b"\x0bgrpc-status"
"""The name of the field as the referee writes it: with its length, and without a Huffman code."""


class BrokenError(Exception):
    """The stream ended otherwise than with status OK."""


def _status(trailers: bytes) -> bytes:
    """Return the status of a stream from the header block that ends it; "?" if there is none."""
    _, found, rest = trailers.partition(STATUS)
    return rest[1 : 1 + rest[0]] if found else b"?"


class Call:
    """One call of Play. What the referee sends has room for ever; what the bot sends waits for room."""

    def __init__(self, target: str) -> None:
        family, address = address_of(target)
        self._socket = socket.socket(family)
        self._socket.connect(address)
        self._buffer = b""
        self._room = DEFAULT_WINDOW
        self._stream_room = self._initial_room = DEFAULT_WINDOW
        self._waiting = b""
        self._body = b""
        settings = struct.pack(">HI", INITIAL_WINDOW_SIZE, WIDEST)
        room = struct.pack(">I", WIDEST - DEFAULT_WINDOW)
        self._socket.sendall(
            PREFACE
            + frame(SETTINGS, 0, 0, settings)
            + frame(WINDOW_UPDATE, 0, 0, room)
            + frame(HEADERS, END_HEADERS, STREAM, call_fields(PLAY))
        )

    def send(self, data: bytes) -> None:
        """Send a message as far as there is room; the rest follows when the referee has made some."""
        self._waiting += message(data)
        self._flush()

    def _flush(self) -> None:
        while room := min(len(self._waiting), FRAME_BYTES, self._room, self._stream_room):
            if room < 0:
                return
            self._socket.sendall(frame(DATA, 0, STREAM, self._waiting[:room]))
            self._waiting = self._waiting[room:]
            self._room -= room
            self._stream_room -= room

    def heard(self) -> Iterator[bytes]:
        """Return each further message of the referee until it ends the stream. Raises BrokenError."""
        while True:
            kind, flags, stream, payload = self._frame()
            if kind == DATA:
                self._body += payload
                while len(self._body) >= 5 and len(self._body) >= (end := 5 + int.from_bytes(self._body[1:5], "big")):
                    assert self._body[0] == 0, "it did not say that it reads compressed messages"
                    found, self._body = self._body[5:end], self._body[end:]
                    yield found
            elif kind == SETTINGS and not flags & ACK:
                self._take_settings(payload)
            elif kind == PING and not flags & ACK:
                self._socket.sendall(frame(PING, ACK, 0, payload))
            elif kind == WINDOW_UPDATE:
                room = int.from_bytes(payload, "big")
                if stream:
                    self._stream_room += room
                else:
                    self._room += room
                self._flush()
            elif kind == RST_STREAM:
                raise BrokenError(f"the referee reset it with code {int.from_bytes(payload, 'big')}")
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                if (status := _status(payload)) != b"0":
                    raise BrokenError(f"it ended with status {status.decode()}")
                return

    def _take_settings(self, payload: bytes) -> None:
        for name, value in struct.iter_unpack(">HI", payload):
            if name == INITIAL_WINDOW_SIZE:
                self._stream_room += value - self._initial_room
                self._initial_room = value
        self._socket.sendall(frame(SETTINGS, ACK, 0))
        self._flush()

    def _frame(self) -> tuple[int, int, int, bytes]:
        head = self._take(9)
        payload = self._take(int.from_bytes(head[:3], "big"))
        return head[3], head[4], int.from_bytes(head[5:], "big"), payload

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            got = self._socket.recv(65536)
            if not got:
                raise BrokenError("the connection was closed")
            self._buffer += got
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def close(self) -> None:
        """End the bot's side of the stream, and the connection."""
        with suppress(OSError):  # the referee has closed it after its trailers
            self._socket.sendall(frame(DATA, END_STREAM, STREAM))
        self._socket.close()
