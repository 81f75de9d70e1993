"""The connections of bots as trio tasks: HTTP/2 over a socket, with or without TLS, and the calls on it.

A connection reads in its own task and passes on its input at once: a bot's answer reaches its session by plain calls.
Output is written once per turn, after all sessions have sent (`mailbox`). Everything that waits for a client has a
deadline that the client cannot move.
"""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Protocol

import trio
from google.protobuf.message import DecodeError

from bowerbird.engine import UnknownVariant
from bowerbird.harness.http2 import grpc_words
from bowerbird.harness.http2.frames import CANCEL, ENHANCE_YOUR_CALM, NO_ERROR
from bowerbird.harness.http2.grpc_words import BadPieceError, Pieces, StatusCode
from bowerbird.harness.http2.server import Data, Ended, Opened, ServerConnection
from bowerbird.harness.rate_limit import RateLimit
from bowerbird.harness.referee.connection.link_stream import Door, LinkStream
from bowerbird.harness.referee.connection.messages import list_variants
from bowerbird.harness.referee.connection.probes import HEALTH, REFLECTION, CallEndedError, probe
from bowerbird.harness.referee.connection.seat_door import (
    FLOOD_OF_CALLS,
    LIST_VARIANTS,
    MAX_REFUSED_CALLS,
    OUTDATED,
    OUTDATED_SENTENCE,
    PLAY,
    SERVICE,
    SHARED_IDLE_MS,
    STREAMS,
    TOO_FAST,
    TRANSPORT_LIMIT,
    UNKNOWN_TOKEN,
    SeatDoor,
)
from bowerbird.harness.referee.connection.stream import (
    Outgoing,
    Refusal,
)
from bowerbird.harness.referee.game.faults import one_line
from bowerbird.harness.referee.host.poll_times import poll_times
from bowerbird.harness.referee.process.patience import Patience
from bowerbird.seat.v1 import seat_pb2

READ = 16384
"""The bytes read from a connection before others get their turn."""

HANDSHAKE_S = 2.0
"""The time limit for a client's preface and SETTINGS."""

PROBE_S = 30.0
"""The time limit for a call other than Play."""

LINGER_S = 2.0
"""The time limit for a client to read the end of a stream."""

MAX_UNSENT = 1 << 20
"""With more unsent bytes than this, a client is not read, since its input may need answers too."""

ACCEPTS_AT_ONCE = 1000
ACCEPTS_PER_S = 200.0
"""The connections accepted at an address: this many at once, and then this many per second. Others must wait."""

MAX_ACCEPTS = 64
"""The connections accepted before other tasks get their turn."""

PAUSE_S = 0.1
"""How long to accept nothing when the process has no descriptors left."""

NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

MAX_OVERHEAD = 1 << 20
OVERHEAD_FACTOR = 8
"""The overhead that a bot may send beyond its messages: `MAX_OVERHEAD` bytes, plus `OVERHEAD_FACTOR` times their size.

The shortest answer takes about 30 bytes, and its frame, a PING and two WINDOW_UPDATEs take 60.
"""

FLOOD_OF_FRAMES = f"more than {MAX_OVERHEAD >> 20} MiB of HTTP/2 frames that belong to no message"
SILENT = "no Hello came within {:g} s"
LEFT, BROKE = "the bot closed its stream", "the connection broke"


class Account:
    """The input of some connections: the bytes read, and the bytes of messages among them."""

    __slots__ = ("messages", "pause_s", "read")

    def __init__(self) -> None:
        self.read = 0
        self.messages = 0
        self.pause_s = 0.0
        """How long the connection must not be read now."""

    def judge(self, size: int, frames: int, openings: int, now_ns: int) -> str:
        """Add some input: bytes, frames, and frames that open a stream. Return what is wrong, or ""."""
        self.read += size
        return FLOOD_OF_FRAMES if self.read > MAX_OVERHEAD + OVERHEAD_FACTOR * self.messages else ""


