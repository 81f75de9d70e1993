"""The client's side of a connection with a single gRPC call, without I/O.

It trusts its server, which belongs to this product and runs on the same machine.
"""

from __future__ import annotations

import struct
from collections import deque
from urllib.parse import unquote

from bowerbird.harness.http2.frames import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEAD,
    HEADERS,
    INITIAL_WINDOW_SIZE,
    MAX_FRAME,
    MAX_WINDOW,
    PADDED,
    PING,
    PREFACE,
    PRIORITIZED,
    RST_STREAM,
    SETTING,
    SETTINGS,
    WINDOW,
    WINDOW_UPDATE,
    frame,
    window_update,
)
from bowerbird.harness.http2.grpc_words import BadPieceError, Pieces, block, message

STREAM = 1
"""The number of the only stream."""

LONGEST_TEXT = 500
"""A longer reason for an end is cut to this many characters. The referee sends none longer."""

_CARRIES_THE_ANSWER = frozenset((DATA, HEADERS, CONTINUATION, RST_STREAM))
_PRIORITY_BYTES = 5


class UnreadableError(Exception):
    """The server sent what cannot be read. The text says what."""


class ClientCall:
    """One call. Pass what was read to `receive`, then take messages from `next_message`.

    After each of these and of `send` and `end`, write what `take_output` returns.
    """

    def __init__(self, path: str, *, limit: int = (1 << 32) - 1, window: int = WINDOW) -> None:
        """Begin the call of a method, such as "/package.Service/Method".

        limit: the most bytes of a message from the server. window: the bytes that the server may send before they have
        been read, at least `WINDOW`.
        """
        self._window = window
        self._received = bytearray()
        self._pieces = Pieces(limit)
        self._found: deque[bytes] = deque()
        self._blocks: list[bytes] = []
        self._unread = 0
        self._to_send = bytearray()
        self._room = self._stream_room = self._first_room = WINDOW
        self._is_last = self._is_ending = False
        self.has_ended = False
        """Whether nothing more can come."""
        self._reset = ""
        """What is said about a call that the server reset."""
        self.why_closed = ""
        """What the server said about the end of the connection."""
        fields = block(
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
        )
        self._out = bytearray(PREFACE + frame(SETTINGS, 0, 0, SETTING.pack(INITIAL_WINDOW_SIZE, window)))
        if window > WINDOW:
            self._out += window_update(0, window - WINDOW)
        self._out += frame(HEADERS, END_HEADERS, STREAM, fields)

    def send(self, data: bytes) -> None:
        """Send a message. What the windows have no room for follows when the server has made some."""
        self._to_send += message(data)

    def end(self) -> None:
        """End this side after all its messages."""
        self._is_ending = True

    def take_output(self) -> bytes:
        """Return and clear the bytes to write, as far as the windows have room: whole frames.

        Who is interrupted in this method must write nothing more.
        """
        while (size := min(len(self._to_send), self._room, self._stream_room, MAX_FRAME)) > 0:
            self._out += frame(DATA, 0, STREAM, bytes(self._to_send[:size]))
            del self._to_send[:size]
            self._room -= size
            self._stream_room -= size
        if self._is_ending and not self._to_send and not self.has_ended:
            self._is_ending = False
            self._out += frame(DATA, END_STREAM, STREAM)
        output = bytes(self._out)
        self._out.clear()
        return output

    def receive(self, data: bytes) -> None:
        """Add bytes from the server, for `next_message`."""
        self._received += data

    def next_message(self) -> bytes | None:
        """Return the next message that has arrived as a whole, or None. Raises UnreadableError."""
        try:
            while not self._found and self._take_frame():
                pass
        except (IndexError, struct.error) as error:
            raise self._unreadable("what is not HTTP/2") from error
        except BadPieceError as error:
            raise self._unreadable(str(error)) from error
        return self._found.popleft() if self._found else None

    def status(self) -> tuple[int | None, str]:
        """Return the status of a call that has ended, and what is said about it. Raises UnreadableError.

        The status is gRPC's, and None if there is none. There is always a sentence, unless all is well.
        """
        if self._reset:
            return None, self._reset
        import hpack  # takes 5 ms, which a caller that needs no status can save

        decoder = hpack.Decoder()
        try:
            fields = dict(pair for one in self._blocks for pair in decoder.decode(one, raw=True))
        except hpack.HPACKError as error:
            raise self._unreadable(f"headers that cannot be read: {error}") from error
        status = fields.get(b"grpc-status", b"")
        if status == b"0":
            return 0, ""
        code = int(status) if status.isdigit() else None
        sentence = unquote(fields.get(b"grpc-message", b"").decode(errors="replace"))[:LONGEST_TEXT]
        return code, sentence or f"it ended {_words(code, fields.get(b':status', b''))}"

    def _unreadable(self, what: str) -> UnreadableError:
        self.has_ended = True
        return UnreadableError(what)

    def _take_frame(self) -> bool:
        """Process the next frame; return False if it has not arrived as a whole."""
        received = self._received
        if self.has_ended or len(received) < HEAD.size:
            return False
        high, low, kind, flags, stream = HEAD.unpack_from(received)
        end = HEAD.size + (high << 8 | low)
        if len(received) < end:
            return False
        payload = bytes(received[HEAD.size : end])
        del received[:end]
        if stream & MAX_WINDOW == STREAM and kind in _CARRIES_THE_ANSWER:
            self._take_answer(kind, flags, payload)
        else:
            self._obey(kind, flags, stream & MAX_WINDOW, payload)
        return True

    def _take_answer(self, kind: int, flags: int, payload: bytes) -> None:
        if kind == RST_STREAM:
            self._reset = f"it was reset with code {int.from_bytes(payload, 'big')}"
            self.has_ended = True
            return
        if kind == DATA:
            self._give_back(len(payload))
            self.has_ended = bool(flags & END_STREAM)
            self._found += self._pieces.take(_bare(flags, payload))
            return
        if kind == HEADERS:
            self._is_last = bool(flags & END_STREAM)
            self._blocks.append(_bare(flags, payload)[_PRIORITY_BYTES if flags & PRIORITIZED else 0 :])
        else:
            self._blocks[-1] += payload
        self.has_ended = self._is_last and bool(flags & END_HEADERS)

    def _obey(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Process a frame that carries no part of the answer."""
        if kind == SETTINGS and not flags & ACK:
            for name, value in SETTING.iter_unpack(payload):
                if name == INITIAL_WINDOW_SIZE:
                    self._stream_room += value - self._first_room
                    self._first_room = value
            self._out += frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self._out += frame(PING, ACK, 0, payload)
        elif kind == GOAWAY:  # calls that are in progress go on
            self.why_closed = payload[8:].decode(errors="replace")[:LONGEST_TEXT]
        elif kind == WINDOW_UPDATE:
            if stream == STREAM:
                self._stream_room += int.from_bytes(payload, "big")
            else:
                self._room += int.from_bytes(payload, "big")

    def _give_back(self, size: int) -> None:
        """Let the server send as much again as was read, half a window at a time."""
        self._unread += size
        if self._unread > self._window // 2:
            self._out += window_update(0, self._unread) + window_update(STREAM, self._unread)
            self._unread = 0


def _bare(flags: int, payload: bytes) -> bytes:
    """Return a payload without its padding."""
    return payload[1 : len(payload) - payload[0]] if flags & PADDED else payload


def _words(code: int | None, http: bytes) -> str:
    if code is not None:
        return f"with gRPC status {code}"
    return "without a status" if http in (b"", b"200") else f"with HTTP status {http.decode(errors='replace')}"
