"""Reaches a referee with gRPC: on another machine, over TLS, or at a port of this one."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import suppress

import grpc

from bowerbird.harness.sdk.stream import FINAL, StreamBrokenError
from bowerbird.seat.v1 import seat_pb2, seat_pb2_grpc

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
)

REMOTE_CHANNEL_OPTIONS = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 500),
)
"""gRPC options for a referee on another machine: detect a broken connection, and retry soon (seat.proto, Keepalive)."""


def open_channel(address: str, trusted: bytes) -> grpc.Channel:
    """Return a channel to a referee. It trusts a certificate authority in PEM form; b"" connects in plain text."""
    if not trusted:
        return grpc.insecure_channel(address, options=CHANNEL_OPTIONS)
    options = CHANNEL_OPTIONS + REMOTE_CHANNEL_OPTIONS
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(trusted), options=options)


class GrpcStream:
    """See `Stream`. gRPC's own thread sends the messages from a queue.

    With `wait`, used for a session that was held before, the call waits until the referee can be reached, because a
    channel reconnects only while a call is waiting.
    """

    def __init__(self, channel: grpc.Channel, wait: bool) -> None:
        """Start a call on a channel."""
        self._outbox: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._call = seat_pb2_grpc.SeatServiceStub(channel).Play(iter(self._outbox.get, None), wait_for_ready=wait)

    def send(self, request: seat_pb2.PlayRequest) -> None:
        """See `Stream`."""
        self._outbox.put(request)

    def responses(self) -> Iterator[seat_pb2.PlayResponse]:
        """See `Stream`."""
        try:
            yield from self._call
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise StreamBrokenError(str(error)) from error
            is_final = error.code().value[0] in FINAL
            raise StreamBrokenError(error.details() or error.code().name, is_final=is_final) from error

    def close(self) -> None:
        """See `Stream`."""
        self._outbox.put(None)
        with suppress(StreamBrokenError):  # either way it is over
            for _ in self.responses():
                pass

    def cancel(self) -> None:
        """See `Stream`."""
        self._call.cancel()
