"""One process of the bot under test, its stream, and the messages in both directions."""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import trio

from bowerbird.seat.v1 import seat_pb2
from harness.compliance.driver.transcript import Transcript
from harness.compliance.results import CheckFailedError, Evidence
from harness.referee.connection.mailbox import Mailbox
from harness.referee.connection.participant import capabilities_of, welcome_of
from harness.referee.connection.server import SeatServer, hello_of
from harness.referee.connection.stream import (
    Listener,
    Malformed,
    Outgoing,
    Received,
    Refusal,
    SeatStream,
    StreamEnded,
    StreamEvent,
)
from harness.referee.process.isolation import Tier
from harness.referee.process.output import OutputLog
from harness.referee.process.supervisor import NotStartedError, Process, Supervisor
from harness.referee.spec import BotSpec

UNIX = "unix"
TCP = "tcp"

SECOND_END_S = 2.0
"""Once the stream or the process has ended, wait this long for the other one, so that the transcript has both."""

CUT_S = 2.0
"""Wait this long for the server to cancel its streams."""

OUTPUT_SHOWN = 8192
"""Characters of evidence from the end of an output."""


@dataclass(frozen=True, slots=True)
class StreamRefused:
    """A stream of the bot that the server refused. `has_hello` says whether it began with a Hello."""

    why: str
    has_hello: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The end of the bot's process, or at least of its stream."""

    how: str


BotEvent = Received | Malformed | StreamRefused | Disconnected