class Cipher(Protocol):
    """The TLS of a connection, without I/O."""

    has_ended: bool
    """Whether the client has announced the end of its data."""

    def decrypt(self, data: bytes) -> bytes:
        """Return the plain text of the client's next bytes, as far as it is complete. Raises OSError."""

    def encrypt(self, data: bytes) -> bytes:
        """Return the bytes to write for this plain text, and for TLS itself."""


class _Call(Protocol):
    """A call on a stream of a connection."""

    def take(self, data: bytes, arrival_ns: int) -> None:
        """Process a message."""

    def end(self, why: str, arrival_ns: int) -> None:
        """Note that the client has stopped sending."""


class _Probe:
    """A call of a service that needs no Hello. It answers each message at once."""

    def __init__(self, link: Link, number: int, method: str) -> None:
        self._link = link
        self._number = number
        self._method = method
        self._answered = 0

    def take(self, data: bytes, arrival_ns: int) -> None:
        """See `_Call`. In a call with many messages, each one counts as a call in the budget."""
        link = self._link
        if self._answered and not link.door.accepts_call():
            link.finish(self._number, StatusCode.RESOURCE_EXHAUSTED, TOO_FAST)
            return
        self._answered += 1
        try:
            answers, goes_on = self._answers(data)
        except CallEndedError as ended:
            link.finish(self._number, ended.status, ended.sentence)
            return
        for answer in answers:
            link.send(self._number, answer)
        if not goes_on:
            link.finish(self._number, StatusCode.OK)

    def end(self, why: str, arrival_ns: int) -> None:
        """See `_Call`."""
        if self._answered:
            self._link.finish(self._number, StatusCode.OK)
        else:
            self._link.finish(self._number, StatusCode.INTERNAL, "the call ended without a message")

    def _answers(self, data: bytes) -> tuple[Collection[bytes], bool]:
        """Return the answers to a message, and whether more messages may follow. Raises CallEndedError."""
        door = self._link.door
        if self._method != LIST_VARIANTS:
            door.probed()
            return probe(self._method, SERVICE, data)
        try:
            request = seat_pb2.ListVariantsRequest.FromString(data)
        except DecodeError as error_:
            raise CallEndedError(StatusCode.INTERNAL, "bytes that are not a ListVariantsRequest") from error_
        if not door.knows(request.token):
            raise CallEndedError(StatusCode.UNAUTHENTICATED, UNKNOWN_TOKEN)
        door.probed()
        try:
            return (list_variants(request.names),), False
        except UnknownVariant as error_:
            raise CallEndedError(StatusCode.NOT_FOUND, one_line(str(error_))) from error_


