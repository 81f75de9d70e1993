"""The client of the watch service, which follows a run in another process.

It is synchronous and thread-safe. Each stream is an iterator, and any thread can end it with `close`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import grpc

from bowerbird.harness.closing import Closing
from bowerbird.harness.extras.watch import wire
from bowerbird.harness.watch.address import WatchAddress, running, watch_address
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError, TooManyError, WatchError
from bowerbird.harness.watch.values import RunInfo, RunUpdate, Standings, TableInfo, TableUpdate
from bowerbird.watch.v1 import watch_pb2, watch_pb2_grpc

CALL_S = 10.0
"""The deadline of a call with one answer."""

MAX_MESSAGE = 1 << 24
"""The maximum size of a message in bytes, which is enough for the record of a long game."""

Message = TypeVar("Message")
Update = TypeVar("Update")

_ERRORS: dict[grpc.StatusCode, type[WatchError]] = {
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.FAILED_PRECONDITION: NotOpenError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: TooManyError,
    grpc.StatusCode.UNAVAILABLE: RunGoneError,
}


class UpdateStream(Closing, Generic[Update]):
    """The updates of a table or a run, in order. The iteration ends with the table or run.

    It raises WatchError, or RunGoneError if the process of the run is gone.
    """

    def __init__(self, call: Any, read: Callable[[Any], Update | None]) -> None:
        """Take over a gRPC call. `read` returns the update in a message, or None to skip it."""
        self._call = call
        self._read = read
        self._is_closed = False

    def __iter__(self) -> Iterator[Update]:
        """Yield updates until the stream ends or is closed."""
        try:
            for message in self._call:
                update = self._read(message)
                if update is not None:
                    yield update
        except grpc.RpcError as error:
            if not self._is_closed:
                raise _error_in(error) from None
        finally:
            self.close()

    def close(self) -> None:
        """End the stream. Any thread may call this. A second call does nothing."""
        self._is_closed = True
        self._call.cancel()


class WatchClient(Closing):
    """A connection to the process that plays a run. A context manager.

    Every method raises WatchError, or its subclasses NotFoundError, NotOpenError, TooManyError and RunGoneError.
    """

    def __init__(self, target: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        """Connect to `target`, "unix:/path" or "host:port"; over TLS with `credentials`. Nothing is sent yet."""
        options = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.use_local_subchannel_pool", 1)]
        if credentials is None:
            self._channel = grpc.insecure_channel(target, options)
        else:
            self._channel = grpc.secure_channel(target, credentials, options)
        self._stub = watch_pb2_grpc.WatchServiceStub(self._channel)

    def run(self) -> RunInfo:
        """Return the run."""
        response = self._call(self._stub.ListRuns, watch_pb2.ListRunsRequest())
        return wire.value_from(RunInfo, response.runs[0])

    def standings(self) -> Standings:
        """Return the latest ratings, best first in each scope."""
        response = self._call(self._stub.GetStandings, watch_pb2.GetStandingsRequest())
        return wire.value_from(Standings, response)

    def tables(self) -> list[TableInfo]:
        """Return the tables in play, in order of their games' ids."""
        response = self._call(self._stub.ListTables, watch_pb2.ListTablesRequest())
        return [wire.value_from(TableInfo, table) for table in response.tables]

    def record(self, game: str) -> str:
        """Return the text of the record of a finished game. Raises NotOpenError while its packs are in play."""
        response = self._call(self._stub.GetGame, watch_pb2.GetGameRequest(game=game))
        return response.record

    def watch_table(self, game: str) -> UpdateStream[TableUpdate]:
        """Watch a table in play.

        Errors come with the iteration, such as NotOpenError if it is not shown card by card.
        """
        return UpdateStream(self._stub.WatchTable(watch_pb2.WatchTableRequest(game=game)), wire.table_update_from)

    def watch_run(self) -> UpdateStream[RunUpdate]:
        """Watch the events of the run."""
        return UpdateStream(self._stub.WatchRun(watch_pb2.WatchRunRequest()), wire.run_update_from)

    def close(self) -> None:
        """Close the connection, and with it every stream."""
        self._channel.close()

    def _call(self, method: Callable[..., Message], request: object) -> Message:
        try:
            return method(request, timeout=CALL_S)
        except grpc.RpcError as error:
            raise _error_in(error) from None


def _error_in(error: grpc.RpcError) -> WatchError:
    assert isinstance(error, grpc.Call)  # every error of a gRPC call is one
    return error_of(error.code().value[0], error.details() or "")


def error_of(status: int, sentence: str) -> WatchError:
    """Return the error for a gRPC status and its sentence."""
    if status == grpc.StatusCode.UNAVAILABLE.value[0]:
        return RunGoneError("the run is no longer being played, or its process was killed")
    code = next((code for code in grpc.StatusCode if code.value[0] == status), grpc.StatusCode.UNKNOWN)
    return _ERRORS.get(code, WatchError)(sentence)


def connect(address: WatchAddress) -> WatchClient:
    """Return a client of a run that `running` has found."""
    return WatchClient(address.target)


def connect_to(database: str | os.PathLike[str], fingerprint: str) -> WatchClient | None:
    """Return a client of the run with this fingerprint in a database, or None if nobody plays it now."""
    address = watch_address(database, fingerprint)
    return WatchClient(address.target) if address in running() else None
