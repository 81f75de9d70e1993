"""The errors of differences of ratings, in Elo, clustered by deal set.

The variance of a contrast c over f effective sets (`linking`) is c' S c * f / (f - 1), with S the clustered sandwich,
and at least VARIANCE_FLOOR / f of the naive variance. This floor is needed because a few sets can all end the same way
by chance, and their spread of 0 then proves nothing. After f equal sets, up to 3/f of all sets could plausibly end
differently.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bowerbird.harness.ratings.bradley_terry.design import log_sigmoid, sigmoid
from bowerbird.harness.ratings.bradley_terry.likelihood import Solution
from bowerbird.harness.ratings.bradley_terry.linking import MANY, Behind, Linking
from bowerbird.harness.ratings.bradley_terry.maximum import Problem
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.games import Floats
from bowerbird.harness.ratings.roots import root

ELO_PER_LOGIT = 400 / math.log(10)
"""Elo points of one logit."""

VARIANCE_FLOOR = 2.0
FEW = 30.0
"""With fewer degrees of freedom, and at most MANY bots, the likelihood determines the far end of an interval.
"""

TIE = 1e-6
"""A difference below this, in Elo, is a tie. Its interval has no far end, as neither side won nearly everything.
"""

UNKNOWN = 1000.0
"""At or above this naive variance, in logits squared, the results don't identify a contrast; only the penalty does."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of contrasts, as in `Estimate`: arrays of the same shape, in Elo."""

    se: Floats
    dof: Floats
    set_se: Floats


class Contrasts:
    """The values and errors of contrasts of the ratings of a fit."""

    def __init__(self, solution: Solution, linking: Linking) -> None:
        """Use the maximum of the likelihood and the deal sets that support it."""
        self._solution = solution
        self._linking = linking
        fitted = solution.fitted
        self._by_set = Problem(fitted.x, fitted.outcome, fitted.by_set_total, fitted.penalties)
        self._pairs: Errors | None = None
        self._ratings: dict[bytes, Errors] = {}

    def value(self, shares: Floats) -> float:
        """Return the value of a contrast, in Elo."""
        return ELO_PER_LOGIT * float(shares @ self._solution.strengths)

    def values(self) -> Floats:
        """Return the strengths of all bots, in Elo above the reference bot."""
        return ELO_PER_LOGIT * self._solution.strengths

    def against(self, bot: int, zero: Floats, start: float = 0.0) -> Estimate:
        """Return the rating of a bot on the scale where the mean of the bots, with the weights `zero`, is `start`."""
        shares = -zero
        shares[bot] += 1.0
        value = start + self.value(shares)
        if not np.any(shares):
            return Estimate(value, 0.0)
        errors = self._ratings.get(zero.tobytes()) or self._rating_errors(zero)
        found = Estimate(value, float(errors.se[bot]), float(errors.dof[bot]), float(errors.set_se[bot]))
        return self._with_far_end(found, shares, start)

    def _rating_errors(self, zero: Floats) -> Errors:
        """Return the errors of all bots' ratings on one scale; this costs little more than the error of one rating."""
        solution = self._solution
        errors = _errors(
            _from_mean(solution.sandwich, zero),
            _from_mean(solution.naive, zero),
            _from_mean(solution.by_set, zero),
            self._linking.of(zero),
        )
        self._ratings[zero.tobytes()] = errors
        return errors

    def pair(self, one: int, other: int) -> Estimate:
        """Return the difference of two bots."""
        errors = self.pairs()
        value = ELO_PER_LOGIT * float(self._solution.strengths[one] - self._solution.strengths[other])
        if one == other:
            return Estimate(value, 0.0)
        at = one, other
        found = Estimate(value, float(errors.se[at]), float(errors.dof[at]), float(errors.set_se[at]))
        shares = np.zeros(len(self._solution.strengths))
        shares[one], shares[other] = 1.0, -1.0
        return self._with_far_end(found, shares, 0.0)

    def _with_far_end(self, found: Estimate, shares: Floats, start: float) -> Estimate:
        """Return the estimate, with the far end of its interval if few deal sets determine it."""
        solution, fitted = self._solution, self._solution.fitted
        if found.dof is None or found.dof >= FEW or len(shares) > MANY:
            return found
        low, high = found.interval()
        if not 0 < high - low < math.inf:
            return found
        if abs(found.value - start) < TIE:
            return found
        side = 1.0 if found.value >= start else -1.0
        along = solution.by_set_bread @ shares
        line = side * along / float(shares @ solution.by_set @ shares)
        reach = (high - low) / 2 / found.set_se
        distance = far_end(self._by_set, fitted.beta, line, reach)
        return replace(found, far=found.value + side * ELO_PER_LOGIT * distance)

    def pairs(self) -> Errors:
        """Return the errors of the differences of all pairs of bots, as matrices."""
        if self._pairs is None:
            solution = self._solution
            self._pairs = _errors(
                _differences(solution.sandwich),
                _differences(solution.naive),
                _differences(solution.by_set),
                self._linking.of_pairs(),
            )
        return self._pairs


def _from_mean(matrix: Floats, zero: Floats) -> Floats:
    """Return c' M c by bot, with c its difference from the weighted mean `zero`."""
    found: Floats = np.diag(matrix) - matrix @ zero - zero @ matrix + zero @ matrix @ zero
    return np.maximum(found, 0.0)


def _differences(matrix: Floats) -> Floats:
    own = np.diag(matrix)
    found: Floats = own[:, None] + own - matrix - matrix.T
    return found


def _errors(sandwich: Floats, naive: Floats, by_set: Floats, behind: Behind) -> Errors:
    sets = behind.sets
    with np.errstate(divide="ignore", invalid="ignore"):
        clustered = np.where(sets > 1, sandwich * sets / (sets - 1), np.inf)
        least = np.minimum(1.0, VARIANCE_FLOOR / sets) * naive
    variance = np.where(naive > UNKNOWN, np.inf, np.maximum(clustered, least))
    plain = np.where(naive > UNKNOWN, np.inf, by_set)
    return Errors(se=ELO_PER_LOGIT * np.sqrt(variance), dof=behind.dof, set_se=ELO_PER_LOGIT * np.sqrt(plain))


FARTHEST = 60.0
"""The search ends at this many logits."""


def far_end(problem: Problem, beta: Floats, line: Floats, reach: float) -> float:
    """Return the distance from `beta` along `line` to the far end, in logits; infinite beyond FARTHEST.

    problem: the likelihood with each meeting in a deal set as one game; its penalties are ignored.
    line: the direction in which the contrast grows by 1 and the likelihood falls least.
    reach: half the width of the symmetric interval, in standard errors that count each deal set as a game.
    """

    outcome, total = problem.outcome, problem.total
    d, slope = problem.x.times(beta), problem.x.times(line)

    def rise(distance: float) -> float:
        return float(np.sum(total * slope * (outcome - sigmoid(d + distance * slope))))

    def height(distance: float) -> float:
        at = d + distance * slope
        return float(np.sum(total * (outcome * log_sigmoid(at) + (1 - outcome) * log_sigmoid(-at))))

    top = _root(rise, 0.0, FARTHEST) if rise(0.0) > 0 else 0.0
    if math.isinf(top):
        return math.inf
    least = height(top) - reach * reach / 2
    if height(FARTHEST) > least:
        return math.inf
    return float(root(lambda distance: height(distance) - least, top, FARTHEST, xtol=1e-6))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a falling function; infinite if the function is still positive at `high`."""

    return math.inf if function(high) > 0 else float(root(function, low, high, xtol=1e-6))