class Link:
    """One connection."""

    def __init__(
        self, sock: socket.socket, links: Links, door: Door, account: Account, cipher: Cipher | None = None
    ) -> None:
        """Wrap a connection that was just accepted, after the handshake of any TLS (`cipher`)."""
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.door = door
        self.is_the_bots = False
        """Whether the bot's own stream is on it. If so, all input comes from the bot."""
        self.is_closed = False
        self._socket = sock
        self._links = links
        self._account = account
        self._cipher = cipher
        self._http2 = ServerConnection(links.max_streams)
        self._calls: dict[int, tuple[_Call, Pieces]] = {}
        self._finishing: dict[int, _Call] = {}
        """Calls on which this side has sent everything. They are notified once their end is written."""
        self._full: LinkStream | None = None
        self._room = trio.Event()
        self._flushes_soon = False
        self._stamps: list[Outgoing] = []
        self._flushed_ns = 0
        self._unsent = bytearray()
        self._refused_calls = 0
        self._is_idle_watched = False
        links.links[self] = None
        links.watch(HANDSHAKE_S, lambda: self.is_closed or self._http2.is_established, self.close)
        self._watch_idle()
        self._flush_soon()  # our SETTINGS

    # From the client.

    async def run(self) -> None:
        """Read until the connection ends."""
        sock, times, account = self._socket, poll_times(), self._account
        try:
            if self._cipher is not None:
                self._take(b"", times.arrival_ns)  # bytes that came with the end of its handshake
            while not self.is_closed:
                await trio.lowlevel.wait_readable(sock)
                try:
                    data = sock.recv(READ)
                except BlockingIOError:
                    continue
                if not data:
                    break
                self._take(data, max(times.arrival_ns, self._flushed_ns))
                if account.pause_s:
                    await trio.sleep(account.pause_s)
                while (self._full is not None or self._unsent) and self._must_wait and not self.is_closed:
                    self._room = trio.Event()
                    await self._room.wait()
        except (OSError, trio.ClosedResourceError):
            pass  # it broke, or `close` was called
        finally:
            self.close()

    @property
    def _must_wait(self) -> bool:
        """Whether the client must not be read now."""
        return (self._full is not None and self._full.is_full) or len(self._unsent) > MAX_UNSENT

    def hold(self, stream: LinkStream) -> None:
        """Stop reading until this stream has passed on the messages it holds back."""
        self._full = stream

    def read_on(self) -> None:
        """Read again unless something else prevents it."""
        self._room.set()

    def _take(self, data: bytes, arrival_ns: int) -> None:
        size, http2, cipher = len(data), self._http2, self._cipher
        if cipher is not None:
            data = cipher.decrypt(data)
            self._flush_soon()  # TLS may have its own answer
        events = http2.receive(data)
        wrong = self._account.judge(size, http2.frames, http2.openings, arrival_ns)
        if wrong:
            self._cut(ENHANCE_YOUR_CALM, wrong, is_flood=True)
            return
        for event in events:
            if self.is_closed:
                return
            match event:
                case Data(number, payload):
                    self._take_data(number, payload, arrival_ns)
                case Ended(number):
                    self._end_call(number, LEFT, arrival_ns, is_complete=True)
                case Opened(number, headers):
                    self._open(number, grpc_words.not_grpc(headers), grpc_words.path_of(headers))
                case _:
                    self._end_call(event.stream, BROKE, arrival_ns)
        if http2.error is not None:
            self._cut(http2.error.code, str(http2.error), is_flood=http2.error.is_flood)
        elif cipher is not None and cipher.has_ended:
            self.close()
        elif http2.has_output:
            self._flush_soon()

    def _take_data(self, number: int, payload: bytes, arrival_ns: int) -> None:
        found = self._calls.get(number)
        if found is None:
            return  # the call was refused, but the client does not know yet
        call, pieces = found
        try:
            for data in pieces.take(payload):
                self._account.messages += len(data)
                call.take(data, arrival_ns)
        except BadPieceError as bad:
            self._end_call(number, BROKE, arrival_ns)
            self.finish(number, bad.status, str(bad))

    def _end_call(self, number: int, why: str, arrival_ns: int, *, is_complete: bool = False) -> None:
        """Notify a call that its client has stopped sending. `is_complete` tells whether an answer may follow."""
        found = self._calls.get(number)
        if found is None:
            return
        call, pieces = found
        call.end(BROKE if pieces.is_inside_message else why, arrival_ns)
        if not is_complete:
            self._forget(number)

    def _open(self, number: int, not_grpc: int, path: str) -> None:
        """Start a call, or refuse it."""
        door = self.door
        if not door.accepts_call():
            self._refused_calls += 1
            if self._refused_calls > MAX_REFUSED_CALLS:
                self._cut(ENHANCE_YOUR_CALM, FLOOD_OF_CALLS, is_flood=False)
            self._refuse_call(number, StatusCode.RESOURCE_EXHAUSTED, TOO_FAST)
        elif not_grpc:
            self._http2.respond(number, grpc_words.http_error_block(not_grpc), ends=True)
        elif self._links.calls >= self._links.max_calls:
            sentence = f"at most {self._links.max_calls} calls at once are served"
            self._refuse_call(number, StatusCode.RESOURCE_EXHAUSTED, sentence)
        elif path == PLAY:
            stream = LinkStream(self, number)
            self._begin(number, stream)
            silence_s = self._links.silence_s
            silence = Refusal("STARTUP", SILENT.format(silence_s))
            self._links.watch(
                silence_s, lambda: stream.has_sent or number not in self._calls, lambda: stream.refuse(silence)
            )
        elif path == LIST_VARIANTS or path.startswith((HEALTH, REFLECTION)):
            self._begin(number, _Probe(self, number, path))
            self._links.watch(
                PROBE_S,
                lambda: number not in self._calls,
                lambda: self.finish(number, StatusCode.DEADLINE_EXCEEDED, f"the call took more than {PROBE_S:g} s"),
            )
        elif path.startswith(OUTDATED):
            door.turned_away(OUTDATED_SENTENCE)
            self._refuse_call(number, StatusCode.UNIMPLEMENTED, OUTDATED_SENTENCE)
        else:
            self._refuse_call(number, StatusCode.UNIMPLEMENTED, "Method not found!")

    def _begin(self, number: int, call: _Call) -> None:
        self._calls[number] = call, Pieces(TRANSPORT_LIMIT)
        self._links.calls += 1
        self._http2.respond(number, grpc_words.HEADERS_BLOCK)

    def _refuse_call(self, number: int, status: int, sentence: str) -> None:
        self._http2.respond(number, grpc_words.refusal_block(status, sentence), ends=True)

    def _forget(self, number: int) -> None:
        if self._calls.pop(number, None) is not None:
            self._links.calls -= 1
            self._watch_idle()

    def _watch_idle(self) -> None:
        """Limit the time that a connection may carry no call, if there is such a limit."""
        idle_s = self._links.idle_s
        if idle_s is None or self._calls or self._is_idle_watched or self.is_closed:
            return
        self._is_idle_watched = True

        def close() -> None:
            self._http2.go_away(NO_ERROR, "no call")
            self._flush()
            self.close()

        def is_met() -> bool:
            is_met = self.is_closed or bool(self._calls)
            self._is_idle_watched = not is_met
            return is_met

        self._links.watch(idle_s, is_met, close)

    def _cut(self, code: int, why: str, *, is_flood: bool) -> None:
        """End the connection of a client that violates HTTP/2."""
        if self.is_closed:
            return
        if is_flood:
            self.door.blame(why, is_certain=self.is_the_bots)
        self._http2.go_away(code, why)
        self._flush()
        self.close()

    # To the client.

    def send(self, number: int, data: bytes, outgoing: Outgoing | None = None) -> None:
        """Write a message in this turn. `outgoing` is stamped when it is written."""
        self._http2.send(number, grpc_words.message(data))
        if outgoing is not None:
            self._stamps.append(outgoing)
        self._flush_soon()

    def finish(self, number: int, status: int, sentence: str = "") -> None:
        """End a stream with this status, after everything sent before."""
        if not self._http2.is_open(number):
            return
        self._http2.finish(number, grpc_words.trailers_block(status, sentence))
        if number in self._calls:
            self._finishing[number] = self._calls[number][0]
        self._flush_soon()
        self._links.watch(
            LINGER_S,
            lambda: self.is_closed or not (self._http2.is_open(number) or self._unsent),
            lambda: self._give_up(number),
        )
        self._forget(number)

    def _give_up(self, number: int) -> None:
        """End a stream, or the connection, whose client does not read the end of the stream."""
        if self._unsent:
            self.close()
        else:
            self._http2.reset(number, CANCEL)
            self._flush_soon()

    def cancel_calls(self) -> None:
        """Cut all calls off. The connection stays."""
        now_ns = time.monotonic_ns()
        for number in list(self._calls):
            self._http2.reset(number, CANCEL)
            self._end_call(number, BROKE, now_ns)
        self._flush_soon()

    def refuse_silent(self, refusal: Refusal) -> bool:
        """Refuse the Play calls that have sent nothing yet. Return whether there were any."""
        silent = [call for call, _ in self._calls.values() if isinstance(call, LinkStream) and call.is_silent]
        for stream in silent:
            stream.refuse(refusal)
        return bool(silent)

    def end(self) -> None:
        """End all calls cleanly, write as much as the socket accepts at once, and close."""
        for number in list(self._calls):
            call, _ = self._calls[number]
            if isinstance(call, LinkStream):
                call.finish()
        self._http2.go_away(NO_ERROR, "the address is closed")
        self._flush()
        self.close()

    def close(self) -> None:
        """Close the connection at once. Further calls do nothing."""
        if self.is_closed:
            return
        self.is_closed = True
        self._room.set()
        trio.lowlevel.notify_closing(self._socket)
        self._socket.close()
        now_ns = time.monotonic_ns()
        for number in list(self._calls):
            self._end_call(number, BROKE, now_ns)
        self._tell_ends(now_ns)
        self._links.links.pop(self, None)

    def _flush_soon(self) -> None:
        if not self._flushes_soon:
            self._flushes_soon = True
            self.door.mailbox.request_flush(self._flush)

    def _flush(self) -> None:
        """Write as much pending output as the socket accepts at once."""
        self._flushes_soon = False
        if self._stamps:
            self._flushed_ns = time.monotonic_ns()
            for outgoing in self._stamps:
                outgoing.handed_over_ns = self._flushed_ns
            self._stamps.clear()
        if self.is_closed:
            return
        data = self._http2.take_output()
        if self._cipher is not None:
            data = self._cipher.encrypt(data)
        if self._unsent:
            self._unsent += data
        elif data:
            self._write(data)
        if self._finishing and not self._unsent:
            self._tell_ends(time.monotonic_ns())

    def _write(self, data: bytes) -> None:
        """Write as much as the socket accepts at once, and the rest later."""
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # the connection broke: `run` will read its end
        if sent < len(data):
            self._unsent += data[sent:]
            self._links.start_soon(self._write_rest)

    async def _write_rest(self) -> None:
        """Write the output that the socket did not accept at once."""
        try:
            while self._unsent and not self.is_closed:
                await trio.lowlevel.wait_writable(self._socket)
                with suppress(BlockingIOError):
                    del self._unsent[: self._socket.send(self._unsent)]
        except (OSError, trio.ClosedResourceError):
            self._unsent.clear()  # it broke: `run` will read its end
        self.read_on()
        self._tell_ends(time.monotonic_ns())

    def _tell_ends(self, now_ns: int) -> None:
        """Notify the calls that are over: all of them if the connection is closed."""
        for number, call in list(self._finishing.items()):
            if self.is_closed or not self._http2.is_open(number):
                del self._finishing[number]
                call.end(LEFT, now_ns)