class _Server(SeatServer):
    """A seat's server that also reports the streams that it refuses, and lets the bot resume its session.

    `secret` is the session_secret that resumes it; "" if nothing does.
    """

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[SeatStream, Received], None],
        on_event: Listener,
        on_refused: Callable[[StreamRefused], None],
        *,
        mailbox: Mailbox,
        silence_s: float,
    ) -> None:
        # Set before the base class accepts the first stream.
        self._on_refused = on_refused
        self._contexts: list[grpc.ServicerContext] = []
        self.secret = ""
        super().__init__(address, token, on_connect, on_event, mailbox=mailbox, silence_s=silence_s)

    def claim(self, first: StreamEvent, link: SeatStream, peer: str) -> Listener | Refusal:
        """Return the listener or the refusal of a stream; a resumed session needs its secret."""
        listener = self._resumed(first, link) if self.secret else super().claim(first, link, peer)
        if isinstance(listener, Refusal):
            self.mailbox.put(
                self._on_refused, StreamRefused(listener.sentence, not isinstance(hello_of(first), Refusal))
            )
        return listener

    def _resumed(self, first: StreamEvent, link: SeatStream) -> Listener | Refusal:
        hello = hello_of(first)
        if isinstance(hello, Refusal):
            return hello
        assert isinstance(first, Received), "it holds the Hello"
        if not hmac.compare_digest(hello.session_secret.encode(), self.secret.encode()):
            return Refusal("SESSION_OVER", "its Hello does not carry the session_secret of its Welcome")
        self.mailbox.put(self._on_connect, link, first)
        return self._on_event

    def play(self, stream: SeatStream, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Serve a stream and remember it for `break_streams`."""
        self._contexts.append(context)
        return super().play(stream, requests, context)

    def break_streams(self) -> None:
        """Cancel all streams; the server keeps listening."""
        while self._contexts:
            self._contexts.pop().cancel()

    async def break_off(self) -> None:
        """Cancel all streams and stop; `stop` alone would first end the streams in order."""
        cut = self._server.stop(0)
        await trio.to_thread.run_sync(cut.wait, CUT_S)
        await self.stop()


class BotConnection:
    """A process of the bot and its stream. Create it with `ProcessHost.start`, and `close` it in the end.

    `hello` is the bot's Hello, empty before it arrives. `table_ids` are all tables that the bot was told of.
    """

    def __init__(self, server_folder: Path, name: str) -> None:
        """Create a connection without a process; its socket and log are files in `server_folder` named after `name`."""
        self._socket = f"unix:{server_folder}/{name}"
        self._log = OutputLog(server_folder / f"{name}.log")
        self._send_event, self._receive_event = trio.open_memory_channel[BotEvent](math.inf)
        self._stream_over = trio.Event()
        self._may_return = False
        self._tables = 1
        self._server: _Server | None = None
        self._token = secrets.token_urlsafe(32)
        self.transcript = Transcript()
        self.link: SeatStream | None = None
        self.process: Process | None = None
        self.hello = seat_pb2.Hello()
        self.table_ids: set[str] = set()

    async def start(
        self,
        bot: BotSpec,
        tier: Tier,
        supervisor: Supervisor,
        nursery: trio.Nursery,
        *,
        transport: str,
        protocols: str,
        startup: float,
    ) -> None:
        """Listen, then start the bot; `startup` is in seconds.

        Raises CheckFailedError if the system cannot start it.
        """
        self._tables = bot.tables
        self._listen(self._socket if transport == UNIX else "127.0.0.1:0", startup)
        seat = {
            "BOWERBIRD_ADDRESS": self.address,
            "BOWERBIRD_TOKEN": self._token,
            "BOWERBIRD_PROTOCOLS": protocols,
        }
        self.transcript.add_note(f"started with BOWERBIRD_ADDRESS={self.address} BOWERBIRD_PROTOCOLS={protocols}")
        try:
            self.process = await supervisor.start(tier.launch(bot, seat), self._log, nursery)
        except NotStartedError as error:
            raise CheckFailedError(f"it cannot be started: {error}") from error
        except OSError as error:
            raise CheckFailedError(f"it cannot be started: {error.strerror}") from error
        nursery.start_soon(self._watch, self.process)

    @property
    def address(self) -> str:
        """The address that the bot dials."""
        assert self._server is not None, "start listens before the bot needs the address"
        return self._server.target

    def _listen(self, address: str, patience: float) -> None:
        self._server = _Server(
            address,
            self._token,
            self._on_connect,
            self._on_event,
            self._on_refused,
            mailbox=Mailbox().open(),
            silence_s=patience,
        )

    def _on_refused(self, refused: StreamRefused) -> None:
        self.transcript.add_note(f"a stream was refused: {refused.why}")
        self._send_event.send_nowait(refused)

    def _on_connect(self, link: SeatStream, hello: Received) -> None:
        self.link = link
        self.hello = hello.request.hello
        self._send_event.send_nowait(hello)
        self.transcript.add_received(hello.request, hello.arrival_ns)

    def _on_event(self, event: StreamEvent) -> None:
        match event:
            case Received(request=request, arrival_ns=arrival):
                self.transcript.add_received(request, arrival)
                self._send_event.send_nowait(event)
            case Malformed(why=why):
                self.transcript.add_note(why)
                self._send_event.send_nowait(event)
            case StreamEnded(why=why):
                self.transcript.add_note(why)
                if not self._may_return:
                    self._stream_over.set()

    async def _watch(self, process: Process) -> None:
        """Queue a Disconnected after the last message of the bot."""
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
            self._send_event.send_nowait(Disconnected("it ended its stream while its process lived on"))
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
        """Return the next event; None if there is none in `timeout` seconds."""
        with trio.move_on_after(timeout):
            event = await self._receive_event.receive()
            if self.link is not None and isinstance(event, (Received, Malformed)):
                self.link.event_handled()
            return event
        return None

    async def receive(self, awaited: str, timeout: float) -> Received:
        """Return the next message, of any kind. Raises CheckFailedError if there is none in `timeout` seconds.

        `awaited` names the message that is due.
        """
        match await self.next_event(timeout):
            case Received(request=request) as received:
                if request.WhichOneof("message") == "bot_fault":
                    raise CheckFailedError(f"it reported a failure of its own: {request.bot_fault.message}")
                return received
            case Malformed(why=why):
                raise CheckFailedError(f"it sent {why}; {awaited} was due")
            case StreamRefused(why=why):
                raise CheckFailedError(f"its stream was refused: {why}")
            case Disconnected(how=how):
                raise CheckFailedError(f"{how}; {awaited} was due")
        raise CheckFailedError(f"no message came in {timeout:g} s; {awaited} was due")

    async def receive_kind(self, kind: str, awaited: str, timeout: float, *, after: str = "") -> seat_pb2.PlayRequest:
        """Return the next message, which must be of this kind; one of kind `after` may precede it.

        Raises CheckFailedError.
        """
        received = await self.receive(awaited, timeout)
        if after and received.request.WhichOneof("message") == after:
            received = await self.receive(awaited, timeout)
        found = received.request.WhichOneof("message")
        if found != kind:
            raise CheckFailedError(f"it sent {found or 'an unknown message'}; {awaited} was due")
        return received.request

    def welcome(self, startup: float | None, *, session_secret: str = "", resume: float = 0) -> bytes:
        """Return the Welcome that answers its Hello; `startup` and `resume` are in seconds.

        `startup` is the time left until Ready; None if the bot has said it.
        """
        able = capabilities_of(self.hello.capabilities, self._tables)
        startup_ms = int(startup * 1000) if startup is not None else None
        return welcome_of(able, startup_ms, session_secret, int(resume * 1000))

    # The end.

    def end_stream(self) -> None:
        """End the stream after the messages sent so far."""
        if self.link is not None:
            self.link.finish()

    async def cut(self) -> None:
        """Break the connection and stop listening, as if the referee were killed."""
        if self._server is not None:
            await self._server.break_off()
            self._server = None

    def interrupt(self, secret: str) -> None:
        """Break the connection and let the bot resume its session with this secret; `hello` is then the new one."""
        assert self._server is not None, "only `close` and `cut` remove the server"
        self._may_return = True
        self.link = None
        self._server.secret = secret
        self._server.break_streams()

    async def wait_exit(self, timeout: float) -> float:
        """Wait for the end of the process and return the seconds that it took.

        Raises CheckFailedError if it is still running after `timeout` seconds.
        """
        assert self.process is not None, "`start` has returned"
        begin = time.monotonic()
        with trio.move_on_after(timeout):
            await self.process.ended.wait()
        if self.process.exit_status is None:
            raise CheckFailedError(f"its process is still running after {timeout:g} s")
        return time.monotonic() - begin

    async def close(self) -> None:
        """End process, stream and server. Harmless when repeated. Shielded from cancellation."""
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

    @property
    def evidence(self) -> Evidence:
        """The evidence so far."""
        process = self.process
        if process is None:
            return Evidence(self.transcript.lines(), "", "", "never started")
        return Evidence(
            self.transcript.lines(),
            process.stdout.text[-OUTPUT_SHOWN:],
            process.stderr.text[-OUTPUT_SHOWN:],
            str(process.exit_status) if process.exit_status is not None else "still running",
        )
