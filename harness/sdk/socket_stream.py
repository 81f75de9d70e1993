"""Reaches the referee that started the bot by its unix socket, without gRPC's package.

Importing that package takes a third of a bot's start, and its threads delay every message. What is spoken is the same:
HTTP/2 (RFC 9113) with one stream. Everything happens in the bot's own thread, except `cancel`: while the bot thinks,
nothing is read, and what the windows leave no room for waits until the bot listens again.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

from google.protobuf.message import DecodeError

from bowerbird.harness.http2.client import ClientCall, UnreadableError
from bowerbird.harness.http2.grpc_words import StatusCode
from bowerbird.harness.sdk.stream import FINAL, StreamBrokenError
from bowerbird.seat.v1 import seat_pb2

UNIX = "unix:"
PLAY = "/bowerbird.seat.v1.SeatService/Play"
CONNECT_TIMEOUT_S = 10.0

WINDOW = 1 << 19
"""The bytes that the referee may send before the bot has read them."""

READ_BYTES = 1 << 16
"""For a larger buffer the C library asks the system for memory each time."""


class SocketStream:
    """See `Stream`. A second call needs a second object."""

    def __init__(self, address: str) -> None:
        """Connect to "unix:/path" and begin the call. Raises StreamBrokenError."""
        self._call = ClientCall(PLAY, window=WINDOW)
        self._socket = socket.socket(socket.AF_UNIX)
        self._is_cut = self._is_cancelled = False
        try:
            self._socket.settimeout(CONNECT_TIMEOUT_S)
            self._socket.connect(address.removeprefix(UNIX))
        except OSError as error:
            raise self._broken(error.strerror or str(error)) from error
        self._socket.settimeout(None)  # whatever the bot has made the default: it may wait for minutes
        self._write()

    def send(self, request: seat_pb2.PlayRequest) -> None:
        """See `Stream`."""
        self._call.send(request.SerializeToString())
        self._write()

    def responses(self) -> Iterator[seat_pb2.PlayResponse]:
        """See `Stream`."""
        while (data := self._next_message()) is not None:
            try:
                response = seat_pb2.PlayResponse.FromString(data)
            except DecodeError as error:
                raise self._broken("the referee sent what is not a message") from error
            yield response
        try:
            status, sentence = self._call.status()
        except UnreadableError as error:
            raise self._broken(f"the referee sent {error}") from error
        if status != StatusCode.OK:
            raise StreamBrokenError(sentence, is_final=status in FINAL)

    def close(self) -> None:
        """See `Stream`."""
        if self._is_cut:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
        self._call.end()
        self._write()
        with suppress(StreamBrokenError):  # either way it is over
            while self._next_message() is not None:
                pass
        self._socket.close()

    def cancel(self) -> None:
        """See `Stream`."""
        self._is_cancelled = True
        with suppress(OSError):  # the referee has closed it
            self._socket.shutdown(socket.SHUT_RDWR)

    def _next_message(self) -> bytes | None:
        """Wait for the next message; return None at the end of the stream. Raises StreamBrokenError.

        What an interrupt leaves unread is there for the next call.
        """
        call = self._call
        try:
            while True:
                data = call.next_message()
                self._write()
                if data is not None or call.has_ended:
                    return data
                call.receive(self._read())
        except UnreadableError as error:
            raise self._broken(f"the referee sent {error}") from error

    def _read(self) -> bytes:
        """Wait for the next bytes. Raises StreamBrokenError."""
        try:
            data = self._socket.recv(READ_BYTES)
        except OSError:
            data = b""
        if not data:
            why = "did not answer in time" if self._is_cancelled else "closed the connection"
            said = f": {self._call.why_closed}" if self._call.why_closed else ""
            raise self._broken(f"the referee {why}{said}")
        return data

    def _write(self) -> None:
        """Write all output. After an error or an interrupt nothing can follow; `responses` tells what happened."""
        if not self._is_cut:
            self._is_cut = True
            with suppress(OSError):
                if output := self._call.take_output():
                    self._socket.sendall(output)
                self._is_cut = False

    def _broken(self, why: str) -> StreamBrokenError:
        """Close the socket, since nothing can follow, and return the error to raise."""
        self._socket.close()
        return StreamBrokenError(why)
