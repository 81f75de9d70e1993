"""Bounds and doubts for differences between bots whose results against each other all point the same way.

After a perfect score no finite difference is the most likely, so its error is meaningless. The bound is the smallest
superiority at which results this clear still have a probability of 2.5%, with all other strengths chosen to make them
most likely (the profile likelihood). The remaining doubt is the probability of this result if the strengths are equal.
Each meeting of two sides in a deal set counts once, because its games share their cards, and all meetings in one deal
set together count as at most one coin flip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.ratings.bradley_terry.connectivity import Connections
from bowerbird.harness.ratings.bradley_terry.design import Design, factor_of, log_sigmoid, sigmoid, solved_by
from bowerbird.harness.ratings.bradley_terry.maximum import Problem, maximum, objective
from bowerbird.harness.ratings.bradley_terry.observations import Observations
from bowerbird.harness.ratings.estimate import LEVEL
from bowerbird.harness.ratings.games import Floats, Ints
from bowerbird.harness.ratings.pairs import NumericalError
from bowerbird.harness.ratings.roots import root

CHANCE = (1 - LEVEL) / 2
FARTHEST = 60.0
"""The search for a bound stops at this many logits."""

FEW = 30
"""With more bots, only direct meetings count, and the strengths of all opponents are fixed at their estimates.
"""

RIDGE = 1e-4
"""The penalty on strengths in the profile, instead of the fit's penalty, which keeps groups at a finite distance."""

STEPS = 500

GAIN = 1e-12
"""The search for a maximum ends when a step promises to gain less than this share of the objective."""

FAIR = 0.1
"""A step must gain this share of what its slope promises."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The parts of a fit: pairs, the design with its outcomes and penalties, and its maximum.

    `by_set_total` is the weight of each pattern with each meeting in a deal set as one game. `column` is each bot's
    column in the design, -1 for the reference bot. `beta` are strengths, then seat advantages.
    """

    data: Observations
    x: Design
    outcome: Floats
    by_set_total: Floats
    penalties: Floats
    column: Ints
    beta: Floats


class Separation:
    """The order of the groups of bots, and bounds and doubts between them, in logits."""

    def __init__(self, fitted: Fitted, connections: Connections) -> None:
        """Use a fit and its groups."""
        self._fitted = fitted
        self._connections = connections
        penalties = fitted.penalties.copy()
        penalties[fitted.column[fitted.column >= 0]] = RIDGE
        self._problem = Problem(fitted.x, fitted.outcome, fitted.by_set_total, penalties)
        self._members = _members(fitted) if connections.groups > 1 else []
        self._patterns: dict[int, list[int]] = {}
        for number, bots in enumerate(self._members):
            for bot in bots:
                self._patterns.setdefault(bot, []).append(number)
        group = connections.group
        of_bot = group.tolist()
        crossing = [number for number, bots in enumerate(self._members) if len({of_bot[bot] for bot in bots}) > 1]
        kinds = np.unique(fitted.data.kind[np.isin(fitted.data.pattern, crossing)])
        self._coins = float(fitted.data.sets[kinds].sum())
        """The number of deal sets with a result between groups."""
        self._best: tuple[Floats, float] | None = None
        self._contrast: Floats = np.zeros(0)
        self.failures = 0
        """The number of bounds and doubts not found."""
        self._found: list[tuple[float, Floats]] = []
        """The solutions of the profile of one contrast, by value. The search for a bound begins at the nearest one."""

    def sides(self) -> NDArray[np.int64]:
        """Return 1 for each pair if the first bot's group is above, -1 if below, 0 if equal or if the order is open."""
        above = self._connections.above.astype(np.int64)
        group = self._connections.group
        found: NDArray[np.int64] = (above - above.T)[np.ix_(group, group)]
        return found

    def doubt(self, one: int, other: int) -> float:
        """Return the probability of these results if two bots, the first in the group above, are equally strong.

        If it cannot be computed (`failures`) it is 1, which settles nothing.
        """
        shares = np.zeros(len(self._fitted.column))
        shares[one], shares[other] = 1.0, -1.0
        try:
            logarithm = self._profile(shares, 0.0) if len(shares) <= FEW else self._direct(shares, 0.0)
        except NumericalError:
            self.failures += 1
            return 1.0
        return min(1.0, max(math.exp(logarithm), math.pow(0.5, self._coins)))

    def bound(self, shares: Floats, side: int) -> float | None:
        """Return the end of a contrast's interval on the side of 0; None if it is beyond FARTHEST or cannot be found
        (`failures`).

        `shares` are weights, one for each bot; their sum is 0. `side` is 1 if everything was won, -1 if everything was
        lost.
        """
        try:
            return self._bound(shares, side)
        except NumericalError:
            self.failures += 1
            return None

    def _bound(self, shares: Floats, side: int) -> float | None:

        towards = side * shares
        chance = self._profile if len(shares) <= FEW else self._direct

        def excess(value: float) -> float:
            coins = self._coins * float(log_sigmoid(np.array(value)))
            return max(chance(towards, value), coins) - math.log(CHANCE)

        high = float(towards @ self._strengths())
        if excess(high) < 0:
            high = FARTHEST
        if excess(-FARTHEST) > 0 or excess(high) < 0:
            return None
        return side * float(root(excess, -FARTHEST, high, xtol=1e-6))

    def _strengths(self) -> Floats:
        column = self._fitted.column
        return np.where(column >= 0, self._fitted.beta[column], 0.0)

    def _profile(self, shares: Floats, value: float) -> float:
        """Return the logarithm of the profile likelihood at this value of a contrast, relative to its maximum."""
        if self._best is None:
            beta = maximum(self._problem)
            self._best = beta, objective(self._problem, beta)
        beta, best = self._best
        start = self._nearest(shares, value)
        direction = np.zeros(len(beta))
        kept = self._fitted.column >= 0
        direction[self._fitted.column[kept]] = shares[kept]
        found = _restricted(self._problem, beta if start is None else start, direction, value)
        self._found.append((value, found))
        return min(0.0, objective(self._problem, found) - best)

    def _nearest(self, shares: Floats, value: float) -> Floats | None:
        """Return the solution of this contrast with the nearest value. Forget the solutions of any other contrast."""
        if not np.array_equal(shares, self._contrast):
            self._contrast = shares.copy()
            self._found.clear()
        return min(self._found, key=lambda known: abs(known[0] - value), default=(value, None))[1]

    def _direct(self, shares: Floats, value: float) -> float:
        """Return the logarithm of the probability of one bot's meetings with the bots on the other side of `shares`.

        The bot with the largest share moves until the contrast has this value; the others stay fixed.
        """
        bot = int(np.argmax(np.where(self._fitted.column >= 0, np.abs(shares), 0.0)))
        others = set(np.flatnonzero(shares * shares[bot] < 0).tolist())
        met = [number for number in self._patterns.get(bot, ()) if self._members[number] - {bot} <= others]
        column = int(self._fitted.column[bot])
        if not met:
            return 0.0
        patterns = np.array(met, dtype=np.int64)
        moved = self._fitted.beta.copy()
        shift = value - float(shares @ self._strengths())
        moved[column] += shift / shares[bot]
        d = self._fitted.x.times(moved)[patterns]
        outcome = self._fitted.outcome[patterns]
        fits = outcome * log_sigmoid(d) + (1 - outcome) * log_sigmoid(-d)
        return float(np.sum(self._problem.total[patterns] * fits))


