"""The composite likelihood of the rating of record: its maximum and the clustered covariance there.

Formulas: ratings.md, Ratings kept, 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bowerbird.harness.ratings.bradley_terry.design import Design, design_of, inverse_of, sigmoid
from bowerbird.harness.ratings.bradley_terry.maximum import Problem, maximum
from bowerbird.harness.ratings.bradley_terry.observations import Floats, Observations, SeatKey, totals_by_set
from bowerbird.harness.ratings.bradley_terry.separation import Fitted
from bowerbird.harness.ratings.pair_blocks import Ints, PairForm

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Solution:
    """The maximum: strengths of the bots and seat advantages in logits, with the errors of the strengths.

    The reference bot stands at 0. `sandwich` is clustered by deal set, without a factor for few sets; `naive` is H^-1,
    as if all pairs were independent; `by_set` is H^-1 as if each meeting in a deal set were one game. `bread` and
    `by_set_bread` are the same two, by column of the design and bot. `weight` is the information of each pattern in one
    game; `scores` is the gradient of the likelihood of one set, by kind of deal set and column.
    """

    strengths: Floats
    advantages: dict[SeatKey, float]
    sandwich: Floats
    naive: Floats
    by_set: Floats
    fitted: Fitted
    bread: Floats
    by_set_bread: Floats
    weight: Floats
    scores: csr_array


def solve(
    data: Observations,
    reference: str,
    *,
    penalty: float,
    seat_penalty: float,
    reduce_bias: bool,
) -> Solution:
    """Maximise the likelihood with `reference` at 0; `reduce_bias` as in `fit`.

    Raises NumericalError if no maximum is found.
    """
    bots = data.bots
    seats = sorted({key for patterns in data.patterns for key in _seat_keys(patterns.form)})
    free = np.array([column for column, bot in enumerate(bots) if bot != reference], dtype=np.int64)
    penalties = np.concatenate([np.full(len(free), penalty), np.full(len(seats), seat_penalty)])
    outcome, weight = data.outcome, data.weight
    total = np.bincount(data.pattern, weights=data.count * data.sets[data.kind], minlength=data.number) * weight
    x = design_of(data, seats, free)
    problem = Problem(x, outcome, total, penalties, reduce_bias)
    beta = maximum(problem)
    strengths = np.zeros(len(bots))
    strengths[free] = beta[: len(free)]
    chance = sigmoid(x.times(beta))
    spread = chance * (1 - chance)
    inverse = inverse_of(x.squared(total * spread) + np.diag(penalties))
    residual = ((outcome - chance) * weight)[data.pattern] * data.count
    by_set_total = totals_by_set(data)
    by_set = inverse_of(x.squared(by_set_total * spread) + np.diag(penalties))
    places = np.full(len(bots), -1)
    places[free] = np.arange(len(free))
    bread = np.where(places >= 0, inverse[:, places], 0.0)
    by_set_bread = np.where(places >= 0, by_set[:, places], 0.0)
    scores = scores_of(residual, data, x)
    meat = (scores.T @ scores.multiply(data.sets[:, None]).tocsr()).toarray()
    sandwich = bread.T @ meat @ bread
    return Solution(
        strengths=strengths,
        advantages=dict(zip(seats, beta[len(free) :].tolist(), strict=True)),
        sandwich=sandwich,
        naive=_of_bots(inverse, places),
        by_set=_of_bots(by_set, places),
        fitted=Fitted(data, x, outcome, by_set_total, penalties, places, beta),
        bread=bread,
        by_set_bread=by_set_bread,
        weight=weight * spread,
        scores=scores,
    )


def _of_bots(matrix: Floats, places: Ints) -> Floats:
    """Expand the matrix of the columns to all bots; the reference bot has rows and columns of 0."""
    there = places >= 0
    found: Floats = np.where(np.outer(there, there), matrix[np.ix_(places, places)], 0.0)
    return found


def _seat_keys(form: PairForm) -> list[SeatKey]:
    """Return the keys of all seats of a form."""
    return [(form.variant, form.players, seat) for seat in form.all_seats]


def scores_of(residual: Floats, data: Observations, x: Design) -> csr_array:
    """Return the gradient of the likelihood of one set, by kind of deal set and column.

    residual: weighted outcomes minus expected ones, by entry of the pairs.
    """
    from scipy.sparse import csr_array

    shape = len(data.sets), x.rows
    found: csr_array = csr_array((residual, (data.kind, data.pattern)), shape=shape) @ x.sparse()
    return found
