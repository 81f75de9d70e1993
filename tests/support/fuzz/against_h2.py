"""Feeds the same bytes to the referee's side of HTTP/2 and to the library h2, and compares what both understand.

Input: pieces of bytes, whole frames or not, from the preface on. Raises AssertionError where the two differ.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from bowerbird.harness.http2 import frames as http2
from bowerbird.harness.http2.server import Data, Ended, Event, Opened, Reset, ServerConnection
from tests.support.bots.hostile_frames import PREFACE, frame

SETTINGS = frame(http2.SETTINGS, 0, 0)
BEGIN = PREFACE + SETTINGS
MAX_STREAMS = 100

STRICTER = (http2.STREAM_CLOSED, http2.ENHANCE_YOUR_CALM)
"""Errors of a connection that h2 lets pass: HEADERS on a stream that is over are one of the stream, a flood is none."""


def plain(events: Sequence[object]) -> list[tuple[str, int, bytes]]:
    """Return the events of a connection of h2 as ours are told."""
    found = []
    for event in events:
        if isinstance(event, h2.events.RequestReceived):
            found.append(("opened", event.stream_id, b""))
        elif isinstance(event, h2.events.DataReceived):
            if event.data:
                found.append(("data", event.stream_id, event.data))
        elif isinstance(event, h2.events.StreamEnded):
            found.append(("ended", event.stream_id, b""))
    return found


def ours(events: Sequence[Event]) -> list[tuple[str, int, bytes]]:
    """Return our events without those that h2 tells in another order."""
    names = {Opened: "opened", Data: "data", Ended: "ended"}
    return [
        (names[type(event)], event.stream, event.payload if isinstance(event, Data) else b"")
        for event in events
        if not isinstance(event, Reset)
    ]


def compare(pieces: Iterable[bytes]) -> None:
    """Give each piece to both, up to the first error, which both must see in the same piece.

    HEADERS on a stream that the client had ended are an error of the stream for h2, and one of the connection for us.
    Draw neither RST_STREAM on a stream that was never opened nor a lonely CONTINUATION, which h2 forgives, nor GOAWAY,
    after which h2 refuses new streams of a client. RFC 9113 forbids those to the other side alone (6.8).
    """
    made = ServerConnection(MAX_STREAMS)
    judge = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding=None))
    judge.initiate_connection()
    made.receive(BEGIN)
    judge.receive_data(BEGIN)
    for sent in pieces:
        events = ours(made.receive(sent))
        expected: list[tuple[str, int, bytes]] | None = None
        with contextlib.suppress(h2.exceptions.ProtocolError):
            expected = plain(judge.receive_data(sent))
        if expected is None:
            assert made.error is not None or events == [], (sent, events)
            return
        if made.error is not None:
            assert made.error.code in STRICTER, (sent, str(made.error))
            return
        assert events == expected, sent
