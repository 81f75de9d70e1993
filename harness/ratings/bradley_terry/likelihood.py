"""The composite likelihood of the rating of record: its maximum and the clustered covariance there.

Formulas: ratings.md, Ratings kept, 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bowerbird.harness.ratings.bradley_terry.design import (
    Design,
    design_of,
    factor_of,
    inverse_by,
    mirrored,
    sigmoid,
)
from bowerbird.harness.ratings.bradley_terry.maximum import Problem, maximum
from bowerbird.harness.ratings.bradley_terry.observations import Observations, SeatKey, totals_by_set
from bowerbird.harness.ratings.bradley_terry.separation import Fitted
from bowerbird.harness.ratings.games import Floats, Ints
from bowerbird.harness.ratings.matrices import gram, matrix_of
from bowerbird.harness.ratings.pairs import PairForm

if TYPE_CHECKING:
    from bowerbird.harness.ratings.matrices import Matrix


@dataclass(frozen=True, slots=True)
class Solution:
    """The maximum: strengths of the bots and seat advantages in logits, with the errors of the strengths.

    The reference bot is at 0. `sandwich` is clustered by deal set, without a factor for few sets. `bread` is H^-1 by
    column of the design and bot, as if all pairs were independent; `by_set_bread` is the same with each meeting in a
    deal set as one game. `weight` is the information of each pattern in one game; `scores` is the gradient of the
    likelihood of one set, by kind of deal set and column of the design's `cells`.
    """

    strengths: Floats
    advantages: dict[SeatKey, float]
    sandwich: Floats
    fitted: Fitted
    bread: Floats
    by_set_bread: Floats
    weight: Floats
    scores: Matrix

    @property
    def naive(self) -> Floats:
        """H^-1 by two bots, as if all pairs were independent."""
        return self._of_bots(self.bread)

    @property
    def by_set(self) -> Floats:
        """H^-1 by two bots, with each meeting in a deal set as one game."""
        return self._of_bots(self.by_set_bread)

    def _of_bots(self, bread: Floats) -> Floats:
        found: Floats = bread[self.fitted.column]
        found[self.fitted.column < 0] = 0.0
        return found


def solve(
    data: Observations,
    reference: str,
    *,
    penalty: float,
    seat_penalty: float,
    reduce_bias: bool,
) -> Solution:
    """Maximise the likelihood with `reference` at 0. `reduce_bias` is as in `fit`.

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
    residual = ((outcome - chance) * weight)[data.pattern] * data.count
    by_set_total = totals_by_set(data)
    places = np.full(len(bots), -1)
    places[free] = np.arange(len(free))
    bread = _bread(x, total * spread, penalties, places)
    of, column, value = x.cells(data.pattern)
    kind, score = data.kind[of], residual[of] * value
    cells, along = (len(data.sets), x.width), x.along(bread)
    meat = gram(kind, column, np.sqrt(data.sets)[kind] * score, cells)
    return Solution(
        strengths=strengths,
        advantages=dict(zip(seats, beta[len(free) :].tolist(), strict=True)),
        sandwich=along.T @ meat @ along,
        fitted=Fitted(data, x, outcome, by_set_total, penalties, places, beta),
        bread=bread,
        by_set_bread=_bread(x, by_set_total * spread, penalties, places),
        weight=weight * spread,
        scores=matrix_of(kind, column, score, cells),
    )


def _bread(x: Design, weights: Floats, penalties: Floats, places: Ints) -> Floats:
    """Return H^-1 by column of the design and bot. The bots' columns are `places`; the reference bot (-1) gets 0."""
    inverse = mirrored(inverse_by(factor_of(x.information(weights, penalties))))[:, places]
    inverse[:, places < 0] = 0.0
    return inverse


def _seat_keys(form: PairForm) -> list[SeatKey]:
    """Return the keys of all seats of a form."""
    return [(form.variant, form.players, seat) for seat in form.all_seats]
