"""A process of the bot under test, its stream, and the messages in both directions."""

from __future__ import annotations

import hmac
import math
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

import trio
from google.protobuf import text_format

from bowerbird.harness.extras.compliance.driver.relay import Relay
from bowerbird.harness.extras.compliance.driver.tls_front import HOST, TlsFront
from bowerbird.harness.extras.compliance.results import STILL_RUNNING, CheckFailedError, Evidence
from bowerbird.harness.records.quoting import shown, utf8
from bowerbird.harness.referee.connection.link_stream import LinkStream
from bowerbird.harness.referee.connection.local_server import LocalServer
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.participant import capabilities_of, welcome_of
from bowerbird.harness.referee.connection.seat_door import SOCKET_MODE, hello_of
from bowerbird.harness.referee.connection.stream import (
    Listener,
    Malformed,
    Outgoing,
    Received,
    Refusal,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import NotStartedError, Process, Supervisor
from bowerbird.harness.referee.remote.resumable_connection import TAKEN_OVER
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.seat.v1 import seat_pb2

MAX_MESSAGES = 12
"""How many of the last messages are kept."""

MAX_CHARACTERS = 4000
"""How many characters of a message are shown."""

MAX_DECISIONS = 2
"""How many decisions of a message are shown."""


class Transcript:
    """The last messages in both directions, in milliseconds since the transcript began."""

    def __init__(self) -> None:
        """Create an empty transcript that begins now."""
        self._begin_ns = time.monotonic_ns()
        self._entries: deque[tuple[int, bytes | seat_pb2.PlayRequest | str]] = deque(maxlen=MAX_MESSAGES)

    def add_sent(self, data: bytes) -> None:
        """Add a message to the bot, serialised."""
        self._entries.append((time.monotonic_ns(), data))

    def add_received(self, request: seat_pb2.PlayRequest, arrival_ns: int) -> None:
        """Add a message from the bot."""
        self._entries.append((arrival_ns, request))

    def add_note(self, note: str) -> None:
        """Add another event, in words."""
        self._entries.append((time.monotonic_ns(), note))

    def lines(self) -> tuple[str, ...]:
        """Return a line for each entry, oldest first."""
        return tuple(f"{(at - self._begin_ns) // 1_000_000:>6} ms  {_line(entry)}" for at, entry in self._entries)


def _line(entry: bytes | seat_pb2.PlayRequest | str) -> str:
    if isinstance(entry, str):
        return f"-- {entry}"
    if isinstance(entry, bytes):
        return f"-> {_response_text(seat_pb2.PlayResponse.FromString(entry))}"
    return f"<- {_text(entry)}"


def _response_text(response: seat_pb2.PlayResponse) -> str:
    """Return a message to the bot as text, with only its first decisions."""
    requests = response.decision_requests.requests
    more = len(requests) - MAX_DECISIONS
    if more <= 0:
        return _text(response)
    del requests[MAX_DECISIONS:]
    return f"{_text(response)} … and {more} more decisions"


def _text(message: seat_pb2.PlayRequest | seat_pb2.PlayResponse) -> str:
    text = text_format.MessageToString(message, as_utf8=True, as_one_line=True, print_unknown_fields=True).strip()
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS // 2]} … {text[-MAX_CHARACTERS // 2 :]}"


class Transport(StrEnum):
    """The ways in which the bot can reach its server."""

    UNIX = "unix"
    TCP = "tcp"
    RELAYED = "relayed"
    """Over a Unix socket and a `Relay`, which can make half-open connections."""
    TLS = "tls"
    """Over TCP, a `Relay` and TLS."""


SECOND_END_S = 2.0
"""How long to wait for the process to end after the stream, or the reverse, so that the transcript has both."""

OUTPUT_SHOWN = 8192
"""How many characters the evidence keeps from the end of an output."""


@dataclass(frozen=True, slots=True)
class StreamRefused:
    """A stream of the bot that the server refused. `has_hello` says whether it began with a Hello.

    `code` is the name of an ErrorCode without its prefix. `at_ns` is the time of the refusal on the monotonic clock,
    before the bot hears of it.
    """

    why: str
    has_hello: bool
    code: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The end of the bot's stream, and possibly of its process."""

    how: str


BotEvent = Received | Malformed | StreamRefused | Disconnected


def message_of(event: BotEvent | None, awaited: str, timeout: float) -> Received:
    """Return the message of an event of `BotConnection.next_event`. Raises CheckFailedError if it is not a message.

    `awaited` names the message that is due, and `timeout` is how many seconds the check waited for it.
    """
    match event:
        case Received(request=request) as received:
            if request.WhichOneof("message") == "bot_fault":
                raise CheckFailedError(f"it reported a failure of its own: {shown(request.bot_fault.message)}")
            return received
        case Malformed(why=why):
            raise CheckFailedError(f"it sent {why}; expected {awaited}")
        case StreamRefused(why=why):
            raise CheckFailedError(f"its stream was refused: {why}")
        case Disconnected(how=how):
            raise CheckFailedError(f"{how}; expected {awaited}")
    raise CheckFailedError(f"no message came within {round(timeout, 1):g} s; expected {awaited}")


class _Server(LocalServer):
    """A seat's server that also reports refused streams and lets the bot resume its session.

    issued: all secrets of the session. secrets: the currently valid ones. refusal: the refusal for the next stream that
        could resume the session. is_over: whether the session can no longer be resumed.
    """

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[LinkStream, Received], None],
        on_event: Callable[[LinkStream, StreamEvent], None],
        on_refused: Callable[[StreamRefused], None],
        *,
        mailbox: Mailbox,
        silence_s: float,
    ) -> None:
        self._on_refused = on_refused
        self._on_stream_event = on_event
        self.issued: list[str] = []
        self.secrets: tuple[str, ...] = ()
        self.refusal: Refusal | None = None
        self.is_over = False
        super().__init__(address, token, on_connect, _ignore, mailbox=mailbox, silence_s=silence_s)

    def claim(self, first: StreamEvent, stream: LinkStream) -> Listener | Refusal:
        """Return the listener or the refusal of a stream. A resumed session needs its secret."""
        listener = self._resumed(first, stream) if self.issued else super().claim(first, stream)
        if isinstance(listener, Refusal):
            has_hello = not isinstance(hello_of(first), Refusal)
            self._on_refused(StreamRefused(listener.sentence, has_hello, listener.code, time.monotonic_ns()))
            return listener
        return partial(self._on_stream_event, stream)

    def _resumed(self, first: StreamEvent, link: LinkStream) -> Listener | Refusal:
        hello = hello_of(first)
        if isinstance(hello, Refusal):
            return hello
        assert isinstance(first, Received), "it holds the Hello"
        if self.is_over:
            return Refusal("SESSION_OVER", "this session is over")
        if not _is_among(hello.session_secret, self.secrets):
            return Refusal("SESSION_OVER", self._wrong_secret(hello))
        if self.refusal is not None:
            refusal, self.refusal = self.refusal, None
            return refusal
        self._on_connect(link, first)
        return _ignore

    def _wrong_secret(self, hello: seat_pb2.Hello) -> str:
        """Return what is wrong with the secret in a Hello that cannot resume the session."""
        if _is_among(hello.session_secret, self.issued):
            return "its Hello has the session_secret of an earlier Welcome, not of the last one"
        if hello.session_secret:
            return "its Hello has a session_secret that was not in any Welcome"
        return "its Hello does not have the session_secret of its Welcome"

    def accept_token_again(self) -> None:
        """Let the token open another stream, since its first one got no Welcome."""
        self._is_claimed = False

    def break_streams(self) -> None:
        """Cancel all streams; the server keeps listening."""
        if self._links is not None:
            self._links.cancel_calls()

    def break_off(self) -> None:
        """Cut all connections and stop. `close` alone would first end the streams properly."""
        if self._links is not None:
            self._links.cut()
        self.close()


