"""From a bot's specification to a process that is ready to play: listen, start, Hello, Welcome, Ready.

Start-up has a clock of its own that runs from the start of the process (PROTOCOL.md, Clocks). Whatever goes wrong
before Ready is NEVER_STARTED, with the reason in one sentence.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import trio

from harness.referee import messages
from harness.referee.ahead import Sent
from harness.referee.clock import NS_PER_MS
from harness.referee.doorstep import PROTOCOL_VERSION, Doorstep
from harness.referee.faults import NEVER_STARTED, Fault
from harness.referee.isolation import Tier
from harness.referee.launcher import Launcher, NotStartedError, Process
from harness.referee.log import Log
from harness.referee.post import Post
from harness.referee.server import MAX_MESSAGE, Ear, Link, Malformed, Said
from harness.referee.spec import BotSpec
from harness.v1 import seat_pb2

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

    def __init__(
        self, bot: BotSpec, log: Log, startup_ms: int, tables: int, tier: Tier, *, sent: Sent | None = None
    ) -> None:
        """A bot that is to be started under an isolation tier, with at most `tables` tables at once.

        `sent` is its process, if that is on its way already.
        """
        self._bot = bot
        self._tier = tier
        self._startup_ms = startup_ms
        self._tables = min(tables, bot.tables)
        self._sent = sent
        self._door = sent.door if sent is not None else None
        self._bell = trio.Event()
        self._log = log
        self.process: Process | None = None
        self.gone = trio.Event()
        """Set when it has been seen out: what its process wrote is known then."""

    @property
    def link(self) -> Link | None:
        """The stream of its process, once there is one."""
        return self._door.link if self._door is not None else None

    async def come_in(self, address: str, post: Post, launcher: Launcher, nursery: trio.Nursery) -> Abilities:
        """Start the process and see it through to Ready; `post` brings what it says. Raises NeverStartedError."""
        door = self._door = self._door or Doorstep(address, post, self._startup_ms / 1000)
        door.ring = self._ring
        try:
            self.process = await self._start(door, launcher, nursery)
        except NotStartedError as error:
            raise NeverStartedError(f"cannot be started: {error}") from error
        except OSError as error:
            raise NeverStartedError(f"cannot be started: {error.strerror}") from error
        nursery.start_soon(self._ring_at_end, self.process)
        deadline = time.monotonic_ns() + self._startup_ms * NS_PER_MS
        abilities = self._greet(await self._first("Hello", door, deadline), deadline)
        second = await self._first("Ready", door, deadline)
        assert self.link is not None
        self.link.heard()
        if second.request.WhichOneof("message") == "bot_fault":
            raise NeverStartedError(f"reported a failure of its own: {second.request.bot_fault.message}")
        if second.request.WhichOneof("message") != "ready":
            raise NeverStartedError(f"said {second.request.WhichOneof('message')} before Ready")
        return abilities

    async def _start(self, door: Doorstep, launcher: Launcher, nursery: trio.Nursery) -> Process:
        sent, self._sent = self._sent, None
        if sent is not None:
            return await launcher.take_over(sent.order, nursery)
        return await launcher.start(self._tier.launch(self._bot, door.seat), self._log, nursery)

    async def _ring_at_end(self, process: Process) -> None:
        await process.ended.wait()
        self._ring()

    def _ring(self) -> None:
        self._bell.set()

    def listen(self, ear: Ear) -> None:
        """From now on `ear` takes the events, those first that nobody has looked at."""
        assert self._door is not None
        self._door.listen(ear)

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
            if self._sent is not None:
                self._sent.order.give_up()
            if self._door is not None:
                await self._door.stop()

    async def _first(self, awaited: str, door: Doorstep, deadline: int) -> Said:
        """The next message. Raises NeverStartedError if the stream, the process or the time ends before it."""
        ended_at = 0
        while not door.news or not isinstance(door.news[0], Said):
            now = time.monotonic_ns()
            process = self.process
            assert process is not None
            if process.how is not None:
                raise NeverStartedError(f"{process.how} before its {awaited}{_refusals(door)}")
            if door.news:
                event = door.news[0]
                if isinstance(event, Malformed):
                    raise NeverStartedError(f"{event.why} instead of its {awaited}")
                ended_at = ended_at or now + int(LEFT_S * 1e9)
                if now >= ended_at:
                    raise NeverStartedError(f"left before its {awaited}")
            elif now >= deadline:
                connected = "connected but did not say" if self.link is not None else "did not connect and say"
                raise NeverStartedError(f"{connected} {awaited} within {self._startup_ms} ms{_refusals(door)}")
            wake = min(deadline, ended_at) if ended_at else deadline
            with trio.move_on_after(max(0, wake - now) / 1e9 + 0.001):
                await self._bell.wait()
            self._bell = trio.Event()
        said = door.news.popleft()
        assert isinstance(said, Said)
        return said

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


def _refusals(door: Doorstep) -> str:
    """What the author of a bot should know if its stream was turned away."""
    return f"; its stream was refused: {door.refused}" if door.refused else ""


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
