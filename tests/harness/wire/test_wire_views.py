"""Views go over the wire without loss, and spliced bytes equal plain messages (protocol.md, Decisions)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine import Game, InvalidOption, SeatView, sample_game, variant_names
from bowerbird.harness.wire import decode
from bowerbird.harness.wire.encode import TableEncoder, table_opened
from bowerbird.harness.wire.values import event_to_wire
from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.wire.plain_messages import plain_request, plain_view
from tests.support.wire.random_games import decisions, random_options

VARIANTS = st.sampled_from(variant_names())
SEEDS = st.integers(0, 2**32)


def sitting(game: Game, seat: int) -> decode.TableConstants:
    """Return what a bot in this seat knows from TableOpened, decoded from the wire."""
    message = table_opened(
        table_id="t",
        seat=seat,
        rules=game.rules,
        clock=table_pb2.Clock(),
        on_fault="forfeit",
        seed=bytes(32),
    )
    return decode.table_constants(table_pb2.TableOpened.FromString(message.table_opened.SerializeToString()))


def over_the_wire(encoder: TableEncoder, game: Game, seat: int) -> SeatView:
    data = encoder.request("t", game, seat, 0, budget_ms=1, bank_ms=2, charged_ms=3)
    request = seat_pb2.DecisionRequest.FromString(data)
    return decode.view(sitting(game, seat), request.view, decode.legal(request))


def random_game(variant: str, seed: int) -> list[Game]:
    """Yield a random game of a variant at each of its decisions; options that exclude each other keep their
    defaults."""
    rng = random.Random(seed)
    options = random_options(variant, rng)
    try:
        return [game.copy() for game in decisions(variant, rng, options)]
    except InvalidOption:
        return [game.copy() for game in decisions(variant, rng, {"max_hands": 3})]


@settings(max_examples=40)
@given(VARIANTS, SEEDS)
def test_a_view_comes_back_as_it_was(variant: str, seed: int) -> None:
    encoder = TableEncoder()
    for game in random_game(variant, seed):
        for seat in range(game.players):
            assert over_the_wire(encoder, game, seat) == game.view(seat)


@pytest.mark.parametrize("variant", variant_names())
def test_every_variant_comes_back_as_it_was(variant: str) -> None:
    encoder = TableEncoder()
    for game in random_game(variant, 1):
        seat = game.actor if game.actor is not None else 0
        assert over_the_wire(encoder, game, seat) == game.view(seat)


@settings(max_examples=40)
@given(VARIANTS, SEEDS)
def test_spliced_bytes_say_what_a_plain_message_says(variant: str, seed: int) -> None:
    encoder = TableEncoder()
    for number, game in enumerate(random_game(variant, seed)):
        seat = game.actor or 0
        data = encoder.request("table", game, seat, number, budget_ms=1000, bank_ms=5000, charged_ms=number)
        expected = plain_request("table", game.view(seat), number, 1000, 5000, number)
        assert seat_pb2.DecisionRequest.FromString(data) == expected


@settings(max_examples=15)
@given(VARIANTS, SEEDS)
def test_what_a_seat_alone_knows_is_its_view_without_the_public_part(variant: str, seed: int) -> None:
    """Feature "events_only": all but the first request of a hand."""
    encoder = TableEncoder()
    for number, game in enumerate(random_game(variant, seed)):
        for seat in range(game.players):
            view, own = game.view(seat), game.own_view(seat)
            assert own == (seat, view.hand, view.memory, view.legal)
            expected = plain_request("table", view, number, 1000, 5000, number)
            expected.view.ClearField("public_view")
            data = encoder.request(
                *("table", game, seat, number), budget_ms=1000, bank_ms=5000, charged_ms=number, shows_public=False
            )
            assert seat_pb2.DecisionRequest.FromString(data) == expected


@settings(max_examples=15)
@given(VARIANTS, SEEDS)
def test_bytes_do_not_depend_on_what_was_encoded_before(variant: str, seed: int) -> None:
    """One encoder may be asked for any seat at any point of its game in any order; no request affects another."""
    asked = [(game, seat) for game in random_game(variant, seed) for seat in range(game.players)]
    random.Random(seed).shuffle(asked)
    shared = TableEncoder()
    for game, seat in asked:
        data = shared.request("t", game, seat, 0, budget_ms=1, bank_ms=2, charged_ms=3)
        assert seat_pb2.DecisionRequest.FromString(data).view == plain_view(game.view(seat))


@settings(max_examples=15)
@given(VARIANTS, SEEDS)
def test_events_follow_those_that_were_sent(variant: str, seed: int) -> None:
    rng, shared = random.Random(seed), TableEncoder()
    for game in random_game(variant, seed):
        first = rng.randrange(len(game.history) + 1)
        data = shared.request("t", game, 0, 0, budget_ms=1, bank_ms=2, charged_ms=3, events_from=first)
        expected = [event_to_wire(event) for event in game.history[first:]]
        assert list(seat_pb2.DecisionRequest.FromString(data).events) == expected


@pytest.mark.parametrize("variant", variant_names())
def test_a_game_can_be_sampled_from_what_came_over_the_wire(variant: str) -> None:
    rng = random.Random(2)
    encoder = TableEncoder()
    for game in random_game(variant, 3)[:-1:7]:
        assert game.actor is not None
        sampled = sample_game(over_the_wire(encoder, game, game.actor), rng)
        assert sampled.view(game.actor) == game.view(game.actor)
