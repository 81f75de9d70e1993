"""Sessions on streams that the test holds itself, around tables of their own: for the tests of a session."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import trio
import trio.testing
from tables import conditions, table

from harness.records.record import SeatRecord, TimeControl
from harness.referee.chair import Chair
from harness.referee.clock import NS_PER_MS, Pace
from harness.referee.faults import Fault
from harness.referee.opening import OpenTable
from harness.referee.post import Post
from harness.referee.server import Outgoing, Said
from harness.referee.session import Session
from harness.referee.slots import Slots
from harness.referee.table import Table
from harness.v1 import seat_pb2

TIME = TimeControl(per_decision_ms=30_000, bank_ms=10_000)


class FakeLink:
    """Takes every message the moment that it is sent, and keeps it."""

    def __init__(self) -> None:
        self.sent: list[seat_pb2.PlayResponse] = []
        self.handed_over = 0
        self.room = 0
        self.settled: list[str] = []
        self.finished = False

    def send(self, data: bytes) -> Outgoing:
        outgoing = Outgoing(data)
        outgoing.handed_over = self.handed_over = time.monotonic_ns()
        self.sent.append(seat_pb2.PlayResponse.FromString(data))
        return outgoing

    def ask(self, data: bytes) -> Outgoing:
        return self.send(data)

    def answered(self) -> None:
        self.settled.append("answered")

    def given_up(self) -> None:
        self.settled.append("given up")

    def heard(self) -> None:
        self.room += 1

    def finish(self) -> None:
        self.finished = True

    def kinds(self) -> list[str]:
        return [str(message.WhichOneof("message")) for message in self.sent]

    def requests(self) -> list[seat_pb2.DecisionRequest]:
        """The decisions of the last message that asked any."""
        asked = [message for message in self.sent if message.WhichOneof("message") == "decision_requests"]
        return list(asked[-1].decision_requests.requests) if asked else []


class Room:
    """Some sessions, each at every seat number of its own of some tables, and a short way to talk to them."""

    def __init__(self, seats: int = 4, tables: int = 3, slots: int = 4, batch: int = 64, events: bool = False) -> None:
        self.faults: list[Fault] = []
        self.links = [FakeLink() for _ in range(seats)]
        shared = Slots(slots)
        post = Post().open()
        self.sessions = [
            Session(
                link,
                Pace.of(TIME),
                shared,
                post,
                max_batch=batch,
                wants_events=events,
                on_moved=self._moved,
                on_fault=lambda fault, chairs: self.faults.append(fault),
            )
            for link in self.links
        ]
        self.open: dict[Table, OpenTable] = {}
        for number in range(tables):
            self._open(number)

    def _open(self, number: int) -> None:
        spec = table(["a", "b", "a", "b"], number)
        record = SeatRecord("x", "1", f"sha256:{'0' * 64}")
        made = Table(spec, conditions(time=TIME), [record] * 4)
        self.open[made] = OpenTable(made, self.sessions)
        made.start()
        self._moved(made)

    def _moved(self, made: Table) -> None:
        self.open[made].go_on()

    def say(self, seat: int, *decisions: seat_pb2.Decision, after_ms: int = 0) -> None:
        said = seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=decisions))
        self.hear(seat, said, after_ms)

    def hear(self, seat: int, said: seat_pb2.PlayRequest, after_ms: int = 0) -> None:
        self.sessions[seat].hear(Said(said, self.links[seat].handed_over + after_ms * NS_PER_MS))


def in_room(body: Callable[[Room], Awaitable[None]], **options: object) -> Room:
    """Run `body` while every session of a new room converses; all of it has a deadline."""
    rooms: list[Room] = []

    async def main() -> None:
        room = Room(**options)  # type: ignore[arg-type]  # passed on as they are
        rooms.append(room)
        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                for session in room.sessions:
                    nursery.start_soon(session.converse)
                await settle()
                await body(room)
                nursery.cancel_scope.cancel()

    trio.run(main)
    return rooms[0]


async def settle() -> None:
    """Until every session waits again."""
    await trio.testing.wait_all_tasks_blocked()


def choose(request: seat_pb2.DecisionRequest, index: int = 0) -> seat_pb2.Decision:
    return seat_pb2.Decision(table_id=request.table_id, decision_id=request.decision_id, action_index=index)


def asked(room: Room) -> list[int]:
    """Seats with a message that asks something."""
    return [seat for seat, link in enumerate(room.links) if link.requests()]


def seat_with_most(room: Room) -> int:
    return max(range(4), key=lambda seat: len(room.links[seat].requests()))


def all_chairs(room: Room, seat: int) -> list[Chair]:
    return [opening.seated[seat][1] for opening in room.open.values() if seat in opening.seated]
