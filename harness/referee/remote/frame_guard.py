"""How much a remote client may send: bytes, HTTP/2 frames and streams. `link` counts, and cuts who sends too much."""

from __future__ import annotations

from bowerbird.harness.rate_limit import RateLimit
from bowerbird.harness.referee.connection.link import Account

MAX_FIRST_BYTES = 1 << 16
"""Bytes that a client may send before its Hello is accepted."""

MAX_FIRST_STREAMS = 8
"""Streams that a client may open before its Hello is accepted."""

STREAMS_PER_S, STREAMS_BURST = 4.0, 32
"""How many streams a client may open after its Hello. One Play is enough, and another after each break."""

MAX_FIRST_FRAMES = 1024
"""Frames that a client may send before its Hello is accepted."""

FRAMES_PER_S, FRAMES_BURST = 20_000.0, 40_000
"""How many frames a client may send after its Hello. An answer is one or two frames."""

CHUNKS_PER_S, CHUNKS_BURST = 5_000.0, 5_000
"""How many pieces of data are read from one client; beyond it they wait. Each costs the trio thread some 50 µs."""

TOO_MUCH = "it sent too much before its Hello"


class FrameGuard(Account):
    """Judges what one client sends. `admit` is called when its Hello is accepted."""

    __slots__ = ("_chunks", "_frames", "_is_admitted", "_streams")

    def __init__(self) -> None:
        """Begin before the client's first byte."""
        super().__init__()
        self._is_admitted = False
        self._streams = RateLimit(0.0, MAX_FIRST_STREAMS)
        self._frames = RateLimit(0.0, MAX_FIRST_FRAMES)
        self._chunks = RateLimit(CHUNKS_PER_S, CHUNKS_BURST)

    def admit(self) -> None:
        """Allow the client what a bot may do that plays for hours."""
        if not self._is_admitted:
            self._is_admitted = True
            self._streams = RateLimit(STREAMS_PER_S, STREAMS_BURST)
            self._frames = RateLimit(FRAMES_PER_S, FRAMES_BURST)

    def judge(self, size: int, frames: int, openings: int, now_ns: int) -> str:
        """See `Account`."""
        now = now_ns / 1e9
        self.read += size
        self.pause_s = self._chunks.wait_s(now)
        if not self._is_admitted and self.read > MAX_FIRST_BYTES:
            return TOO_MUCH
        if not self._streams.take(now, openings):
            return "it opened too many streams"
        return "" if self._frames.take(now, frames) else "it sent too many HTTP/2 frames"
