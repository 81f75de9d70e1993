"""Means in standard deviations, with their errors: the t value, from which normalised Elo follows (ratings.md).

The deviation is estimated from the same deal sets as the mean, so its error counts, too (delta method). Far from 0 that
error dominates: without it, the 95% intervals of a normalised Elo of 400 cover only 59%.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bowerbird.harness.ratings.pairs import RatingError

ELO_PER_DEVIATION = 800 / math.log(10)
"""Normalised Elo of a mean of one standard deviation of a game.

For small differences of games without ties it equals Elo.
"""


FEWEST_SETS = 3
"""With fewer deal sets, the deviation by which normalised Elo divides is hardly known."""


def mean_in_deviations(values: Sequence[float]) -> tuple[float, float]:
    """Return the t value (mean / standard deviation) of independent values, and its standard error.

    values: one number for each deal set, at least two of them different.

    Raises RatingError if all values are equal or one is not finite. For an interval, use the error with Student's t of
    `len(values) - 1` degrees of freedom.
    """
    t, spread = _t_value(values)
    return t, spread / math.sqrt(len(values) - 1)


def t_value_spread(values: Sequence[float]) -> float:
    """Return the standard deviation that one value adds to the t value of many such values.

    For a t value of 0 it is 1, because the error of the deviation then has no effect. Raises RatingError as
    `mean_in_deviations`.
    """
    return _t_value(values)[1]


def _t_value(values: Sequence[float]) -> tuple[float, float]:
    """Return the t value, and the standard deviation that one value adds to it, by the delta method.

    The deviation has the number of values as divisor.
    """
    if not all(map(math.isfinite, values)):
        raise RatingError("the value of a deal set is not finite")
    if not values or min(values) == max(values):
        raise RatingError("all deal sets have the same value, so their standard deviation is 0")
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum([(value - mean) ** 2 for value in values]) / len(values))
    t = mean / deviation
    scaled = [(value - mean) / deviation for value in values]
    # 1 - t * skewness + t^2 * (kurtosis - 1) / 4 is the mean square of these influences, so it is never negative
    influences = [one - t * (one * one - 1) / 2 for one in scaled]
    return t, math.sqrt(math.fsum([one * one for one in influences]) / len(values))
