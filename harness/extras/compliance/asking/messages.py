"""The messages that a seat gets up to one decision of a recorded game."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from bowerbird.engine import Action, Game
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.replay.positions import Position
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.game.clock import NS_PER_MS, Bank, Pace
from bowerbird.harness.referee.table_driver import TABLE_ID_BYTES, clock_of
from bowerbird.harness.wire import encode


@dataclass(frozen=True, slots=True)
class Wishes:
    """The messages that a bot wants (seat.proto, Capabilities): events, and decisions without a choice."""

    events: bool
    forced: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A decision to ask for: its number among the seat's decisions, the choices, and the recorded token ("" if none).

    limit_ms: how long the recorded clock would have waited.
    """

    number: int
    legal: tuple[Action, ...]
    recorded: str
    limit_ms: int


@dataclass(frozen=True, slots=True)
class TableMessage:
    """A serialised PlayResponse, with its question if it contains one."""

    data: bytes
    question: Question | None = None


class RecordedTable:
    """The table of a recorded game, as the seat of `position` sees it.

    table_id: the name of the table in all messages. Equal `seed`s (a string) give the bot the same random numbers.
    """

    def __init__(self, record: GameRecord, position: Position, seed: str) -> None:
        digest = hashlib.sha256(utf8(seed)).digest()
        self.table_id = digest[:TABLE_ID_BYTES].hex()
        self._seed = hashlib.sha256(digest).digest()
        self._record = record
        self._position = position
        self._time = record.clocks[position.seat]
        self._pace = Pace.of(self._time)
        self._encoder = encode.TableEncoder()

    def messages(self, wishes: Wishes, *, from_start: bool) -> Iterator[TableMessage]:
        """Yield every message from TableOpened to the request for the position's decision.

        from_start: with all earlier decisions of the seat. Without it, only the decision with the events of its hand.
        """
        position, seat = self._position, self._position.seat
        yield TableMessage(self._opened())
        bank, number, hand, sent = Bank(self._pace), 0, -1, 0
        for step in position.earlier:
            if step.hand != hand:
                hand = step.hand
                bank.begin_hand()
            if step.seat == seat:
                if from_start and (wishes.forced or len(step.legal) > 1):
                    yield self._request(step.before, number, step.token, bank, sent if wishes.events else None)
                    sent = len(step.before.history)
                number += 1
                if not (step.forced or step.substituted):
                    bank.charge(step.ms * NS_PER_MS)
            if not step.is_within_hand:
                if from_start and wishes.events:
                    ended = step.after.results[-1]
                    yield TableMessage(encode.hand_ended(self.table_id, ended, ended.history[sent:]))
                sent = 0
        if position.hand != hand:
            bank.begin_hand()
        yield self._request(position.game, number, position.recorded, bank, sent if wishes.events else None)

    def closed(self) -> bytes:
        """Return the TableClosed for after the answer."""
        game = self._position.game
        message = encode.table_closed(
            table_id=self.table_id, ranks=(), scores=game.scores, games=game.games, ended="abandoned"
        )
        return message.SerializeToString()

    def _opened(self) -> bytes:
        message = encode.table_opened(
            table_id=self.table_id,
            seat=self._position.seat,
            rules=self._position.game.rules,
            clock=clock_of(self._time),
            on_fault=self._record.conditions.on_fault,
            seed=self._seed,
        )
        return message.SerializeToString()

    def _request(self, game: Game, number: int, recorded: str, bank: Bank, sent: int | None) -> TableMessage:
        """Return the request for one decision.

        `sent` is the number of the hand's events sent so far, or None to send none.
        """
        request = self._encoder.request(
            self.table_id,
            game,
            self._position.seat,
            number,
            budget_ms=bank.budget // NS_PER_MS,
            bank_ms=bank.left // NS_PER_MS,
            charged_ms=bank.charged // NS_PER_MS,
            events_from=sent,
        )
        limit_ms = bank.limit // NS_PER_MS
        message = encode.decision_requests([request], deadline_ms=limit_ms)
        return TableMessage(message, Question(number, game.legal_actions(), recorded, limit_ms))
