"""The maximum of the penalised likelihood, with Firth's correction of the bias.

The correction adds log det H / 2 to the likelihood (David Firth, "Bias reduction of maximum likelihood estimates",
Biometrika 80, 1993). It keeps every estimate finite, and avoids overstating gaps between bots after only a few deal
sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bowerbird.harness.ratings.bradley_terry.design import (
    Design,
    factor_of,
    inverse_by,
    log_sigmoid,
    sigmoid,
    solved_by,
)
from bowerbird.harness.ratings.games import Floats
from bowerbird.harness.ratings.pairs import NumericalError

STEPS = 500
CLOSE = 1e-10
"""Newton's method ends with a step below this many logits."""


LITTLE = 0.05
"""If no game has more leverage, the correction's extra games hardly change a step, so its matrix leaves them out.
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """A likelihood to maximise: the outcome and total weight of each pattern, and the penalty of each column."""

    x: Design
    outcome: Floats
    total: Floats
    penalties: Floats
    reduce_bias: bool = False


@dataclass(frozen=True, slots=True)
class _Point:
    """The objective at `beta`, and there the patterns' probabilities and the Cholesky factor of -H."""

    beta: Floats
    value: float
    chance: Floats
    factor: Floats


def maximum(problem: Problem) -> Floats:
    """Return the parameters that maximise the objective. Raises NumericalError if none are found.

    Uses Newton's method, with the leverage of each pattern fixed during a step, and halves steps until the objective
    grows.
    """
    at = _point(problem, np.zeros(problem.x.columns))
    if not problem.x.columns:
        return at.beta
    for _ in range(STEPS):
        step = _step(problem, at)
        if np.all(np.abs(step) < CLOSE * (1 + np.abs(at.beta))):
            return at.beta + step
        found = _point(problem, at.beta + step)
        while found.value < at.value and np.any(np.abs(step) > CLOSE):
            step = step / 2
            found = _point(problem, at.beta + step)
        if found.value <= at.value and np.all(np.abs(found.beta - at.beta) < 1e-7):
            return at.beta  # the objective is flat here to the last digit
        at = found
    raise NumericalError(f"the fit of these results did not converge in {STEPS} steps")


def objective(problem: Problem, beta: Floats) -> float:
    """Return the penalised likelihood of these parameters, without the bias correction."""
    d = problem.x.times(beta)
    fits = problem.outcome * log_sigmoid(d) + (1 - problem.outcome) * log_sigmoid(-d)
    return float(np.sum(problem.total * fits) - np.sum(problem.penalties * beta * beta) / 2)


def _point(problem: Problem, beta: Floats) -> _Point:
    chance = sigmoid(problem.x.times(beta))
    value = objective(problem, beta)
    factor = factor_of(problem.x.information(problem.total * chance * (1 - chance), problem.penalties))
    if problem.reduce_bias:
        value += float(np.sum(np.log(np.diag(factor))))
    return _Point(beta, value, chance, factor)


def _step(problem: Problem, at: _Point) -> Floats:
    """Return Newton's step.

    With the correction, half a game for each side is added, weighted by a pattern's leverage.
    """
    pull = problem.total * (problem.outcome - at.chance)
    factor = at.factor
    if problem.reduce_bias:
        spread = at.chance * (1 - at.chance)
        leverage = spread * problem.x.quadratic(inverse_by(at.factor))
        added = problem.total * leverage
        pull = pull + added * (0.5 - at.chance)
        if np.any(leverage > LITTLE):
            factor = factor_of(problem.x.information((problem.total + added) * spread, problem.penalties))
    return solved_by(factor, problem.x.back(pull) - problem.penalties * at.beta)
