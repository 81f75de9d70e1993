"""Knowledge about the ratings: means and covariances, updated by each deal set (a Kalman filter).

Every number must be the same on every machine, since verification repeats the decisions based on it. So this module
uses only operations that IEEE 754 rounds exactly (+, -, *, /, sqrt), and not the system's exp or log.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from bowerbird.harness.tournament.pairing.values import Direction

LN10_BY_400 = 0.005756462732485114
"""ln 10 / 400, which converts Elo to natural units."""

FARTHEST = 1600
"""The largest difference in Elo. Larger ones are clipped to it."""

LEAST_SPREAD = 0.04
"""The least variance E (1 - E) of a game's outcome: luck always plays a part, however much better one bot is."""

PRIOR_SETS = 20
"""The weight of a variant's prior noise, in deal sets."""

LEAST_NOISE, MOST_NOISE = 0.02, 1.0
"""Bounds on the noise of a set, as a share of the variance of a single game without ties."""

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_TERMS = 16


def exact_exp(x: float) -> float:
    """Return e^x to about 15 digits for x up to 0, with the same bits on every machine; 0 below -700."""
    if x < -700.0:
        return 0.0
    power = round(x * _LOG2_E)
    rest = x - power * _LN2_HIGH - power * _LN2_LOW
    total = term = 1.0
    for number in range(1, _TERMS):
        term *= rest / number
        total += term
    return math.ldexp(total, power)


@cache
def _expected_scores() -> tuple[float, ...]:
    """Return the expected scores of the better side, indexed by the difference from 0 to FARTHEST Elo."""
    return tuple(1.0 / (1.0 + exact_exp(-LN10_BY_400 * difference)) for difference in range(FARTHEST + 1))


def expected_score(difference: float) -> float:
    """Return the expected score (0 to 1) of a side that is better by `difference` Elo, rounded to whole Elo."""
    scores = _expected_scores()
    whole = min(round(abs(difference)), FARTHEST)
    return scores[whole] if difference >= 0 else 1.0 - scores[whole]


class Beliefs:
    """The means and covariances of some bots' ratings, in Elo, by the bots' indices."""

    def __init__(self, means: Sequence[float], deviations: Sequence[float]) -> None:
        """Start with independent priors."""
        self.means = list(means)
        self.covariance = [
            [deviation * deviation if row == column else 0.0 for column in range(len(deviations))]
            for row, deviation in enumerate(deviations)
        ]

    def copy(self) -> Beliefs:
        """Return an independent copy."""
        other = object.__new__(Beliefs)
        other.means = list(self.means)
        other.covariance = [list(row) for row in self.covariance]
        return other

    def difference(self, direction: Direction) -> float:
        """Return the mean of a difference of ratings."""
        return sum(coefficient * self.means[bot] for bot, coefficient in direction)

    def variance(self, direction: Direction) -> float:
        """Return the variance of a difference of ratings."""
        rows = self.covariance
        if len(direction) == 2 and direction[0][1] == -direction[1][1]:  # faster than the sum
            (one, part), (other, _) = direction
            return part * part * (rows[one][one] + rows[other][other] - 2.0 * rows[one][other])
        return sum(one * other * rows[bot][rival] for bot, one in direction for rival, other in direction)

    def deviations(self) -> list[float]:
        """Return the standard deviation of each rating against the mean of all.

        Games carry no information about that mean, so uncertainty about it does not count.
        """
        count = len(self.means)
        shared = [sum(row) / count for row in self.covariance]
        of_mean = sum(shared) / count
        return [math.sqrt(max(row[bot] - 2.0 * shared[bot] + of_mean, 0.0)) for bot, row in enumerate(self.covariance)]

    def observe(self, direction: Direction, score: float, noise: float) -> None:
        """Update the ratings by the mean score of a meeting in a deal set.

        score: the score of the side with positive coefficients, 0 to 1.
        noise: the variance of the score, as a multiple of E (1 - E).
        """
        expected = expected_score(self.difference(direction))
        gain = self._reduce(direction, expected, noise)
        step = score - expected
        self.means = [mean + part * step for mean, part in zip(self.means, gain, strict=True)]

    def expect(self, direction: Direction, noise: float) -> None:
        """Reduce the covariances as `observe` will, whatever the score."""
        self._reduce(direction, expected_score(self.difference(direction)), noise)

    def _reduce(self, direction: Direction, expected: float, noise: float) -> list[float]:
        """Reduce the covariances. Return how far each bot's mean moves per unit of surprise."""
        spread = expected * (1.0 - expected)
        slope = LN10_BY_400 * spread
        carried = self._carried(direction)
        variance = sum(coefficient * carried[bot] for bot, coefficient in direction)
        factor = slope / (slope * slope * variance + noise * max(spread, LEAST_SPREAD))
        shrink = slope * factor
        covariance = self.covariance
        for bot, part in enumerate(carried):
            if part != 0.0:
                scaled = shrink * part
                covariance[bot] = [old - scaled * other for old, other in zip(covariance[bot], carried)]  # noqa: B905
        return [factor * part for part in carried]

    def _carried(self, direction: Direction) -> list[float]:
        """Return the covariance of each rating with a difference."""
        (first, coefficient), *others = direction
        carried = [coefficient * value for value in self.covariance[first]]
        for bot, coefficient in others:
            carried = [value + coefficient * other for value, other in zip(carried, self.covariance[bot], strict=True)]
        return carried


class SetNoise:
    """The noise of a deal set of one variant entry, learnt from its results.

    It is the variance of a score in units of E (1 - E): 1 for one game of independent luck, 1/2 for two, less if much
    of the luck lies in the cards of a set.
    """

    def __init__(self, games: int) -> None:
        """Start with the noise of independent games. `games` is their number in a set."""
        self._sum = PRIOR_SETS / games
        self._sets = float(PRIOR_SETS)

    def add(self, score: float, expected: float) -> None:
        """Add the score of a meeting, and the score that was expected."""
        surprise = score - expected
        self._sum += surprise * surprise / max(expected * (1.0 - expected), LEAST_SPREAD)
        self._sets += 1.0

    @property
    def value(self) -> float:
        """The estimated noise."""
        return min(max(self._sum / self._sets, LEAST_NOISE), MOST_NOISE)
