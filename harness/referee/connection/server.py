"""The seat service with gRPC's own server, for bots that are not the referee's local ones.

Remote bots share the servers of `bowerbird.harness.referee.remote.admission`. `SeatServer` listens for one process:
`check-bot` has it, to see a bot as a remote referee would. A referee's local bots have a `LocalServer`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import grpc

from bowerbird.engine import UnknownVariant
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.messages import LONGEST_SENTENCE, list_variants
from bowerbird.harness.referee.connection.probes import HEALTH, REFLECTION, probe_handler
from bowerbird.harness.referee.connection.seat_door import (
    CONNECTIONS,
    LIST_VARIANTS,
    OUTDATED,
    OUTDATED_SENTENCE,
    PLAY,
    SERVICE,
    SHARED_CONNECTIONS,
    SHARED_IDLE_MS,
    SOCKET_MODE,
    STREAMS,
    TOO_FAST,
    TRANSPORT_LIMIT,
    UNKNOWN_TOKEN,
    SeatDoor,
)
from bowerbird.harness.referee.connection.stream import (
    STATUS,
    Listener,
    Received,
    Refusal,
    SeatStream,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.game.faults import one_line
from bowerbird.seat.v1 import seat_pb2

STOP_S = 2.0

READ_BUFFER = 8192
"""Bytes that gRPC reads at once.

gRPC keeps the received pieces of a message in such buffers, and a peer can send a message in pieces of 24 bytes with a
useless frame behind each: 350 bytes of memory for each byte of the message.
"""

OPTIONS = (
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
    ("grpc.max_metadata_size", 8192),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.experimental.tcp_max_read_buffer_size", READ_BUFFER),
    ("grpc.so_reuseport", 0),
    ("grpc.server_handshake_timeout_ms", 2000),
    ("grpc.per_message_decompression", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.ping_timeout_ms", 2**31 - 1),
)
"""gRPC must not disconnect a bot whose PINGs arrive in bursts over a slow network, nor a frozen bot, which answers none
of those that gRPC sends to measure the bandwidth.

