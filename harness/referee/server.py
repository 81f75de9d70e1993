"""The seat service over gRPC, and the bridge between its threads and trio (ARCHITECTURE.md, Trio and gRPC).

Two threads serve the stream of a bot: one asks gRPC for what it says, one takes ready-made bytes from a queue and
writes them. Each message that comes in is stamped and brought to trio (`post`) by gRPC's own thread, which has it
first; each that goes out is stamped when the writer takes it: those are the two ends of a bot's thinking time.
"""

from __future__ import annotations

import hmac
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import grpc
from google.protobuf.message import DecodeError

from harness.referee.messages import error, list_variants
from harness.referee.post import NobodyThereError, Post
from harness.v1 import seat_pb2

SERVICE = "harness.v1.SeatService"
PLAY = f"/{SERVICE}/Play"
LIST_VARIANTS = f"/{SERVICE}/ListVariants"
MAX_MESSAGE = 65536
"""The largest message that is taken from a bot, in bytes."""

TRANSPORT_LIMIT = 16 << 20
"""What the transport lets through: a message between the two limits can still be blamed on its sender. One such
message a stream is the memory that it costs; what is larger still is refused at its first bytes, which ends the stream
and looks like leaving (gRPC does not tell the two apart). Nothing is ever decompressed: a compressed message comes
through as it is, however much it would expand to."""

COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
"""How gzip and deflate begin; no PlayRequest does."""

STREAMS = 4
UNREAD = 32
"""Messages of one bot that may wait for the referee; the reader then waits, and with it the bot."""

SOCKET_MODE = 0o666
"""A bot in a sandbox is another user. The folder of the sockets is closed to all but the referee."""

STOP_S = 2.0

NO_HELLO = "the first message must be a Hello with the token of BOWERBIRD_TOKEN"
UNKNOWN_TOKEN = "this token is not known here"
NO_REQUEST = "bytes that are no PlayRequest"
USED_TOKEN = "this token was used before"

