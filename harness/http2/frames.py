"""The frames of HTTP/2 and their numbers (RFC 9113, sections 4, 6 and 7)."""

from __future__ import annotations

import struct
from collections.abc import Sequence

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM = ACK = 0x1
END_HEADERS, PADDED, PRIORITIZED = 0x4, 0x8, 0x20

NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, _, STREAM_CLOSED, FRAME_SIZE_ERROR = range(7)
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, _, ENHANCE_YOUR_CALM = range(7, 12)

ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = range(2, 7)

MAX_FRAME = 16384
"""The longest payload of a frame unless its reader allows more."""

WINDOW = 65535
"""The bytes that may be sent before the other side has read them, per stream and in total, unless it allows more."""

MAX_WINDOW = 2**31 - 1
"""The largest window, and the bits of a stream's number: the one above has no meaning."""

HEAD = struct.Struct(">HBBBI")
"""What is before a payload: its length (16 bits and 8), the kind, the flags and the stream."""

SETTING = struct.Struct(">HI")
INTEGER = struct.Struct(">I")

Headers = Sequence[tuple[bytes, bytes]]
"""The names and values of header fields."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame with its nine-byte header."""
    size = len(payload)
    return HEAD.pack(size >> 8, size & 0xFF, kind, flags, stream) + payload


def window_update(stream: int, size: int) -> bytes:
    """Return the frame that lets the other side send `size` bytes more, on a stream or, with 0, on all together."""
    return frame(WINDOW_UPDATE, 0, stream, INTEGER.pack(size))
