"""Sessions on fake connections at tables of their own; for the tests of a session."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import trio
import trio.testing

from bowerbird.harness.records.values.game_record import SeatRecord, TimeControl
from bowerbird.harness.referee.connection.exit_cause import LOCAL
from bowerbird.harness.referee.connection.limiter import Limiter
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.participant import Capabilities
from bowerbird.harness.referee.connection.session import OnLost, SeatState, Session
from bowerbird.harness.referee.connection.stream import Connection, Inbox, Listener, Outgoing, Received
from bowerbird.harness.referee.game.clock import NS_PER_MS, Pace
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import ExitStatus, Process, Supervisor
from bowerbird.harness.referee.table_driver import TableDriver
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.tables import conditions, table

TIME = TimeControl(per_decision_ms=30_000, bank_ms=10_000)


class FakeConnection:
    """A connection that accepts every message at once and keeps it.

    `handed_over_ns` is when the last message that asked for decisions went out: the clock of its decisions. Other
    messages leave it alone, or a slow machine would add the time between them to what a bot takes in a test.
    """

    def __init__(self) -> None:
        self.sent: list[seat_pb2.PlayResponse] = []
        self.handed_over_ns = 0
        self.room = 0
        self.settled: list[str] = []
        self.waiting: Collection[str] = ()
        self.finished = False

    def send(self, data: bytes) -> Outgoing:
        outgoing = Outgoing(data)
        outgoing.handed_over_ns = time.monotonic_ns()
        self.sent.append(seat_pb2.PlayResponse.FromString(data))
        return outgoing

    def send_request(self, data: bytes, waiting: Collection[str]) -> Outgoing:
        self.waiting = waiting
        outgoing = self.send(data)
        self.handed_over_ns = outgoing.handed_over_ns
        return outgoing

    def request_answered(self) -> None:
        self.settled.append("answered")

    def request_expired(self) -> None:
        self.settled.append("given up")

    def event_handled(self) -> None:
        self.room += 1

    def finish(self) -> None:
        self.finished = True

    def kinds(self) -> list[str]:
        return [str(message.WhichOneof("message")) for message in self.sent]

    def requests(self) -> list[seat_pb2.DecisionRequest]:
        """Return the requests of the last message that asked for decisions."""
        asked = [message for message in self.sent if message.WhichOneof("message") == "decision_requests"]
        return list(asked[-1].decision_requests.requests) if asked else []


class FakeParticipant:
    """A participant that has joined over a connection held by the test. `exits` ends its process."""

    exit_policy = LOCAL

    def __init__(self, connection: FakeConnection) -> None:
        self.connection: Connection | None = connection
        self.process: Process | None = Process(0, OutputLog(Path(os.devnull)), cast(Supervisor, None), 0)
        self.gone = trio.Event()
        self.inbox = Inbox()

    async def join(self) -> Capabilities:
        raise AssertionError("it has joined")

    def listen(self, listener: Listener) -> None:
        self.inbox.attach(listener)

    async def leave(self, reason: str) -> None:
        self.gone.set()

    def exits(self, status: int) -> None:
        assert self.process is not None
        self.process.exit_status = ExitStatus(status)
        self.process.ended.set()


def sessions_of(
    participants: Sequence[FakeParticipant],
    can: Capabilities,
    slots: int,
    on_fault: Callable[[Fault], None],
    *,
    host: HostClock | None = None,
    on_lost: OnLost = lambda seats: None,
) -> list[Session]:
    """Return a session for each participant, all with one mailbox and one limiter of `slots`."""
    limiter, mailbox = Limiter(slots), Mailbox().open()
    return [
        Session(
            participant,
            can,
            Pace.of(TIME),
            limiter,
            mailbox,
            clock=host or HostClock(),
            on_fault=lambda fault, seats: on_fault(fault),
            on_lost=on_lost,
        )
        for participant in participants
    ]


class Room:
    """Sessions by seat at some tables, with short ways to talk to them."""

    def __init__(
        self,
        *,
        seats: int,
        tables: int,
        slots: int,
        batch: int,
        events: bool,
        features: tuple[str, ...],
        variant: str,
        own_time: TimeControl | None,
    ) -> None:
        self._own_time = own_time
        self.faults: list[Fault] = []
        self.connections = [FakeConnection() for _ in range(seats)]
        self.participants = [FakeParticipant(connection) for connection in self.connections]
        can = Capabilities(tables=tables, batch=batch, wants_events=events, wants_forced=False, features=features)
        self._variant = variant
        self.sessions = sessions_of(self.participants, can, slots, self.faults.append)
        self.open: dict[Table, TableDriver] = {}
        for number in range(tables):
            self._open(number)

    def _open(self, number: int) -> None:
        spec = table(["a", "b", "a", "b"], number, self._variant)
        record = SeatRecord("x", "1", f"sha256:{'0' * 64}")
        first = replace(record, time=self._own_time)
        made = Table(spec, conditions(time=TIME), [first, *[record] * 3])
        self.open[made] = TableDriver(made, self.sessions * (4 // len(self.sessions)), lambda driver: None)
        self.open[made].open()
        self.open[made].start()

    def say(self, seat: int, *decisions: seat_pb2.Decision, after_ms: int = 0) -> None:
        said = seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=decisions))
        self.hear(seat, said, after_ms)

    def hear(self, seat: int, said: seat_pb2.PlayRequest, after_ms: int = 0) -> None:
        self.participants[seat].inbox.put(Received(said, self.connections[seat].handed_over_ns + after_ms * NS_PER_MS))


@asynccontextmanager
async def open_room(
    *,
    seats: int = 4,
    tables: int = 3,
    slots: int = 4,
    batch: int = 64,
    events: bool = False,
    features: tuple[str, ...] = (),
    variant: str = "euchre",
    own_time: TimeControl | None = None,
) -> AsyncIterator[Room]:
    """Open a room in which every session runs; stop them on leaving. A single session plays all four seats.

    own_time: the clock of the first seat of each table; None for the clock of all seats.
    """
    room = Room(
        seats=seats,
        tables=tables,
        slots=slots,
        batch=batch,
        events=events,
        features=features,
        variant=variant,
        own_time=own_time,
    )
    async with trio.open_nursery() as nursery:
        for session in room.sessions:
            nursery.start_soon(session.run)
        await settle()
        yield room
        nursery.cancel_scope.cancel()


async def settle() -> None:
    """Wait until every session is idle."""
    await trio.testing.wait_all_tasks_blocked()


def choose(request: seat_pb2.DecisionRequest, index: int = 0) -> seat_pb2.Decision:
    return seat_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id, action_index=index)


def asked(room: Room) -> list[int]:
    """Return the seats that have been asked for a decision."""
    return [seat for seat, connection in enumerate(room.connections) if connection.requests()]


def seat_with_most(room: Room) -> int:
    return max(range(4), key=lambda seat: len(room.connections[seat].requests()))


def seat_states(room: Room, seat: int) -> list[SeatState]:
    return [driver.seats[seat] for driver in room.open.values() if seat in driver.seats]
