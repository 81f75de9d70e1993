"""One number over several variants (ratings.md, Ratings kept, 4): theta_{b,v} = mu_b + delta_{b,v}, delta ~ N(0, tau²).

There are two means, one of these variants with equal weights, and one of the population of variants from which they
are a sample. tau² is estimated by the method of Paule and Mandel (1982), its interval by the Q-profile (Viechtbauer
2007), and the error of the mean by Hartung and Knapp (2001). These methods are valid for few variants with different
errors (Veroniki et al., Research Synthesis Methods 7, 2016).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bowerbird.harness.ratings.bradley_terry.fit import ANCHOR, NO_ANCHORS, Fit, fit_observations
from bowerbird.harness.ratings.counted_games import rotated_games
from bowerbird.harness.ratings.estimate import LEVEL, Estimate, quantile, strength_order
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.roots import root
from bowerbird.harness.records.values.game_result import GameResult

NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})
"""Every variant has the same weight in the mean."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """A rating over several variants, in Elo.

    equal: the equal-weight mean of these `variants` variants. If one of them is a perfect score, the mean is one-sided,
        too, with a bound valid at its level. With perfect scores in both directions, the interval is unknown.
    random: the random-effects mean.
    tau: the standard deviation of a bot's strength from variant to variant.
    tau_interval: its 95% interval; both ends are 0 if the variants differ less than their errors explain.
    variants: the number of variants that the bot played.

    `random`, `tau` and `tau_interval` are None with fewer than two variants, or if a variant's rating is one-sided, has
    no finite error, or is 0 by definition.
    """

    equal: Estimate
    random: Estimate | None
    tau: float | None
    tau_interval: tuple[float, float] | None
    variants: int


def pooled_ratings(results: Iterable[GameResult], anchor: str = ANCHOR) -> dict[str, Pooled]:
    """Return each bot's rating over the variants that it played, the strongest first.

    The anchor is at 0 if it has a two-sided interval in every variant; otherwise the mean of all bots with such
    intervals is at 0. If no bot has them, a bot rated in every variant is at 0: the anchor, or the first by name.
    Return `{}` if there is no such bot, or if bots in a variant never met.
    """
    return pooled_of(on_one_scale(variant_fits(results, anchor), anchor))


def variant_fits(
    results: Iterable[GameResult], anchor: str = ANCHOR, anchors: Mapping[str, float] = NO_ANCHORS
) -> dict[str, Fit]:
    """Return the fit of each variant in which a bot is rated; {} if a variant's results cannot be fitted."""
    variants: dict[str, list[GameResult]] = {}
    for game in results:
        variants.setdefault(game.variant, []).append(game)
    try:
        fits = {variant: _fit_of(games, anchor, anchors) for variant, games in sorted(variants.items())}
    except RatingError:
        return {}
    return {variant: one for variant, one in fits.items() if one.bots}


def _fit_of(results: Iterable[GameResult], anchor: str, anchors: Mapping[str, float]) -> Fit:
    from bowerbird.harness.ratings.bradley_terry.observations import observe

    return fit_observations(observe(rotated_games(results)[0]), anchor=anchor, anchors=anchors)


def common_anchors(fits: Mapping[str, Fit], anchors: Mapping[str, float]) -> dict[str, float]:
    """Return the anchors with given ratings that have two-sided intervals in every variant."""
    return {bot: rating for bot, rating in anchors.items() if all(bot in one.basis for one in fits.values())}


def on_one_scale(
    fits: Mapping[str, Fit], anchor: str = ANCHOR, anchors: Mapping[str, float] = NO_ANCHORS
) -> dict[str, dict[str, Estimate]]:
    """Return the ratings by variant and bot, relative to the zero described in `pooled_ratings`; {} if there is none.

    anchors: the bots whose mean is fixed at the mean of their given ratings, if any of them is rated in every variant.
    """
    if not fits:
        return {}
    common = sorted(set.intersection(*(set(one.basis) for one in fits.values())))
    everywhere = sorted(set.intersection(*(set(one.bots) for one in fits.values())))
    if not everywhere:
        return {}
    if given := common_anchors(fits, anchors):
        weights = dict.fromkeys(given, 1 / len(given))
        start = sum(given.values()) / len(given)
        return {name: {bot: one.against(bot, weights, start) for bot in one.bots} for name, one in fits.items()}
    return _without_anchors(fits, anchor, common, everywhere)


