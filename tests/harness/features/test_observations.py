"""Numbers of actions and observations (environments.md): complete, the same from every side, blind to others' cards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from bowerbird.engine import Action, Game, IllegalAction, SeatView, new_game, rules_of, sample_game, variant_names
from bowerbird.harness.features.actions import action_numbers
from bowerbird.harness.features.layout import Field, Layout, layout_of
from bowerbird.harness.features.observing import action_mask, observation, observer_of
from bowerbird.harness.features.tracking import Tracker, arrays_of, hands_of_others
from tests.support.engine.variant_games import started, step, under_every_option

DEFAULTS = pytest.mark.parametrize("variant", variant_names())
MIXED = ("cornish", "king-cut-throat", "lap-slam", "railroad", "two-handed-straw-men")
"""Variants with a showdown, hands laid open, columns, gifts, private queries and a double pack between them."""


def choose(game: Game, rng: Random) -> Action:
    """Return a random decision; passes, drops and refusals are rare."""
    legal = game.legal_actions()
    bold = [action for action in legal if action.kind not in ("pass", "drop", "decline")]
    return rng.choice(bold if bold and rng.random() < 0.5 else legal)


def held_open(layout: Layout, bits: np.ndarray, field: Field, seat: int = 0) -> list[str]:
    """Return the cards of a field, which belongs to the seat `seat` places after the observing one."""
    start = field.offset + seat * layout.block
    order = layout.rules.pack.bit_order
    return [order[place] for place in np.flatnonzero(bits[start : start + field.length])]


# Actions


@under_every_option
def test_every_legal_action_has_a_number(variant: str, options: dict[str, object]) -> None:
    numbers = action_numbers(variant, options)
    rng = Random(f"numbers {variant}")
    game = started(variant, options, rng)
    while game.actor is not None:
        legal = game.legal_actions()
        found = np.flatnonzero(numbers.mask(legal)).tolist()
        assert [numbers[number] for number in found] == list(legal), "numbers ascend in the order of legal actions"
        step(game, rng)


@DEFAULTS
def test_numbers_and_tokens_go_both_ways(variant: str) -> None:
    numbers = action_numbers(variant)
    assert [numbers.of(str(action)) for action in numbers.actions] == list(range(len(numbers)))


def test_a_number_or_token_that_the_variant_lacks_is_refused_in_a_sentence() -> None:
    numbers = action_numbers("two-handed")
    with pytest.raises(IllegalAction, match=r"there is no action 70: two-handed numbers its actions 0 to 69"):
        _ = numbers[70]
    with pytest.raises(IllegalAction, match=r"there is no action -1"):
        _ = numbers[-1]
    with pytest.raises(IllegalAction, match=r'"call nt" has no number: it is not one of the 70 actions of two-handed'):
        numbers.of("call nt")


# Layout


@under_every_option
def test_fields_fill_the_layout_without_gap_or_overlap(variant: str, options: dict[str, object]) -> None:
    layout = layout_of(variant, options)
    taken = np.zeros(layout.size, dtype=int)
    for field in layout.fields.values():
        assert not field.values or len(field.values) == field.length, field.name
        for seat in range(layout.players if field.part == "seats" else 1):
            start = field.offset + seat * layout.block
            taken[start : start + field.length] += 1
    assert (taken == 1).all()


@under_every_option
def test_a_fact_that_no_phase_declares_never_changes(variant: str, options: dict[str, object]) -> None:
    """Otherwise the layout would lack it."""
    facts = rules_of(variant).rules(options).facts()
    rng = Random(f"facts {variant}")
    plain = {"upcard": "", "proposed": "", "how": "", "lone_defender": None, "contract": 0, "highest_bid": 0}
    for game in games(variant, options, rng):
        view = game.view(game.actor or 0)
        wrong = [name for name, value in plain.items() if name not in facts and getattr(view, name) != value]
        wrong += [name for name in ("laid", "covered", "games", "drops") if name not in facts and getattr(view, name)]
        wrong += [what for what, _, _ in view.memory if what not in facts | {"dealt", "upcard"}]
        assert not wrong, f"{game}: no phase declares {wrong} (Phase.facts)"


def games(variant: str, options: dict[str, object], rng: Random) -> Iterator[Game]:
    """Yield a random game before each of its decisions."""
    game = started(variant, options, rng)
    while game.actor is not None:
        yield game
        game.apply(choose(game, rng))


# Observations


@under_every_option
def test_a_tracker_finds_what_a_view_says(variant: str, options: dict[str, object]) -> None:
    """For every seat, before every decision and at the end."""
    observer = observer_of(variant, options)
    rng = Random(f"tracker {variant}")
    game = started(variant, options, rng)
    tracker = Tracker(observer, game)
    while True:
        for seat in range(game.players):
            view = game.view(seat)
            differing = observer.bits(view) ^ tracker.bits(seat)
            assert not differing, f"{game}, seat {seat}: place {differing.bit_length() - 1} differs"
            assert tracker.numbers(seat) == np.array(observer.numbers(view, seat), np.float32).tobytes()
        if game.actor is None:
            break
        view = game.view(game.actor)
        actors, observations, masks = arrays_of(observer, [tracker])
        assert actors.tolist() == [game.actor]
        assert (observations[0] == observer.observation(view)).all(), game
        assert (masks[0] == observer.actions.mask(view.legal)).all(), game
        apply = tracker.apply if rng.random() < 0.5 else tracker.apply_legal
        apply(choose(game, rng))


@pytest.mark.parametrize("variant", MIXED)
def test_an_observation_depends_on_nothing_that_its_seat_does_not_know(variant: str) -> None:
    """A game sampled from a view has other hidden cards; the tracker of its seat finds the same in both."""
    rng = Random(f"blind {variant}")
    observer = observer_of(variant, {"max_hands": 2})
    for number, game in enumerate(games(variant, {"max_hands": 2}, rng)):
        if number % 5:
            continue
        seat = rng.randrange(game.players) if game.actor is None else game.actor
        twin = sample_game(game.view(seat), rng)
        assert Tracker(observer, twin).bits(seat) == Tracker(observer, game).bits(seat)


@pytest.mark.parametrize("variant", MIXED)
def test_the_tracker_of_a_world_like_the_view_finds_what_a_new_one_does(variant: str) -> None:
    """To the end of the hand, for every seat."""
    rng = Random(f"alike {variant}")
    observer = observer_of(variant, {"max_hands": 2})
    for number, game in enumerate(games(variant, {"max_hands": 2}, rng)):
        if number % 5:
            continue
        assert game.actor is not None
        twin = sample_game(game.view(game.actor), rng)
        tracker = Tracker(observer, game).alike(twin)
        while not twin.is_over and twin.hand_number == game.hand_number:
            anew = Tracker(observer, twin)
            for seat in range(game.players):
                assert tracker.bits(seat) == anew.bits(seat), f"{twin}, seat {seat}"
                assert tracker.numbers(seat) == anew.numbers(seat), f"{twin}, seat {seat}"
            tracker.apply(choose(twin, rng))


@DEFAULTS
def test_fields_say_what_the_view_says(variant: str) -> None:
    """The fields that matter most, read back by the documented offsets."""
    layout = layout_of(variant, {"max_hands": 1})
    rng = Random(f"fields {variant}")
    for game in games(variant, {"max_hands": 1}, rng):
        assert game.actor is not None
        view = game.view(game.actor)
        found = observation(view)
        assert_says(layout, view, found)


def assert_says(layout: Layout, view: SeatView, found: np.ndarray) -> None:
    """Fail unless an observation has the view's stage, trump, maker, hand, trick, tricks won and scores."""
    stage, trump = layout["stage"], layout["trump"]
    assert [stage.values[k] for k in np.flatnonzero(found[: stage.length])] == [view.stage]
    start = trump.offset
    assert [trump.values[k] for k in np.flatnonzero(found[start : start + trump.length])] == [view.trump] * bool(
        view.trump
    )
    assert sorted(held_open(layout, found, layout["hand"])) == sorted(view.hand)
    on_table = dict(view.trick)
    for place in range(view.players):
        seat = (view.seat + place) % view.players
        offset = place * layout.block
        assert found[layout["maker"].offset + offset] == (view.maker == seat)
        assert found[layout["dealer"].offset + offset] == (view.dealer == seat)
        assert held_open(layout, found, layout["trick"], place) == ([on_table[seat]] if seat in on_table else [])
        won = layout["won"]
        assert found[won.offset + offset :][: won.length].sum() == view.tricks_won[seat]
        assert found[layout["scores"].offset + place] == view.scores[seat]


def test_the_mask_is_empty_unless_the_seat_is_to_decide() -> None:
    game = new_game("euchre", first_dealer=3, seed=bytes(32))
    assert action_mask(game.view(0)).sum() == 3
    assert not action_mask(game.view(1)).any()


@pytest.mark.parametrize("variant", variant_names())
def test_hands_of_others_are_those_of_the_game_clockwise_from_the_actor(variant: str) -> None:
    observer, trackers = observer_of(variant), []
    for deal in range(4):
        game = new_game(variant, seed=bytes(32), set_number=deal)
        for _ in range(deal * 3):
            game.apply(game.legal_actions()[0])
        trackers.append(Tracker(observer, game))
    players = observer.layout.players
    for tracker, row in zip(trackers, hands_of_others(observer, trackers), strict=True):
        game = tracker.game
        assert game.actor is not None
        for offset, cards in enumerate(row.reshape(players - 1, -1), start=1):
            held = sum(1 << int(place) for place in np.flatnonzero(cards))
            assert held == game.hands[(game.actor + offset) % players]
