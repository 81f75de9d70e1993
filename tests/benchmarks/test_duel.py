"""Mirrored deals between two bots: what they measure, and that a seed repeats them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.strength.duel import OPTIONS, duel, every_other_side, player_named, view_of
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.bots.greedy.thresholds import thresholds_for
from bowerbird.engine import new_game, rules_of, variant_names


def test_a_bot_is_level_with_itself_where_it_decides_alike_every_time() -> None:
    assert duel("euchre", "greedy", "greedy", 6, "any").gain == 0


def test_greedy_is_above_random_and_random_below_by_the_same() -> None:
    above, below = duel("buck", "greedy", "random", 40, "any"), duel("buck", "random", "greedy", 40, "any")
    assert above.gain - above.reach > 0
    assert below.gain + below.reach < 0


def test_greedy_plays_with_the_thresholds_of_its_name_and_by_default_with_those_of_the_variant() -> None:
    own = thresholds_for("buck-auction").stay
    assert duel("buck-auction", f"greedy:stay={own}", "greedy", 6, "any").gain == 0
    rules = rules_of("buck-auction").rules(OPTIONS)
    asked = 0
    for deal in range(20):
        game = new_game("buck-auction", OPTIONS, seed=bytes(32), set_number=deal)
        rng = random.Random(deal)
        while game.actor is not None:
            if "drop" in map(str, game.legal_actions()):
                asked += 1
                assert str(player_named("greedy:stay=9,bid_margin=1", rules)(game, rng)) == "drop"
                assert str(player_named("greedy:stay=-9", rules)(game, rng)) == "stay"
            game.apply(greedy(view_of(game)))
    assert asked


def test_who_sees_all_cards_wins_against_greedy() -> None:
    found = duel("euchre", "all-seeing", "greedy", 30, "any")
    assert found.gain - found.reach > 0


def test_the_same_seed_gives_the_same_deals() -> None:
    first, again = (replace(duel("euchre", "pimc:4", "random", 5, "any"), first_ms=0, second_ms=0) for _ in range(2))
    assert first == again
    assert replace(duel("euchre", "pimc:4", "random", 5, "other"), seed="any", first_ms=0, second_ms=0) != first


@pytest.mark.parametrize("variant", variant_names())
def test_each_bot_has_every_seat_in_one_of_the_two_hands_of_a_deal(variant: str) -> None:
    rules = rules_of(variant).rules(OPTIONS)
    first, second = every_other_side(rules)
    assert first
    assert second
    assert first | second == set(rules.seats)
    assert not {rules.sides[seat] for seat in first} & {rules.sides[seat] for seat in second}, "partners sit together"


def test_a_mixed_bot_bids_as_the_first_and_plays_as_the_second() -> None:
    for deal in range(20):
        game = new_game("euchre", OPTIONS, seed=bytes(32), set_number=deal)
        bids, plays = (player_named(name, game.rules) for name in ("greedy/random", "random/greedy"))
        while game.actor is not None:
            rng, same = random.Random(deal), random.Random(deal)
            known = greedy(view_of(game))
            by_chance = same.choice(game.legal_actions())
            is_play = game.stage == "play"
            assert bids(game, rng) is (by_chance if is_play else known)
            assert plays(game, random.Random(deal)) is (known if is_play else by_chance)
            game.apply(known)


@pytest.mark.parametrize("name", ["gredy", "pimc", "pimc:x", "champion:6", "greedy/", "greedy/pimc"])
def test_a_name_of_no_bot_is_refused(name: str) -> None:
    known = "is none of random, greedy, greedy:NAME=NUMBER, all-seeing, pimc:WORLDS and champion:LEVEL"
    with pytest.raises(ValueError, match=known):
        player_named(name, rules_of("euchre").rules(OPTIONS))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("greedy:3", "'3' is not a threshold"),
        ("greedy:stai=1", "did you mean 'stay'"),
        ("greedy:stay", "convert"),
        ("greedy:contracts=1", "'contracts' is not a threshold"),
    ],
)
def test_a_threshold_that_greedy_does_not_have_is_refused(name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        player_named(name, rules_of("euchre").rules(OPTIONS))
