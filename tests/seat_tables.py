"""Real games at which one bot process sits in one seat; all other seats play at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from seat_referee import SeatReferee

from engine import Game, new_game
from harness.v1 import table_pb2
from harness.wire import encode


@dataclass
class SeatTable:
    """One game; `made` are the actions that the bot chose."""

    table_id: str
    game: Game
    seat: int
    rng: random.Random
    encoder: encode.TableEncoder = field(default_factory=encode.TableEncoder)
    number: int = 0
    made: list[str] = field(default_factory=list)

    def advance(self) -> bool:
        """Play up to the bot's next decision with a choice; False when the game is over."""
        while (seat := self.game.actor) is not None:
            legal = self.game.legal_actions()
            if seat == self.seat and len(legal) > 1:
                return True
            self.number += seat == self.seat
            self.game.apply(self.rng.choice(legal))
        return False

    def request(self) -> bytes:
        """The decision that is due."""
        view = self.game.view(self.seat)
        return self.encoder.request(self.table_id, view, self.number, budget_ms=60000, bank_ms=0, charged_ms=0)

    def answer(self, index: int) -> None:
        """What the bot chose."""
        action = self.game.legal_actions()[index]
        self.made.append(str(action))
        self.game.apply(action)
        self.number += 1


def open_table(referee: SeatReferee, table_id: str, variant: str, seat: int, max_hands: int = 2) -> SeatTable:
    """Tell the bot of a new table; the same id gives the same game and the same seed for the bot."""
    rng = random.Random(f"{table_id} {variant} {seat}")
    game = new_game(variant, {"max_hands": max_hands}, seed=rng.randbytes(32))
    message = encode.table_opened(
        table_id=table_id,
        seat=seat,
        players=game.players,
        partners=(),
        variant=variant,
        options=game.options,
        clock=table_pb2.Clock(per_decision_ms=60000),
        on_fault="forfeit",
        seed=rng.randbytes(32),
    )
    referee.say(message)
    return SeatTable(table_id, game, seat, rng)


def play_tables(referee: SeatReferee, tables: Sequence[SeatTable], batch: int) -> None:
    """Play all of them to their ends, at most `batch` decisions in a message, and check each answer."""
    open_tables = [table for table in tables if table.advance()]
    while open_tables:
        due = {table.table_id: table for table in open_tables[:batch]}
        referee.say(encode.decision_requests([table.request() for table in due.values()], deadline_ms=60000))
        while due:
            for decision in referee.hear_a("decisions").decisions.decisions:
                table = due.pop(decision.table_id)
                assert decision.decision_id == table.number
                assert decision.HasField("action_index")
                assert decision.action_index < len(table.game.legal_actions())
                table.answer(decision.action_index)
        waiting = open_tables[batch:] + open_tables[:batch]
        open_tables = [table for table in waiting if table.advance()]
    for table in tables:
        game = table.game
        closed = encode.table_closed(
            table_id=table.table_id, ranks=game.ranks, scores=game.scores, games=game.games, ended=game.ended
        )
        referee.say(closed)
