"""Circles of bots that beat each other in turn (ratings.md, What the numbers do not say)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest

from bowerbird.harness.ratings.standings.circles import MOST_BOTS, circles
from bowerbird.harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import game, mirrored, series

Chances = Sequence[Sequence[float]]
"""By bot and opponent, the probability of winning a game."""


def round_trip(sets: int, won: Sequence[float] = (1, 1)) -> list[GameResult]:
    """Return a circle of three bots in which the winner of each pair wins every set alike."""
    return [one for pair in ("ab", "bc", "ca") for one in series(sets, lambda _: won, *pair)]


def test_a_circle_of_one_sided_results_is_announced() -> None:
    (found,) = circles(round_trip(10))
    assert found.bots == ("a", "b", "c")
    assert found.shares == (1, 1, 1)
    assert found.p_value <= 2 * 0.5**10


def test_a_circle_the_other_way_round_names_the_winners_first() -> None:
    games = [one for pair in ("ba", "cb", "ac") for one in series(10, lambda _: (1, 1), *pair)]
    (found,) = circles(games)
    assert found.bots == ("a", "c", "b")


def test_a_circle_is_told_in_a_sentence() -> None:
    (found,) = circles(round_trip(20, (1, 0.5)))
    assert found.sentence.endswith("show: a beats b (75%), b beats c (75%), c beats a (75%)")


def test_a_circle_of_two_sets_each_may_be_chance() -> None:
    assert circles(round_trip(2)) == ()


@pytest.mark.parametrize("sets", [1, 2, 3, 10, 40])
def test_a_perfect_order_is_no_circle(sets: int) -> None:
    assert circles([one for pair in ("ab", "bc", "ac") for one in series(sets, lambda _: (1, 1), *pair)]) == ()


def test_opponents_of_a_gauntlet_that_never_met_make_no_circle() -> None:
    assert circles([one for pair in ("ab", "ca") for one in series(20, lambda _: (1, 1), *pair)]) == ()


def test_versions_of_one_bot_make_no_circle() -> None:
    """On common packs deterministic copies win and lose the same games, so every set is level."""
    games = [
        one for pair in ("ab", "bc", "ca") for one in series(40, lambda number: (number % 2, 1 - number % 2), *pair)
    ]
    assert circles(games) == ()


def test_versions_that_differ_in_one_deal_make_no_circle() -> None:
    games = [one for pair in ("ab", "bc", "ca") for one in series(40, lambda n: (1, n == 7), *pair)]
    assert circles(games) == ()


def test_sides_of_several_bots_are_no_direct_results() -> None:
    mixed = [
        game(bots, (1, 2, 1, 2), number=number, sides=(0, 1, 0, 1), lineup="abcd")
        for number in range(20)
        for bots in ("adbd", "bdcd", "cdad")
    ]
    assert circles(mixed) == ()


def test_copies_of_one_bot_on_a_side_are_direct_results() -> None:
    games = [
        game((one, other, one, other), (1, 2, 1, 2), number=number, sides=(0, 1, 0, 1), lineup=one + other)
        for number in range(10)
        for one, other in ("ab", "bc", "ca")
    ]
    assert [found.bots for found in circles(games)] == [("a", "b", "c")]


def test_two_circles_are_announced_the_surest_first() -> None:
    second = [one for pair in ("xy", "yz", "zx") for one in series(14, lambda _: (1, 1), *pair)]
    assert [found.bots for found in circles(round_trip(10) + second)] == [("x", "y", "z"), ("a", "b", "c")]


def test_a_stricter_level_needs_a_surer_circle() -> None:
    assert circles(round_trip(4))
    assert circles(round_trip(4), level=0.9999) == ()


def test_no_digit_depends_on_the_order_of_the_games() -> None:
    games = played(np.random.default_rng(3), ROCK_PAPER_SCISSORS, lambda *_: 60)
    assert circles(games)
    assert circles(games[::-1]) == circles(games)


def test_no_games_have_no_circles() -> None:
    assert circles([]) == ()


def test_circles_among_very_many_bots_are_not_looked_for() -> None:
    others = [one for number in range(MOST_BOTS) for one in mirrored(0, f"x{number}", "a", (1, 0))]
    assert circles(round_trip(10) + others) == ()


def fixed(bots: int, chance: float) -> Chances:
    """Return an order in which every bot beats every later one with this probability."""
    return [
        [0.5 if one == other else chance if one < other else 1 - chance for other in range(bots)] for one in range(bots)
    ]


def steps(bots: int, step: float) -> Chances:
    """Return an order in equal steps of strength, in logits."""
    return [[1 / (1 + math.exp((one - other) * step)) for other in range(bots)] for one in range(bots)]


ROCK_PAPER_SCISSORS: Chances = ((0.5, 0.65, 0.35), (0.35, 0.5, 0.65), (0.65, 0.35, 0.5))


def played(
    rng: np.random.Generator,
    chances: Chances,
    sets: Callable[[int, int], int],
    *,
    luck: float = 0.0,
    common: bool = True,
) -> list[GameResult]:
    """Return mirrored sets of all pairs.

    luck: standard deviation, in logits, of the luck of a set, which changes sides with the seats.
    common: whether all pairs play the same packs, with the same luck.
    """
    games: list[GameResult] = []
    cards = rng.normal(0, luck, 10_000)
    first = 0
    for one, other in combinations(range(len(chances)), 2):
        chance = chances[one][other]
        edge = math.inf * (chance - 0.5) if chance in (0, 1) else math.log(chance / (1 - chance))
        for number in range(first, first + sets(one, other)):
            won = [rng.random() < 1 / (1 + math.exp(-edge - way * cards[number])) for way in (1, -1)]
            games += mirrored(number, f"b{one}", f"b{other}", won)
        first += 0 if common else sets(one, other)
    return games


def share_announced(make: Callable[[np.random.Generator], list[GameResult]], runs: int) -> float:
    rng = np.random.default_rng(17)
    return sum(bool(circles(make(rng))) for _ in range(runs)) / runs


ORDERS = {
    "equal": lambda bots: fixed(bots, 0.5),
    "steps of 52 Elo": lambda bots: steps(bots, 0.3),
    "60% everywhere": lambda bots: fixed(bots, 0.6),
    "75% everywhere": lambda bots: fixed(bots, 0.75),
    "perfect": lambda bots: fixed(bots, 1.0),
}


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("bots", [3, 5, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("common", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
def test_orders_are_rarely_taken_for_circles(bots: int, order: str, common: bool, balanced: bool) -> None:
    """At most 5% of tables, all triples together."""
    chances = ORDERS[order](bots)
    runs = 60 if bots == 10 else 200
    wrong = share_announced(
        lambda rng: played(
            rng, chances, lambda a, b: 15 if balanced else (3, 30, 8)[(a + b) % 3], luck=1.0, common=common
        ),
        runs,
    )
    assert wrong <= 0.05


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("luck", [0.0, 1.0])
def test_rock_paper_scissors_is_announced(luck: float) -> None:
    """65% each, 60 sets for each pair: at least 80% of tables."""
    assert share_announced(lambda rng: played(rng, ROCK_PAPER_SCISSORS, lambda *_: 60, luck=luck), 200) >= 0.8
