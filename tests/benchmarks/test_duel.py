"""Mirrored deals between two bots: what they measure, and that a seed repeats them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.strength.duel import OPTIONS, duel, every_other_side, player_named
from engine import rules_of, variant_names


def test_a_bot_is_level_with_itself_where_it_decides_alike_every_time() -> None:
    assert duel("euchre", "greedy", "greedy", 6, "any").gain == 0


def test_greedy_is_above_random_and_random_below_by_the_same() -> None:
    above, below = duel("buck", "greedy", "random", 40, "any"), duel("buck", "random", "greedy", 40, "any")
    assert above.gain - above.reach > 0
    assert below.gain + below.reach < 0


def test_who_sees_all_cards_wins_against_greedy() -> None:
    found = duel("euchre", "all-seeing", "greedy", 30, "any")
    assert found.gain - found.reach > 0


def test_the_same_seed_gives_the_same_deals() -> None:
    first, again = (replace(duel("euchre", "pimc:4", "random", 5, "any"), first_ms=0, second_ms=0) for _ in range(2))
    assert first == again
    assert replace(duel("euchre", "pimc:4", "random", 5, "other"), first_ms=0, second_ms=0) != first


@pytest.mark.parametrize("variant", variant_names())
def test_each_bot_has_every_seat_in_one_of_the_two_hands_of_a_deal(variant: str) -> None:
    rules = rules_of(variant).rules(OPTIONS)
    first, second = every_other_side(rules)
    assert first
    assert second
    assert first | second == set(rules.seats)
    assert not {rules.sides[seat] for seat in first} & {rules.sides[seat] for seat in second}, "partners sit together"


@pytest.mark.parametrize("name", ["gredy", "pimc", "pimc:x", "champion:6", "greedy:3"])
def test_a_name_of_no_bot_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is none of random, greedy, all-seeing, pimc:WORLDS and champion:LEVEL"):
        player_named(name, rules_of("euchre").rules(OPTIONS))
