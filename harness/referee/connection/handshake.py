"""Turns a bot's specification into a process that is ready to play: listen, start, Hello, Welcome, Ready.

The start-up clock runs from the start of the process (protocol.md, The order of messages). Any failure before Ready is
the fault NEVER_STARTED, with the reason in one sentence.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import trio

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.game_record import SANDBOX
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.exit_cause import LOCAL
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.messages import FLOOD, MAX_IGNORED
from bowerbird.harness.referee.connection.participant import (
    IGNORED_BEFORE_READY,
    Capabilities,
    NeverStartedError,
    capabilities_of,
    clock_mismatch,
    feature_mismatch,
    version_mismatch,
    welcome_of,
)
from bowerbird.harness.referee.connection.prestart import MAX_STARTING, Prestart, log_path
from bowerbird.harness.referee.connection.processor_shares import ProcessorShares
from bowerbird.harness.referee.connection.stream import Connection, Listener, Malformed, Received, Refusal
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.game.faults import one_line
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import NotStartedError, Process, Supervisor
from bowerbird.harness.referee.process.supervisor_handle import StartRequest
from bowerbird.harness.referee.spec import BotSpec, InstanceKey
from bowerbird.seat.v1 import seat_pb2

EXIT_WAIT_S = 2.0
"""How long to wait for the exit status of a process whose stream ended before Ready."""

NOT_RUNNABLE_STATUS = frozenset({126, 127})
"""The exit statuses by which prlimit, setpriv and a shell report a program that cannot be run or does not exist."""

GOODBYE_S = 1.0
"""The grace of a Goodbye."""

START_HOLD_S = 3.0
"""How long a slow start may hold up other processes. Its own start-up clock is not affected."""


@dataclass(frozen=True, slots=True)
class LocalStarter:
    """The factory of participants that run on this machine, with everything that one referee's processes share.

    `decision_ms` is the time per decision of a bot without its own clock. `required` are the features that every bot
    must have. `spawn` starts a task that outlives the caller. `drains` is the nursery that reads the output of
    processes. `max_tables` is how many tables one process may play at once. `transport` is unix or tcp. `clock`
    measures the start-up clock. `shares` watches processes that have no guaranteed share of the processors.
    """

    mailbox: Mailbox
    supervisor: Supervisor
    prestart: Prestart
    tier: Tier
    workspace: Path
    startup_ms: int
    decision_ms: int
    max_tables: int
    transport: str
    spawn: Callable[..., None]
    drains: trio.Nursery
    clock: RunningTime
    shares: ProcessorShares
    required: tuple[str, ...] = ()
    _starting: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(MAX_STARTING))
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def participant(self, bot: BotSpec, key: InstanceKey, start: int) -> LocalParticipant:
        """Return the participant for the `start`-th process of an instance. It takes over any prestarted process."""
        prestarted = self.prestart.take(key)
        if prestarted is not None:
            return LocalParticipant(bot, self, prestarted.request.log, prestarted.endpoint, prestarted.request)
        return LocalParticipant(bot, self, OutputLog(log_path(self.workspace, key, start)))

    def listen(self) -> Endpoint:
        """Open an endpoint on a new address. Raises OSError."""
        folder = self.prestart.supervisor.folder
        address = "127.0.0.1:0" if self.transport == "tcp" else f"unix:{folder}/{next(self._numbers)}"
        is_private = self.tier.name == SANDBOX
        return Endpoint(address, self.mailbox, self.startup_ms / 1000, is_private=is_private)

    async def start_in_turn(self, start: Callable[[], Awaitable[Capabilities]]) -> Capabilities:
        """Await `start()` with fewer than MAX_STARTING others starting; after START_HOLD_S a start no longer counts."""
        await self._starting.acquire_on_behalf_of(start)
        is_over = trio.Event()

        async def release() -> None:
            with trio.move_on_after(START_HOLD_S):
                await is_over.wait()
            self._starting.release_on_behalf_of(start)

        self.spawn(release)
        try:
            return await start()
        finally:
            is_over.set()


class LocalParticipant:
    """One process on this machine, with its endpoint (see `Participant`)."""

    exit_policy = LOCAL

    def __init__(
        self,
        bot: BotSpec,
        starter: LocalStarter,
        log: OutputLog,
        endpoint: Endpoint | None = None,
        request: StartRequest | None = None,
    ) -> None:
        """Create the participant of a new process, or of one that was prestarted with `endpoint` and `request`."""
        self._bot = bot
        self._starter = starter
        self._log = log
        self._endpoint = endpoint
        self._request = request
        self._max_tables = min(starter.max_tables, bot.tables)
        self._changed = trio.Event()
        self._reads_refusal = False
        self.process: Process | None = None
        self.gone = trio.Event()

    @property
    def connection(self) -> Connection | None:
        """See `Participant`."""
        return self._endpoint.stream if self._endpoint is not None else None

    async def join(self) -> Capabilities:
        """Start the process and wait for its Ready. Raises NeverStartedError."""
        try:
            return await self._starter.start_in_turn(self._shake_hands)
        except NeverStartedError as error:
            if self._endpoint is not None:
                self._reads_refusal = self._endpoint.refuse(Refusal(error.code, str(error)))
            raise

    def listen(self, listener: Listener) -> None:
        """See `Participant`."""
        assert self._endpoint is not None  # `join` has returned
        self._endpoint.listen(listener)

    async def leave(self, reason: str) -> None:
        """Say Goodbye, then end the stream, the process and the endpoint within a bounded time.

        A connected bot gets the grace of its Goodbye to exit; a refused bot gets the same time to read the reason.
        Cancellation does not stop this.
        """
        if self.gone.is_set():
            return
        with trio.CancelScope(shield=True):
            connection = self.connection
            if self.process is not None:
                self.process.thaw()
            if connection is not None:
                connection.send(messages.goodbye(reason, grace_ms=int(GOODBYE_S * 1000)))
                connection.finish()
            if self.process is not None:
                await self.process.end(GOODBYE_S if connection is not None or self._reads_refusal else 0)
                await self.process.wait_for_output()
            self.gone.set()
            if self._request is not None:
                await self._starter.supervisor.drop(self._request)
            if self.process is not None:
                self._starter.shares.remove(self.process)
            if self._endpoint is not None:
                await self._endpoint.stop()

    async def _shake_hands(self) -> Capabilities:
        endpoint = await self._start()
        since_ns = time.monotonic_ns()
        hello = await self._next_message("Hello", endpoint, since_ns)
        capabilities = self._welcome(hello.request.hello, endpoint, since_ns)
        for _ in range(MAX_IGNORED + 1):
            message = await self._next_message("Ready", endpoint, since_ns)
            assert endpoint.stream is not None  # it said Hello
            endpoint.stream.event_handled()
            kind = message.request.WhichOneof("message")
            if kind == "ready":
                return capabilities
            if kind == "bot_fault":
                reported = f"reported a failure of its own: {shown(message.request.bot_fault.message)}"
                raise NeverStartedError(one_line(reported), "PROTOCOL")
            if kind not in IGNORED_BEFORE_READY:
                raise NeverStartedError(f"said {kind} before Ready", "PROTOCOL")
        raise NeverStartedError(FLOOD, "PROTOCOL")

    async def _start(self) -> Endpoint:
        """Start the process, or take over the prestarted one; return its endpoint."""
        supervisor, drains = self._starter.supervisor, self._starter.drains
        endpoint = self._endpoint = self._endpoint or self._starter.listen()
        endpoint.begin(self._starter.spawn)
        endpoint.inbox.on_buffered = self._wake
        try:
            request, self._request = self._request, None
            if request is not None:
                self.process = await supervisor.take_over(request, drains)
            else:
                launch = self._starter.tier.launch(self._bot, {**self._bot.private, **endpoint.environment})
                self.process = await supervisor.start(launch, self._log, drains)
        except NotStartedError as error:
            raise NeverStartedError(f"cannot be started: {error}", is_final=error.is_final) from error
        except OSError as error:
            raise NeverStartedError(f"cannot be started: {error.strerror}") from error
        self._starter.shares.add(self._bot.name, self.process, endpoint)
        drains.start_soon(self._wake_at_exit, self.process)
        return endpoint

    async def _wake_at_exit(self, process: Process) -> None:
        await process.ended.wait()
        self._wake()

    def _wake(self) -> None:
        self._changed.set()

    async def _next_message(self, awaited: str, endpoint: Endpoint, since_ns: int) -> Received:
        """Return the next message. Raises NeverStartedError if the stream, the process or the time ends first.

        The start-up clock runs from `since_ns`, without the stalls of the host.
        """
        events, clock = endpoint.inbox.events, self._starter.shares.clock_of(self.process)
        startup_ns, exit_ns = self._starter.startup_ms * NS_PER_MS, int(EXIT_WAIT_S * 1e9)
        left_ns = 0
        process = self.process
        assert process is not None  # `_start` has returned
        while not events or not isinstance(events[0], Received):
            now_ns = time.monotonic_ns()
            if process.exit_status is not None:
                is_final = process.exit_status.status in NOT_RUNNABLE_STATUS or endpoint.has_refused_bot
                sentence = f"{process.exit_status} before its {awaited}{_refusal(endpoint)}"
                raise NeverStartedError(sentence, is_final=is_final)
            if events:
                if isinstance(events[0], Malformed):
                    raise NeverStartedError(f"{events[0].why} instead of its {awaited}", "PROTOCOL")
                left_ns = left_ns or now_ns
                if clock.running_ns(left_ns, now_ns) >= exit_ns:
                    raise NeverStartedError(f"left before its {awaited}")
            elif clock.wait_ns(since_ns, startup_ns, now_ns) <= 0:
                connected = "connected but did not say" if endpoint.stream is not None else "did not connect and say"
                limit = f"within {self._starter.startup_ms} ms"
                sentence = f"{connected} {awaited} {limit}{_refusal(endpoint)}"
                raise NeverStartedError(sentence, is_final=endpoint.has_refused_bot)
            wait_ns = clock.wait_ns(since_ns, startup_ns, now_ns)
            if left_ns:
                wait_ns = clock.wait_ns(left_ns, exit_ns, now_ns)
            with trio.move_on_after(max(0, wait_ns) / 1e9 + 0.001):
                await self._changed.wait()
            self._changed = trio.Event()
        message = events.popleft()
        assert isinstance(message, Received)  # by the condition of the loop
        return message

    def _welcome(self, hello: seat_pb2.Hello, endpoint: Endpoint, since_ns: int) -> Capabilities:
        stream = endpoint.stream
        assert stream is not None  # it said Hello
        if mismatch := version_mismatch(hello):
            raise NeverStartedError(mismatch, "VERSION")
        own = self._bot.time
        if mismatch := clock_mismatch(hello, self._starter.decision_ms if own is None else own.per_decision_ms):
            raise NeverStartedError(mismatch, is_final=True)
        if mismatch := feature_mismatch(hello, self._starter.required):
            raise NeverStartedError(mismatch, is_final=True)
        may_ponder = self.process is not None and self.process.freezer is None
        capabilities = capabilities_of(hello.capabilities, self._max_tables, may_ponder=may_ponder)
        used_ns = self._starter.shares.clock_of(self.process).running_ns(since_ns, time.monotonic_ns())
        left_ms = max(0, self._starter.startup_ms - used_ns // NS_PER_MS)
        stream.send(welcome_of(capabilities, left_ms))
        return capabilities


def _refusal(endpoint: Endpoint) -> str:
    """Return for the bot's author why a stream was refused, or "". The stream may belong to another process."""
    whose = "its stream" if endpoint.has_refused_bot else "a stream to its address"
    return f"; {whose} was refused: {endpoint.refused}" if endpoint.refused else ""
