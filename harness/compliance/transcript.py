"""What was said on one connection: kept as it was, made readable when somebody asks."""

from __future__ import annotations

import time
from collections import deque

from google.protobuf import text_format

from harness.v1 import seat_pb2

KEPT = 12
"""How many of the last messages are kept."""

LONGEST = 4000
"""How many characters of a message are shown."""

SHOWN_DECISIONS = 2
"""How many of the decisions of one message are shown."""


class Transcript:
    """The last messages in both directions, with the milliseconds since the process was started."""

    def __init__(self) -> None:
        """Nothing was said yet; time runs from now."""
        self._begin = time.monotonic_ns()
        self._entries: deque[tuple[int, bytes | seat_pb2.PlayRequest | str]] = deque(maxlen=KEPT)

    def sent(self, data: bytes) -> None:
        """A message to the bot."""
        self._entries.append((time.monotonic_ns(), data))

    def heard(self, request: seat_pb2.PlayRequest, arrival: int) -> None:
        """A message of the bot."""
        self._entries.append((arrival, request))

    def happened(self, what: str) -> None:
        """Anything else, in words."""
        self._entries.append((time.monotonic_ns(), what))

    def lines(self) -> tuple[str, ...]:
        """One line for each entry, oldest first."""
        return tuple(f"{(at - self._begin) // 1_000_000:>6} ms  {_line(entry)}" for at, entry in self._entries)


def _line(entry: bytes | seat_pb2.PlayRequest | str) -> str:
    if isinstance(entry, str):
        return f"-- {entry}"
    if isinstance(entry, bytes):
        return f"-> {_response_text(seat_pb2.PlayResponse.FromString(entry))}"
    return f"<- {_text(entry)}"


def _response_text(response: seat_pb2.PlayResponse) -> str:
    """A message of the referee; of many decisions the first ones."""
    requests = response.decision_requests.requests
    more = len(requests) - SHOWN_DECISIONS
    if more <= 0:
        return _text(response)
    del requests[SHOWN_DECISIONS:]
    return f"{_text(response)} … and {more} more decisions"


def _text(message: seat_pb2.PlayRequest | seat_pb2.PlayResponse) -> str:
    text = text_format.MessageToString(message, as_utf8=True, as_one_line=True, print_unknown_fields=True).strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
