"""An estimate with its error: the one form in which every rating and difference is given."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEVEL = 0.95
"""The level of every interval that is shown."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value in Elo (or points) and its standard error.

    `dof` are the degrees of freedom of the error, clusters less one; None for a normal quantile. `value` is infinite
    where every result points the same way: then `bound` is the end of the 95% interval that is finite (None where it is
    unknown) and `doubt` the chance that results so clear come from equals. `se` is infinite where nothing is known.
    """

    value: float
    se: float
    dof: int | None = None
    bound: float | None = None
    doubt: float = 0.5

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """The ends of the two-sided interval at this level; a bound is always that of 95%."""
        if math.isinf(self.value):
            bound = -self.value if self.bound is None else self.bound
            return (bound, math.inf) if self.value > 0 else (-math.inf, bound)
        if self.se == 0:
            return self.value, self.value
        if math.isinf(self.se):
            return -math.inf, math.inf
        reach = quantile(level, self.dof) * self.se
        return self.value - reach, self.value + reach

    @property
    def superiority(self) -> float:
        """Likelihood of superiority: Phi(value / se) (RATINGS.md, Ratings kept, 2)."""
        if math.isinf(self.value):
            return 1 - self.doubt if self.value > 0 else self.doubt
        if self.se == 0:
            return 0.5 if self.value == 0 else float(self.value > 0)
        return 0.5 * math.erfc(-self.value / self.se / math.sqrt(2))

    def settled(self, level: float = LEVEL) -> bool:
        """Whether the two-sided interval at this level excludes 0."""
        if math.isinf(self.value):
            return self.doubt < (1 - level) / 2
        low, high = self.interval(level)
        return low > 0 or high < 0


def quantile(level: float, dof: int | None) -> float:
    """By how many standard errors the two-sided interval at `level` reaches: Student's t, normal without `dof`."""
    from scipy.special import ndtri, stdtrit

    upper = 0.5 + level / 2
    return float(ndtri(upper) if dof is None else stdtrit(dof, upper))
