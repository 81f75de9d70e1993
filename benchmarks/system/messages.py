"""The messages of a real game, so that bare gRPC is measured with realistic message sizes."""

from __future__ import annotations

from random import Random

from bowerbird.engine import new_game
from bowerbird.harness.wire.encode import TableEncoder, decision_requests
from bowerbird.seat.v1 import seat_pb2

TABLE_ID = "0123456789abcdef01234567"
"""A table id as long as the referee's table ids."""


def conversation(variant: str, seed: int = 1) -> list[tuple[bytes, bytes]]:
    """Return the requests and answers of a game in order, one decision a message, without forced decisions."""
    chance = Random(seed)
    game = new_game(variant, seed=seed.to_bytes(32, "big"))
    encoder = TableEncoder()
    said: list[tuple[bytes, bytes]] = []
    while (seat := game.actor) is not None:
        legal = game.legal_actions()
        index = chance.randrange(len(legal))
        if len(legal) > 1:
            number = len(said)
            request = encoder.request(TABLE_ID, game, seat, number, budget_ms=1000, bank_ms=5000, charged_ms=1)
            said.append((decision_requests([request], deadline_ms=6000), _answer(number, index)))
        game.apply(legal[index])
    return said


def _answer(number: int, index: int) -> bytes:
    decision = seat_pb2.Decision(table_id=TABLE_ID, decision_id=number, action_index=index)
    return seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=[decision])).SerializeToString()
