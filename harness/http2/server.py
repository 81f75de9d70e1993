"""The server's side of one HTTP/2 connection (RFC 9113), without I/O: bytes come in and events go out, and vice versa.

It handles frames, streams, windows and header blocks, but not gRPC (`grpc_words`) or sockets (`link`, in the referee).
Everything that a client can repeat at no cost is limited here, or counted by the caller, who knows the bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import hpack

from bowerbird.harness.http2.frames import (
    ACK,
    COMPRESSION_ERROR,
    CONTINUATION,
    DATA,
    ENABLE_PUSH,
    END_HEADERS,
    END_STREAM,
    ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR,
    FRAME_SIZE_ERROR,
    GOAWAY,
    HEAD,
    HEADERS,
    INITIAL_WINDOW_SIZE,
    INTEGER,
    MAX_CONCURRENT_STREAMS,
    MAX_FRAME,
    MAX_FRAME_SIZE,
    MAX_HEADER_LIST_SIZE,
    MAX_WINDOW,
    NO_ERROR,
    PADDED,
    PING,
    PREFACE,
    PRIORITIZED,
    PRIORITY,
    PROTOCOL_ERROR,
    PUSH_PROMISE,
    REFUSED_STREAM,
    RST_STREAM,
    SETTING,
    SETTINGS,
    STREAM_CLOSED,
    WINDOW,
    WINDOW_UPDATE,
    Headers,
    frame,
    window_update,
)

MAX_HEADER_BLOCK = 16384
MAX_CONTINUATIONS = 8
MAX_HEADER_LIST = 8192
"""The most bytes of a header block, the most frames that continue one, and the most bytes of its decoded fields."""

_SHORT = {
    PRIORITY: ("PRIORITY", 5, True),
    RST_STREAM: ("RST_STREAM", 4, True),
    PUSH_PROMISE: ("PUSH_PROMISE", 4, True),
    PING: ("PING", 8, False),
    GOAWAY: ("GOAWAY", 8, False),
}
"""Frames of a fixed length (for GOAWAY, a minimum): the name, the length, and whether the frame belongs to a stream."""


class Http2Error(Exception):
    """The client violated HTTP/2, and its connection must end.

    code: the error of GOAWAY. is_flood: whether it sent more of something than any client needs.
    """

    def __init__(self, code: int, sentence: str, *, is_flood: bool = False) -> None:
        super().__init__(sentence)
        self.code = code
        self.is_flood = is_flood


class Opened(NamedTuple):
    """The client opened a stream with these header fields."""

    stream: int
    headers: Headers


class Data(NamedTuple):
    """Bytes on a stream, without padding."""

    stream: int
    payload: bytes


class Ended(NamedTuple):
    """The client has stopped sending on this stream."""

    stream: int


class Reset(NamedTuple):
    """The stream is over: the client reset it, or violated HTTP/2 on it."""

    stream: int


Event = Opened | Data | Ended | Reset


class _Stream:
    """A stream that is open on at least one side."""

    __slots__ = (
        "awaited",
        "has_ended",
        "is_finishing",
        "queue",
        "receive_window",
        "send_window",
        "trailers",
        "unread",
    )

    def __init__(self, send_window: int, awaited: int | None) -> None:
        self.awaited = awaited
        """The bytes of DATA still due according to the request's content-length; None without one."""
        self.send_window = send_window
        self.receive_window = WINDOW
        self.unread = 0
        """The bytes read since the client last got its window back."""
        self.queue: deque[bytes] = deque()
        """Bytes that the windows do not yet allow to be sent."""
        self.is_finishing = False
        self.trailers = b""
        self.has_ended = False
        """Whether the client has ended its side."""


