"""Small values and rare messages: actions, words, options, tables, faults."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Action, Event, HandResult, Memory, rules_of
from harness.records.values.faults import FAULT_KINDS
from bowerbird.seat.v1 import action_pb2, seat_pb2, table_pb2, view_pb2
from harness.wire import WireError, decode, values
from harness.wire.encode import decision_requests, fault, hand_ended, table_closed, table_opened
from harness.wire.enums import ACTION_KINDS, FAULT_POLICIES, HOWS, MEMORY_KINDS, SUITS, UPCARD_PLACES
from harness.wire.enums import FAULT_KINDS as WIRE_FAULT_KINDS
from harness.wire.protobuf import nested, varint
from harness.wire.view_fields import MEMORY
from tests.support.wire.plain_messages import plain_action

TOKENS = (
    "pass", "order", "order alone", "order jambone", "call s", "call nt", "call d alone", "call h jambone", "bid 4",
    "bid 12 h", "discard 9c", "discard", "alone", "decline", "swap", "keep", "take", "exchange 0", "exchange 4",
    "defend", "ask 0", "ask 4", "give Kd", "give", "claim", "dictate Qh", "stay", "drop", "partner 0", "partner 3",
    "lead 2", "play Jd", "play X1", "play Xb",
)  # fmt: skip
"""A token of every row of NOTATION.md, and of every form that a row has."""


@pytest.mark.parametrize("token", TOKENS)
def test_an_action_carries_its_token_and_its_parts(token: str) -> None:
    """PROTOCOL.md rule 4."""
    message = values.action_to_wire(Action.parse(token))
    assert message == plain_action(Action.parse(token))
    assert message.kind != action_pb2.ACTION_KIND_UNSPECIFIED
    assert values.action_from_wire(message.token) is Action.parse(token)


def test_every_kind_of_action_of_the_protocol_is_a_row_of_the_notation() -> None:
    assert set(ACTION_KINDS) == {token.split()[0] for token in TOKENS}


def test_a_number_and_a_seat_of_0_differ_from_none() -> None:
    """PROTOCOL.md rule 2."""
    assert values.action_to_wire(Action.parse("exchange 0")).HasField("number")
    assert values.action_to_wire(Action.parse("ask 0")).HasField("seat")
    passed = values.action_to_wire(Action.parse("pass"))
    assert not passed.HasField("number")
    assert not passed.HasField("seat")


@pytest.mark.parametrize(
    "words", [SUITS, HOWS, ACTION_KINDS, UPCARD_PLACES, MEMORY_KINDS, FAULT_POLICIES, WIRE_FAULT_KINDS]
)
def test_words_and_numbers_name_each_other(words: object) -> None:
    assert isinstance(words, type(SUITS))
    assert [words.word(words.number(word)) for word in words] == list(words)
    assert words.number("") == 0


def test_the_protocol_knows_every_kind_of_fault() -> None:
    assert set(WIRE_FAULT_KINDS) == set(FAULT_KINDS)


def test_an_unknown_word_is_refused_and_an_unknown_number_is_unspecified() -> None:
    """PROTOCOL.md rule 9: a bot older than the referee reads what it knows."""
    with pytest.raises(WireError, match="the protocol has no suit 'x'; it knows '', 's', 'h', 'd', 'c', 'nt'"):
        SUITS.number("x")
    assert SUITS.word(99) == ""


@given(st.one_of(st.booleans(), st.integers(-(2**31), 2**31 - 1), st.text(st.characters(codec="utf-8"))))
def test_an_option_keeps_its_type(value: bool | int | str) -> None:
    message = table_pb2.OptionValue.FromString(values.option_value_to_wire(value).SerializeToString())
    back = values.option_value_from_wire(message)
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1])
def test_an_option_without_room_on_the_wire_is_named(value: int) -> None:
    with pytest.raises(WireError, match=str(value)):
        values.option_value_to_wire(value)


def test_an_option_without_a_value_is_refused() -> None:
    with pytest.raises(WireError, match="without a value"):
        values.option_value_from_wire(table_pb2.OptionValue())


@pytest.mark.parametrize("seat", [None, 0, 3])
def test_a_memory_comes_back_as_it_was(seat: int | None) -> None:
    memory = Memory("gave", ("As", "X1"), seat)
    assert MEMORY.decode(view_pb2.OwnView.FromString(MEMORY.encode((memory, memory)))) == (memory, memory)


@given(st.integers(0, 2**64 - 1))
def test_varints_are_protobufs(number: int) -> None:
    data = varint(number)
    assert [byte >> 7 for byte in data] == [1] * (len(data) - 1) + [0]
    assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data)) == number


@pytest.mark.parametrize("size", [0, 1, 127, 128, 4095, 4096, 70_000])
def test_a_message_inside_a_message_has_the_right_length(size: int) -> None:
    inner = seat_pb2.Hello(token="x" * size)
    wrapped = nested(seat_pb2.PlayRequest, "hello")(inner.SerializeToString())
    assert seat_pb2.PlayRequest.FromString(wrapped) == seat_pb2.PlayRequest(hello=inner)


def test_decision_requests_hold_every_request_in_order() -> None:
    requests = [seat_pb2.DecisionRequest(table_id=name, budget_ms=7) for name in ("a", "b", "c" * 300)]
    data = decision_requests([request.SerializeToString() for request in requests], deadline_ms=99)
    wanted = seat_pb2.DecisionRequests(requests=requests, deadline_ms=99)
    assert seat_pb2.PlayResponse.FromString(data) == seat_pb2.PlayResponse(decision_requests=wanted)


def test_a_deadline_without_room_is_the_longest() -> None:
    data = decision_requests([], deadline_ms=2**40)
    assert seat_pb2.PlayResponse.FromString(data).decision_requests.deadline_ms == 2**32 - 1


def test_a_table_comes_back_as_it_was_opened() -> None:
    message = table_opened(
        table_id="x",
        seat=0,
        players=4,
        partners=[2],
        variant="euchre",
        options={"target": 10, "stick_dealer": False, "defend_alone": "never"},
        clock=table_pb2.Clock(per_decision_ms=1, bank_ms=2, increment_ms=3),
        on_fault="substitute",
        seed=bytes(range(32)),
        names=["a", "b", "c", "d"],
    )
    table = decode.table_constants(message.table_opened)
    assert table == decode.TableConstants(
        table_id="x",
        seat=0,
        players=4,
        partners=(2,),
        variant="euchre",
        rules_version="1",
        options={"target": 10, "stick_dealer": False, "defend_alone": "never"},
        per_decision_ms=1,
        bank_ms=2,
        increment_ms=3,
        on_fault="substitute",
        seed=bytes(range(32)),
        names=("a", "b", "c", "d"),
    )


def test_a_hand_ends_with_its_events() -> None:
    events = (Event(0, Action.parse("pass")), Event(3, Action.parse("discard")))
    hand = HandResult(2, 0, rules_of("euchre").rules().pack, (), (-3, 4), (), "scored", (), events)
    message = hand_ended("x", hand, events)
    assert decode.events(message.hand_ended) == events
    assert list(message.hand_ended.scores) == [-3, 4]


def test_a_closed_table_names_those_at_fault() -> None:
    faults = [fault(seat, kind) for seat, kind in zip(itertools.count(), FAULT_KINDS, strict=False)]
    message = table_closed(table_id="x", ranks=(1, 2), scores=(5, 0), games=(), ended="forfeit", faults=faults)
    names = [table_pb2.FaultKind.Name(made.kind) for made in message.table_closed.faults]
    assert names == [f"FAULT_KIND_{kind}" for kind in FAULT_KINDS]
