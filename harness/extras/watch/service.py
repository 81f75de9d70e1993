"""The watch service of one run: a gRPC server in the process that plays it (`watch.proto`).

A gRPC thread answers each call from a `RunSource`. It waits for the run's thread only to list tables and to begin or
end watching one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

import grpc

from bowerbird.harness.extras.watch import wire
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError, TooManyError, WatchError
from bowerbird.harness.watch.feeds import Budget, RunFeed, TableFeed
from bowerbird.harness.watch.values import RunInfo, Standings, TableInfo
from bowerbird.watch.v1 import watch_pb2, watch_pb2_grpc

MOST_STREAMS = 64
"""The maximum number of streams at once."""

SHORT_CALLS = 8
"""The maximum number of calls with one answer at once."""

LONGEST_SENTENCE = 500
"""The maximum length of a status text in characters. Java clients lose one that takes more than 8 KiB."""

MAX_REQUEST = 4096
"""The maximum size of a request, in bytes."""

STOP_S = 1.0
"""How long streams may take to send their last updates when the run has ended."""

_CODES: dict[type[WatchError], grpc.StatusCode] = {
    NotFoundError: grpc.StatusCode.NOT_FOUND,
    NotOpenError: grpc.StatusCode.FAILED_PRECONDITION,
    TooManyError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RunGoneError: grpc.StatusCode.UNAVAILABLE,
}

Message = TypeVar("Message")


class RunSource(Protocol):
    """A run as the service sees it. Any thread may call any method. All raise WatchError."""

    def info(self) -> RunInfo:
        """Return the run."""

    def standings(self) -> Standings:
        """Return the incremental ratings."""

    def tables(self) -> Sequence[TableInfo]:
        """Return the tables in play."""

    def record(self, game: str) -> str:
        """Return the record of a game whose packs are open."""

    def run_feed(self) -> RunFeed:
        """Return the events of the run."""

    def enter_table(self, game: str) -> TableFeed:
        """Return the events at a table that is shown. The caller must call `leave_table` afterwards."""

    def leave_table(self, feed: TableFeed) -> None:
        """Count one spectator fewer."""


class RunningService:
    """The service of one run, which listens from its creation to `stop`."""

    def __init__(self, source: RunSource, path: Path) -> None:
        """Listen at `path`. Takes some milliseconds. Raises RuntimeError if gRPC cannot."""
        self._service = _Service(source)
        self._server = grpc.server(
            ThreadPoolExecutor(MOST_STREAMS + SHORT_CALLS, thread_name_prefix="watch"),
            maximum_concurrent_rpcs=MOST_STREAMS + 8 * SHORT_CALLS,
            options=[("grpc.max_receive_message_length", MAX_REQUEST)],
        )
        watch_pb2_grpc.add_WatchServiceServicer_to_server(self._service, self._server)
        self._server.add_insecure_port(f"unix:{path}")
        self._server.start()

    def stop(self) -> None:
        """End all streams, each after its last updates."""
        self._server.stop(STOP_S if self._service.streams else None).wait()


class _Service(watch_pb2_grpc.WatchServiceServicer):
    """The calls of the service."""

    def __init__(self, source: RunSource) -> None:
        self._source = source
        self._budget = Budget()
        self._lock = threading.Lock()
        self._listed: tuple[Sequence[TableInfo], watch_pb2.ListTablesResponse] = (), watch_pb2.ListTablesResponse()
        """The last answer of `RunSource.tables` and its message, since a source returns the same answer for a while."""
        self.streams = 0

    def ListRuns(  # noqa: N802  # the name in watch.proto
        self, request: watch_pb2.ListRunsRequest, context: grpc.ServicerContext
    ) -> watch_pb2.ListRunsResponse:
        """See watch.proto."""
        return _answer(
            context, lambda: watch_pb2.ListRunsResponse(runs=[wire.message_of(watch_pb2.Run, self._source.info())])
        )

    def GetStandings(  # noqa: N802
        self, request: watch_pb2.GetStandingsRequest, context: grpc.ServicerContext
    ) -> watch_pb2.GetStandingsResponse:
        """See watch.proto."""

        def answer() -> watch_pb2.GetStandingsResponse:
            self._check_run(request.run)
            return wire.message_of(watch_pb2.GetStandingsResponse, self._source.standings())

        return _answer(context, answer)

    def ListTables(  # noqa: N802
        self, request: watch_pb2.ListTablesRequest, context: grpc.ServicerContext
    ) -> watch_pb2.ListTablesResponse:
        """See watch.proto."""

        def answer() -> watch_pb2.ListTablesResponse:
            self._check_run(request.run)
            tables = self._source.tables()
            made_of, response = self._listed
            if made_of is not tables:
                in_order = sorted(tables, key=lambda table: table.game)
                messages = [wire.message_of(watch_pb2.Table, table) for table in in_order]
                response = watch_pb2.ListTablesResponse(tables=messages)
                self._listed = tables, response
            return response

        return _answer(context, answer)

    def GetGame(  # noqa: N802
        self, request: watch_pb2.GetGameRequest, context: grpc.ServicerContext
    ) -> watch_pb2.GetGameResponse:
        """See watch.proto."""
        return _answer(context, lambda: watch_pb2.GetGameResponse(record=self._source.record(request.game)))

    def WatchTable(  # noqa: N802
        self, request: watch_pb2.WatchTableRequest, context: grpc.ServicerContext
    ) -> Iterator[watch_pb2.WatchTableResponse]:
        """See watch.proto."""
        try:
            with self._stream():
                if not self._budget.admit(context.is_active):
                    return
                yield from self._table_updates(request.game, context)
        except WatchError as error:
            _abort(context, error)

    def _table_updates(self, game: str, context: grpc.ServicerContext) -> Iterator[watch_pb2.WatchTableResponse]:
        """Yield the messages for a spectator of a table, and account for their cost. Raises WatchError."""
        with self._table(game) as feed:
            for update in feed.updates(self._budget, context.is_active):
                with self._budget.spending():
                    message = wire.table_update_message(update)
                self._budget.spend_sending()
                yield message

    def WatchRun(  # noqa: N802
        self, request: watch_pb2.WatchRunRequest, context: grpc.ServicerContext
    ) -> Iterator[watch_pb2.WatchRunResponse]:
        """See watch.proto."""
        try:
            self._check_run(request.run)
            with self._stream():
                updates = self._source.run_feed().updates(context.is_active)  # before `info`: no update is lost
                yield wire.run_update_message(self._source.info())
                yield from map(wire.run_update_message, updates)
        except WatchError as error:
            _abort(context, error)

    def _check_run(self, run: str) -> None:
        """Raise NotFoundError unless `run` is empty or the id of this run."""
        info = self._source.info()
        if run not in ("", info.id):
            raise NotFoundError(f"no run {run[:40]!r} is played here; this process plays {info.id} ({info.name})")

    @contextmanager
    def _stream(self) -> Iterator[None]:
        """Count a stream during the block. Raises TooManyError at the limit."""
        with self._lock:
            if self.streams >= MOST_STREAMS:
                raise TooManyError(f"{MOST_STREAMS} spectators are already watching this run, the maximum; try later")
            self.streams += 1
        try:
            yield
        finally:
            with self._lock:
                self.streams -= 1

    @contextmanager
    def _table(self, game: str) -> Iterator[TableFeed]:
        feed = self._source.enter_table(game)
        try:
            yield feed
        finally:
            self._source.leave_table(feed)


def _answer(context: grpc.ServicerContext, make: Callable[[], Message]) -> Message:
    try:
        return make()
    except WatchError as error:
        _abort(context, error)


def _abort(context: grpc.ServicerContext, error: WatchError) -> NoReturn:
    """End a call with the code and the sentence of an error."""
    context.abort(_CODES.get(type(error), grpc.StatusCode.UNKNOWN), shown(str(error), LONGEST_SENTENCE))
    raise AssertionError("abort raises")  # its type does not declare it