def _without_anchors(
    fits: Mapping[str, Fit], anchor: str, common: Sequence[str], everywhere: Sequence[str]
) -> dict[str, dict[str, Estimate]]:
    zero = dict.fromkeys(common, 1 / max(1, len(common)))
    start = anchor if anchor in common or (not common and anchor in everywhere) else "" if common else everywhere[0]
    return {
        variant: {bot: one.difference(bot, start) if start else one.against(bot, zero) for bot in one.bots}
        for variant, one in fits.items()
    }


def pooled_of(
    ratings: Mapping[str, Mapping[str, Estimate]], weights: Mapping[str, float] = NO_WEIGHTS
) -> dict[str, Pooled]:
    """Return each bot's rating over variants, the strongest first. `ratings` come from `on_one_scale`."""
    of_bot: dict[str, dict[str, Estimate]] = {}
    for variant, of_variant in ratings.items():
        for bot, estimate in of_variant.items():
            of_bot.setdefault(bot, {})[variant] = estimate
    pooled = {bot: pool([*found.values()], weights_in(found, weights)) for bot, found in of_bot.items()}
    return dict(sorted(pooled.items(), key=lambda item: (strength_order(item[1].equal), item[0])))


def weights_in(variants: Iterable[str], weights: Mapping[str, float]) -> list[float]:
    """Return the weight of each of these variants, by default 1."""
    return [weights.get(variant, 1.0) for variant in variants]


def pool(estimates: Sequence[Estimate], weights: Sequence[float] = ()) -> Pooled:
    """Pool at least one estimate, by variant: the ratings of a bot, or the estimates of a difference.

    weights: the weights of the estimates, for the mean of these variants; () if they are equal.
    """
    number, equal = len(estimates), weighted_mean(estimates, weights)
    if number < 2 or any(one.side or not 0 < one.se < math.inf for one in estimates):
        return Pooled(equal, None, None, None, number)
    values, variances = [one.value for one in estimates], [_variance(one) for one in estimates]
    tau2 = _between(values, variances, number - 1.0)
    weights = [1 / (variance + tau2) for variance in variances]
    centre = _weighted(values, weights)
    variance = max(1.0, _squares(values, variances, tau2) / (number - 1)) / sum(weights)
    random = Estimate(centre, math.sqrt(variance), number - 1)
    return Pooled(equal, random, math.sqrt(tau2), _tau_interval(values, variances), number)


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float] = ()) -> Estimate:
    """Return the mean of independent estimates with these weights, all above 0; () for equal weights.

    This is the equal mean of the estimates, each scaled by its weight.
    """
    if len(set(weights)) < 2:
        return equal_mean(estimates)
    unit = len(weights) / math.fsum(weights)
    return equal_mean([_scaled(one, weight * unit) for one, weight in zip(estimates, weights, strict=True)])


def _scaled(one: Estimate, factor: float) -> Estimate:
    return replace(
        one,
        value=factor * one.value,
        se=factor * one.se,
        set_se=factor * one.set_se,
        far=None if one.far is None else factor * one.far,
        bound=None if one.bound is None else factor * one.bound,
    )


