"""Watches one table of a run in another process over its socket, in trio and without a thread.

Input: a database, the ids of its run and of a game. Output: the updates of the table, in order. gRPC's own client uses
a thread for each stream, so this module makes the call `WatchTable` (watch.proto) itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from google.protobuf.message import DecodeError

from bowerbird.harness.extras.watch.client import MAX_MESSAGE, error_of
from bowerbird.harness.extras.watch.wire import table_update_from
from bowerbird.harness.http2.client import ClientCall, UnreadableError
from bowerbird.harness.http2.grpc_words import StatusCode
from bowerbird.harness.watch.address import has_private_folder, watch_address
from bowerbird.harness.watch.errors import NotFoundError, WatchError
from bowerbird.harness.watch.values import TableUpdate
from bowerbird.watch.v1 import watch_pb2

PIECE = 65536
"""The maximum number of bytes read at once."""

NOT_PLAYED = "this run is not being played now"

NO_MESSAGE = "the run sent data that is not a message of the watch service"

METHOD = "/bowerbird.watch.v1.WatchService/WatchTable"


@asynccontextmanager
async def table_updates(database: Path, run: str, game: str) -> AsyncIterator[AsyncIterator[TableUpdate]]:
    """Watch a table: yield its updates to its end. Raises WatchError, also during iteration."""
    path = watch_address(database, run).path
    if not has_private_folder():
        raise NotFoundError(NOT_PLAYED)
    call = ClientCall(METHOD, limit=MAX_MESSAGE)
    call.send(watch_pb2.WatchTableRequest(game=game).SerializeToString())
    call.end()
    try:
        socket = await trio.open_unix_socket(path)
    except OSError:
        raise NotFoundError(NOT_PLAYED) from None
    async with socket:
        yield _received(socket, call)


async def _received(socket: trio.SocketStream, call: ClientCall) -> AsyncIterator[TableUpdate]:
    try:
        while not call.has_ended:
            if output := call.take_output():
                await socket.send_all(output)
            data = await socket.receive_some(PIECE)
            if not data:
                raise error_of(StatusCode.UNAVAILABLE, "")
            call.receive(data)
            while (message := call.next_message()) is not None:
                update = table_update_from(watch_pb2.WatchTableResponse.FromString(message))
                if update is not None:
                    yield update
        status, sentence = call.status()
    except trio.BrokenResourceError:
        raise error_of(StatusCode.UNAVAILABLE, "") from None
    except (UnreadableError, DecodeError) as error:
        raise WatchError(NO_MESSAGE) from error
    if status != StatusCode.OK:
        raise error_of(StatusCode.UNAVAILABLE if status is None else status, sentence)
