"""An open table and the seats around it: who is asked next, and what everybody there is told."""

from __future__ import annotations

from collections.abc import Sequence

from engine.shuffle import stream
from harness.records.result import sides_of
from harness.referee.chair import Chair
from harness.referee.session import Session
from harness.referee.spec import TableSpec
from harness.referee.table import Due, Table
from harness.v1 import table_pb2
from harness.wire.encode import TableEncoder, fault, table_closed, table_opened

SEED_WORDS = 8
TABLE_ID_WORDS = 3


class OpenTable:
    """A table in play. `seated` has by seat the session that plays there; where no process sat down it has nothing."""

    def __init__(self, table: Table, sessions: Sequence[Session | None]) -> None:
        """Seat the sessions, by seat, at a table that has not started."""
        self.table = table
        encoder = TableEncoder()
        self.seated = {
            seat: (session, Chair(table, seat, table_id(table.spec, seat), encoder))
            for seat, session in enumerate(sessions)
            if session is not None
        }
        self._asked: Due | None = None
        self._hands_told = 0
        self._seat_all()

    def go_on(self) -> bool:
        """Tell and ask whatever is new since the last call. True when the game has just ended: all seats are free."""
        table = self.table
        if len(table.hands) != self._hands_told:
            self._tell_hands()
        if table.record is not None:
            self._close()
            return True
        due = table.due
        if due is not None and due is not self._asked:
            self._asked = due
            session, chair = self.seated[due.seat]
            session.ask(chair)
        return False

    def _seat_all(self) -> None:
        """Everybody sits down with a TableOpened: one message, of which each seat gets its own parts put in."""
        table = self.table
        time = table.conditions.time
        message = table_opened(
            table_id="",
            seat=0,
            players=table.game.players,
            partners=(),
            variant=table.spec.variant,
            options=table.game.options,
            clock=table_pb2.Clock(
                per_decision_ms=time.per_decision_ms, bank_ms=time.bank_ms, increment_ms=time.increment_ms
            ),
            on_fault=table.conditions.on_fault,
            seed=b"",
        )
        opened = message.table_opened
        sides = sides_of(table.spec.variant, table.game.options)
        for session, chair in self.seated.values():
            opened.table_id = chair.table_id
            opened.seat = chair.seat
            side = sides[chair.seat]
            opened.partners[:] = [seat for seat, other in enumerate(sides) if other == side and seat != chair.seat]
            opened.seed = bot_seed(table.spec, chair.seat)
            session.sit(chair, message.SerializeToString())

    def _tell_hands(self) -> None:
        """HandEnded for each hand that was finished; an unfinished one is told with TableClosed."""
        for number in range(self._hands_told, len(self.table.hands)):
            if not self.table.hands[number].scores:
                continue
            for session, chair in self.seated.values():
                session.tell_hand(chair, self.table.game.results[number])
        self._hands_told = len(self.table.hands)

    def _close(self) -> None:
        record = self.table.record
        assert record is not None
        for session, chair in self.seated.values():
            message = table_closed(
                table_id=chair.table_id,
                ranks=record.result.ranks,
                scores=self.table.game.scores,
                games=record.result.games,
                ended=record.result.ended,
                faults=[
                    fault(made.seat, made.kind, made.detail if made.seat == chair.seat else "")
                    for made in record.faults
                ],
            )
            session.stand(chair, message.SerializeToString())


def bot_seed(spec: TableSpec, seat: int) -> bytes:
    """The 32 bytes that a bot may draw its own random numbers from (NOTATION.md, Shuffling: "bot")."""
    return _words(("bot", spec.game_id, seat), spec.seed, SEED_WORDS)


def table_id(spec: TableSpec, seat: int) -> str:
    """What a seat's bot calls the table: says nothing, is the same in every run of one seed, differs between seats."""
    return _words(("table id", spec.game_id, seat), spec.seed, TABLE_ID_WORDS).hex()


def _words(fields: tuple[str, str, int], seed: bytes, count: int) -> bytes:
    source = stream(seed, *fields)
    return b"".join(source.uniform(1 << 32).to_bytes(4, "big") for _ in range(count))