class ServerConnection:
    """One connection. `receive` processes the client's bytes; `take_output` returns the bytes to write.

    Everything else queues output and never fails: output for a stream that is over is dropped.
    """

    def __init__(self, max_streams: int) -> None:
        """Start with the server's SETTINGS. `max_streams` may be open at once; more are refused."""
        self._max_streams = max_streams
        self._streams: dict[int, _Stream] = {}
        self._last_stream = 0
        self._partial = b""
        self._has_preface = False
        self._has_settings = False
        self._decoder = hpack.Decoder(max_header_list_size=MAX_HEADER_LIST)
        self._block = bytearray()
        self._block_stream = 0
        self._block_flags = 0
        self._continuations = 0
        self._send_window = WINDOW
        self._first_window = WINDOW
        self._max_frame = MAX_FRAME
        self._receive_window = WINDOW
        self._unread = 0
        self._events: list[Event] = []
        self.frames = 0
        """The number of frames in the last received bytes."""
        self.openings = 0
        """The number of these that were HEADERS."""
        self.error: Http2Error | None = None
        """How the client violated HTTP/2. After that, nothing more may be received."""
        settings = SETTING.pack(MAX_CONCURRENT_STREAMS, max_streams) + SETTING.pack(
            MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST
        )
        self._out = [frame(SETTINGS, 0, 0, settings)]

    @property
    def is_established(self) -> bool:
        """Whether the client has sent its preface and its SETTINGS."""
        return self._has_settings

    @property
    def streams(self) -> int:
        """The number of streams that are open on at least one side."""
        return len(self._streams)

    # From the client.

    def receive(self, data: bytes) -> Sequence[Event]:
        """Process the next bytes and return their events, up to the first error, which is stored in `error`."""
        events: list[Event] = []
        self._events = events
        self.frames = self.openings = 0
        try:
            self._receive(data)
        except Http2Error as error:
            self.error = error
        return events

    def _receive(self, data: bytes) -> None:
        if self._partial:
            data = self._partial + data
        at, end = 0, len(data)
        if not self._has_preface:
            if not data.startswith(PREFACE[:end]):
                raise Http2Error(PROTOCOL_ERROR, "it does not speak HTTP/2")
            if end < len(PREFACE):
                self._partial = data
                return
            at, self._has_preface = len(PREFACE), True
        unpack = HEAD.unpack_from
        while end - at >= 9:
            high, low, kind, flags, stream = unpack(data, at)
            size = high << 8 | low
            if size > MAX_FRAME:
                raise Http2Error(FRAME_SIZE_ERROR, f"a frame of {size} bytes; at most {MAX_FRAME} are allowed")
            begin = at + 9
            at = begin + size
            if at > end:
                at = begin - 9
                break
            payload = data[begin:at]
            self.frames += 1
            stream &= MAX_WINDOW  # the reserved bit has no meaning
            if kind == DATA and not self._block_stream and self._has_settings:
                self._take_data(flags, stream, payload)
            else:
                self._take(kind, flags, stream, payload)
        self._partial = data[at:]

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Process a frame of any kind."""
        if not self._has_settings and (kind != SETTINGS or flags & ACK):
            raise Http2Error(PROTOCOL_ERROR, "its first frame is not SETTINGS")
        if self._block_stream and (kind != CONTINUATION or stream != self._block_stream):
            raise Http2Error(PROTOCOL_ERROR, "a header block is interrupted")
        if kind == WINDOW_UPDATE:
            self._take_window(stream, payload)
        elif kind == HEADERS:
            self._take_headers(flags, stream, payload)
        elif kind == CONTINUATION:
            _check(self._block_stream != 0, "CONTINUATION without HEADERS")
            self._continuations += 1
            self._add_to_block(flags, payload)
        elif kind == SETTINGS:
            self._take_settings(flags, stream, payload)
        elif kind in _SHORT:
            self._take_short(kind, flags, stream, payload)

    def _take_short(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """Process a frame of a minor kind: only PING has an answer, and only RST_STREAM has an event."""
        _check(kind != PUSH_PROMISE, "a client cannot push")
        name, size, has_stream = _SHORT[kind]
        _check((stream != 0) == has_stream, f"{name} {'without' if has_stream else 'on'} a stream")
        if kind == RST_STREAM:
            self._check_known(stream, name)
        _check_size(len(payload) >= size if kind == GOAWAY else len(payload) == size, name)
        if kind == PING:
            if not flags & ACK:
                self._out.append(frame(PING, ACK, 0, payload))
        elif kind == PRIORITY:
            self._check_priority(stream, payload)
        elif kind == RST_STREAM and self._streams.pop(stream, None) is not None:
            self._events.append(Reset(stream))

    def _take_data(self, flags: int, number: int, payload: bytes) -> None:
        size = len(payload)
        self._receive_window -= size
        if self._receive_window < 0:
            raise Http2Error(FLOW_CONTROL_ERROR, "more DATA than the window of the connection allows")
        self._unread += size
        if self._unread > WINDOW // 2:
            self._out.append(window_update(0, self._unread))
            self._receive_window += self._unread
            self._unread = 0
        stream = self._streams.get(number)
        if stream is None or stream.has_ended:
            self._check_known(number, "DATA")
            self._fail_stream(number, STREAM_CLOSED)
            return
        stream.receive_window -= size
        if stream.receive_window < 0:
            self._fail_stream(number, FLOW_CONTROL_ERROR)
            return
        if flags & PADDED:
            payload = _without_padding(payload)
        if stream.awaited is not None:
            stream.awaited -= len(payload)
            if stream.awaited < 0:
                self._fail_stream(number, PROTOCOL_ERROR)
                return
        if payload:
            self._events.append(Data(number, payload))
        if flags & END_STREAM:
            self._end(number, stream)
            return
        stream.unread += size
        if stream.unread > WINDOW // 2:
            self._out.append(window_update(number, stream.unread))
            stream.receive_window += stream.unread
            stream.unread = 0

    def _take_headers(self, flags: int, number: int, payload: bytes) -> None:
        self.openings += 1
        _check(number % 2 == 1, "HEADERS on a stream that no client can open")
        if flags & PADDED:
            payload = _without_padding(payload)
        if flags & PRIORITIZED:
            _check_size(len(payload) >= 5, "HEADERS")
            self._check_priority(number, payload)
            payload = payload[5:]
        stream = self._streams.get(number)
        if stream is None:
            if number <= self._last_stream:
                raise Http2Error(STREAM_CLOSED, "HEADERS on a stream that is over")
            self._last_stream = number
        elif stream.has_ended:
            raise Http2Error(STREAM_CLOSED, "HEADERS on a stream that it had ended")
        self._block_stream = number
        self._block_flags = flags
        self._continuations = 0
        self._add_to_block(flags, payload)

    def _add_to_block(self, flags: int, payload: bytes) -> None:
        self._block += payload
        if len(self._block) > MAX_HEADER_BLOCK or self._continuations > MAX_CONTINUATIONS:
            raise Http2Error(ENHANCE_YOUR_CALM, HEADERS_TOO_LARGE, is_flood=True)
        if not flags & END_HEADERS:
            return
        number, self._block_stream = self._block_stream, 0
        block, self._block = bytes(self._block), bytearray()
        try:
            headers = [(bytes(name), bytes(value)) for name, value in self._decoder.decode(block, raw=True)]
        except hpack.OversizedHeaderListError as error:
            raise Http2Error(ENHANCE_YOUR_CALM, HEADERS_TOO_LARGE, is_flood=True) from error
        except (hpack.HPACKError, IndexError, TypeError, UnicodeDecodeError) as error:  # as h2 does
            raise Http2Error(COMPRESSION_ERROR, "a header block that cannot be decoded") from error
        stream = self._streams.get(number)
        ends = self._block_flags & END_STREAM
        if stream is not None:  # trailers, which gRPC does not use
            if not ends:
                raise Http2Error(PROTOCOL_ERROR, "trailers that do not end their stream")
            if any(name.startswith(b":") for name, _ in headers):
                self._fail_stream(number, PROTOCOL_ERROR)
            else:
                self._end(number, stream)
        elif len(self._streams) >= self._max_streams:
            self.reset(number, REFUSED_STREAM)
        elif not _is_request(headers):
            self.reset(number, PROTOCOL_ERROR)
        else:
            length = dict(headers).get(b"content-length")
            stream = self._streams[number] = _Stream(self._first_window, None if length is None else int(length))
            self._events.append(Opened(number, headers))
            if ends:
                self._end(number, stream)

    def _take_settings(self, flags: int, stream: int, payload: bytes) -> None:
        _check(stream == 0, "SETTINGS on a stream")
        if flags & ACK:
            _check_size(not payload, "the acknowledgement of SETTINGS")
            return
        _check_size(len(payload) % SETTING.size == 0, "SETTINGS")
        self._has_settings = True
        for name, value in SETTING.iter_unpack(payload):
            if name == INITIAL_WINDOW_SIZE:
                if value > MAX_WINDOW:
                    raise Http2Error(FLOW_CONTROL_ERROR, f"an INITIAL_WINDOW_SIZE of {value}")
                more, self._first_window = value - self._first_window, value
                for open_stream in self._streams.values():
                    open_stream.send_window += more
                    if open_stream.send_window > MAX_WINDOW:
                        raise Http2Error(FLOW_CONTROL_ERROR, "SETTINGS make a window too large")
            elif name == MAX_FRAME_SIZE:
                _check(MAX_FRAME <= value < 1 << 24, f"a MAX_FRAME_SIZE of {value}")
                self._max_frame = value
            elif name == ENABLE_PUSH:
                _check(value <= 1, f"an ENABLE_PUSH of {value}")
        self._out.append(frame(SETTINGS, ACK, 0))
        self._flush_all()

    def _take_window(self, number: int, payload: bytes) -> None:
        _check_size(len(payload) == 4, "WINDOW_UPDATE")
        more = INTEGER.unpack(payload)[0] & MAX_WINDOW
        if number == 0:
            _check(more > 0, "a WINDOW_UPDATE of 0")
            self._send_window += more
            if self._send_window > MAX_WINDOW:
                raise Http2Error(FLOW_CONTROL_ERROR, "the window of the connection is too large")
            self._flush_all()
            return
        stream = self._streams.get(number)
        if stream is None:
            self._check_known(number, "WINDOW_UPDATE")
        elif more == 0 or stream.send_window + more > MAX_WINDOW:
            self._fail_stream(number, PROTOCOL_ERROR if more == 0 else FLOW_CONTROL_ERROR)
        else:
            stream.send_window += more
            if stream.queue:
                self._flush(number, stream)

    def _check_known(self, number: int, what: str) -> None:
        """Raise an error if a stream with this number was never opened."""
        if not number % 2 or number > self._last_stream:
            raise Http2Error(PROTOCOL_ERROR, f"{what} on a stream that was never opened")

    def _check_priority(self, number: int, payload: bytes) -> None:
        if INTEGER.unpack_from(payload)[0] & MAX_WINDOW == number:
            raise Http2Error(PROTOCOL_ERROR, "a stream that depends on itself")

    def _end(self, number: int, stream: _Stream) -> None:
        """Note that the client has ended its side."""
        if stream.awaited:
            self._fail_stream(number, PROTOCOL_ERROR)
            return
        stream.has_ended = True
        self._events.append(Ended(number))

    def _fail_stream(self, number: int, code: int) -> None:
        if number in self._streams:
            self._events.append(Reset(number))
        self.reset(number, code)

    # To the client.

    def respond(self, number: int, block: bytes, *, ends: bool = False) -> None:
        """Send the first header block of an answer. With `ends`, it is the whole answer."""
        stream = self._streams.get(number)
        if stream is not None:
            self._out.append(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), number, block))
            if ends:
                self._close(number, stream)

    def send(self, number: int, data: bytes) -> None:
        """Send bytes as soon as the windows allow."""
        stream = self._streams.get(number)
        if stream is None or stream.is_finishing:
            return
        size = len(data)
        if not stream.queue and size <= self._max_frame and size <= stream.send_window and size <= self._send_window:
            stream.send_window -= size
            self._send_window -= size
            self._out += (HEAD.pack(size >> 8, size & 0xFF, DATA, 0, number), data)
            return
        stream.queue.append(data)
        self._flush(number, stream)

    def finish(self, number: int, trailers: bytes) -> None:
        """End the stream with this header block, after everything sent before."""
        stream = self._streams.get(number)
        if stream is not None and not stream.is_finishing:
            stream.is_finishing = True
            stream.trailers = trailers
            self._flush(number, stream)

    def reset(self, number: int, code: int) -> None:
        """End the stream at once, even if the client never opened it."""
        self._streams.pop(number, None)
        self._out.append(frame(RST_STREAM, 0, number, INTEGER.pack(code)))

    def go_away(self, code: int, why: str) -> None:
        """Announce the end of the connection. The caller closes it once the output is written."""
        self._out.append(frame(GOAWAY, 0, 0, INTEGER.pack(self._last_stream) + INTEGER.pack(code) + why.encode()))

    def is_open(self, number: int) -> bool:
        """Return whether the stream is open on at least one side."""
        return number in self._streams

    @property
    def has_output(self) -> bool:
        """Whether `take_output` has anything to return."""
        return bool(self._out)

    def take_output(self) -> bytes:
        """Return and clear the output."""
        output = b"".join(self._out)
        self._out.clear()
        return output

    def _flush_all(self) -> None:
        for number, stream in list(self._streams.items()):
            if stream.queue:
                self._flush(number, stream)

    def _flush(self, number: int, stream: _Stream) -> None:
        """Send as much of a stream as the windows allow, and its trailers once everything is sent."""
        queue = stream.queue
        while queue:
            data = queue[0]
            size = min(len(data), self._max_frame, stream.send_window, self._send_window)
            if size <= 0 < len(data):
                return
            stream.send_window -= size
            self._send_window -= size
            self._out.append(frame(DATA, 0, number, data[:size]))
            if size == len(data):
                queue.popleft()
            else:
                queue[0] = data[size:]
        if stream.is_finishing:
            self._out.append(frame(HEADERS, END_HEADERS | END_STREAM, number, stream.trailers))
            self._close(number, stream)

    def _close(self, number: int, stream: _Stream) -> None:
        """Forget a stream on which the server has finished. The client need not send the rest."""
        del self._streams[number]
        if not stream.has_ended:
            self._out.append(frame(RST_STREAM, 0, number, INTEGER.pack(NO_ERROR)))


HEADERS_TOO_LARGE = f"its HTTP/2 headers are larger than {MAX_HEADER_LIST} bytes or in too many frames"


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise Http2Error(PROTOCOL_ERROR, what)


def _check_size(holds: bool, what: str) -> None:
    if not holds:
        raise Http2Error(FRAME_SIZE_ERROR, f"{what} of a wrong length")


def _without_padding(payload: bytes) -> bytes:
    if not payload:
        raise Http2Error(FRAME_SIZE_ERROR, "a padded frame without the length of its padding")
    left = len(payload) - payload[0]
    _check(left >= 1, "more padding than the frame is long")
    return payload[1:left]


_REQUIRED = frozenset((b":method", b":scheme", b":path"))
_PSEUDO = _REQUIRED | {b":authority"}
_CONNECTION_FIELDS = frozenset((b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"))


MAX_LENGTH_DIGITS = 19
"""The most digits of a content-length, which is more than any client needs."""


def _is_request(headers: Headers) -> bool:
    """Return whether these are the fields of a well-formed request (RFC 9113, 8.2 and 8.3)."""
    seen: set[bytes] = set()
    is_regular = False
    lengths: set[bytes] = set()
    for name, value in headers:
        if name.startswith(b":"):
            if is_regular or name not in _PSEUDO or name in seen:
                return False
            seen.add(name)
            continue
        is_regular = True
        if not name or name != name.lower() or name in _CONNECTION_FIELDS:
            return False
        if name == b"te" and value != b"trailers":
            return False
        if name == b"content-length":
            lengths.add(value)
            if len(lengths) > 1 or not value.isdigit() or len(value) > MAX_LENGTH_DIGITS:
                return False
    return seen >= _REQUIRED and (b":path", b"") not in headers