def _ignore(_event: StreamEvent) -> None:
    """Do nothing: `_Server.claim` returns a listener for each stream."""


def _is_among(secret: str, known: Collection[str]) -> bool:
    return any(hmac.compare_digest(utf8(secret), utf8(each)) for each in known)


class BotConnection:
    """A process of the bot and its stream. Create it with `ProcessHost.start`, and `close` it at the end.

    `hello` is the bot's last Hello, empty before it arrives. `table_ids` are all tables that the bot has seen.
    `abandoned_ids` are those that were closed in play. Answers about them may still come, even in a later check.
    `passed_over` are the kinds of message that `receive` has skipped.
    """

    def __init__(self, clock: RunningTime, server_folder: Path, name: str) -> None:
        """Create a connection without a process. Its files are in `server_folder` and named after `name`.

        The clock measures what the bot is waited for, so that a machine that stands still costs the bot nothing.
        """
        self._clock = clock
        self._folder = server_folder
        self._name = name
        self._log = OutputLog(server_folder / f"{name}.log")
        self._send_event, self._receive_event = trio.open_memory_channel[BotEvent](math.inf)
        self._stream_over = trio.Event()
        self._tables = 1
        self._server: _Server | None = None
        self._relay: Relay | None = None
        self._tls_front: TlsFront | None = None
        self._standing: LinkStream | None = None
        self._token = secrets.token_urlsafe(32)
        self._has_failed = False
        self.transcript = Transcript()
        self.link: LinkStream | None = None
        self.process: Process | None = None
        self.hello = seat_pb2.Hello()
        self.table_ids: set[str] = set()
        self.abandoned_ids: set[str] = set()
        self.passed_over: frozenset[str] = frozenset()

    async def start(
        self,
        bot: BotSpec,
        tier: Tier,
        supervisor: Supervisor,
        nursery: trio.Nursery,
        *,
        transport: Transport,
        protocols: str,
        startup: float,
    ) -> None:
        """Listen, then start the bot; `startup` is in seconds.

        Raises CheckFailedError if the system cannot start it, NotReachedError if this transport is not available here.
        """
        self._tables = bot.tables
        seat = {
            **self._listen(transport, startup, nursery),
            "BOWERBIRD_TOKEN": self._token,
            "BOWERBIRD_PROTOCOLS": protocols,
        }
        shown = " ".join(f"{name}={value}" for name, value in seat.items() if name != "BOWERBIRD_TOKEN")
        self.transcript.add_note(f"started with {shown}")
        try:
            self.process = await supervisor.start(tier.launch(bot, seat), self._log, nursery)
        except NotStartedError as error:
            raise CheckFailedError(f"it cannot be started: {error}") from error
        except OSError as error:
            raise CheckFailedError(f"it cannot be started: {error.strerror}") from error
        nursery.start_soon(self._watch, self.process)

    def _listen(self, transport: Transport, patience: float, nursery: trio.Nursery) -> dict[str, str]:
        """Listen, and return the environment variables with which the bot connects here."""
        mailbox = Mailbox().open()
        path = self._folder / self._name
        self._server = server = _Server(
            "127.0.0.1:0" if transport is Transport.TCP else f"unix:{path}",
            self._token,
            self._on_connect,
            self._on_event,
            self._on_refused,
            mailbox=mailbox,
            silence_s=patience,
        )
        nursery.start_soon(server.serve)
        if transport is Transport.TLS:
            self._tls_front = TlsFront(self._folder, self._name, server, self._on_tls_refused, mailbox=mailbox)
        if self._tls_front is not None:
            nursery.start_soon(self._tls_front.serve)
            listener = socket.create_server((HOST, 0))
            self._relay = Relay(partial(trio.open_tcp_stream, HOST, self._tls_front.port))
            nursery.start_soon(self._relay.serve, listener)
            port = listener.getsockname()[1]
            return {"BOWERBIRD_ADDRESS": f"{HOST}:{port}", "BOWERBIRD_CA": str(self._tls_front.trust)}
        if transport is Transport.RELAYED:
            relayed = self._folder / f"{self._name}-relay"
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(relayed))
            relayed.chmod(SOCKET_MODE)
            listener.listen()
            self._relay = Relay(partial(trio.open_unix_socket, path))
            nursery.start_soon(self._relay.serve, listener)
            return {"BOWERBIRD_ADDRESS": f"unix:{relayed}"}
        return {"BOWERBIRD_ADDRESS": self._server.target}

    def _on_refused(self, refused: StreamRefused) -> None:
        self.transcript.add_note(f"a stream was refused: {refused.why}")
        self._send_event.send_nowait(refused)

    def _on_tls_refused(self, sentence: str) -> None:
        """Report a connection without an accepted Hello.

        Once a stream has begun, later connections may break in any way.
        """
        if self.link is None and not self.hello.protocol_versions:
            self._on_refused(StreamRefused(sentence, False, "TLS", time.monotonic_ns()))

    def _on_connect(self, link: LinkStream, hello: Received) -> None:
        if self._standing is not None:
            self._standing.refuse(TAKEN_OVER)
            self._standing = None
        self.link = link
        self.hello = hello.request.hello
        self._send_event.send_nowait(hello)
        self.transcript.add_received(hello.request, hello.arrival_ns)

    def _on_event(self, link: LinkStream, event: StreamEvent) -> None:
        """Process an event of a stream. Events of a lost stream only enter the transcript."""
        is_current = link is self.link
        if not is_current and not isinstance(event, StreamEnded):
            link.event_handled()
        match event:
            case Received(request=request, arrival_ns=arrival):
                self.transcript.add_received(request, arrival)
                if is_current:
                    self._confirm_secret()
                    self._has_failed |= request.WhichOneof("message") == "bot_fault"
                    self._send_event.send_nowait(event)
            case Malformed(why=why):
                self.transcript.add_note(why)
                if is_current:
                    self._send_event.send_nowait(event)
            case StreamEnded(why=why):
                self.transcript.add_note(why if is_current else f"the old stream has ended: {why}")
                if is_current:
                    self._stream_over.set()

    async def _watch(self, process: Process) -> None:
        """Queue a Disconnected after the bot's last message."""
        async with trio.open_nursery() as first:

            async def until(event: trio.Event) -> None:
                await event.wait()
                first.cancel_scope.cancel()

            first.start_soon(until, process.ended)
            first.start_soon(until, self._stream_over)
        with trio.move_on_after(SECOND_END_S):
            await process.ended.wait()
            if self.link is not None:
                await self._stream_over.wait()
        if process.exit_status is None:
            self._send_event.send_nowait(Disconnected("it ended its stream, but its process kept running"))
        else:
            self.transcript.add_note(f"the process ended: {process.exit_status}")
            self._send_event.send_nowait(Disconnected(f"its process ended with {process.exit_status}"))

    # Messages.

    def send(self, data: bytes) -> Outgoing:
        """Send a serialised PlayResponse."""
        assert self.link is not None, "checks send only after the Hello"
        self.transcript.add_sent(data)
        return self.link.send(data)

    async def next_event(self, timeout: float) -> BotEvent | None:
        """Return the next event, or None if there is none within `timeout` seconds."""
        event = await self._clock.within(timeout, self._receive_event.receive)
        if self.link is not None and isinstance(event, (Received, Malformed)):
            self.link.event_handled()
        return event

    async def receive(self, awaited: str, timeout: float) -> Received:
        """Return the next message, of any kind. Raises CheckFailedError if there is none within `timeout` seconds.

        `awaited` names the message that is due.
        """
        event = await self.next_event(timeout)
        while isinstance(event, Received) and event.request.WhichOneof("message") in self.passed_over:
            event = await self.next_event(timeout)
        return message_of(event, awaited, timeout)

    async def receive_kind(self, kind: str, awaited: str, timeout: float) -> Received:
        """Return the next message, which must be of this kind. Raises CheckFailedError."""
        received = await self.receive(awaited, timeout)
        found = received.request.WhichOneof("message")
        if found != kind:
            raise CheckFailedError(f"it sent {found or 'an unknown message'}; expected {awaited}")
        return received

    def welcome(self, startup: float | None, *, resume: float = 0) -> bytes:
        """Return the Welcome that answers the bot's Hello; `startup` and `resume` are in seconds.

        `startup` is the time left until Ready, or None if the bot has sent it. `resume` is how long its seats are kept
        when its stream breaks, or 0 if it must not resume. If not 0, the Welcome has a new secret.
        """
        able = capabilities_of(self.hello.capabilities, self._tables)
        startup_ms = int(startup * 1000) if startup is not None else None
        return welcome_of(able, startup_ms, self._issue_secret() if resume else "", int(resume * 1000))

    # Sessions.

    def _issue_secret(self) -> str:
        """Draw a secret. The one in the Hello also stays valid until another message shows that this one arrived."""
        assert self._server is not None, "only `close` and `cut` remove the server"
        secret = secrets.token_urlsafe(32)
        used = self.hello.session_secret
        self._server.secrets = (used, secret) if used else (secret,)
        self._server.issued.append(secret)
        return secret

    def _confirm_secret(self) -> None:
        """Make earlier secrets invalid, because a message arrived on a stream with a Welcome."""
        if self._server is not None:
            self._server.secrets = self._server.secrets[-1:]

    def lose_stream(self, *, half_open: bool = False) -> None:
        """Break the connection.

        The bot may resume its session, or begin it again if it had no Welcome with a secret. If `half_open`, only the
        bot's side breaks, and the old stream stays open until a new one replaces it. Messages that have arrived but
        were not received by the check are dropped.
        """
        assert self._server is not None, "only `close` and `cut` remove the server"
        self.transcript.add_note("the connection is broken" + (" on the bot's side only" if half_open else ""))
        link, self.link = self.link, None
        self._drop_events(link)
        if not self._server.issued:
            self._server.accept_token_again()
        if half_open:
            assert self._relay is not None, "the check has chosen a transport with a relay"
            self._standing = link
            self._relay.break_connections()
        else:
            self._server.break_streams()
            if self._tls_front is not None:
                self._tls_front.break_streams()

    def _drop_events(self, link: LinkStream | None) -> None:
        """Drop the messages that have arrived, but not the end of the process."""
        kept = []
        with suppress(trio.WouldBlock):
            while True:
                event = self._receive_event.receive_nowait()
                if isinstance(event, Disconnected):
                    kept.append(event)
                elif link is not None and isinstance(event, (Received, Malformed)):
                    link.event_handled()
        for event in kept:
            self._send_event.send_nowait(event)

    def refuse_next(self, refusal: Refusal) -> None:
        """Refuse the next stream that resumes the session, and accept the one after it."""
        assert self._server is not None, "only `close` and `cut` remove the server"
        self._server.refusal = refusal

    def end_session(self) -> None:
        """End the session, so that no stream can resume it."""
        assert self._server is not None, "only `close` and `cut` remove the server"
        self._server.is_over = True

    # The end.

    def end_stream(self) -> None:
        """End the stream after the messages sent so far."""
        if self.link is not None:
            self.link.finish()

    async def cut(self) -> None:
        """Break the connection and stop listening, as if the referee were killed."""
        if self._relay is not None:
            self._relay.close()
        if self._tls_front is not None:
            self._tls_front.close()
        if self._server is not None:
            self._server.break_off()
            self._server = None

    def refuse(self, refusal: Refusal) -> None:
        """End the stream with a fatal Error and its status, after the messages sent so far."""
        assert self.link is not None, "checks refuse only after the Hello"
        self.transcript.add_note(f"ended with a fatal Error {refusal.code}: {refusal.sentence}")
        self.link.refuse(refusal)

    async def wait_exit(self, timeout: float, code: int | None = None) -> float:
        """Wait for the end of the process and return how many seconds it took.

        Raises CheckFailedError if it is still running after `timeout` seconds, or if its exit code is not `code` (when
        given).
        """
        assert self.process is not None, "`start` has returned"
        begin = time.monotonic()
        await self._clock.wait_for(self.process.ended, timeout)
        if self.process.exit_status is None:
            raise CheckFailedError(f"its process is still running after {timeout:g} s")
        if code is not None and self.process.exit_status.status != code:
            raise CheckFailedError(f"its process ended with {self.process.exit_status}; expected exit status {code}")
        return time.monotonic() - begin

    async def close(self) -> None:
        """End the process, the stream and the server. Shielded from cancellation. A second call does nothing."""
        with trio.CancelScope(shield=True):
            self.end_stream()
            if self.process is not None:
                await self.process.end(0)
            await self.cut()

    @property
    def output_bytes(self) -> int:
        """The size of its stdout and stderr in bytes, up to the capacity of a log."""
        try:
            return self._log.path.stat().st_size
        except FileNotFoundError:
            return 0

    async def collect_evidence(self) -> Evidence:
        """Return the evidence so far. A bot that has reported its own failure gets a moment to exit."""
        process = self.process
        if process is not None and self._has_failed:
            self.end_stream()  # until then, it may wait for this
            with trio.move_on_after(SECOND_END_S):
                await process.ended.wait()
        if process is not None and process.ended.is_set():
            await process.wait_for_output()
        if process is None:
            return Evidence(self.transcript.lines(), "", "", "never started")
        return Evidence(
            self.transcript.lines(),
            process.stdout.text[-OUTPUT_SHOWN:],
            process.stderr.text[-OUTPUT_SHOWN:],
            str(process.exit_status) if process.exit_status is not None else STILL_RUNNING,
        )