OPTIONS = (
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
    ("grpc.max_metadata_size", 8192),
    ("grpc.so_reuseport", 0),
    ("grpc.server_handshake_timeout_ms", 2000),
    ("grpc.per_message_decompression", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the bot and when it arrived."""

    request: seat_pb2.PlayRequest
    arrival: int


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are no message, or a message that is too large."""

    why: str
    arrival: int


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The bot closed its side, or the connection broke."""

    why: str
    arrival: int


Event = Said | Malformed | StreamEnded


class Outgoing:
    """A message on its way to a bot; `handed_over` is when the stream's writer took it (0: not yet)."""

    __slots__ = ("data", "handed_over")

    def __init__(self, data: bytes) -> None:
        """A message that nobody has taken."""
        self.data = data
        self.handed_over = 0


class Line(Protocol):
    """A way to a bot, as a session uses it: one stream, or for a remote bot one stream after the other."""

    def send(self, data: bytes) -> Outgoing:
        """Queue a message; never waits."""

    def ask(self, data: bytes) -> Outgoing:
        """Queue a DecisionRequests; it is open until it is `answered` or `given_up`."""

    def answered(self) -> None:
        """What was open is answered in full: it arrived, and so did all before it."""

    def given_up(self) -> None:
        """Nobody waits any longer for the answer to what was open."""

    def heard(self) -> None:
        """An event was dealt with: there is room for another."""

    def finish(self) -> None:
        """End it once everything queued is written."""


class Link:
    """One stream of a bot, as seen from trio: a Line that ends with its stream."""

    def __init__(self) -> None:
        """A stream that was just opened."""
        self._queue: queue.SimpleQueue[Outgoing | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(UNREAD)

    def send(self, data: bytes) -> Outgoing:
        """Queue a message; never waits."""
        outgoing = Outgoing(data)
        self.queue(outgoing)
        return outgoing

    def queue(self, outgoing: Outgoing) -> None:
        """Queue a message that somebody else keeps, too."""
        self._queue.put(outgoing)

    def ask(self, data: bytes) -> Outgoing:
        """Queue a DecisionRequests like any other message: what is lost with the stream is not sent again."""
        return self.send(data)

    def answered(self) -> None:
        """Nothing is kept that could be forgotten now."""

    def given_up(self) -> None:
        """Nothing is kept that could be forgotten now."""

    def finish(self) -> None:
        """End the stream once everything queued is written."""
        self._queue.put(None)
        self._room.release()

    def heard(self) -> None:
        """An event was dealt with: there is room for another."""
        self._room.release()

    def wait_for_room(self) -> None:
        """For the reader: wait until the referee keeps up, or the stream is over."""
        self._room.acquire()

    def outgoing(self, first_within: float) -> Iterator[Outgoing]:
        """For the writer: what is to be written, in order. Ends early if there is nothing at all for that long."""
        try:
            item = self._queue.get(timeout=first_within)
        except queue.Empty:
            return
        while item is not None:
            yield item
            item = self._queue.get()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a stream is turned away: the name of an ErrorCode without its prefix, and one sentence."""

    code: str
    sentence: str


Ear = Callable[[Event], None]


class Incoming:
    """What comes in on one stream. `ear` takes it in the trio thread, once it is known.

    gRPC's thread gives each message to `take` before it wakes the stream's reader; to wait for that would cost more
    than all that is done with a message here.
    """

    def __init__(self, pass_on: Callable[[Ear, Event], None]) -> None:
        """Nothing has come, and nobody listens."""
        self._pass_on = pass_on
        self._latest: Event | None = None
        self.ear: Ear | None = None

    def take(self, data: bytes) -> bytes:
        """A message has arrived."""
        self._hear(_event_of(data))
        return data

    def next_or_end(self, requests: Iterator[bytes]) -> Event:
        """For the reader: let the next message come; what came, which may be the end of the stream."""
        try:
            if next(requests, None) is None:
                self._hear(StreamEnded("the bot closed its stream", time.monotonic_ns()))
        except grpc.RpcError:
            self._hear(StreamEnded("the connection broke", time.monotonic_ns()))
        assert self._latest is not None
        return self._latest

    def _hear(self, event: Event) -> None:
        self._latest = event
        if self.ear is not None:
            self._pass_on(self.ear, event)


def _event_of(data: bytes) -> Said | Malformed:
    arrival = time.monotonic_ns()
    if len(data) > MAX_MESSAGE:
        return Malformed(f"a message of {len(data)} bytes; at most {MAX_MESSAGE} are taken", arrival)
    try:
        return Said(seat_pb2.PlayRequest.FromString(data), arrival)
    except DecodeError:
        what = "a compressed message, send plain ones" if data.startswith(COMPRESSED) else NO_REQUEST
        return Malformed(what, arrival)


class StreamServer:
    """Serves Play and ListVariants on one address; who may play is said by `claim` in a subclass.

    What `claim` returns for a stream takes its further events, in the trio thread. A stream that is refused gets an
    Error and ends, and no other stream notices.
    """

    def __init__(
        self, address: str, *, post: Post, streams: int, per_connection: int = STREAMS, patience_s: float
    ) -> None:
        """Start to listen, for at most `streams` streams at once, of which each connection may have `per_connection`.

        A stream to which nothing was said for `patience_s` is cut off; the start-up clock itself is not kept here.
        `address` is "unix:/path" or "127.0.0.1:0"; `self.target` is what a client dials. Raises OSError if it cannot be
        had. What bots say is brought by `post`.
        """
        self._patience_s = patience_s
        self._links: set[Link] = set()
        self.post = post
        self._pool = ThreadPoolExecutor(max_workers=streams, thread_name_prefix="seat")
        self._server = grpc.server(
            self._pool,
            handlers=[_Service(self)],
            options=[*OPTIONS, ("grpc.max_concurrent_streams", per_connection)],
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

    def claim(self, first: Event, link: Link, peer: str) -> Ear | Refusal:
        """Whose stream this is, from its first event; called in a thread of the stream's own."""
        raise NotImplementedError

    async def stop(self) -> None:
        """`close`, in a thread."""
        import trio  # a server listens before trio is imported (`ahead`)

        await trio.to_thread.run_sync(self.close)

    def close(self) -> None:
        """Cut off whatever is still connected and give the address back. Safe to call twice."""
        for link in list(self._links):
            link.finish()
        self._server.stop(0).wait(STOP_S)
        self._pool.shutdown(wait=False)

    def play(self, incoming: Incoming, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Serve a stream in a thread of gRPC's pool: what is to be written, as it comes."""
        context.send_initial_metadata(())
        link = Link()
        if not context.add_callback(link.finish):
            return
        arguments = (incoming, requests, link, context.peer())
        threading.Thread(target=self._read, args=arguments, name="seat-reader", daemon=True).start()
        self._links.add(link)
        try:
            for outgoing in link.outgoing(self._patience_s):
                outgoing.handed_over = time.monotonic_ns()
                yield outgoing.data
        finally:
            self._links.discard(link)

    def _read(self, incoming: Incoming, requests: Iterator[bytes], link: Link, peer: str) -> None:
        """Thread of its own: from the Hello to the end of the stream. What comes in is passed on by `incoming`."""
        heard = incoming.next_or_end(requests)
        ear = self.claim(heard, link, peer)
        if isinstance(ear, Refusal):
            link.send(error(ear.code, ear.sentence, fatal=True))
            link.finish()
            return
        incoming.ear = ear
        while not isinstance(heard, StreamEnded):
            link.wait_for_room()
            heard = incoming.next_or_end(requests)

    def pass_on(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Have something called in the trio thread, soon and in order."""
        try:
            self.post.bring(callback, *arguments)
        except NobodyThereError:
            # The referee is gone and nobody is left to be told.
            return


class SeatServer(StreamServer):
    """Listens on an address of its own for the one process that holds `token`.

    `on_connect(link, hello)` and `on_event(event)` are called in the trio thread. The token works once.
    """

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[Link, Said], None],
        on_event: Ear,
        *,
        post: Post,
        patience_s: float,
    ) -> None:
        """Start to listen; see StreamServer."""
        self._token = token.encode()
        self._claimed = threading.Lock()
        self._on_connect = on_connect
        self._on_event = on_event
        self.refused = ""
        """Why the last stream that was refused was refused."""
        super().__init__(address, post=post, streams=STREAMS, patience_s=patience_s)

    def claim(self, first: Event, link: Link, peer: str) -> Ear | Refusal:
        """The bot's own stream, once; its token is then spent."""
        refused = self._refuse(first)
        if refused:
            self.refused = refused
            return Refusal("TOKEN", refused)
        self.pass_on(self._on_connect, link, first)
        return self._on_event

    def _refuse(self, first: Event) -> str:
        """Why this stream is not the bot's, or ""; if it is, the token is spent."""
        if (hello := hello_of(first)) is None:
            return NO_HELLO
        if not hmac.compare_digest(hello.token.encode(), self._token):
            return UNKNOWN_TOKEN
        if not self._claimed.acquire(blocking=False):
            return USED_TOKEN
        return ""


def hello_of(first: Event) -> seat_pb2.Hello | None:
    """The Hello with which a stream began; None if it began with anything else."""
    if isinstance(first, Said) and first.request.WhichOneof("message") == "hello":
        return first.request.hello
    return None


class _Service(grpc.GenericRpcHandler):
    """What a server answers. Each stream has a handler of its own, which knows where its messages go."""

    def __init__(self, server: StreamServer) -> None:
        self._server = server

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        if handler_call_details.method == PLAY:
            incoming = Incoming(self._server.pass_on)
            play = partial(self._server.play, incoming)
            return grpc.stream_stream_rpc_method_handler(play, request_deserializer=incoming.take)
        if handler_call_details.method == LIST_VARIANTS:
            return grpc.unary_unary_rpc_method_handler(lambda _request, _context: list_variants())
        return None
