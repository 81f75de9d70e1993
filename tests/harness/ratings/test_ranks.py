"""Ranks hold for the whole table (ratings.md, Ratings kept, 2)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bowerbird.harness.ratings.standings.ranks import Likelihoods, last_ranks_of, more_sets, ranks_of, settled_above
from bowerbird.harness.ratings.standings.rating_list import rating_list
from tests.support.tournament.rated_games import mirrored


def matrix(number: int, p_values: dict[tuple[int, int], float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return p-values by two bots; those not given are 1."""
    found = np.ones((number, number))
    for (one, other), p_value in p_values.items():
        found[one, other] = found[other, one] = p_value
    return found


def test_two_bots_are_tested_at_5_percent() -> None:
    assert settled_above(np.array([10.0, 0.0]), matrix(2, {(0, 1): 0.049})).tolist() == [[False, True], [False, False]]
    assert not settled_above(np.array([10.0, 0.0]), matrix(2, {(0, 1): 0.051})).any()


def test_the_first_of_three_pairs_is_tested_at_a_third_and_the_others_at_5_percent() -> None:
    """Shaffer: if one pair of three bots differs, at most one of the other two pairs can be equal."""
    values = np.array([20.0, 10.0, 0.0])
    p_values = {(0, 2): 0.016, (0, 1): 0.049, (1, 2): 0.049}
    assert ranks_of(settled_above(values, matrix(3, p_values))) == [1, 2, 3]
    assert ranks_of(settled_above(values, matrix(3, {**p_values, (0, 2): 0.017}))) == [1, 1, 1]


def test_a_pair_that_is_not_settled_stops_all_that_are_less_clear() -> None:
    values = np.array([30.0, 20.0, 10.0, 0.0])
    p_values = {(0, 3): 0.001, (0, 2): 0.04, (1, 3): 0.02}
    above = settled_above(values, matrix(4, p_values))
    assert [(one, other) for one, other in combinations(range(4), 2) if above[one, other]] == [(0, 3)], (
        "three pairs may still be equal after the first, so the second is tested at 0.05 / 3"
    )


def test_a_path_of_settled_pairs_settles() -> None:
    above = settled_above(np.array([20.0, 10.0, 0.0]), matrix(3, {(0, 1): 0.001, (1, 2): 0.001, (0, 2): 1.0}))
    assert above[0, 2], "above a bot that is above a third"
    assert ranks_of(above) == [1, 2, 3]


def test_a_chain_of_perfect_scores_ranks_as_it_stands() -> None:
    """b beats c and c beats a, 30 sets of 30; b never met a."""
    games = []
    for number in range(30):
        games += mirrored(number, "b", "c", (1, 1)) + mirrored(number, "c", "a", (1, 1))
    found = rating_list(games)
    assert [(line.bot, line.rank) for line in found.lines] == [("b", 1), ("c", 2), ("a", 3)]
    assert all(line.ahead is None or line.ahead > 0.999 for line in found.lines)


@pytest.mark.parametrize("bots", [5, 10, 20])
def test_somebody_above_an_equal_bot_in_at_most_5_percent_of_tables(bots: int) -> None:
    """Differences of independent means with normal errors, all equal in truth; the seed is fixed."""
    from scipy.special import ndtr

    rng = np.random.default_rng(bots)
    tables, wrong = 600, 0
    for _ in range(tables):
        values = rng.normal(size=bots)
        p_values = 2 * ndtr(-np.abs(np.subtract.outer(values, values)) / np.sqrt(2))
        wrong += bool(settled_above(values, p_values).any())
    assert wrong / tables <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables), f"{wrong} of {tables}"


@pytest.mark.parametrize("p_value", [0.0, 5e-324, 1e-12, 0.5, 1 - 1e-9, 1 - 1e-16, 1.0])
def test_any_p_value_has_a_number_of_sets_or_none(p_value: float) -> None:
    """Also for a difference that is 0 but for the last digit, whose p-value is a hair below 1."""
    more = more_sets(p_value, 2, 3)
    assert more is None if p_value in {0.0, 5e-324, 1 - 1e-9, 1 - 1e-16, 1.0} else more is not None and more >= 1


def test_a_rank_is_the_interval_that_the_settled_pairs_leave() -> None:
    """The first of four is settled above the last two, and nothing else is."""
    above = np.zeros((4, 4), dtype=bool)
    above[0, 2] = above[0, 3] = True
    assert list(zip(ranks_of(above), last_ranks_of(above), strict=True)) == [(1, 2), (1, 4), (2, 4), (2, 4)]


def test_likelihoods_are_of_each_pair_for_itself_and_name_the_settled_ones() -> None:
    tested = matrix(3, {(0, 1): 0.4, (0, 2): 0.001, (1, 2): 0.02})
    values = np.array([30.0, 20.0, 0.0])
    found = Likelihoods.of(("a", "b", "c"), values, tested, settled_above(values, tested))
    assert found.superiority.tolist() == [[0.5, 0.8, 0.9995], [0.2, 0.5, 0.99], [0.0005, 0.01, 0.5]]
    assert found.settled_pairs() == [("a", "c"), ("b", "c")]


def test_a_list_has_the_likelihoods_of_its_lines() -> None:
    games = [one for number in range(40) for one in mirrored(number, "a", "b", (1, number % 2))]
    listed = rating_list(games)
    assert listed.likelihoods is not None
    assert listed.likelihoods.bots == ("a", "b")
    assert listed.likelihoods.superiority[0, 1] == listed.lines[0].ahead
    assert listed.likelihoods.settled_pairs() == [("a", "b")]