Without BDP probes a peer may send 64 KiB before the referee reads; with them, gRPC allows it 4 MiB from the start.
"""


class StreamServer:
    """Serves Play and ListVariants on one address. A subclass decides in `claim` who may play.

    `claim` returns the listener of a stream's further events, or a refusal: then the stream gets an Error and ends, and
    no other stream is affected.
    """

    def __init__(
        self,
        address: str,
        *,
        mailbox: Mailbox,
        streams: int,
        per_connection: int = STREAMS,
        connections: int | None = None,
        silence_s: float,
    ) -> None:
        """Start to listen. Raises OSError if `address` is not available.

        `address` is "unix:/path" or "127.0.0.1:0"; a client dials `target`. At most `streams` streams are served at
        once, `per_connection` of one connection, and at most `connections` connections (None: any number). A stream to
        which nothing was sent within its first `silence_s` is cut off; the start-up clock is kept elsewhere
        (`handshake`).
        """
        self._silence_s = silence_s
        self._streams: set[SeatStream] = set()
        self.mailbox = mailbox
        self._pool = ThreadPoolExecutor(max_workers=streams, thread_name_prefix="seat")
        self._server = grpc.server(
            self._pool,
            handlers=[_Service(self)],
            options=[
                *OPTIONS,
                ("grpc.max_concurrent_streams", per_connection),
                *_connection_options(connections),
            ],
            maximum_concurrent_rpcs=streams,
        )
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}") from error
        self.target = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
        if address.startswith("unix:"):
            os.chmod(address.removeprefix("unix:"), SOCKET_MODE)
        self._server.start()

    def claim(self, first: StreamEvent, stream: SeatStream, peer: str) -> Listener | Refusal:
        """Decide by its first event who takes a stream. Called in a thread of the stream's own."""
        raise NotImplementedError

    def knows(self, token: str) -> bool:
        """Return whether a bot here has this token. Called in threads of gRPC's pool."""
        raise NotImplementedError

    def accepts_call(self) -> bool:
        """Return whether one more call may be served now. Called in gRPC's thread, before a call gets a thread."""
        return True

    def probed(self, peer: str) -> None:
        """Note a request that needs no Hello. Called in threads of gRPC's pool."""

    def turned_away(self, peer: str, sentence: str) -> None:
        """Note that a bot was refused before it had a stream. Called in threads of gRPC's pool."""

    def refuse_silent(self, refusal: Refusal) -> bool:
        """Refuse the streams that have said nothing yet. Return whether there are any."""
        silent = [stream for stream in list(self._streams) if stream.is_silent]
        for stream in silent:
            stream.refuse(refusal)
        return bool(silent)

    async def stop(self) -> None:
        """Call `close` in a thread."""
        import trio  # a server listens before trio is imported (`prestart`)

        await trio.to_thread.run_sync(self.close)

    def close(self) -> None:
        """End all streams and release the address. May be called twice."""
        for stream in list(self._streams):
            stream.finish()
        self._server.stop(0).wait(STOP_S)
        self._pool.shutdown(wait=False)

    def play(self, stream: SeatStream, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Serve a stream in a thread of gRPC's pool: yield the messages to write, as they come."""
        context.send_initial_metadata(())
        if not context.add_callback(stream.finish):
            return
        arguments = (stream, requests, context.peer())
        threading.Thread(target=self._read, args=arguments, name="seat-reader", daemon=True).start()
        self._streams.add(stream)
        try:
            for outgoing in stream.outgoing(self._silence_s):
                outgoing.handed_over_ns = time.monotonic_ns()
                yield outgoing.data
            if stream.refusal is not None:
                context.set_code(grpc.StatusCode[STATUS[stream.refusal.code].name])
                context.set_details(shown(stream.refusal.sentence, LONGEST_SENTENCE))
        finally:
            self._streams.discard(stream)

    def _read(self, stream: SeatStream, requests: Iterator[bytes], peer: str) -> None:
        """Read a stream from Hello to its end, in a thread of its own. `SeatStream.receive` passes the events on."""
        event = stream.next_event(requests)
        claimed = self.claim(event, stream, peer)
        if isinstance(claimed, Refusal):
            stream.refuse(claimed)
            return
        stream.listener = claimed
        while not isinstance(event, StreamEnded):
            stream.wait_for_room()
            event = stream.next_event(requests)
        stream.listener = (
            None  # a remote bot's listener refers to the stream: a reference cycle would keep both in memory
        )


def _connection_options(connections: int | None) -> Sequence[tuple[str, int]]:
    """Return gRPC's options for at most `connections` connections."""
    if connections is None:
        return ()
    most = ("grpc.max_allowed_incoming_connections", connections)
    return (most,) if connections == CONNECTIONS else (most, ("grpc.max_connection_idle_ms", SHARED_IDLE_MS))


class SeatServer(SeatDoor[SeatStream], StreamServer):
    """Listens on an address of its own for the one process that holds `token`, as a `LocalServer` does, with gRPC."""

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[SeatStream, Received], None],
        on_event: Listener,
        *,
        mailbox: Mailbox,
        silence_s: float,
        is_private: bool = False,
    ) -> None:
        """Start to listen; see `SeatDoor` and `StreamServer`."""
        SeatDoor.__init__(self, token, on_connect, on_event, mailbox=mailbox, is_private=is_private)
        connections = CONNECTIONS if is_private else SHARED_CONNECTIONS
        StreamServer.__init__(
            self, address, mailbox=mailbox, streams=STREAMS, connections=connections, silence_s=silence_s
        )


class _Service(grpc.GenericRpcHandler):
    """The methods of the address. Each stream has a deserializer of its own, which passes its messages on."""

    def __init__(self, server: StreamServer) -> None:
        self._server = server

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        method = handler_call_details.method
        if not self._server.accepts_call():
            return grpc.stream_stream_rpc_method_handler(_refuse_too_fast)
        if method == PLAY:
            stream = SeatStream(self._server.mailbox)
            play = partial(self._server.play, stream)
            return grpc.stream_stream_rpc_method_handler(play, request_deserializer=stream.receive)
        if method == LIST_VARIANTS:
            return grpc.unary_unary_rpc_method_handler(
                self._list_variants, request_deserializer=seat_pb2.ListVariantsRequest.FromString
            )
        if method.startswith((HEALTH, REFLECTION)):
            return probe_handler(handler_call_details, SERVICE, self._server.probed)
        if method.startswith(OUTDATED):
            return grpc.stream_stream_rpc_method_handler(self._turn_away)
        return None

    def _list_variants(self, request: seat_pb2.ListVariantsRequest, context: grpc.ServicerContext) -> bytes:
        if not self._server.knows(request.token):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, UNKNOWN_TOKEN)
        self._server.probed(context.peer())
        try:
            return list_variants(request.names)
        except UnknownVariant as error:
            context.abort(grpc.StatusCode.NOT_FOUND, one_line(str(error)))

    def _turn_away(self, _requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        self._server.turned_away(context.peer(), OUTDATED_SENTENCE)
        context.abort(grpc.StatusCode.UNIMPLEMENTED, OUTDATED_SENTENCE)


def _refuse_too_fast(_requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_FAST)
