"""Sends requests and events to the seats of one table until the game ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bowerbird.engine import rules_of, stream
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.live import GONE
from bowerbird.harness.referee.connection.session import SeatState, Session
from bowerbird.harness.referee.game.table import Due, Table
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.referee.table_watch import TableWatch
from bowerbird.harness.wire.encode import TableEncoder, fault, table_closed, table_opened
from bowerbird.seat.v1 import table_pb2

SEED_WORDS = 8
TABLE_ID_WORDS = 3
TABLE_ID_BYTES = 4 * TABLE_ID_WORDS

VOID = "void"
"""The end of a voided game in TableClosed. The game has no record."""


class TableDriver:
    """The driver of one table, which passes events to the sessions of its seats.

    Life: created, opened (each seat gets TableOpened), started, closed (each seat gets TableClosed) or abandoned.
    `seats` has the seats by number, without seats whose processes did not start. `watch` informs spectators; None if
    nobody watches.
    """

    def __init__(
        self, table: Table, sessions: Sequence[Session | None], on_closed: Callable[[TableDriver], None]
    ) -> None:
        """Store `sessions` (by seat; None for a seat without a process) for a table that has not started."""
        self.table = table
        self._on_closed = on_closed
        encoder = TableEncoder()
        self.seats = {
            seat: SeatState(session, self, table, seat, table_id=table_id(table.spec, seat), encoder=encoder)
            for seat, session in enumerate(sessions)
            if session is not None
        }
        self._asked: Due | None = None
        self._hands_told = 0
        self._is_closed = False
        self.watch: TableWatch | None = None

    def open(self) -> None:
        """Send TableOpened to all seats, as one message with each seat's parts filled in."""
        table = self.table
        message = table_opened(
            table_id="",
            seat=0,
            rules=rules_of(table.spec.variant).rules(table.game.options),
            clock=clock_of(table.conditions.time),
            on_fault=table.conditions.on_fault,
            seed=b"",
        )
        opened = message.table_opened
        for seat in self.seats.values():
            opened.table_id = seat.table_id
            opened.seat = seat.number
            opened.seed = bot_seed(table.spec, seat.number)
            opened.clock.CopyFrom(clock_of(table.clocks[seat.number]))
            seat.session.sit(seat, message.SerializeToString())

    def start(self) -> None:
        """Play up to the first decision that a seat must be asked."""
        self.table.start()
        self.advance()

    def advance(self) -> None:
        """Send new events and the new request since the last call. Close the table if the game has ended."""
        if self._is_closed:
            return
        table = self.table
        if len(table.hands) != self._hands_told:
            self._tell_hands()
        if table.record is not None:
            self._close()
            return
        due = table.due
        if due is not None and due is not self._asked:
            self._asked = due
            seat = self.seats[due.seat]
            seat.session.ask(seat)
        if self.watch is not None:
            self.watch.note()

    def abandon(self, ended: str = GONE) -> None:
        """Ignore all further events at this table.

        Report `ended` to spectators if the table has no record.
        """
        self._is_closed = True
        if self.watch is not None:
            self.watch.end(ended)
            self.watch = None
        self.seats = {}  # each seat refers to its driver, and a reference cycle would keep the table in memory

    @property
    def lost_bots(self) -> tuple[str, ...]:
        """The distinct bots whose processes at this table have ended, sorted."""
        ended = (number for number, seat in self.seats.items() if seat.session.is_ending)
        return tuple(sorted({self.table.spec.seats[seat].bot for seat in ended if not self.table.has_left(seat)}))

    def void(self) -> None:
        """Close the table without a result, in the middle of its game. Sessions drop their requests for it."""
        for seat in self.seats.values():
            message = table_closed(
                table_id=seat.table_id, ranks=(), scores=self.table.game.scores, games=(), ended=VOID
            )
            seat.session.withdraw(seat, message.SerializeToString())
        self.abandon(VOID)

    def _tell_hands(self) -> None:
        """Send HandEnded for each newly finished hand. TableClosed reports an unfinished one."""
        for number in range(self._hands_told, len(self.table.hands)):
            if not self.table.hands[number].scores:
                continue
            for seat in self.seats.values():
                seat.session.tell_hand(seat, self.table.game.results[number])
        self._hands_told = len(self.table.hands)

    def _close(self) -> None:
        """Send TableClosed to all seats, each with only the details of its own faults."""
        record = self.table.record
        assert record is not None  # `advance` has checked
        for seat in self.seats.values():
            message = table_closed(
                table_id=seat.table_id,
                ranks=record.result.ranks,
                scores=self.table.game.scores,
                games=record.result.games,
                ended=record.result.ended,
                faults=[
                    fault(made.seat, made.kind, made.detail if made.seat == seat.number else "")
                    for made in record.faults
                ],
            )
            seat.session.stand(seat, message.SerializeToString())
        self.abandon()
        self._on_closed(self)


def clock_of(time: TimeControl) -> table_pb2.Clock:
    """Return a clock in the form sent to bots."""
    return table_pb2.Clock(
        per_decision_ms=time.per_decision_ms,
        bank_ms=time.bank_ms,
        increment_ms=time.increment_ms,
        game_ms=time.game_ms,
    )


def bot_seed(spec: TableSpec, seat: int) -> bytes:
    """Return the 32 bytes from which a bot may draw its random numbers (notation.md, Shuffling)."""
    return _words(("bot", spec.game_id, seat), spec.seed, SEED_WORDS)


def table_id(spec: TableSpec, seat: int) -> str:
    """Return the name of the table for a seat's bot.

    It reveals nothing, is the same in every run of a seed, and differs between the seats.
    """
    return _words(("table id", spec.game_id, seat), spec.seed, TABLE_ID_WORDS).hex()


def _words(fields: tuple[str, str, int], seed: bytes, count: int) -> bytes:
    source = stream(seed, *fields)
    return b"".join(source.uniform(1 << 32).to_bytes(4, "big") for _ in range(count))
