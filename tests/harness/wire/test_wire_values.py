"""Small values and rare messages: actions, words, options, tables, faults."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.engine import Action, Event, HandResult, Memory, rules_of, variant_names
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.wire import WireError, decode, values
from bowerbird.harness.wire.encode import (
    decision_requests,
    fault,
    hand_ended,
    repeated_requests,
    table_closed,
    table_opened,
)
from bowerbird.harness.wire.enums import (
    ACTION_KINDS,
    FAULT_POLICIES,
    GAME_ENDINGS,
    HAND_ENDINGS,
    HOWS,
    MEMORY_KINDS,
    SCORE_ORDERS,
    STAGES,
    SUITS,
    UPCARD_PLACES,
    WireEnum,
)
from bowerbird.harness.wire.enums import FAULT_KINDS as WIRE_FAULT_KINDS
from bowerbird.harness.wire.protobuf import nested_prefix, varint
from bowerbird.harness.wire.view_fields import MEMORY
from bowerbird.seat.v1 import action_pb2, seat_pb2, table_pb2, view_pb2
from tests.support.engine.random_options import random_options
from tests.support.wire.plain_messages import plain_action
from tests.support.wire.random_games import decisions

TOKENS = (
    "pass", "order", "order alone", "order jambone", "call s", "call nt", "call d alone", "call h jambone", "bid 4",
    "bid 12 h", "discard 9c", "discard", "alone", "decline", "swap", "keep", "take", "exchange 0", "exchange 4",
    "defend", "ask 0", "ask 4", "give Kd", "give", "claim", "dictate Qh", "stay", "drop", "partner 0", "partner 3",
    "lead 2", "play Jd", "play X1", "play Xb", "call low", "bid 4 nt", "bid 4 low", "lone 2", "lone 0 h", "lone 3 low",
    "show 9c",
)  # fmt: skip
"""A token of every row of notation.md, and of every form that a row has."""


@pytest.mark.parametrize("token", TOKENS)
def test_an_action_carries_its_token_and_its_parts(token: str) -> None:
    """protocol.md, Decisions."""
    message = values.action_to_wire(Action.parse(token))
    assert message == plain_action(Action.parse(token))
    assert message.kind != action_pb2.ACTION_KIND_UNSPECIFIED
    assert values.action_from_wire(message.token) is Action.parse(token)


def test_every_kind_of_action_of_the_protocol_is_a_row_of_the_notation() -> None:
    assert set(ACTION_KINDS) == {token.split()[0] for token in TOKENS}


def test_a_number_and_a_seat_of_0_differ_from_none() -> None:
    """protocol.md, Decisions."""
    assert values.action_to_wire(Action.parse("exchange 0")).HasField("number")
    assert values.action_to_wire(Action.parse("ask 0")).HasField("seat")
    passed = values.action_to_wire(Action.parse("pass"))
    assert not passed.HasField("number")
    assert not passed.HasField("seat")


EVERY_ENUM = (
    SUITS, HOWS, ACTION_KINDS, UPCARD_PLACES, MEMORY_KINDS, STAGES, HAND_ENDINGS, GAME_ENDINGS, SCORE_ORDERS,
    FAULT_POLICIES, WIRE_FAULT_KINDS,
)  # fmt: skip


@pytest.mark.parametrize("words", EVERY_ENUM, ids=lambda words: words._title)
def test_words_and_numbers_name_each_other(words: WireEnum) -> None:
    assert [words.word(words.number(word)) for word in words] == list(words)
    assert words.word(0) == ""
    assert 0 not in [words.number(word) for word in words], "rule 2: UNSPECIFIED is never sent"


@pytest.mark.parametrize("words", [SUITS, HOWS, UPCARD_PLACES, STAGES], ids=lambda words: words._title)
def test_the_empty_word_has_a_number_of_its_own(words: WireEnum) -> None:
    """Rule 2: no word differs from UNSPECIFIED."""
    assert words.number("") > 0


@pytest.mark.parametrize(
    "words", [ACTION_KINDS, MEMORY_KINDS, HAND_ENDINGS, GAME_ENDINGS, SCORE_ORDERS], ids=lambda words: words._title
)
def test_what_has_no_word_for_nothing_refuses_it(words: WireEnum) -> None:
    with pytest.raises(WireError):
        words.number("")


def test_the_protocol_knows_every_kind_of_fault() -> None:
    assert set(WIRE_FAULT_KINDS) == set(FAULT_KINDS)


def test_an_unknown_word_is_refused_and_an_unknown_number_is_unspecified() -> None:
    """protocol.md, Versions and growth: a bot older than the referee reads what it knows."""
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
    data = inner.SerializeToString()
    wrapped = nested_prefix(seat_pb2.PlayRequest, "hello")(len(data)) + data
    assert seat_pb2.PlayRequest.FromString(wrapped) == seat_pb2.PlayRequest(hello=inner)


def test_decision_requests_hold_every_request_in_order() -> None:
    requests = [seat_pb2.DecisionRequest(table_id=name, budget_ms=7) for name in ("a", "b", "c" * 300)]
    data = decision_requests([request.SerializeToString() for request in requests], deadline_ms=99)
    wanted = seat_pb2.DecisionRequests(requests=requests, deadline_ms=99, remaining_ms=99)
    assert seat_pb2.PlayResponse.FromString(data) == seat_pb2.PlayResponse(decision_requests=wanted)


def test_a_deadline_without_room_is_the_longest() -> None:
    data = decision_requests([], deadline_ms=2**40)
    assert seat_pb2.PlayResponse.FromString(data).decision_requests.deadline_ms == 2**32 - 1


def test_requests_that_are_repeated_say_what_is_left() -> None:
    """Each decision is charged its share of the time since the hand-over."""
    asked = [seat_pb2.DecisionRequest(table_id=name, budget_ms=50, remaining_ms=50) for name in "ab"]
    first = decision_requests([request.SerializeToString() for request in asked], deadline_ms=120)
    again = seat_pb2.PlayResponse.FromString(repeated_requests(first, 40)).decision_requests
    assert (again.deadline_ms, again.remaining_ms) == (120, 80)
    assert [(request.budget_ms, request.remaining_ms) for request in again.requests] == [(50, 30), (50, 30)]
    late = seat_pb2.PlayResponse.FromString(repeated_requests(first, 1000)).decision_requests
    assert [late.remaining_ms, *(request.remaining_ms for request in late.requests)] == [0, 0, 0]


def test_a_table_comes_back_as_it_was_opened() -> None:
    rules = rules_of("euchre").rules({"target": 7, "stick_dealer": True, "defend_alone": "always"})
    message = table_opened(
        table_id="x",
        seat=0,
        rules=rules,
        clock=table_pb2.Clock(per_decision_ms=1, bank_ms=2, increment_ms=3, game_ms=4),
        on_fault="substitute",
        seed=bytes(range(32)),
        names=["a", "b", "c", "d"],
    )
    table = decode.table_constants(message.table_opened)
    assert table == decode.TableConstants(
        table_id="x",
        seat=0,
        players=4,
        sides=(0, 1, 0, 1),
        variant="euchre",
        rules_version="1",
        options=rules.options,
        per_decision_ms=1,
        bank_ms=2,
        increment_ms=3,
        game_ms=4,
        on_fault="substitute",
        seed=bytes(range(32)),
        names=("a", "b", "c", "d"),
        pack=tuple(f"{rank}{suit}" for suit in "shdc" for rank in "AKQJT9"),
        copies=1,
        hand_size=5,
        tricks=5,
        score_order="high",
    )
    assert (table.options["target"], table.options["stick_dealer"]) == (7, True)


CANONICAL = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]
JOKERS: tuple[list[str], ...] = ([], ["X1"], ["X1", "X2", "X3"], ["Xr", "Xb"])


@pytest.mark.parametrize("variant", variant_names())
def test_the_constants_of_every_variant_are_those_of_its_games(variant: str) -> None:
    """TableOpened spares a bot the rule book: the pack, the sizes, who plays with whom, which scores are better."""
    rng = random.Random(variant)
    for _ in range(5):
        first, *_, last = (game.copy() for game in decisions(variant, rng, random_options(variant, rng, 3)))
        opened = table_opened(
            table_id="x", seat=0, rules=first.rules, clock=table_pb2.Clock(), on_fault="forfeit", seed=bytes(32)
        ).table_opened
        suited = [card for card in opened.pack.cards if card in CANONICAL]
        jokers = list(opened.pack.cards)[len(suited) :]
        assert suited == [card for card in CANONICAL if card in suited]
        assert jokers in JOKERS
        assert opened.pack.copies * len(suited) + len(jokers) == len(last.results[0].packs[0].split())
        assert {(hand & ~first.upcard).bit_count() for hand in first.hands} - {0} == {
            opened.hand_size
        }  # whoever turns a joker up names first, and looks afterwards
        played_out = [hand for hand in last.results if hand.ended == "scored"]
        assert {sum(hand.tricks) for hand in played_out} <= {opened.tricks}
        assert list(opened.sides) == list(first.sides) or (not opened.sides and first.rules.teams is None)
        best = max(last.scores) if opened.score_order == table_pb2.SCORE_ORDER_HIGH else min(last.scores)
        if last.ended in {"target", "limit"} and not last.games:
            assert {last.scores[seat] for seat in last.winners} == {best}


def test_a_hand_ends_with_its_events() -> None:
    events = (Event(0, Action.parse("pass")), Event(3, Action.parse("discard")))
    hand = HandResult(2, 0, rules_of("euchre").rules().pack, (), (-3, 4), (), "scored", (), events, ())
    message = seat_pb2.PlayResponse.FromString(hand_ended("x", hand, events))
    assert decode.events(message.hand_ended) == events
    assert list(message.hand_ended.scores) == [-3, 4]
    assert not message.hand_ended.shown


def test_the_end_of_a_hand_tells_the_cards_that_a_claim_showed() -> None:
    """rules.md B6, V3.5.4: the cards of a claim are shown to all."""
    hand = HandResult(0, 0, rules_of("euchre").rules().pack, (), (0, 0), (), "thrown in", (), (), (), ((), ("9s",)))
    message = seat_pb2.PlayResponse.FromString(hand_ended("x", hand))
    assert [list(seat.cards) for seat in message.hand_ended.shown] == [[], ["9s"]]


def test_a_closed_table_names_those_at_fault() -> None:
    faults = [fault(seat, kind) for seat, kind in zip(itertools.count(), FAULT_KINDS, strict=False)]
    message = table_closed(table_id="x", ranks=(1, 2), scores=(5, 0), games=(), ended="forfeit", faults=faults)
    names = [table_pb2.FaultKind.Name(made.kind) for made in message.table_closed.faults]
    assert names == [f"FAULT_KIND_{kind}" for kind in FAULT_KINDS]
