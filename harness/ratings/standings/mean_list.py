"""The rating list over several variants: each bot's mean rating, with the tournament's weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.ratings.bradley_terry.fit import ANCHOR, NO_ANCHORS, Fit
from bowerbird.harness.ratings.estimate import LEVEL, Estimate, p_values, quantile, strength_order
from bowerbird.harness.ratings.standings.pool import NO_WEIGHTS, common_anchors, weighted_mean, weights_in
from bowerbird.harness.ratings.standings.ranks import Likelihoods, last_ranks_of, ranks_of, settled_above
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList, anchors_text, undecided

if TYPE_CHECKING:
    from bowerbird.harness.ratings.games import Floats
    from bowerbird.harness.ratings.standings.pool import Pooled

MOST_DIFFERENCES = 1500
"""The most differences of two bots in a variant to compute one by one, with all the care that few deal sets need."""


def mean_list(
    fits: Mapping[str, Fit],
    pooled: Mapping[str, Pooled],
    sets: int,
    *,
    anchor: str = ANCHOR,
    weights: Mapping[str, float] = NO_WEIGHTS,
    anchors: Mapping[str, float] = NO_ANCHORS,
) -> RatingList:
    """Return the rating list over several variants.

    fits: by variant.
    pooled: each bot's rating over these variants; {} if there are none.
    sets: the number of deal sets in all variants together. weights: the weights of variants in the mean; 1 by default.
    anchors: as for `on_one_scale`.
    """
    import numpy as np

    if not pooled:
        return RatingList((), f"no ratings over all variants: {_missing(fits)}")
    order = sorted(pooled, key=lambda bot: (strength_order(pooled[bot].equal), bot))
    places = np.arange(len(order), 0, -1, dtype=np.float64)  # only the order of the values matters
    tested = _p_values(fits, order, weights)
    above = settled_above(places, tested, LEVEL)
    next_ones = {one: _difference(fits, one, other, weights) for one, other in pairwise(order)}
    lines = tuple(
        RatedBot(
            bot=bot,
            rank=rank,
            rating=pooled[bot].equal,
            ahead=next_ones[bot].superiority if bot in next_ones else None,
            normalised=None,
            points=None,
            last_rank=last_rank,
        )
        for bot, rank, last_rank in zip(order, ranks_of(above), last_ranks_of(above), strict=True)
    )
    open_pairs = tuple(
        undecided(one, other, next_ones[one].p_value, len(order), sets)
        for place, (one, other) in enumerate(pairwise(order))
        if not above[place, place + 1]
    )
    return RatingList(
        lines,
        _sentence(fits, anchor, weights, anchors),
        undecided=open_pairs,
        likelihoods=Likelihoods.of(tuple(order), places, tested, above),
    )


def _difference(fits: Mapping[str, Fit], bot: str, other: str, weights: Mapping[str, float]) -> Estimate:
    """Return the mean difference of two bots over the variants in which both are rated."""
    found = {name: one.difference(bot, other) for name, one in fits.items() if bot in one.bots and other in one.bots}
    return weighted_mean([*found.values()], weights_in(found, weights)) if found else Estimate(0.0, math.inf)


def _p_values(fits: Mapping[str, Fit], order: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Return the p-values of the mean differences of all pairs of bots, a matrix by their places in `order`.

    A p-value is 1 if the mean difference contradicts the order, which can happen if bots played different variants.
    """
    import numpy as np

    pairs = list(combinations(range(len(order)), 2))
    if len(pairs) * len(fits) > MOST_DIFFERENCES:
        value, found = _of_matrices(fits, order, weights)
    else:
        value, found = np.zeros((len(order), len(order))), np.ones((len(order), len(order)))
        for one, other in pairs:
            estimate = _difference(fits, order[one], order[other], weights)
            value[one, other] = estimate.value
            found[one, other] = found[other, one] = estimate.p_value
    against = np.triu(value <= 0, 1)
    found[against | against.T] = 1.0
    return found