def _members(fitted: Fitted) -> list[frozenset[int]]:
    """Return, for each pattern, the bots whose strengths count in it. A bot on both sides cancels out."""
    found = [frozenset[int]()] * fitted.data.number
    for patterns in fitted.data.patterns:
        rows = zip(patterns.number.tolist(), patterns.seated.tolist(), patterns.counting.tolist(), strict=True)
        for number, bots, counts in rows:
            found[number] = frozenset(compress(bots, counts))
    return found


def _across(direction: Floats, step: Floats) -> Floats:
    """Return a step without its part along `direction`.

    Rounding leaves such a part, and the objective may be steep along it.
    """
    return step - direction * float(direction @ step) / float(direction @ direction)


def _restricted(problem: Problem, beta: Floats, direction: Floats, value: float) -> Floats:
    """Return the maximum among the parameters whose contrast `direction` has this value, by Newton's method.

    A step is halved until it achieves a fair part of the gain that its slope promises. The search therefore ends even
    if deal sets are exactly tied, when Newton's step, far from the maximum, can lead to a point equally far away on the
    other side. It ends when the promised gain is lost in the last digits of the objective.

    Raises NumericalError if that takes more than STEPS steps.
    """
    beta = beta + direction * (value - float(direction @ beta)) / float(direction @ direction)
    at = objective(problem, beta)
    for _ in range(STEPS):
        chance = sigmoid(problem.x.times(beta))
        gradient = problem.x.back(problem.total * (problem.outcome - chance)) - problem.penalties * beta
        factor = factor_of(problem.x.information(problem.total * chance * (1 - chance), problem.penalties))
        free, across = solved_by(factor, gradient), solved_by(factor, direction)
        step = _across(direction, free - across * float(direction @ free) / float(direction @ across))
        promised = float(gradient @ step)
        if promised <= GAIN * (1 + abs(at)):
            return beta
        share = 1.0
        found = objective(problem, beta + step)
        while found < at + FAIR * share * promised:
            share /= 2
            if share * promised <= GAIN * (1 + abs(at)):
                return beta  # the objective is flat here to its last digits
            found = objective(problem, beta + share * step)
        beta, at = beta + share * step, found
    raise NumericalError(f"the bound of a perfect score did not converge in {STEPS} steps")
