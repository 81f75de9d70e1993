"""Checks the HTTP/2 frames of a client before gRPC gets them (RFC 9113, sections 4 to 6).

gRPC keeps whatever a header block holds until the block ends, and a block may go on for ever. It also serves each
stream that a client opens. Both cost the client next to nothing.
"""

from __future__ import annotations

from bowerbird.harness.rate_limit import RateLimit

PREFACE_BYTES = 24
FRAME_HEADER_BYTES = 9
HEADERS, CONTINUATION = 0x1, 0x9

MAX_HEADER_BLOCK_BYTES = 16384
"""Size of a header block, twice the metadata that gRPC accepts (`connection.server`)."""

MAX_CONTINUATIONS = 8
"""Frames that may continue a header block."""

MAX_FIRST_STREAMS = 8
"""Streams that a client may open before its Hello is accepted."""

STREAMS_PER_S, STREAMS_BURST = 4.0, 32
"""How many streams a client may open after its Hello. One Play is enough, and another after each break."""

MAX_FIRST_FRAMES = 1024
"""Frames that a client may send before its Hello is accepted."""

FRAMES_PER_S, FRAMES_BURST = 20_000.0, 40_000
"""How many frames a client may send after its Hello. An answer is one or two frames."""


class FrameGuard:
    """Follows the frames that one client sends. `admit` is called when its Hello is accepted."""

    def __init__(self) -> None:
        """Begin before the client's first byte."""
        self._skip = PREFACE_BYTES
        self._partial: bytes | bytearray = b""
        self._block_bytes = 0
        self._continuations = 0
        self._streams = RateLimit(0.0, MAX_FIRST_STREAMS)
        self._frames = RateLimit(0.0, MAX_FIRST_FRAMES)

    def admit(self) -> None:
        """Allow the client what a bot may do that plays for hours."""
        self._streams = RateLimit(STREAMS_PER_S, STREAMS_BURST)
        self._frames = RateLimit(FRAMES_PER_S, FRAMES_BURST)

    def check(self, data: bytes | bytearray, now: float) -> str:
        """Follow the next bytes, received at `now` (in seconds). Return what is wrong with them, or ""."""
        if self._partial:
            data = self._partial + data
        position, end, frames = self._skip, len(data), 0
        while end - position >= FRAME_HEADER_BYTES:
            frames += 1
            length = data[position] << 16 | data[position + 1] << 8 | data[position + 2]
            kind = data[position + 3]
            if kind in (HEADERS, CONTINUATION) and (wrong := self._check_headers(kind, length, now)):
                return wrong
            position += FRAME_HEADER_BYTES + length
        self._partial = data[position:] if position < end else b""
        self._skip = max(0, position - end)
        return "" if self._frames.take(now, frames) else "it sent too many HTTP/2 frames"

    def _check_headers(self, kind: int, length: int, now: float) -> str:
        if kind == HEADERS:
            self._block_bytes = length
            self._continuations = 0
            if not self._streams.take(now):
                return "it opened too many streams"
        else:
            self._block_bytes += length
            self._continuations += 1
        if self._block_bytes > MAX_HEADER_BLOCK_BYTES or self._continuations > MAX_CONTINUATIONS:
            return f"its HTTP/2 headers are larger than {MAX_HEADER_BLOCK_BYTES} bytes or in too many frames"
        return ""
