"""The closed lists of the protocol are the engine's words: none is missing, none is superfluous.

Plays random games of every variant under every option, and the recorded games for each way to end.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from bowerbird.engine import Game
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.faults import FAULT_KINDS, POLICIES
from bowerbird.harness.referee.connection.messages import HINTS, MAX_RESPONSE, error, goodbye
from bowerbird.harness.referee.connection.session import ENOUGH_BYTES
from bowerbird.harness.referee.connection.stream import STATUS
from bowerbird.harness.wire.encode import TableEncoder, decision_requests, fault, hand_ended, table_closed, table_opened
from bowerbird.seat.v1 import action_pb2, seat_pb2, table_pb2, view_pb2
from tests.support.engine.variant_games import cases, started
from tests.support.records.make_fixtures import FOLDER, SEED

RESERVED = {
    "STAGE_HIDDEN": "only the seat that decides is sent a view",
    "STAGE_OVER": "nobody is asked when the game is over",
    "GAME_ENDING_ABANDONED": "a run that is interrupted says Goodbye, and check-bot tries the rest",
    "GAME_ENDING_VOID": "a stall of the host voids a game, and no random game has one",
}
"""Values that nothing in a game of this version makes the referee send, and why they are there."""


@functools.cache
def fields_with_enums(kind: Descriptor) -> tuple[FieldDescriptor, ...]:
    """Return the fields of a kind of message that are enums, or messages that hold some."""
    return tuple(
        field
        for field in kind.fields
        if field.enum_type is not None or (field.message_type is not None and fields_with_enums(field.message_type))
    )


def enum_values(message: Message) -> Iterator[tuple[FieldDescriptor, int]]:
    """Yield each value of each enum field. Skip fields that say they are unset."""
    for field in fields_with_enums(message.DESCRIPTOR):
        if field.has_presence and not message.HasField(field.name):
            continue
        value = getattr(message, field.name)
        for one in value if field.is_repeated else (value,):
            if field.enum_type is None:
                yield from enum_values(one)
            else:
                yield field, one


TABLE_ID = "0" * 24
LONG = 1 << 30


class Sent:
    """The values of every enum that messages carried, with their fields, and the size of the largest message."""

    def __init__(self) -> None:
        self.found: set[tuple[FieldDescriptor, int]] = set()
        self.largest = 0

    def of(self, enum: EnumDescriptor) -> set[str]:
        """Return the names of an enum's values that were sent, without the one for "unspecified"."""
        numbers = {number for field, number in self.found if field.enum_type == enum}
        return {enum.values_by_number[number].name for number in numbers - {0}}

    def add(self, message: Message | bytes) -> None:
        if isinstance(message, bytes):
            message = seat_pb2.PlayResponse.FromString(message)
        self.largest = max(self.largest, message.ByteSize())
        self.found.update(enum_values(message))

    def add_decision(self, encoder: TableEncoder, game: Game) -> None:
        assert game.actor is not None
        request = encoder.request(
            TABLE_ID, game, game.actor, 0, budget_ms=LONG, bank_ms=LONG, charged_ms=LONG, events_from=0
        )
        self.add(decision_requests([request], LONG))

    def add_ends(self, game: Game, ended: str) -> None:
        """Add the messages about the start and the ends of a game."""
        clock = table_pb2.Clock()
        for policy in POLICIES:
            self.add(table_opened(table_id="t", seat=0, rules=game.rules, clock=clock, on_fault=policy, seed=bytes(32)))
        for hand in game.results:
            self.add(seat_pb2.PlayResponse.FromString(hand_ended("t", hand, hand.history)))
        faults = [fault(0, kind) for kind in FAULT_KINDS]
        self.add(table_closed(table_id="t", ranks=(1,), scores=(0,), games=(), ended=ended, faults=faults))


def sent_in_games() -> Sent:
    """Return what the messages of many games carried."""
    made = Sent()
    for variant, options in cases():
        rng = random.Random(f"words {variant} {options}")  # a new option leaves the games of all others as they are
        game, encoder = started(variant, options, rng), TableEncoder()
        while game.actor is not None:
            made.add_decision(encoder, game)
            game.apply(rng.choice(game.legal_actions()))
        made.add_ends(game, game.ended)
    for path in sorted(FOLDER.rglob("*.toml")):
        record, encoder = read(path.read_bytes()), TableEncoder()
        for step in replay(record, SEED):
            made.add_decision(encoder, step.before)
            last = step.after
        made.add_ends(last, record.result.ended)
    for code in (*HINTS, *STATUS):
        made.add(error(code, "a sentence"))
    return made


CLOSED_LISTS = (
    *(action_pb2.Suit, action_pb2.How, action_pb2.ActionKind),
    *(view_pb2.Stage, view_pb2.UpcardPlace, view_pb2.MemoryKind),
    *(table_pb2.HandEnding, table_pb2.GameEnding, table_pb2.ScoreOrder, table_pb2.FaultPolicy, table_pb2.FaultKind),
    seat_pb2.ErrorCode,
)


def test_games_send_every_value_of_the_closed_lists_none_unspecified_and_no_message_near_the_limit() -> None:
    """Rule 2 of the contract. It is one test because the games take seconds.

    A word of the engine without a value would end them with a WireError. A session adds decisions to a message until it
    is half full, so each must fit into the other half.
    """
    sent = sent_in_games()
    unspecified = {field.full_name for field, number in sent.found if number == 0}
    assert not unspecified, "sent without a value"
    for enum in CLOSED_LISTS:
        known = {name for name, number in enum.items() if number}
        assert sent.of(enum.DESCRIPTOR) == known - RESERVED.keys(), f"of {enum.DESCRIPTOR.name}"
    assert 1000 < sent.largest < (MAX_RESPONSE - ENOUGH_BYTES) // 50


@pytest.mark.parametrize("reason", [name for name, number in seat_pb2.GoodbyeReason.items() if number])
def test_every_reason_of_a_goodbye_can_be_said(reason: str) -> None:
    word = reason.removeprefix("GOODBYE_REASON_")
    said = seat_pb2.PlayResponse.FromString(goodbye(word, 1)).goodbye
    assert seat_pb2.GoodbyeReason.Name(said.reason) == reason


def test_reserved_values_exist() -> None:
    names = {*view_pb2.Stage.keys(), *view_pb2.MemoryKind.keys(), *table_pb2.GameEnding.keys()}
    assert RESERVED.keys() <= names
