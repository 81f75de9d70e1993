"""The transcript of one connection: messages are kept as they are and formatted on demand."""

from __future__ import annotations

import time
from collections import deque

from google.protobuf import text_format

from bowerbird.seat.v1 import seat_pb2

MAX_MESSAGES = 12
"""Messages that are kept, the last ones."""

MAX_CHARACTERS = 4000
"""Characters that are shown of a message."""

MAX_DECISIONS = 2
"""Decisions that are shown of a message."""


class Transcript:
    """The last messages in both directions, in milliseconds since the transcript began."""

    def __init__(self) -> None:
        """Begin an empty transcript now."""
        self._begin_ns = time.monotonic_ns()
        self._entries: deque[tuple[int, bytes | seat_pb2.PlayRequest | str]] = deque(maxlen=MAX_MESSAGES)

    def add_sent(self, data: bytes) -> None:
        """Add a message to the bot, serialised."""
        self._entries.append((time.monotonic_ns(), data))

    def add_received(self, request: seat_pb2.PlayRequest, arrival_ns: int) -> None:
        """Add a message from the bot."""
        self._entries.append((arrival_ns, request))

    def add_note(self, note: str) -> None:
        """Add another event, in words."""
        self._entries.append((time.monotonic_ns(), note))

    def lines(self) -> tuple[str, ...]:
        """Return one line for each entry, oldest first."""
        return tuple(f"{(at - self._begin_ns) // 1_000_000:>6} ms  {_line(entry)}" for at, entry in self._entries)


def _line(entry: bytes | seat_pb2.PlayRequest | str) -> str:
    if isinstance(entry, str):
        return f"-- {entry}"
    if isinstance(entry, bytes):
        return f"-> {_response_text(seat_pb2.PlayResponse.FromString(entry))}"
    return f"<- {_text(entry)}"


def _response_text(response: seat_pb2.PlayResponse) -> str:
    """Return a message to the bot as text, with its first decisions only."""
    requests = response.decision_requests.requests
    more = len(requests) - MAX_DECISIONS
    if more <= 0:
        return _text(response)
    del requests[MAX_DECISIONS:]
    return f"{_text(response)} … and {more} more decisions"


def _text(message: seat_pb2.PlayRequest | seat_pb2.PlayResponse) -> str:
    text = text_format.MessageToString(message, as_utf8=True, as_one_line=True, print_unknown_fields=True).strip()
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS // 2]} … {text[-MAX_CHARACTERS // 2 :]}"
