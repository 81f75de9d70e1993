"""The made-up results of `make bench ARGS=ratings` follow their model, and its figures their definition."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.ratings.designs import FAMILIES, designs
from benchmarks.ratings.generators import ELO_PER_LOGIT, Table, World, alone, made_results, partners, play, teams
from benchmarks.ratings.simulation import figure, simulate
from benchmarks.ratings.size import plain_fit
from benchmarks.ratings.table import TARGETS, lines
from benchmarks.ratings.truth import chances, gap_of_sweep, limit, normalised_elo
from bowerbird.harness.ratings.bradley_terry.fit import fit

SETS = 8_000
TOLERANCE = 5 * math.sqrt(0.25 / SETS)


def sigma(d: float) -> float:
    return 1 / (1 + math.exp(-d))


def ranks_of(world: World, table: Table, rotation: int) -> NDArray[np.int64]:
    """Return rank[set, seat] of the games of a rotation."""
    games = play(np.random.default_rng(1), world, [table])
    return np.array([one.ranks for one in games if one.id.rotation == rotation])


def assert_margins(world: World, table: Table) -> None:
    """Assert that each pair of sides wins as often as the logistic function of their mean strengths says."""
    seats, step = len(table.sides), world.seat_advantage / (len(table.sides) - 1)
    rotation = table.rotations - 1
    ranks = ranks_of(world, table, rotation)
    weight = [world.strengths[bot] / ELO_PER_LOGIT + step * seat for seat, bot in enumerate(table.seated(rotation))]
    mean = [fmean(weight[mate] for mate in range(seats) if table.sides[mate] == side) for side in table.sides]
    for seat, other in combinations(range(seats), 2):
        if table.sides[seat] != table.sides[other]:
            won = np.mean(ranks[:, seat] < ranks[:, other])
            assert won == pytest.approx(sigma(mean[seat] - mean[other]), abs=TOLERANCE)


def test_the_margin_of_each_pair_is_logistic_at_a_table_of_three() -> None:
    world = World({"a": 0.0, "b": 100.0, "c": 250.0}, shared=0.7, seat_advantage=0.4)
    assert_margins(world, alone(("a", "b", "c"), range(SETS)))


def test_the_margin_of_sides_is_logistic_in_the_means_of_their_members() -> None:
    world = World({"a": 0.0, "b": 100.0, "c": 250.0, "d": -80.0}, shared=0.7, seat_advantage=0.4)
    assert_margins(world, teams("a", "c", range(SETS)))
    assert_margins(world, partners("a", "b", "c", "d", range(SETS)))


def test_the_first_of_three_is_chosen_as_plackett_and_luce_say() -> None:
    world = World({"a": 0.0, "b": 100.0, "c": 250.0}, shared=0.7, seat_advantage=0.0)
    games = play(np.random.default_rng(2), world, [alone(("a", "b", "c"), range(SETS))])
    odds = [math.exp(world.strengths[bot] / ELO_PER_LOGIT) for bot in "abc"]
    first = [one.bots[one.ranks.index(1)] for one in games if one.id.rotation == 0]
    for bot, one in zip("abc", odds, strict=True):
        assert first.count(bot) / SETS == pytest.approx(one / sum(odds), abs=TOLERANCE)


def covariance(shared: float) -> float:
    """Return the covariance of the results of one of two equal bots in the two games of a set."""
    world, table = World({"a": 0.0, "b": 0.0}, shared), alone(("a", "b"), range(SETS))
    first, second = (ranks_of(world, table, rotation) for rotation in (0, 1))
    return float(np.cov(first[:, 0] == 1, second[:, 1] == 1)[0, 1])


def test_mirrored_games_share_their_luck_and_nothing_without_it() -> None:
    assert covariance(0.8) < -0.1
    assert covariance(0.0) == pytest.approx(0, abs=TOLERANCE)


def test_equal_strategies_play_the_same_game_on_the_same_packs() -> None:
    world = World({"old": 0.0, "new": 0.0, "x": 30.0}, strategies={"old": "s", "new": "s"})
    games = play(np.random.default_rng(4), world, [alone((bot, "x"), range(200)) for bot in ("old", "new")])
    assert [one.ranks for one in games[:400]] == [one.ranks for one in games[400:]]
    slipping = World(world.strengths, strategies=world.strategies, slips=1.0)
    games = play(np.random.default_rng(4), slipping, [alone((bot, "x"), range(200)) for bot in ("old", "new")])
    assert [one.ranks for one in games[:400]] != [one.ranks for one in games[400:]]


def test_the_limit_without_luck_in_the_weights_is_the_strengths() -> None:
    strengths = {"a": -120.0, "b": 20.0, "c": 100.0}
    found = limit(World(strengths), [alone(("a", "b", "c"), range(10)), alone(("a", "c"), range(3))])
    assert found == pytest.approx(strengths)


def test_luck_in_the_weights_shrinks_the_chances_as_drawn() -> None:
    world = World({"a": 0.0, "b": 200.0}, shared=0.0, seat_advantage=0.0, luck=1.0)
    table = alone(("a", "b"), range(SETS))
    expected = chances(world, table)[0, 1, 0]
    assert expected < sigma(200 / ELO_PER_LOGIT) - 0.03
    ranks = ranks_of(world, table, 0)
    assert np.mean(ranks[:, 1] < ranks[:, 0]) == pytest.approx(expected, abs=TOLERANCE)
    shrunk = limit(world, [table])
    assert sigma((shrunk["b"] - shrunk["a"]) / ELO_PER_LOGIT) == pytest.approx(expected)


def test_the_truth_of_normalised_elo_is_that_of_a_coin_without_luck() -> None:
    """A game won with probability p has the mean p - 1/2 and the deviation sqrt(p (1 - p))."""
    p = sigma(200 / ELO_PER_LOGIT)
    expected = 2 * ELO_PER_LOGIT * (p - 0.5) / math.sqrt(p * (1 - p))
    assert normalised_elo(200, 0.0, 0.0) == pytest.approx(expected, rel=0.005)


def test_the_gap_of_a_sweep_is_that_of_a_coin_without_luck() -> None:
    assert sigma(gap_of_sweep(5, 0.5, 0.0, 0.0) / ELO_PER_LOGIT) ** 10 == pytest.approx(0.5, abs=0.01)


def test_a_share_that_is_always_1_has_an_error() -> None:
    assert figure("rating", [1.0] * 100).error > 0
    assert figure("width", [3.0, math.nan, 5.0]).mean == 4.0
    assert figure("width", [3.0, math.nan, 5.0]).replications == 2


def test_the_figures_follow_from_the_seed() -> None:
    design = next(one for one in designs() if one.family == "sets")
    assert simulate(design, 3, seed=5) == simulate(design, 3, seed=5)
    assert simulate(design, 3, seed=5) != simulate(design, 3, seed=6)


def test_every_family_has_designs_and_targets_and_every_table_fits_80_columns() -> None:
    everything = designs()
    assert {one.family for one in everything} == set(FAMILIES) == set(TARGETS)
    assert len({(one.family, one.name) for one in everything}) == len(everything)
    chosen = [next(one for one in everything if one.family == family) for family in FAMILIES]
    text = lines([(design, simulate(design, 2)) for design in chosen])
    assert max(map(len, text)) <= 80
    assert all(design.name in "\n".join(text) for design in chosen)


def test_the_plain_fit_that_sizes_are_compared_with_has_the_ratings_of_the_program() -> None:
    games = list(made_results(2_000, 8))
    strengths, covariance = plain_fit(games)
    found = fit(games, anchor="bot-0000", reduce_bias=False)
    for place in range(1, 8):
        estimate = found.rating(f"bot-{place:04}")
        assert estimate.value == pytest.approx(ELO_PER_LOGIT * strengths[place - 1], abs=0.1)
        assert estimate.se == pytest.approx(ELO_PER_LOGIT * math.sqrt(covariance[place - 1, place - 1]), rel=0.02)
