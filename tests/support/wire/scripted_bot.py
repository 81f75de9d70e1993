"""A bot that gives the answers of a list, and a referee's messages for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bowerbird.engine import Event, Game, SeatView, new_game
from bowerbird.harness.sdk import Bot, Decision, HandEnd, Table, TableEnd
from bowerbird.harness.wire import encode
from bowerbird.harness.wire.values import event_to_wire
from bowerbird.seat.v1 import seat_pb2, table_pb2

SEED = bytes(range(32))


class Scripted(Bot):
    """A bot that answers with `choices` in turn and keeps what it is asked (`asked`) and told (`told`).

    A choice that is callable is given the decision and returns the answer.
    """

    def __init__(self, *choices: Any) -> None:
        self.choices = list(choices)
        self.told: list[Any] = []
        self.asked: list[Decision] = []

    def prepare(self) -> None:
        self.told.append("prepare")

    def act(self, decision: Decision) -> Any:
        self.asked.append(decision)
        choice = self.choices.pop(0)
        return choice(decision) if callable(choice) else choice

    def table_opened(self, table: Table) -> None:
        self.told.append(table)

    def hand_ended(self, table: Table, end: HandEnd) -> None:
        self.told.append((table.id, end))

    def table_closed(self, table: Table, end: TableEnd) -> None:
        self.told.append((table.id, end))


def opened(table_id: str = "t", seat: int = 0) -> seat_pb2.PlayResponse:
    """Return the message that opens a table of euchre for this seat."""
    return encode.table_opened(
        table_id=table_id,
        seat=seat,
        rules=new_game("euchre", seed=SEED).rules,
        clock=table_pb2.Clock(per_decision_ms=1000, bank_ms=5000, increment_ms=10),
        on_fault="forfeit",
        seed=SEED,
    )


def first_decision() -> tuple[Game, SeatView]:
    """Return a new game of euchre and the view of its eldest hand, which may pass, order, or order alone."""
    game = new_game("euchre", first_dealer=3, seed=SEED)
    return game, game.view(0)


def requests(*table_ids: str, events: Sequence[Event] = ()) -> seat_pb2.PlayResponse:
    """Return one message that asks for the first decision at each of these tables; decision ids count from 0."""
    game, _ = first_decision()
    encoder = encode.TableEncoder()
    said = seat_pb2.DecisionRequest(events=map(event_to_wire, events)).SerializeToString()
    data = [
        encoder.request(name, game, 0, number, budget_ms=1000, bank_ms=4999, charged_ms=17) + said
        for number, name in enumerate(table_ids)
    ]
    return seat_pb2.PlayResponse.FromString(encode.decision_requests(data, deadline_ms=9999))
