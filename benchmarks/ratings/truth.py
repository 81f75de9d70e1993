"""What a fit to infinitely many results of a world would find, computed from the model itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from benchmarks.ratings.generators import (
    ELO_PER_LOGIT,
    Floats,
    Table,
    World,
    alone,
    finishing_orders,
    log_weights,
)

NODES = 64
"""The number of points of the Gauss-Hermite quadrature over the luck of the packs."""

SAMPLED_SETS = 1_000_000
"""The number of deal sets used to simulate a truth without a closed form. Its error is 1% of the error of 100 sets."""

COUNTED_SETS = 200_000
"""The number of deal sets used to simulate the gap of a design, which need not be exact."""


def chances(world: World, table: Table) -> Floats:
    """Return p[rotation, side, other], the probability that one side finishes before another, over all packs."""
    weights = log_weights(world, table)
    share = np.array([1 / len(seats) for seats in table.members()])
    spread = world.luck * np.sqrt(share[:, None] + share[None, :])
    points, masses = np.polynomial.hermite_e.hermegauss(NODES)
    d = weights[:, :, None, None] - weights[:, None, :, None] + spread[None, :, :, None] * points
    expected: Floats = (1 / (1 + np.exp(-d))) @ (masses / math.sqrt(2 * math.pi))
    return expected


def limit(world: World, tables: Sequence[Table]) -> dict[str, float]:
    """Return the strength of each bot, in Elo above the mean, that best fits infinitely many results at these tables.

    Without `luck` these are the true strengths. With `luck` the probabilities are not a logistic function of strengths.
    The result is then the maximum of the expected log-likelihood of all pairs of sides, weighted as in ratings.md.
    """
    bots = sorted(world.strengths)
    seats = sorted({(len(table.sides), seat) for table in tables for seat in range(len(table.sides))})
    bot_column = {bot: number for number, bot in enumerate(bots)}
    seat_column = {key: len(bots) + number for number, key in enumerate(seats)}
    rows, expected, weights = [], [], []
    for table, turn, side, other in _pairs(tables):
        members, chance = table.members(), chances(world, table)[turn, side, other]
        row = np.zeros(len(bots) + len(seats))
        for sign, mine in ((1, members[side]), (-1, members[other])):
            for seat in mine:
                row[bot_column[table.seated(turn)[seat]]] += sign / len(mine)
                row[seat_column[len(table.sides), seat]] += sign / len(mine)
        if row[: len(bots)].any():
            rows.append(row)
            expected.append(chance)
            weights.append(len(table.numbers) / (len(members) - 1))
    strengths = _logistic_regression(np.array(rows), np.array(expected), np.array(weights))[: len(bots)]
    return dict(zip(bots, (ELO_PER_LOGIT * (strengths - strengths.mean())).tolist(), strict=True))


def _pairs(tables: Sequence[Table]) -> Iterator[tuple[Table, int, int, int]]:
    for table in tables:
        for turn in range(table.rotations):
            for side, other in combinations(range(len(table.members())), 2):
                yield table, turn, side, other


def _logistic_regression(x: Floats, expected: Floats, weights: Floats) -> Floats:
    """Return the maximum of the likelihood by Newton's method; if there are several, the one with the smallest norm."""
    beta: Floats = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = x.T @ (x * (weights * p * (1 - p))[:, None])
        step = np.linalg.pinv(hessian, rcond=1e-10) @ (x.T @ (weights * (expected - p)))
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            return beta
    raise ArithmeticError("no limit found: the likelihood has no maximum")


def normalised_elo(gap: float, shared: float, seat_advantage: float, *, sets: int = SAMPLED_SETS) -> float:
    """Return the true normalised Elo of a bot that is `gap` Elo stronger than the other one, in mirrored sets.

    It is the mean result of a game minus 1/2, in standard deviations of a game, times 800 / ln 10. The standard
    deviation of a game is that of a set's mean times the square root of 2, because a set has 2 games.

    shared, seat_advantage: the world's values, as in `World`.
    sets: number of simulated deal sets used to compute the deviation.
    """
    rng = np.random.default_rng(1)
    world, table = World({"a": gap, "b": 0.0}, shared, seat_advantage), alone(("a", "b"), range(sets))
    ranks = finishing_orders(rng, world, table, rng.normal(size=(sets, 2)), {})
    won = np.stack([ranks[:, 0, 0], ranks[:, 1, 1]], axis=1) == 1
    mean = float(chances(world, table)[[0, 1], [0, 1], [1, 0]].mean()) - 0.5
    return 2 * ELO_PER_LOGIT * mean / (float(won.mean(axis=1).std()) * math.sqrt(2))


def gap_of_normalised_elo(target: float, shared: float, seat_advantage: float) -> float:
    """Return the gap in Elo, up to 1,000, for about this normalised Elo. The parameters are as above."""
    low, high = 0.0, 1000.0
    while high - low > 1:
        middle = (low + high) / 2
        found = normalised_elo(middle, shared, seat_advantage, sets=COUNTED_SETS)
        low, high = (low, middle) if found > target else (middle, high)
    return (low + high) / 2


def gap_of_sweep(sets: int, chance: float, shared: float, seat_advantage: float) -> float:
    """Return the gap in Elo that gives a bot this chance of winning both games of every one of `sets` mirrored sets.

    shared, seat_advantage: the world's values, as in `World`.
    """
    rng = np.random.default_rng(2)
    table = alone(("a", "b"), range(COUNTED_SETS))
    packs = rng.normal(size=(COUNTED_SETS, 2))
    low, high = -4000.0, 4000.0
    while high - low > 0.5:
        middle = (low + high) / 2
        world = World({"a": middle, "b": 0.0}, shared, seat_advantage)
        ranks = finishing_orders(np.random.default_rng(3), world, table, packs, {})
        won = float(np.mean((ranks[:, 0, 0] == 1) & (ranks[:, 1, 1] == 1)))
        low, high = (low, middle) if won**sets > chance else (middle, high)
    return (low + high) / 2
