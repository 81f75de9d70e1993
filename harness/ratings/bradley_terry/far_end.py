"""The far end of an interval: how much further ahead than it seems a bot may be.

If nearly all games are won, only a few lost ones show how strong a bot is, and the likelihood falls slowly towards
greater strength. A symmetric interval would end too early there. The far end lies where the likelihood, along the line
on which a contrast grows, has fallen as much as a normal one falls at the symmetric end.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bowerbird.harness.ratings.bradley_terry.design import log_sigmoid, sigmoid
from bowerbird.harness.ratings.bradley_terry.maximum import Problem
from bowerbird.harness.ratings.bradley_terry.observations import Floats
from bowerbird.harness.ratings.roots import root

FARTHEST = 60.0
"""The search stops at this many logits."""


def far_end(problem: Problem, beta: Floats, line: Floats, reach: float) -> float:
    """Return the distance from `beta` along `line` to the far end, in logits; infinite beyond FARTHEST.

    problem: the likelihood if each meeting in a deal set were one game; its penalties are ignored.
    line: the direction in which the contrast grows by 1 and the likelihood falls least.
    reach: half of the symmetric interval, in standard errors that count each deal set as a game.
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
    """Return where a falling function is 0; infinite if it is still positive at `high`."""

    return math.inf if function(high) > 0 else float(root(function, low, high, xtol=1e-6))
