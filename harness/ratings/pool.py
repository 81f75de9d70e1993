"""One number over several variants (RATINGS.md, Ratings kept, 4): theta_{b,v} = mu_b + delta_{b,v}, delta ~ N(0, tau²).

Two means: of these variants, each weighing the same, and of the variants that these were drawn from. tau² is estimated
by the method of Paule and Mandel (1982), the mean's error after Hartung and Knapp (2001): both hold with few variants
whose errors differ (Veroniki et al., Research Synthesis Methods 7, 2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.ratings.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Pooled:
    """A rating over several variants, in Elo.

    `equal` is the equal-weight mean of `variants` variants: it holds for these. `random` is the random-effects mean and
    `tau` the spread of a bot's strength from variant to variant; None with fewer than two variants, or where one of
    them is one-sided or without an error. Then `equal` is infinite and has a bound, if its variants agree on the side.
    """

    equal: Estimate
    random: Estimate | None
    tau: float | None
    variants: int


def pool(estimates: Sequence[Estimate]) -> Pooled:
    """Pool the ratings of one bot, or of one difference, by variant. At least one is needed."""
    number = len(estimates)
    if any(math.isinf(one.value) for one in estimates):
        return Pooled(_one_sided(estimates), None, None, number)
    mean = sum(one.value for one in estimates) / number
    error = math.sqrt(sum(one.se**2 for one in estimates)) / number
    known = [one.dof for one in estimates if one.dof is not None]
    equal = Estimate(mean, error, _dof(estimates) if known else None)
    if number < 2 or not all(0 < one.se < math.inf for one in estimates):
        return Pooled(equal, None, None, number)
    tau2 = _between([one.value for one in estimates], [one.se**2 for one in estimates])
    weights = [1 / (one.se**2 + tau2) for one in estimates]
    centre = _weighted([one.value for one in estimates], weights)
    spread = sum(weight * (one.value - centre) ** 2 for weight, one in zip(weights, estimates, strict=True))
    variance = max(1.0, spread / (number - 1)) / sum(weights)
    return Pooled(equal, Estimate(centre, math.sqrt(variance), number - 1), math.sqrt(tau2), number)


def _one_sided(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of values of which some only have a bound: a bound itself, where all of them are on one side."""
    signs = {math.copysign(1, one.value) for one in estimates if math.isinf(one.value)}
    bounds = [one.bound if math.isinf(one.value) else one.value for one in estimates]
    known = [bound for bound in bounds if bound is not None]
    if len(signs) > 1:
        return Estimate(0.0, math.inf)
    bound = sum(known) / len(known) if len(known) == len(bounds) else None
    return Estimate(signs.pop() * math.inf, math.inf, None, bound)


def _dof(estimates: Sequence[Estimate]) -> int:
    """Welch and Satterthwaite: the degrees of freedom of a sum of variances."""
    total = sum(one.se**2 for one in estimates)
    parts = sum(one.se**4 / one.dof for one in estimates if one.dof)
    return max(1, int(total**2 / parts)) if parts and math.isfinite(total) and math.isfinite(parts) else 1


def _between(values: Sequence[float], variances: Sequence[float]) -> float:
    """Paule and Mandel: the tau² at which the weighted squares about the mean are as many as they should be."""
    from scipy.optimize import brentq

    def excess(tau2: float) -> float:
        weights = [1 / (variance + tau2) for variance in variances]
        centre = _weighted(values, weights)
        squares = sum(weight * (value - centre) ** 2 for weight, value in zip(weights, values, strict=True))
        return squares - (len(values) - 1)

    if excess(0.0) <= 0:
        return 0.0
    high = max((value - _weighted(values, [1.0] * len(values))) ** 2 for value in values) * len(values)
    return float(brentq(excess, 0.0, high))


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
