"""The interface of a bot's stream, and the events that it delivers. `link_stream.LinkStream` implements it.

Each message is stamped when it enters and when it leaves. A bot's thinking time lies between these two moments.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from google.protobuf.message import DecodeError

from bowerbird.harness.http2.grpc_words import StatusCode
from bowerbird.harness.referee.connection.messages import MAX_HELLO, MAX_MESSAGE
from bowerbird.seat.v1 import seat_pb2

MAX_UNREAD = 32
"""How many messages of one bot may wait for the referee.

If more do, its connection is not read, and the bot waits.
"""

COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""The first bytes of gzip and deflate. No PlayRequest begins with them."""

NOT_A_REQUEST = "bytes that are not a PlayRequest"

STATUS = {
    "TOKEN": StatusCode.UNAUTHENTICATED,
    "VERSION": StatusCode.FAILED_PRECONDITION,
    "TLS": StatusCode.FAILED_PRECONDITION,
    "PROTOCOL": StatusCode.INVALID_ARGUMENT,
    "STARTUP": StatusCode.DEADLINE_EXCEEDED,
    "SESSION_OVER": StatusCode.ABORTED,
    "BUSY": StatusCode.RESOURCE_EXHAUSTED,
    "REFEREE": StatusCode.UNAVAILABLE,
}
"""The status of a stream that ends with a fatal Error, by its code (seat.proto, "How a stream ends")."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for refusing a stream: the name of an ErrorCode without its prefix, and one sentence.

    The bot may try again `retry_after_ms` later; None means that it may not.
    """

    code: str
    sentence: str
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """A message of the bot. `arrival_ns` is when it arrived, on the monotonic clock; `data` are its bytes."""

    request: seat_pb2.PlayRequest
    arrival_ns: int
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are not a message, or too large a message."""

    why: str
    arrival_ns: int


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The bot closed its side, or the connection broke."""

    why: str
    arrival_ns: int


@dataclass(frozen=True, slots=True)
class ProcessReplaced:
    """Another process of the bot takes over. It knows nothing about the tables it sits at."""


StreamEvent = Received | Malformed | StreamEnded | ProcessReplaced

Listener = Callable[[StreamEvent], None]
"""Called with the events of a bot, in the trio thread."""


class Outgoing:
    """A message to a bot. `handed_over_ns` is when the stream's writer took it; 0 until then."""

    __slots__ = ("data", "handed_over_ns")

    def __init__(self, data: bytes) -> None:
        """A message that is not written yet."""
        self.data = data
        self.handed_over_ns = 0


class Connection(Protocol):
    """The connection to a bot, as used by a session: one stream or, for a remote bot, one stream after another."""

    def send(self, data: bytes) -> Outgoing:
        """Queue a message. Never wait."""

    def send_request(self, data: bytes, waiting: Collection[str]) -> Outgoing:
        """Queue a DecisionRequests. It is open until `request_answered` or `request_expired`.

        `waiting` are the table_ids of its decisions. The caller removes those that are answered.
        """

    def request_answered(self) -> None:
        """Note that the open request is fully answered. So it has arrived, and so have all messages before it."""

    def request_expired(self) -> None:
        """Note that an answer to the open request no longer counts."""

    def event_handled(self) -> None:
        """Make room for one more event."""

    def finish(self) -> None:
        """End the connection once everything queued is written."""


class SeatStream(Protocol):
    """One stream, as used by a connection that has one after another. No method waits."""

    def send(self, data: bytes) -> Outgoing:
        """Queue a message."""

    def enqueue(self, outgoing: Outgoing) -> None:
        """Queue a message that the caller keeps, too."""

    def event_handled(self) -> None:
        """Make room for one more event."""

    def finish(self) -> None:
        """End the stream once everything queued is written. Its listener then gets a StreamEnded."""

    def refuse(self, refusal: Refusal) -> None:
        """Send a fatal Error and end the stream with the status of its code."""


class Inbox:
    """The events of one bot, in order. They are buffered until a listener is attached, and again after `detach`.

    All calls are made in the trio thread. `on_buffered` is called after each event that is buffered.
    """

    def __init__(self) -> None:
        """Create an inbox without a listener."""
        self._listener: Listener | None = None
        self.events: deque[StreamEvent] = deque()
        self.on_buffered: Callable[[], None] = _ignore

    def put(self, event: StreamEvent) -> None:
        """Pass an event to the listener, or buffer it."""
        if self._listener is not None:
            self._listener(event)
        else:
            self.events.append(event)
            self.on_buffered()

    def attach(self, listener: Listener) -> None:
        """Pass all events to `listener` from now on, the buffered ones first."""
        self._listener = listener
        while self.events:
            listener(self.events.popleft())

    def detach(self) -> None:
        """Start to buffer events again."""
        self._listener = None


def _ignore() -> None:
    """Do nothing. This is the default of `Inbox.on_buffered`."""


def parse_first(data: bytes, arrival_ns: int) -> Received | Malformed:
    """Return the event of the first message of a stream."""
    return _parse(data, MAX_HELLO, "first message", arrival_ns)


def parse_message(data: bytes, arrival_ns: int) -> Received | Malformed:
    """Return the event of a later message of a stream."""
    return _parse(data, MAX_MESSAGE, "message", arrival_ns)


def _parse(data: bytes, limit: int, kind: str, arrival_ns: int) -> Received | Malformed:
    if len(data) > limit:
        return Malformed(f"a {kind} of {len(data)} bytes; at most {limit} are allowed", arrival_ns)
    try:
        return Received(seat_pb2.PlayRequest.FromString(data), arrival_ns, data)
    except DecodeError:
        what = "a compressed message; send uncompressed ones" if data.startswith(COMPRESSED) else NOT_A_REQUEST
        return Malformed(what, arrival_ns)
