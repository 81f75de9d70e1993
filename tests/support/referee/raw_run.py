"""A run of a real referee in which the test itself speaks for both bots, over gRPC, message by message.

A local bot's process is a shell that passes its address and its token on to the test and then waits. A hosted bot is no
process at all: the test dials in over TLS.
"""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import grpc
import trio

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord, TimeControl
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.remote.admission import Admission, TlsListener
from bowerbird.harness.referee.remote.certificate import Certificate
from bowerbird.harness.referee.spec import BotSpec, FaultLimits, TableSpec
from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.referee.callers import remote_bot
from tests.support.referee.raw_client import PLAY, RawClient, call, dial
from tests.support.referee.tables import PATIENT, bot, conditions, no_void, table

RAW, OTHER = "raw", "other"
"""The bot that a test makes misbehave, and its opponent."""

TABLES = 2
SHELL = 'printf "%s %s" "$BOWERBIRD_ADDRESS" "$BOWERBIRD_TOKEN" > "$0"; read -r _ < "$0.end"; exit 0'
"""What the process of a local bot does: write its card into a pipe, and wait until another one is opened."""


@dataclass(frozen=True)
class Card:
    """What a bot must know to dial in."""

    target: str
    token: str
    trust: bytes


class RawBot:
    """One bot. `client` is its latest stream; it answers with the last legal action unless the test says otherwise."""

    def __init__(self, card: Callable[[], Awaitable[Card]], leave: Callable[[], None]) -> None:
        """Create a bot that has not connected. `card` waits for its invitation, `leave` ends its process."""
        self._find_card = card
        self.leave = leave
        self.card: Card
        self.client: RawClient
        self.clients: list[RawClient] = []
        self.greeted = trio.Event()
        self.opened: list[str] = []
        self.closed: dict[str, table_pb2.TableClosed] = {}
        self.open_requests: list[seat_pb2.DecisionRequest] = []

    async def invitation(self) -> Card:
        """Wait for what the bot must know to dial in. A process says it once."""
        return await self._find_card()

    async def dial(self, compression: grpc.Compression | None = None, method: str = PLAY) -> RawClient:
        """Open a stream on a connection of its own and say nothing."""
        if not self.clients:
            self.card = await self.invitation()
        self.client = RawClient(dial(self.card.target, self.card.trust), method=method, compression=compression)
        self.clients.append(self.client)
        return self.client

    async def greet(self, compression: grpc.Compression | None = None, **capabilities: object) -> seat_pb2.Welcome:
        """Dial in and say Hello; return the Welcome."""
        client = await self.dial(compression)
        able = seat_pb2.Capabilities(max_tables=TABLES)
        able.MergeFrom(seat_pb2.Capabilities(**capabilities))  # type: ignore[arg-type]  # its own fields
        client.hello(self.card.token, capabilities=able)
        welcome = (await client.hear_a("welcome")).welcome
        self.greeted.set()
        return welcome

    async def join(self, compression: grpc.Compression | None = None, **capabilities: object) -> seat_pb2.Welcome:
        """Dial in up to Ready; return the Welcome."""
        welcome = await self.greet(compression, **capabilities)
        self.client.ready()
        return welcome

    def say(self, **message: object) -> None:
        """Send a message on the latest stream: one field of PlayRequest."""
        self.client.say(seat_pb2.PlayRequest(**message))  # type: ignore[arg-type]  # its own fields

    def answer(self, *decisions: seat_pb2.Decision) -> None:
        self.say(decisions=seat_pb2.Decisions(decisions=decisions))

    async def hear(self) -> seat_pb2.PlayResponse | None:
        """Return the next message, or None at the end of the stream. Keep track of tables and requests."""
        message = await self.client.hear()
        if message is None:
            return None
        match message.WhichOneof("message"):
            case "table_opened":
                self.opened.append(message.table_opened.table_id)
            case "decision_requests":
                self.open_requests = list(message.decision_requests.requests)
            case "table_closed":
                self.closed[message.table_closed.table_id] = message.table_closed
            case "ping":
                self.say(pong=seat_pb2.Pong(ping_id=message.ping.ping_id))
        return message

    async def hear_until(self, condition: Callable[[seat_pb2.PlayResponse], bool]) -> seat_pb2.PlayResponse:
        """Return the first message for which a condition holds. Answer nothing on the way."""
        while True:
            message = await self.hear()
            assert message is not None, f"the stream ended with {await self.client.status()}"
            if condition(message):
                return message

    async def asked(self) -> seat_pb2.DecisionRequest:
        """Wait until all tables are open and a decision is asked. Return it."""
        await self.hear_until(lambda message: len(self.opened) == TABLES and bool(self.open_requests))
        return self.open_requests[0]

    def answer_open(self) -> None:
        """Answer what is open."""
        requests, self.open_requests = self.open_requests, []
        if requests:
            self.answer(*map(chosen, requests))

    async def play_until(self, condition: Callable[[seat_pb2.PlayResponse], bool]) -> seat_pb2.PlayResponse:
        """Play on until a message for which a condition holds; return it, unanswered."""
        while True:
            self.answer_open()
            message = await self.hear()
            assert message is not None, f"the stream ended with {await self.client.status()}"
            if condition(message):
                return message

    async def play_on(self) -> grpc.StatusCode:
        """Play to the end of the stream; return its status."""
        self.answer_open()
        while await self.hear() is not None:
            self.answer_open()
        return await self.client.status()

    def errors(self) -> list[seat_pb2.Error]:
        """Return all Errors that came, on all streams."""
        return [message.error for client in self.clients for message in client.heard if message.HasField("error")]


