"""Decodes messages of the seat protocol into the engine's values.

Each function decodes one part on request, so a bot that only picks an index never pays for decoding a view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bowerbird.engine import Action, Event, OptionValue, SeatView
from bowerbird.harness.wire.enums import FAULT_POLICIES, SCORE_ORDERS
from bowerbird.harness.wire.values import action_from_wire, event_from_wire, options_from_wire
from bowerbird.harness.wire.view_fields import OWN, PUBLIC
from bowerbird.seat.v1 import seat_pb2, table_pb2, view_pb2


@dataclass(frozen=True, slots=True)
class TableConstants:
    """The constants of a game, as one seat gets them in TableOpened. Durations are milliseconds.

    `sides` is the side of each seat for the whole game, by seat; () if sides change or there are none. `on_fault` is
    forfeit, substitute or "" (a policy unknown to this version). `names` (by seat) is empty unless the run shows who
    plays. `pack` has each card once, in canonical order; `copies` is the number of copies of each card except jokers.
    `score_order` is which scores are better, high or low.
    """

    table_id: str
    seat: int
    players: int
    sides: tuple[int, ...]
    variant: str
    rules_version: str
    options: Mapping[str, OptionValue]
    per_decision_ms: int
    bank_ms: int
    increment_ms: int
    game_ms: int
    on_fault: str
    seed: bytes
    names: tuple[str, ...]
    pack: tuple[str, ...]
    copies: int
    hand_size: int
    tricks: int
    score_order: str


def table_constants(message: table_pb2.TableOpened) -> TableConstants:
    """Decode a TableOpened. Raises WireError for an option without a value."""
    return TableConstants(
        table_id=message.table_id,
        seat=message.seat,
        players=message.players,
        sides=tuple(message.sides),
        variant=message.variant,
        rules_version=message.rules_version,
        options=options_from_wire(message.options),
        per_decision_ms=message.clock.per_decision_ms,
        bank_ms=message.clock.bank_ms,
        increment_ms=message.clock.increment_ms,
        game_ms=message.clock.game_ms,
        on_fault=FAULT_POLICIES.word(message.fault_policy),
        seed=message.seed,
        names=tuple(message.names),
        pack=tuple(message.pack.cards),
        copies=message.pack.copies,
        hand_size=message.hand_size,
        tricks=message.tricks,
        score_order=SCORE_ORDERS.word(message.score_order),
    )


def legal(request: seat_pb2.DecisionRequest) -> tuple[Action, ...]:
    """Decode the legal actions, in canonical order. Raises EngineError for a token unknown to the engine."""
    return tuple(action_from_wire(action.token) for action in request.legal_actions)


def events(request: seat_pb2.DecisionRequest | table_pb2.HandEnded) -> tuple[Event, ...]:
    """Decode the events since the last message about the table; none unless the bot wants events."""
    return tuple(map(event_from_wire, request.events))


def view(constants: TableConstants, message: view_pb2.SeatView, actions: tuple[Action, ...]) -> SeatView:
    """Decode a SeatView into the engine's view. `actions` are the legal actions of its request."""
    fields: dict[str, Any] = {field.name: field.decode(message.public_view) for field in PUBLIC}
    fields |= {field.name: field.decode(message.own_view) for field in OWN}
    return SeatView.from_fields(
        variant=constants.variant,
        options=constants.options,
        seat=constants.seat,
        players=constants.players,
        legal=actions,
        **fields,
    )
