"""From a bot's specification to a process that is ready to play: listen, start, Hello, Welcome, Ready.

Start-up has a clock of its own that runs from the start of the process (PROTOCOL.md, Clocks). Whatever goes wrong
before Ready is NEVER_STARTED, with the reason in one sentence.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import trio

from harness.referee import messages
from harness.referee.clock import NS_PER_MS
from harness.referee.faults import NEVER_STARTED, Fault
from harness.referee.isolation import Tier
from harness.referee.launcher import Launcher, Log, NotStartedError, Process
from harness.referee.post import Post
from harness.referee.server import MAX_MESSAGE, Event, Link, Malformed, Said, SeatServer
from harness.referee.spec import BotSpec
from harness.v1 import seat_pb2

PROTOCOL_VERSION = 1
MAX_NOTE = 1024
LEFT_S = 2.0
"""How long a process whose stream ended before Ready may take to end, too, so that its exit status can be told."""

GOODBYE_S = 1.0
"""The grace of a Goodbye."""


class NeverStartedError(Exception):
    """A bot's process was not ready in time, or never will be; the sentence says why."""

    @property
    def fault(self) -> Fault:
        """As a fault of the seat."""
        return Fault(NEVER_STARTED, str(self))


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the bot said that it can do, within what the run allows."""

    tables: int
    batch: int
    wants_events: bool
    wants_forced: bool


class Visitor:
    """One process on its way in, and all that belongs to it until it is gone: server, stream, process.

    Events of its stream are kept until `come_in` has returned and `listen` names who takes them from then on.
    """

    def __init__(self, bot: BotSpec, log: Path, startup_ms: int, tables: int, tier: Tier) -> None:
        """A bot that is to be started under an isolation tier, with at most `tables` tables at once."""
        self._bot = bot
        self._tier = tier
        self._startup_ms = startup_ms
        self._tables = min(tables, bot.tables)
        self._server: SeatServer | None = None
        self._news: deque[Event] = deque()
        self._ear: Callable[[Event], None] | None = None
        self._bell = trio.Event()
        self._log = Log(log)
        self.process: Process | None = None
        self.link: Link | None = None
        self.gone = trio.Event()
        """Set when it has been seen out: what its process wrote is known then."""

    async def come_in(self, address: str, post: Post, launcher: Launcher, nursery: trio.Nursery) -> Abilities:
        """Start the process and see it through to Ready; `post` brings what it says. Raises NeverStartedError."""
        token = secrets.token_urlsafe(32)
        self._server = SeatServer(
            address,
            token,
            self._on_connect,
            self.hear,
            post=post,
            patience_s=self._startup_ms / 1000,
        )
        seat = {
            "BOWERBIRD_ADDRESS": self._server.target,
            "BOWERBIRD_TOKEN": token,
            "BOWERBIRD_PROTOCOLS": str(PROTOCOL_VERSION),
        }
        await self._start(seat, launcher, nursery)
        deadline = time.monotonic_ns() + self._startup_ms * NS_PER_MS
        abilities = self._greet(await self._first("Hello", deadline), deadline)
        second = await self._first("Ready", deadline)
        assert self.link is not None
        self.link.heard()
        if second.request.WhichOneof("message") == "bot_fault":
            raise NeverStartedError(f"reported a failure of its own: {second.request.bot_fault.message}")
        if second.request.WhichOneof("message") != "ready":
            raise NeverStartedError(f"said {second.request.WhichOneof('message')} before Ready")
        return abilities

    async def _start(self, seat: Mapping[str, str], launcher: Launcher, nursery: trio.Nursery) -> None:
        try:
            self.process = await launcher.start(self._tier.launch(self._bot, seat), self._log, nursery)
        except NotStartedError as error:
            raise NeverStartedError(f"cannot be started: {error}") from error
        except OSError as error:
            raise NeverStartedError(f"cannot be started: {error.strerror}") from error
        nursery.start_soon(self._ring_at_end, self.process)

    async def _ring_at_end(self, process: Process) -> None:
        await process.ended.wait()
        self._bell.set()

    def _on_connect(self, link: Link, hello: Said) -> None:
        self.link = link
        self.hear(hello)

    def hear(self, event: Event) -> None:
        """Take an event of the stream."""
        if self._ear is not None:
            self._ear(event)
        else:
            self._news.append(event)
            self._bell.set()

    def listen(self, ear: Callable[[Event], None]) -> None:
        """From now on `ear` takes the events, those first that nobody has looked at."""
        self._ear = ear
        while self._news:
            ear(self._news.popleft())

    async def see_out(self, reason: str) -> None:
        """Say Goodbye, end the stream, and make sure within a bounded time that no process and no server is left.

        A bot that was ever connected has its grace to end by itself. Cancellation does not stop this.
        """
        with trio.CancelScope(shield=True):
            if self.link is not None:
                self.link.send(messages.goodbye(reason, grace_ms=int(GOODBYE_S * 1000)))
                self.link.finish()
            if self.process is not None:
                await self.process.end(GOODBYE_S if self.link is not None else 0)
                await self.process.heard_out()
            self.gone.set()
            if self._server is not None:
                await self._server.stop()

    async def _first(self, awaited: str, deadline: int) -> Said:
        """The next message. Raises NeverStartedError if the stream, the process or the time ends before it."""
        ended_at = 0
        while not self._news or not isinstance(self._news[0], Said):
            now = time.monotonic_ns()
            process = self.process
            assert process is not None
            if process.how is not None:
                raise NeverStartedError(f"{process.how} before its {awaited}{self._refusals()}")
            if self._news:
                event = self._news[0]
                if isinstance(event, Malformed):
                    raise NeverStartedError(f"{event.why} instead of its {awaited}")
                ended_at = ended_at or now + int(LEFT_S * 1e9)
                if now >= ended_at:
                    raise NeverStartedError(f"left before its {awaited}")
            elif now >= deadline:
                connected = "connected but did not say" if self.link is not None else "did not connect and say"
                raise NeverStartedError(f"{connected} {awaited} within {self._startup_ms} ms{self._refusals()}")
            wake = min(deadline, ended_at) if ended_at else deadline
            with trio.move_on_after(max(0, wake - now) / 1e9 + 0.001):
                await self._bell.wait()
            self._bell = trio.Event()
        said = self._news.popleft()
        assert isinstance(said, Said)
        return said

    def _refusals(self) -> str:
        """What the author of a bot should know if its stream was turned away."""
        refused = self._server.refused if self._server is not None else ""
        return f"; its stream was refused: {refused}" if refused else ""

    def _greet(self, said: Said, deadline: int) -> Abilities:
        hello = said.request.hello
        link = self.link
        assert link is not None
        sentence = foreign_version(hello)
        if sentence:
            link.send(messages.error("VERSION", sentence, fatal=True))
            link.finish()
            raise NeverStartedError(sentence)
        abilities = abilities_of(hello.capabilities, self._tables)
        link.send(
            messages.welcome(
                version=PROTOCOL_VERSION,
                max_tables=abilities.tables,
                max_batch=abilities.batch,
                max_message=MAX_MESSAGE,
                max_note=MAX_NOTE,
                startup_ms=max(0, deadline - time.monotonic_ns()) // NS_PER_MS,
            )
        )
        return abilities


def foreign_version(hello: seat_pb2.Hello) -> str:
    """Why no protocol version is common to both, or ""."""
    if PROTOCOL_VERSION in hello.protocol_versions:
        return ""
    spoken = ", ".join(str(version) for version in hello.protocol_versions) or "none"
    return f"the referee speaks protocol version {PROTOCOL_VERSION}, the bot {spoken}"


def abilities_of(said: seat_pb2.Capabilities, tables: int) -> Abilities:
    """What a bot can do, with at most `tables` tables at once."""
    return Abilities(
        tables=min(tables, said.max_tables or 1),
        batch=said.max_batch or 1,
        wants_events=said.wants_events,
        wants_forced=said.wants_forced,
    )
