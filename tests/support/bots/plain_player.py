"""Plays without gRPC, protobuf or the SDK, which take a quarter of a second of the processor at each start.

Hundreds of tests need a bot that plays on and does nothing else. It speaks HTTP/2 by hand, with the frames of
`hostile_frames`, as docs/how-to/write-a-client.md describes it, and reads of each message what it must answer.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

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


class Manner(NamedTuple):
    """A way to play: what to wait for at every message, and which action to take.

    `choose` gets the number of the decision at its table and the tokens of the legal actions, and returns an index.
    """

    choose: Callable[[int, list[bytes]], int]
    wait: Callable[[], None] = lambda: None


def _think() -> None:
    time.sleep(int(os.environ["THINK_MS"]) / 1000)


def _compute() -> None:
    done_ns = time.thread_time_ns() + int(os.environ["THINK_MS"]) * 1_000_000
    while time.thread_time_ns() < done_ns:
        pass


def _wait_for_gate() -> None:
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)


def _round_and_round(decision: int, tokens: list[bytes]) -> int:
    return decision % len(tokens)


PLAIN = {
    "honest": Manner(_round_and_round),
    "last": Manner(lambda _, tokens: len(tokens) - 1),
    "passes": Manner(lambda _, tokens: tokens.index(b"pass") if b"pass" in tokens else 0),
    "slow": Manner(_round_and_round, _think),
    "computes": Manner(_round_and_round, _compute),
    "gated": Manner(_round_and_round, _wait_for_gate),
}
"""By mode: honest; the last action; a pass where that is legal; honest after the environment's THINK_MS, after as much
time of the processor, and once the file exists that GATE names, so that a test decides when play goes on."""

PLAY = "/bowerbird.seat.v1.SeatService/Play"
STREAM = 1
INITIAL_WINDOW_SIZE = 4
WIDEST = 2**31 - 1
DEFAULT_WINDOW = 65535
MANY = 64

HELLO, READY, DECISIONS, PONG = 1, 2, 3, 5
DECISION_REQUESTS, REQUEST_PING = 3, 6


class BrokenError(Exception):
    """The stream ended otherwise than by its trailers."""


def play(mode: str, *, wants_events: bool) -> None:
    """Play at the environment's address until the referee ends the stream, or breaks it."""
    try:
        _play(PLAIN[mode], wants_events)
    except (BrokenError, OSError) as broken:
        print("the stream broke:", broken, flush=True)


def _play(manner: Manner, wants_events: bool) -> None:
    call = _Call(os.environ["BOWERBIRD_ADDRESS"])
    call.send(_held(HELLO, _hello(wants_events)))
    call.send(_held(READY, b""))
    for heard in call.heard():
        [(kind, body)] = fields(heard)
        assert isinstance(body, bytes)
        if kind == DECISION_REQUESTS:
            manner.wait()
            call.send(_held(DECISIONS, b"".join(_answers(body, manner))))
        elif kind == REQUEST_PING:
            call.send(_held(PONG, body))  # both are a ping_id
    call.close()


def _hello(wants_events: bool) -> bytes:
    capabilities = _number(1, MANY) + _number(2, MANY) + (_number(3, 1) if wants_events else b"")
    token = os.environ["BOWERBIRD_TOKEN"].encode()
    return b"".join((_held(1, token), _held(2, b"\x01"), _held(3, b"plain"), _held(4, b"1.0"), _held(5, capabilities)))


def _answers(requests: bytes, manner: Manner) -> Iterator[bytes]:
    for kind, request in fields(requests):
        if kind == 1:
            assert isinstance(request, bytes)
            table, decision = b"", 0
            tokens = []
            for number, value in fields(request):
                if number == 1 and isinstance(value, bytes):
                    table = value
                elif number == 2 and isinstance(value, int):
                    decision = value
                elif number == 3 and isinstance(value, bytes):
                    tokens.append(
                        next(token for name, token in fields(value) if name == 1 and isinstance(token, bytes))
                    )
            yield _held(1, _held(1, table) + _number(2, decision) + _number(3, manner.choose(decision, tokens)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _held(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return the fields of a message by their numbers: a number, or the bytes of a text or a message."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        tag, at = _read(data, at)
        value, at = _read(data, at)
        if tag & 7 == 2:
            found.append((tag >> 3, data[at : at + value]))
            at += value
        else:
            assert tag & 7 == 0, "the messages that are read hold numbers, texts and messages alone"
            found.append((tag >> 3, value))
    return found


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


class _Call:
    """One call of Play. What the referee sends has room for ever; what the bot sends waits for room."""

    def __init__(self, target: str) -> None:
        family, address = address_of(target)
        self._socket = socket.socket(family)
        self._socket.connect(address)
        self._buffer = b""
        self._room = DEFAULT_WINDOW
        self._stream_room = self._initial_room = DEFAULT_WINDOW
        self._waiting = b""
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
        """Return each message of the referee until it ends the stream. Raises BrokenError."""
        body = b""
        while True:
            kind, flags, stream, payload = self._frame()
            if kind == DATA:
                body += payload
                while len(body) >= 5 and len(body) >= (end := 5 + int.from_bytes(body[1:5], "big")):
                    assert body[0] == 0, "it did not say that it reads compressed messages"
                    yield body[5:end]
                    body = body[end:]
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