def equal_mean(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of at least one independent estimate, with equal weights.

    Its degrees of freedom are those of Welch and Satterthwaite. If an estimate is one-sided, so is the mean. Its bound,
    and the far end after nearly perfect scores, follow the MOVER (Zou and Donner 2008), which adds the squared
    distances of the values from their ends. The interval is infinite if there are one-sided estimates in both
    directions, or one with an infinite error.
    """
    number = len(estimates)
    mean = math.fsum(one.value for one in estimates) / number
    sides = {one.side for one in estimates if one.side}
    if sides:
        return _one_sided(estimates, mean, sides.pop()) if len(sides) == 1 else Estimate(mean, math.inf)
    errors = [_error(one) for one in estimates]
    variance = math.fsum(se**2 for se, _ in errors)
    if not math.isfinite(variance):
        return Estimate(mean, math.inf)
    parts = math.fsum(se**4 / dof for se, dof in errors)
    found = Estimate(mean, math.sqrt(variance) / number, variance**2 / parts if parts else None)
    ways = {one.far > one.value for one in estimates if one.far is not None}
    return _with_far_end(found, _reaches(estimates), ways) if ways else found


def _with_far_end(found: Estimate, reaches: tuple[float, float], ways: set[bool]) -> Estimate:
    """Return a mean with the far end of its interval.

    reaches: the distances of its ends below and above it, by the MOVER.
    ways: True for each part whose far end is above its value. If some are above and some below, the error grows to
        reach the nearer end of the mean.
    """
    unit = quantile(LEVEL, found.dof)
    error = max(found.se, min(reaches) / unit) if len(ways) == 2 else found.se
    up = reaches[1] > reaches[0] if len(ways) == 2 else True in ways
    reach = max(reaches[up], unit * error)
    return Estimate(found.value, error, found.dof, far=found.value + reach if up else found.value - reach)


def _reaches(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Return the distances of a mean's interval ends below and above it, by the MOVER; infinite where an end is."""
    ends = [(one.value, *one.interval()) for one in estimates]
    low = math.hypot(*(value - low for value, low, _ in ends)) / len(ends)
    return low, math.hypot(*(high - value for value, _, high in ends)) / len(ends)


def _one_sided(estimates: Sequence[Estimate], mean: float, side: int) -> Estimate:
    """Return the mean of estimates, some of which have no finite end above (`side` 1) or below (-1)."""
    reach = _reaches(estimates)[0 if side > 0 else 1]
    if not math.isfinite(reach):
        return Estimate(mean, math.inf)
    error = reach / quantile(LEVEL, None)
    doubt = 0.5 * math.erfc(side * mean / error / math.sqrt(2)) if error else 0.5
    return Estimate(mean, error, None, side=side, bound=mean - side * reach, doubt=doubt)


def _error(one: Estimate) -> tuple[float, float]:
    """Return the standard error and the degrees of freedom of the narrower interval of an estimate."""
    if quantile(LEVEL, None) * one.set_se < quantile(LEVEL, one.dof) * one.se:
        return one.set_se, math.inf
    return one.se, math.inf if one.dof is None else one.dof


def _variance(one: Estimate) -> float:
    """Return the variance of (value - truth) / se, which is Student's t, times se^2.

    An error from few deal sets is often too small by chance, so on average 1 / se^2 is too large. Below three degrees
    of freedom the factor stays 3.
    """
    se, dof = _error(one)
    few = max(dof, 3.0)
    return se**2 if math.isinf(few) else se**2 * few / (few - 2)


def _tau_interval(values: Sequence[float], variances: Sequence[float]) -> tuple[float, float]:
    """Return the interval of tau by the Q-profile method (Viechtbauer, Statistics in Medicine 26, 2007)."""
    from bowerbird.harness.ratings.distributions import chi_square

    low, high = (
        math.sqrt(_between(values, variances, chi_square(tail, len(values) - 1)))
        for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return low, high


def _between(values: Sequence[float], variances: Sequence[float], expected: float) -> float:
    """Return the tau^2 at which the weighted squares about the mean equal `expected`; 0 if they are less at 0.

    If `expected` is their expected value, the number of values minus one, this is Paule and Mandel's estimate.
    """

    if _squares(values, variances, 0.0) <= expected:
        return 0.0
    mean = sum(values) / len(values)
    farthest = sum((value - mean) ** 2 for value in values) / expected  # the squares are less than expected there
    return float(root(lambda tau2: _squares(values, variances, tau2) - expected, 0.0, farthest))


def _squares(values: Sequence[float], variances: Sequence[float], tau2: float) -> float:
    """Return the squares about the weighted mean, in units of variance + tau^2."""
    weights = [1 / (variance + tau2) for variance in variances]
    centre = _weighted(values, weights)
    return sum(weight * (value - centre) ** 2 for weight, value in zip(weights, values, strict=True))


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
