"""One process of the bot under test, its stream, and all that is said on it."""

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

from harness.compliance.transcript import Transcript
from harness.compliance.verdict import Evidence, FailedError
from harness.referee import messages
from harness.referee.doorstep import PROTOCOL_VERSION
from harness.referee.entrance import MAX_NOTE
from harness.referee.isolation import Tier
from harness.referee.launcher import Launcher, NotStartedError, Process
from harness.referee.log import Log
from harness.referee.post import Post
from harness.referee.server import (
    MAX_MESSAGE,
    NO_HELLO,
    Ear,
    Event,
    Incoming,
    Link,
    Malformed,
    Outgoing,
    Refusal,
    Said,
    SeatServer,
    StreamEnded,
    hello_of,
)
from harness.referee.spec import BotSpec
from harness.v1 import seat_pb2

UNIX = "unix"
TCP = "tcp"

BOTH_ENDS_S = 2.0
"""When the stream or the process has ended, how long the other one may take, so that both can be told."""

CUT_S = 2.0

OUTPUT_SHOWN = 8192
"""Characters of the end of an output that are kept as evidence."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A stream of the bot was not let in; `hello` says whether it began with a Hello at all."""

    why: str
    hello: bool


@dataclass(frozen=True, slots=True)
class Gone:
    """The bot is not there any more, or at least its stream is not."""

    how: str


Heard = Said | Malformed | Refused | Gone