def chosen(request: seat_pb2.DecisionRequest, **changes: object) -> seat_pb2.Decision:
    """Return the answer with the last legal action, with changes; None takes a field away."""
    said = {
        "table_id": request.table_id,
        "decision_id": request.decision_id,
        "action_index": len(request.legal_actions) - 1,
        **changes,
    }
    return seat_pb2.Decision(**{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]  # its own fields


class RawRun:
    """The run: its two bots, what the organiser was told, and, when it is over, its records in the order of tables."""

    def __init__(self, bots: Mapping[str, RawBot]) -> None:
        self.bots = bots
        self.told: list[str] = []
        self.records: list[GameRecord] = []
        self.logs: list[str] = []

    @property
    def raw(self) -> RawBot:
        return self.bots[RAW]

    def faults(self) -> list[list[str]]:
        """Return the kinds of the faults of the bot that misbehaves, by table."""
        return [
            [fault.kind for fault in record.faults if record.seats[fault.seat].bot == RAW] for record in self.records
        ]


Scenario = Callable[[RawRun], Awaitable[None]]


async def play_raw(
    scenario: Scenario, folder: Path, certificate: Certificate | None = None, time: TimeControl = PATIENT
) -> RawRun:
    """Play two tables at once; `scenario` speaks for one bot, and the other one plays on. Return the finished run.

    With a certificate both bots are hosted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    make = _hosted if certificate is not None else _local
    tables = [table([RAW, OTHER], number, "two-handed", max_hands=1, shared=True) for number in range(TABLES)]
    async with make(folder, certificate, time) as (run, referee), trio.open_nursery() as nursery:
        nursery.start_soon(_play_for, run, scenario)
        nursery.start_soon(_play_for_other, run.bots[OTHER])
        async with referee:
            records: dict[str, GameRecord] = {}

            def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
                records[spec.game_id] = record

            if certificate is not None:
                await run.raw.greeted.wait()  # a host waits for its bots before it plays
            await referee.play(tables, keep, no_void)
            run.records = [records[spec.game_id] for spec in tables]
    run.logs = [path.read_text(errors="replace") for path in sorted(folder.rglob("*.log"))]
    return run


async def _play_for(run: RawRun, scenario: Scenario) -> None:
    try:
        await scenario(run)
    finally:
        run.raw.leave()
        for client in run.raw.clients:
            client.close()


async def _play_for_other(other: RawBot) -> None:
    await other.join(max_batch=TABLES)
    try:
        await other.play_on()
    finally:
        other.leave()
        other.client.close()


@asynccontextmanager
async def _local(
    folder: Path, certificate: Certificate | None, time: TimeControl
) -> AsyncIterator[tuple[RawRun, Referee]]:
    assert certificate is None
    specs = {name: _shell(name, folder) for name in (RAW, OTHER)}
    run = RawRun({name: _local_bot(folder / name) for name in specs})
    yield (
        run,
        Referee(specs, conditions(time=time), workspace=folder / "logs", slots=2, tables=TABLES, start_pauses_s=()),
    )


def _shell(name: str, folder: Path) -> BotSpec:
    pipe = folder / name
    os.mkfifo(pipe)
    os.mkfifo(f"{pipe}.end")
    return bot(name, command=["/bin/sh", "-c", SHELL, str(pipe)])


def _local_bot(pipe: Path) -> RawBot:
    async def card() -> Card:
        target, token = (await call(pipe.read_text)).split()
        return Card(target, token, b"")

    def leave() -> None:
        with suppress(OSError):  # nobody waits: the process has gone already
            os.close(os.open(f"{pipe}.end", os.O_WRONLY | os.O_NONBLOCK))

    return RawBot(card, leave)


@asynccontextmanager
async def _hosted(
    folder: Path, certificate: Certificate | None, time: TimeControl
) -> AsyncIterator[tuple[RawRun, Referee]]:
    assert certificate is not None
    specs = {name: remote_bot(name) for name in (RAW, OTHER)}
    listener = socket.create_server(("127.0.0.1", 0))
    told: list[str] = []
    admission = Admission(
        list(specs.values()),
        TlsListener(listener, certificate.server_context()),
        tables=TABLES,
        time=time,
        limits=FaultLimits(),
        report=told.append,
    )
    target = f"127.0.0.1:{listener.getsockname()[1]}"
    run = RawRun({name: _hosted_bot(target, admission.invitations[name].tokens[0], certificate) for name in specs})
    run.told = told
    yield (
        run,
        Referee(
            specs,
            conditions(time=time),
            workspace=folder / "logs",
            slots=2,
            tables=TABLES,
            admission=admission,
            start_pauses_s=(),
        ),
    )


def _hosted_bot(target: str, token: str, certificate: Certificate) -> RawBot:
    async def card() -> Card:
        return Card(target, token, certificate.trust)

    return RawBot(card, lambda: None)