def _of_matrices(fits: Mapping[str, Fit], order: Sequence[str], weights: Mapping[str, float]) -> tuple[Floats, Floats]:
    """Return the sums of differences and the p-values of their means, with symmetric errors, for tables of many bots.

    The p-value is 1 if the interval of some variant is one-sided.
    """
    import numpy as np

    count, value, variance, parts = (np.zeros((len(order), len(order))) for _ in range(4))
    for weight, one in zip(weights_in(fits, weights), fits.values(), strict=True):
        place = {bot: at for at, bot in enumerate(one.bots)}
        rows = [at for at, bot in enumerate(order) if bot in place]
        columns = [place[order[at]] for at in rows]
        into, of = np.ix_(rows, rows), np.ix_(columns, columns)
        values, errors = one.values(), one.errors()
        se, dof = _narrower(errors.se[of], errors.dof[of], errors.set_se[of])
        count[into] += weight
        value[into] += weight * (values[:, None] - values)[of]
        variance[into] += (weight * se) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            parts[into] += np.where(np.isinf(dof), 0.0, (weight * se) ** 4 / dof)
    both = np.where(count > 0, count, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = p_values(value / both, np.sqrt(variance) / both, np.where(parts > 0, variance**2 / parts, np.inf))
    return value, np.where((count > 0) & np.isfinite(variance), found, 1.0)


def _narrower(se: Floats, dof: Floats, set_se: Floats) -> tuple[Floats, Floats]:
    """Return, by pair, the standard error and degrees of freedom of the narrower interval, as `equal_mean` does."""
    import numpy as np

    from bowerbird.harness.ratings.distributions import quantiles

    reach = np.where(dof > 0, quantiles(0.5 + LEVEL / 2, np.where(dof > 0, dof, np.inf)), np.inf)
    with np.errstate(invalid="ignore"):
        by_set = quantile(LEVEL, None) * set_se < reach * se
    return np.where(by_set, np.minimum(se, set_se), se), np.where(by_set, np.inf, dof)


def _missing(fits: Mapping[str, Fit]) -> str:
    """Return the reason why no bot has a rating over the variants."""
    if not fits:
        return "some bots never met in a variant, or a variant has no ratings"
    return "no bot is rated in all of " + ", ".join(sorted(fits))


def weights_sentence(variants: Iterable[str], weights: Mapping[str, float]) -> str:
    """Return `2 variants of equal weight`, or `2 variants with the weights euchre 2, buck 1`."""
    names = list(variants)
    if len(set(weights_in(names, weights))) < 2:
        return f"{counted(len(names), 'variant')} of equal weight"
    listed = ", ".join(f"{name} {weight:g}" for name, weight in zip(names, weights_in(names, weights), strict=True))
    return f"{counted(len(names), 'variant')} with the weights {listed}"


def _sentence(
    by_variant: Mapping[str, Fit], anchor: str, weights: Mapping[str, float], anchors: Mapping[str, float]
) -> str:
    """Return a sentence about the rating that is 0, as chosen by `pooled_ratings`."""
    fits = list(by_variant.values())
    over = f"Elo: the mean over {weights_sentence(by_variant, weights)}"
    if given := common_anchors(by_variant, anchors):
        return f"{over}; {anchors_text(given)}"
    common = sorted(set.intersection(*(set(one.basis) for one in fits)))
    if anchor in common:
        return f"{over}; the anchor {anchor} is fixed at 0"
    if len(common) > 1 and all(set(common) == set(one.bots) for one in fits):
        return f"{over}; the mean of all is 0"
    if len(common) > 1:
        return f"{over}; the mean of {', '.join(common[:-1])} and {common[-1]} is 0"
    everywhere = sorted(set.intersection(*(set(one.bots) for one in fits)))
    return f"{over}; {(common or ([anchor] if anchor in everywhere else everywhere))[0]} is fixed at 0"
