"""One number over several variants (ratings.md, Ratings kept, 4): theta_{b,v} = mu_b + delta_{b,v}, delta ~ N(0, tau²).

Two means: of these variants with equal weights, and of the population of variants from which they are a sample. tau²
is estimated by the method of Paule and Mandel (1982), the mean's error by that of Hartung and Knapp (2001): both hold
for few variants with different errors (Veroniki et al., Research Synthesis Methods 7, 2016).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.ratings.bradley_terry.connectivity import UnconnectedError
from harness.ratings.bradley_terry.fit import ANCHOR, Fit, fit
from harness.ratings.estimate import Estimate, strength_order
from harness.records.values.game_result import GameResult


@dataclass(frozen=True, slots=True)
class Pooled:
    """A rating over several variants, in Elo.

    `equal` is the equal-weight mean of these `variants` variants. `random` is the random-effects mean and `tau` the
    standard deviation of a bot's strength from variant to variant; both are None with fewer than two variants, or if a
    variant's rating is one-sided or has no error. With a one-sided rating `equal` is infinite, and has a bound if all
    one-sided variants point the same way.
    """

    equal: Estimate
    random: Estimate | None
    tau: float | None
    variants: int


def pooled_ratings(results: Iterable[GameResult], anchor: str = ANCHOR) -> dict[str, Pooled]:
    """Return by bot its rating over the variants that it played, the strongest first.

    0 is the anchor if it has a finite rating in every variant, else the mean of all bots that have one in every
    variant. Return `{}` if there are none, or if bots of a variant never met.
    """
    fits = _fits(results, anchor)
    if not fits:
        return {}
    common = sorted(set.intersection(*(set(one.basis) for one in fits)))
    if not common:
        return {}
    zero = {anchor: 1.0} if anchor in common else dict.fromkeys(common, 1 / len(common))
    bots = sorted({bot for one in fits for bot in one.bots})
    found = {bot: pool([one.against(bot, zero) for one in fits if bot in one.bots]) for bot in bots}
    return dict(sorted(found.items(), key=lambda item: (*strength_order(item[1].equal), item[0])))


def _fits(results: Iterable[GameResult], anchor: str) -> list[Fit]:
    variants: dict[str, list[GameResult]] = {}
    for game in results:
        variants.setdefault(game.variant, []).append(game)
    try:
        fits = [fit(games, anchor=anchor) for _, games in sorted(variants.items())]
    except UnconnectedError:
        return []
    return [one for one in fits if one.bots]


def pool(estimates: Sequence[Estimate]) -> Pooled:
    """Pool the ratings of one bot, or of one difference, by variant; at least one estimate is needed."""
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
    """Return the mean of values, some of them infinite: a bound if all infinite ones are on one side."""
    signs = {math.copysign(1, one.value) for one in estimates if math.isinf(one.value)}
    bounds = [one.bound if math.isinf(one.value) else one.value for one in estimates]
    known = [bound for bound in bounds if bound is not None]
    if len(signs) > 1:
        return Estimate(0.0, math.inf)
    bound = sum(known) / len(known) if len(known) == len(bounds) else None
    return Estimate(signs.pop() * math.inf, math.inf, None, bound)


def _dof(estimates: Sequence[Estimate]) -> int:
    """Return the degrees of freedom of a sum of variances (Welch and Satterthwaite)."""
    total = sum(one.se**2 for one in estimates)
    parts = sum(one.se**4 / one.dof for one in estimates if one.dof)
    return max(1, int(total**2 / parts)) if parts and math.isfinite(total) and math.isfinite(parts) else 1


def _between(values: Sequence[float], variances: Sequence[float]) -> float:
    """Return tau² by Paule and Mandel: it gives the weighted squares about the mean their expected value."""
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
