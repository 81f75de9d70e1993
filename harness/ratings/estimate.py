"""An estimate with its error: the form of every rating and every difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.pairs import RatingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LEVEL = 0.95
"""The confidence level of every displayed interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value in Elo (or points) and its error. The value is always finite.

    se: the standard error from the spread of the deal sets; infinite if the results say nothing about the value.
    dof: degrees of freedom of `se` (Student's t), the effective number of deal sets minus one; None for the normal
        distribution.
    set_se: the standard error with each deal set as one game, which does not depend on the spread (normal). With too
        few sets to know the spread well, this is the narrower error, and the one used.
    far: the end of the 95% interval away from 0, if it is farther out than the symmetric end because nearly all games
        were won.
    side: after a perfect score 1 (everything won) or -1 (everything lost); else 0.
    bound: after a perfect score the finite end of the 95% interval, None if there is none; the other end is infinite.
    doubt: after a perfect score, the probability that equal bots have results this clear; None otherwise.
    """

    value: float
    se: float
    dof: float | None = None
    set_se: float = math.inf
    far: float | None = None
    side: int = 0
    bound: float | None = None
    doubt: float | None = None

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return both ends of the two-sided interval at this level.

        After a perfect score, always return the 95% interval.
        """
        if self.side:
            end = -self.side * math.inf if self.bound is None else self.bound
            return (end, math.inf) if self.side > 0 else (-math.inf, end)
        if self.se == 0:
            return self.value, self.value
        reach = min(quantile(level, self.dof) * self.se, quantile(level, None) * self.set_se)
        low, high = self.value - reach, self.value + reach
        if self.far is not None and level == LEVEL:
            return (min(low, self.far), high) if self.far < self.value else (low, max(high, self.far))
        return low, high

    @property
    def p_value(self) -> float:
        """The two-sided probability of a value this far from 0 if the truth is 0."""
        if self.doubt is not None:
            return min(1.0, 2 * self.doubt)
        dof = math.inf if self.dof is None else self.dof
        return float(p_values(self.value, self.se, dof, self.set_se))

    @property
    def superiority(self) -> float:
        """The likelihood of superiority, by the same distribution as the interval (ratings.md, Ratings kept, 2)."""
        up = self.side > 0 if self.side else self.value > 0
        return 1 - self.p_value / 2 if up else self.p_value / 2

    def settled(self, level: float = LEVEL) -> bool:
        """Return True if the two-sided interval at this level excludes 0."""
        return self.p_value < 1 - level


def strength_order(estimate: Estimate) -> float:
    """Return a sort key that puts the strongest first."""
    return -estimate.value


@lru_cache(maxsize=1024)
def quantile(level: float, dof: float | None) -> float:
    """Return the half-width, in standard errors, of the two-sided interval at `level`.

    Use Student's t with `dof` degrees of freedom (infinite if that is 0), or the normal distribution if `dof` is None.
    """
    from bowerbird.harness.ratings.distributions import quantiles

    if dof is not None and dof <= 0:
        return math.inf
    return float(quantiles(0.5 + level / 2, math.inf if dof is None else dof))


def p_values(
    values: float | NDArray[np.float64],
    se: float | NDArray[np.float64],
    dof: float | NDArray[np.float64],
    set_se: float | NDArray[np.float64] = math.inf,
) -> NDArray[np.float64]:
    """Return the two-sided p-values of values with these errors, element by element, as `Estimate.p_value`.

    `dof` is infinite for the normal distribution. A value of 0 with an error of 0 has the p-value 1.
    """
    import numpy as np

    from bowerbird.harness.ratings.distributions import below

    size = np.abs(np.asarray(values, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread, plain = np.where(size == 0, 0.0, size / se), np.where(size == 0, 0.0, size / set_se)
    has_spread = np.asarray(dof) > 0
    by_spread = np.where(has_spread, 2 * below(-spread, np.where(has_spread, dof, 1.0)), 1.0)
    return np.minimum(np.minimum(by_spread, 2 * below(-plain, math.inf)), 1.0)


def p_values_of_pairs(
    values: NDArray[np.float64],
    se: NDArray[np.float64],
    dof: NDArray[np.float64],
    set_se: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the two-sided p-values of the differences of all pairs of `values` (n x n), 1 for a value with itself.

    se, dof, set_se: of the differences, as for `p_values`; symmetric (n x n).
    """
    import numpy as np

    one, other = np.triu_indices(len(values), 1)
    of_set = math.inf if set_se is None else set_se[one, other]
    found = np.ones((len(values), len(values)))
    found[one, other] = p_values(values[one] - values[other], se[one, other], dof[one, other], of_set)
    found[other, one] = found[one, other]
    return found


SCALE = 400.0
"""The difference in Elo at which the odds are ten to one."""

FARTHEST = 50_000.0
"""The farthest that a rating can be from 0. Beyond that, odds overflow."""


def expected_score(rating: float, other: float) -> float:
    """Return E, the expected score (0 to 1) of a side against another.

    Ratings are in Elo. Raises RatingError if one is not between -FARTHEST and FARTHEST.
    """
    if not (-FARTHEST <= rating <= FARTHEST and -FARTHEST <= other <= FARTHEST):  # false for NaN, too
        raise RatingError(f"a rating is not a number between {-FARTHEST:g} and {FARTHEST:g}")
    return 1.0 / (1.0 + math.pow(10.0, (other - rating) / SCALE))
