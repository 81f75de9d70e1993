"""Watches one table of a run in another process over its socket, in trio and without a thread.

Input: a database, the ids of its run and of a game. Output: the updates of the table, in order. gRPC's own client uses
a thread for each stream, so this module makes the call `WatchTable` (watch.proto) itself. The server is ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote

import hpack
import trio
from google.protobuf.message import DecodeError

from bowerbird.harness.extras.watch.client import MAX_MESSAGE, error_of
from bowerbird.harness.extras.watch.wire import table_update_from
from bowerbird.harness.referee.connection import grpc_words, http2
from bowerbird.harness.referee.connection.grpc_words import PREFIX, StatusCode
from bowerbird.harness.watch.address import has_private_folder, watch_address
from bowerbird.harness.watch.errors import NotFoundError, WatchError
from bowerbird.harness.watch.values import TableUpdate
from bowerbird.watch.v1 import watch_pb2

PIECE = 65536
"""The maximum number of bytes read at once."""

STREAM = 1
"""The id of the only stream of a connection."""

NOT_PLAYED = "this run is not being played now"

NO_MESSAGE = "the run sent data that is not a message of the watch service"

_HEAD = 9
"""The number of bytes before a frame's payload (RFC 9113, 4.1)."""

_FIELDS = (
    (":method", "POST"),
    (":scheme", "http"),
    (":path", "/bowerbird.watch.v1.WatchService/WatchTable"),
    (":authority", "localhost"),
    ("te", "trailers"),
    ("content-type", "application/grpc"),
)


class TableCall:
    """The client's side of one call, without I/O: takes bytes and returns messages."""

    def __init__(self, game: str) -> None:
        """Begin the call. `take_output` returns what to send first."""
        request = watch_pb2.WatchTableRequest(game=game).SerializeToString()
        self._out = [
            http2.PREFACE,
            http2.frame(http2.SETTINGS, 0, 0),
            http2.frame(http2.HEADERS, http2.END_HEADERS, STREAM, hpack.Encoder().encode(_FIELDS)),
            http2.frame(http2.DATA, http2.END_STREAM, STREAM, grpc_words.message(request)),
        ]
        self._decoder = hpack.Decoder()
        self._partial = b""
        self._block = b""
        self._ends = False
        self._data = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self.is_over = False
        """Whether the server has ended the call without an error."""

    def take_output(self) -> bytes:
        """Return the bytes to send; each is returned once."""
        output = b"".join(self._out)
        self._out.clear()
        return output

    def receive(self, data: bytes) -> Sequence[watch_pb2.WatchTableResponse]:
        """Process the next bytes, and return the messages that they complete.

        Raises WatchError if the call has failed.
        """
        try:
            return self._receive(data)
        except (hpack.HPACKError, DecodeError, IndexError) as error:
            raise WatchError(NO_MESSAGE) from error

    def _receive(self, data: bytes) -> Sequence[watch_pb2.WatchTableResponse]:
        self._partial += data
        found: list[watch_pb2.WatchTableResponse] = []
        while len(self._partial) >= _HEAD and not self.is_over:
            end = _HEAD + int.from_bytes(self._partial[:3], "big")
            if len(self._partial) < end:
                break
            kind, flags = self._partial[3], self._partial[4]
            payload, self._partial = self._partial[_HEAD:end], self._partial[end:]
            self._take(kind, flags, payload)
            found.extend(self._messages())
            if self._ends and not self._block:
                self._finish()
        return found

    def _take(self, kind: int, flags: int, payload: bytes) -> None:
        """Process a frame. GOAWAY is ignored, since the server lets existing streams run to their end."""
        if kind == http2.DATA:
            self._give_back(len(payload))
            self._data += _bare(flags, payload)
        elif kind in (http2.HEADERS, http2.CONTINUATION):
            if kind == http2.HEADERS:
                payload = _bare(flags, payload)[5 if flags & http2.PRIORITIZED else 0 :]
            self._block += payload
            if flags & http2.END_HEADERS:
                self._headers |= dict(self._decoder.decode(self._block, raw=True))
                self._block = b""
        elif kind == http2.SETTINGS and not flags & http2.ACK:
            self._out.append(http2.frame(http2.SETTINGS, http2.ACK, 0))
        elif kind == http2.PING and not flags & http2.ACK:
            self._out.append(http2.frame(http2.PING, http2.ACK, 0, payload))
        elif kind == http2.RST_STREAM:
            raise error_of(StatusCode.UNAVAILABLE, "")
        if kind in (http2.DATA, http2.HEADERS) and flags & http2.END_STREAM:
            self._ends = True

    def _give_back(self, size: int) -> None:
        """Let the server send as much again, on the stream and on the connection."""
        if size:
            more = size.to_bytes(4, "big")
            self._out += (http2.frame(http2.WINDOW_UPDATE, 0, stream, more) for stream in (0, STREAM))

    def _messages(self) -> Iterator[watch_pb2.WatchTableResponse]:
        while len(self._data) >= PREFIX:
            size = int.from_bytes(self._data[1:PREFIX], "big")
            if self._data[0] or size > MAX_MESSAGE:
                raise WatchError(NO_MESSAGE)
            if len(self._data) < PREFIX + size:
                return
            message = bytes(self._data[PREFIX : PREFIX + size])
            del self._data[: PREFIX + size]
            yield watch_pb2.WatchTableResponse.FromString(message)

    def _finish(self) -> None:
        status = self._headers.get(b"grpc-status", b"")
        if status != b"0":
            sentence = unquote(self._headers.get(b"grpc-message", b"").decode("latin-1"))
            raise error_of(int(status) if status.isdigit() else StatusCode.UNAVAILABLE, sentence)
        self.is_over = True


def _bare(flags: int, payload: bytes) -> bytes:
    """Return the payload of a frame without its padding."""
    return payload[1 : len(payload) - payload[0]] if flags & http2.PADDED and payload else payload


@asynccontextmanager
async def table_updates(database: Path, run: str, game: str) -> AsyncIterator[AsyncIterator[TableUpdate]]:
    """Watch a table: yield its updates to its end. Raises WatchError, also during iteration."""
    path = watch_address(database, run).path
    if not has_private_folder():
        raise NotFoundError(NOT_PLAYED)
    try:
        socket = await trio.open_unix_socket(path)
    except OSError:
        raise NotFoundError(NOT_PLAYED) from None
    async with socket:
        yield _received(socket, TableCall(game))


async def _received(socket: trio.SocketStream, call: TableCall) -> AsyncIterator[TableUpdate]:
    try:
        await socket.send_all(call.take_output())
        while not call.is_over:
            data = await socket.receive_some(PIECE)
            if not data:
                raise error_of(StatusCode.UNAVAILABLE, "")
            for message in call.receive(data):
                update = table_update_from(message)
                if update is not None:
                    yield update
            if not call.is_over and (answer := call.take_output()):
                await socket.send_all(answer)
    except trio.BrokenResourceError:
        raise error_of(StatusCode.UNAVAILABLE, "") from None
