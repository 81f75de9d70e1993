"""An estimate with its error: the form of every rating and every difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEVEL = 0.95
"""The level of every displayed interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value in Elo (or points) and its standard error.

    `dof` is the number of degrees of freedom of the error, clusters less one; None for a normal quantile. `value` is
    infinite if every result points the same way. Then `bound` is the finite end of the 95% interval (None if unknown)
    and `doubt` the probability that equal bots have results this clear. `se` is infinite if the value is
    unknown.
    """

    value: float
    se: float
    dof: int | None = None
    bound: float | None = None
    doubt: float = 0.5

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return both ends of the two-sided interval at this level. `bound` always stands for 95%."""
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
        """The likelihood of superiority, Phi(value / se) (ratings.md, Ratings kept, 2)."""
        if math.isinf(self.value):
            return 1 - self.doubt if self.value > 0 else self.doubt
        if self.se == 0:
            return 0.5 if self.value == 0 else float(self.value > 0)
        return 0.5 * math.erfc(-self.value / self.se / math.sqrt(2))

    def settled(self, level: float = LEVEL) -> bool:
        """Return whether the two-sided interval at this level excludes 0."""
        if math.isinf(self.value):
            return self.doubt < (1 - level) / 2
        low, high = self.interval(level)
        return low > 0 or high < 0


def strength_order(estimate: Estimate) -> tuple[float, float]:
    """Return a sort key: the strongest first, infinite values by their bounds."""
    return -estimate.value, -(estimate.bound if estimate.bound is not None else 0.0)


def quantile(level: float, dof: int | None) -> float:
    """Return the half-width of the two-sided interval at `level` in standard errors.

    Student's t with `dof` degrees of freedom; normal if `dof` is None.
    """
    from scipy.special import ndtri, stdtrit

    upper = 0.5 + level / 2
    return float(ndtri(upper) if dof is None else stdtrit(dof, upper))