class _Deadline:
    """A limit on a wait. Hardly any of it is used up while this process is stopped."""

    __slots__ = ("expire", "is_met", "patience")

    def __init__(self, limit_s: float, is_met: Callable[[], bool], expire: Callable[[], None]) -> None:
        self.patience = Patience(limit_s)
        self.is_met = is_met
        self.expire = expire


class Links:
    """Some connections, with the deadlines of their waits.

    max_streams: how many calls one connection may have at once. max_calls: how many calls all connections together may
        have.
    silence_s: how long a stream may wait before anything is sent on it. idle_s: how long a connection may carry no
        call; None for any time.
    """

    def __init__(
        self, *, silence_s: float, max_streams: int = STREAMS, max_calls: float = STREAMS, idle_s: float | None = None
    ) -> None:
        """Start without connections."""
        self.silence_s = silence_s
        self.max_streams = max_streams
        self.max_calls = max_calls
        self.idle_s = idle_s
        self.calls = 0
        """The number of calls being served, over all connections."""
        self.links: dict[Link, None] = {}
        self._deadlines: list[_Deadline] = []
        self._news = trio.Event()
        self._nursery: trio.Nursery

    async def run(self, accept: Callable[[], Awaitable[None]]) -> None:
        """Serve the connections that `accept` accepts, until it returns or this is cancelled."""
        try:
            async with trio.open_nursery() as self._nursery:
                self.start_soon(self._watch_deadlines)
                await accept()
                self._nursery.cancel_scope.cancel()
        finally:
            self.cut()

    def start_soon(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task until `run` ends."""
        self._nursery.start_soon(task)

    def cancel_calls(self) -> None:
        """Cut all calls off. The connections stay."""
        for link in list(self.links):
            link.cancel_calls()

    def cut(self) -> None:
        """Close all connections at once."""
        for link in list(self.links):
            link.close()

    def watch(self, limit_s: float, is_met: Callable[[], bool], expire: Callable[[], None]) -> None:
        """Call `expire` after about `limit_s`, unless `is_met()` is true by then."""
        self._deadlines.append(_Deadline(limit_s, is_met, expire))
        self._news.set()

    def refuse_silent(self, refusal: Refusal) -> bool:
        """See `LocalServer`."""
        return sum(link.refuse_silent(refusal) for link in list(self.links)) > 0

    async def _watch_deadlines(self) -> None:
        while True:
            self._news = trio.Event()
            step_s = self._next_step_s()
            with trio.move_on_after(step_s):
                await self._news.wait()

    def _next_step_s(self) -> float:
        """Expire all waits that are due. Return the time until the next deadline; infinity if nothing waits."""
        next_s = float("inf")
        left: list[_Deadline] = []
        deadlines, self._deadlines = self._deadlines, []
        for deadline in deadlines:
            if deadline.is_met():
                continue
            step_s = deadline.patience.step_s()
            if step_s:
                left.append(deadline)
                next_s = min(next_s, step_s)
            else:
                deadline.expire()
        self._deadlines += left
        return next_s


class LinkServer(Links):
    """The connections to one local bot's address."""

    def __init__(self, door: SeatDoor, listener: socket.socket, *, silence_s: float, max_connections: int) -> None:
        """Start without serving. The caller closes `listener` after `close`."""
        super().__init__(silence_s=silence_s, idle_s=None if door.is_private else SHARED_IDLE_MS / 1000)
        self._door = door
        self._listener = listener
        self._max_connections = max_connections
        self._account = Account()
        self._accepts = RateLimit(ACCEPTS_PER_S, ACCEPTS_AT_ONCE)
        self._scope = trio.CancelScope()

    async def serve(self) -> None:
        """Accept connections and serve them until `close`, or until cancelled."""
        with self._scope:
            await self.run(self._accept)

    def close(self) -> None:
        """End all calls and connections as far as possible without waiting, and stop accepting."""
        for link in list(self.links):
            link.end()
        self._scope.cancel()
        trio.lowlevel.notify_closing(self._listener)

    async def _accept(self) -> None:
        listener = self._listener
        while True:
            try:
                await trio.lowlevel.wait_readable(listener)
            except trio.ClosedResourceError:  # `close`
                return
            for _ in range(MAX_ACCEPTS):
                try:
                    accepted, _ = listener.accept()
                except BlockingIOError:
                    break
                except OSError as error_:
                    if error_.errno in NO_DESCRIPTORS:
                        await trio.sleep(PAUSE_S)
                        break
                    continue  # the client has already left
                self._serve(accepted)
                pause_s = self._accepts.wait_s(time.monotonic())
                if pause_s:
                    await trio.sleep(pause_s)
                    break

    def _serve(self, accepted: socket.socket) -> None:
        """Serve a connection unless there are too many."""
        if len(self.links) >= self._max_connections:
            accepted.close()
            return
        account = self._account if self._door.is_private else Account()
        self.start_soon(Link(accepted, self, self._door, account).run)
