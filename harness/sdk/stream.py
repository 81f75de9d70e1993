"""One call of Play as its bot sees it, however it reaches the referee: with `grpc_stream` or with `socket_stream`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from bowerbird.harness.http2.grpc_words import StatusCode
from bowerbird.seat.v1 import seat_pb2

FINAL = (
    StatusCode.UNIMPLEMENTED,
    StatusCode.UNAUTHENTICATED,
    StatusCode.FAILED_PRECONDITION,
    StatusCode.INVALID_ARGUMENT,
)
"""gRPC's statuses of a stream without a Welcome after which another attempt is pointless."""


class StreamBrokenError(Exception):
    """The stream could not begin, or ended other than with status OK. The text says why, in one sentence for people.

    is_final: whether its status says that another attempt is pointless.
    """

    def __init__(self, why: str, *, is_final: bool = False) -> None:
        super().__init__(why)
        self.is_final = is_final


class Stream(Protocol):
    """A stream of messages to and from the referee. Only `cancel` may be called in another thread."""

    def send(self, request: seat_pb2.PlayRequest) -> None:
        """Send a message, at once or while `responses` or `close` waits. A broken stream loses it."""

    def responses(self) -> Iterator[seat_pb2.PlayResponse]:
        """Return the referee's further messages until it ends the stream. Raises StreamBrokenError."""

    def close(self) -> None:
        """Close this side, and wait for the referee to close its own. Without that the last message could be lost."""

    def cancel(self) -> None:
        """End the stream at once: after the messages that have arrived, `responses` raises and `close` returns."""