class _Server(SeatServer):
    """A seat's server that also tells of the streams that it turns away, and lets a session be taken up again.

    `secret` is what takes it up, "" while nothing does.
    """

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[Link, Said], None],
        on_event: Ear,
        on_refused: Callable[[Refused], None],
        *,
        post: Post,
        patience_s: float,
    ) -> None:
        # Before the first stream can come.
        self._on_refused = on_refused
        self._streams: list[grpc.ServicerContext] = []
        self.secret = ""
        super().__init__(address, token, on_connect, on_event, post=post, patience_s=patience_s)

    def claim(self, first: Event, link: Link, peer: str) -> Ear | Refusal:
        """As every seat's server, and for a session that is taken up as the lobby of remote bots."""
        ear = self._taken_up(first, link) if self.secret else super().claim(first, link, peer)
        if isinstance(ear, Refusal):
            self.pass_on(self._on_refused, Refused(ear.sentence, hello_of(first) is not None))
        return ear

    def _taken_up(self, first: Event, link: Link) -> Ear | Refusal:
        hello = hello_of(first)
        if hello is None or not isinstance(first, Said):
            return Refusal("TOKEN", NO_HELLO)
        if not hmac.compare_digest(hello.session_secret.encode(), self.secret.encode()):
            return Refusal("SESSION", "its Hello does not carry the session_secret of its Welcome")
        self.pass_on(self._on_connect, link, first)
        return self._on_event

    def play(self, incoming: Incoming, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """As every server, and remember the stream."""
        self._streams.append(context)
        return super().play(incoming, requests, context)

    def break_streams(self) -> None:
        """Cut whatever is connected, in the middle; the server goes on."""
        while self._streams:
            self._streams.pop().cancel()

    async def break_off(self) -> None:
        """Cut whatever is connected, in the middle; `stop` alone would end the streams first."""
        cut = self._server.stop(0)
        await trio.to_thread.run_sync(cut.wait, CUT_S)
        await self.stop()


class Connection:
    """A process that was started, and its stream. Use `Yard.start`, and `close` when it is not needed any more.

    `hello` is what it said first, once it has.
    """

    def __init__(self, server_folder: Path, name: str) -> None:
        """Nothing is started yet; sockets and logs are made in `server_folder` under `name`."""
        self._socket = f"unix:{server_folder}/{name}"
        self._log = Log(server_folder / f"{name}.log")
        self._said, self._heard = trio.open_memory_channel[Heard](math.inf)
        self._stream_over = trio.Event()
        self._may_return = False
        self._tables = 1
        self._server: _Server | None = None
        self._token = secrets.token_urlsafe(32)
        self.transcript = Transcript()
        self.link: Link | None = None
        self.process: Process | None = None
        self.hello = seat_pb2.Hello()
        self.opened: set[str] = set()
        """Tables that the bot was told of, open or closed."""

    async def start(
        self,
        bot: BotSpec,
        tier: Tier,
        launcher: Launcher,
        nursery: trio.Nursery,
        *,
        transport: str,
        protocols: str,
        startup: float,
    ) -> None:
        """Listen, and start the bot. Raises FailedError where the system cannot start it."""
        self._tables = bot.tables
        self._listen(self._socket if transport == UNIX else "127.0.0.1:0", startup)
        seat = {
            "BOWERBIRD_ADDRESS": self.address,
            "BOWERBIRD_TOKEN": self._token,
            "BOWERBIRD_PROTOCOLS": protocols,
        }
        self.transcript.happened(f"started with BOWERBIRD_ADDRESS={self.address} BOWERBIRD_PROTOCOLS={protocols}")
        try:
            self.process = await launcher.start(tier.launch(bot, seat), self._log, nursery)
        except NotStartedError as error:
            raise FailedError(f"it cannot be started: {error}") from error
        except OSError as error:
            raise FailedError(f"it cannot be started: {error.strerror}") from error
        nursery.start_soon(self._watch, self.process)

    @property
    def address(self) -> str:
        """What the bot dials."""
        assert self._server is not None
        return self._server.target

    def _listen(self, address: str, patience: float) -> None:
        self._server = _Server(
            address,
            self._token,
            self._on_connect,
            self._on_event,
            self._on_refused,
            post=Post().open(),
            patience_s=patience,
        )

    def _on_refused(self, refused: Refused) -> None:
        self.transcript.happened(f"a stream was refused: {refused.why}")
        self._said.send_nowait(refused)

    def _on_connect(self, link: Link, hello: Said) -> None:
        self.link = link
        self.hello = hello.request.hello
        self._said.send_nowait(hello)
        self.transcript.heard(hello.request, hello.arrival)

    def _on_event(self, event: Event) -> None:
        match event:
            case Said(request=request, arrival=arrival):
                self.transcript.heard(request, arrival)
                self._said.send_nowait(event)
            case Malformed(why=why):
                self.transcript.happened(why)
                self._said.send_nowait(event)
            case StreamEnded(why=why):
                self.transcript.happened(why)
                if not self._may_return:
                    self._stream_over.set()

    async def _watch(self, process: Process) -> None:
        """Tell that the bot is gone, after the last of what it said."""
        async with trio.open_nursery() as either:

            async def until(event: trio.Event) -> None:
                await event.wait()
                either.cancel_scope.cancel()

            either.start_soon(until, process.ended)
            either.start_soon(until, self._stream_over)
        with trio.move_on_after(BOTH_ENDS_S):
            await process.ended.wait()
            if self.link is not None:
                await self._stream_over.wait()
        if process.how is None:
            self._said.send_nowait(Gone("it ended its stream while its process lived on"))
        else:
            self.transcript.happened(f"the process ended: {process.how}")
            self._said.send_nowait(Gone(f"its process ended with {process.how}"))

    # What is said.

    def say(self, data: bytes) -> Outgoing:
        """Send a PlayResponse."""
        assert self.link is not None
        self.transcript.sent(data)
        return self.link.send(data)

    async def next(self, within: float) -> Heard | None:
        """What comes next; None if nothing comes in this many seconds."""
        with trio.move_on_after(within):
            heard = await self._heard.receive()
            if self.link is not None and isinstance(heard, (Said, Malformed)):
                self.link.heard()
            return heard
        return None

    async def hear(self, awaited: str, within: float) -> Said:
        """The next message, of any kind; `awaited` is what should come. Raises FailedError if there is none."""
        match await self.next(within):
            case Said(request=request) as said:
                if request.WhichOneof("message") == "bot_fault":
                    raise FailedError(f"it reported a failure of its own: {request.bot_fault.message}")
                return said
            case Malformed(why=why):
                raise FailedError(f"it sent {why}; {awaited} was due")
            case Refused(why=why):
                raise FailedError(f"its stream was refused: {why}")
            case Gone(how=how):
                raise FailedError(f"{how}; {awaited} was due")
        raise FailedError(f"nothing came in {within:g} s; {awaited} was due")

    async def hear_a(self, kind: str, awaited: str, within: float, *, after: str = "") -> seat_pb2.PlayRequest:
        """The next message, which must be of this kind; one of the kind `after` may come first. Raises FailedError."""
        said = await self.hear(awaited, within)
        if after and said.request.WhichOneof("message") == after:
            said = await self.hear(awaited, within)
        if said.request.WhichOneof("message") != kind:
            raise FailedError(f"it said {said.request.WhichOneof('message') or 'nothing known'}; {awaited} was due")
        return said.request

    def welcome(self, startup: float, *, session_secret: str = "", resume: float = 0) -> bytes:
        """The Welcome that answers its Hello; durations in seconds."""
        able = self.hello.capabilities
        return messages.welcome(
            version=PROTOCOL_VERSION,
            max_tables=min(self._tables, able.max_tables or 1),
            max_batch=able.max_batch or 1,
            max_message=MAX_MESSAGE,
            max_note=MAX_NOTE,
            startup_ms=int(startup * 1000),
            session_secret=session_secret,
            resume_ms=int(resume * 1000),
        )

    # How it ends.

    def finish(self) -> None:
        """End the stream after what was said."""
        if self.link is not None:
            self.link.finish()

    async def cut(self) -> None:
        """Break the connection, and listen no more: as a referee that is killed."""
        if self._server is not None:
            await self._server.break_off()
            self._server = None

    def lose(self, secret: str) -> None:
        """Break the connection, and let the bot take its session up with this secret; `hello` is then the new one."""
        assert self._server is not None
        self._may_return = True
        self.link = None
        self._server.secret = secret
        self._server.break_streams()

    async def left(self, within: float) -> float:
        """Wait for the end of the process; returns the seconds that it took. Raises FailedError if it stays."""
        assert self.process is not None
        begin = time.monotonic()
        with trio.move_on_after(within):
            await self.process.ended.wait()
        if self.process.how is None:
            raise FailedError(f"its process is still there after {within:g} s")
        return time.monotonic() - begin

    async def close(self) -> None:
        """Leave no process, stream or address. Safe to call twice, and not stopped by cancellation."""
        with trio.CancelScope(shield=True):
            self.finish()
            if self.process is not None:
                await self.process.end(0)
            await self.cut()

    @property
    def written(self) -> int:
        """How many bytes it wrote to stdout and stderr, up to what a log has room for."""
        try:
            return self._log.path.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def evidence(self) -> Evidence:
        """All that is known of it now."""
        process = self.process
        if process is None:
            return Evidence(self.transcript.lines(), "", "", "never started")
        return Evidence(
            self.transcript.lines(),
            process.stdout.text[-OUTPUT_SHOWN:],
            process.stderr.text[-OUTPUT_SHOWN:],
            str(process.how) if process.how is not None else "still running",
        )
