"""Hierarchical estimates: a bot's rating in a variant, shrunk towards its mean over variants (ratings.md, Ratings kept,
4).

The model is the same as in `pool`: theta_bv = mu_b + delta_bv, delta ~ N(0, tau^2), with one tau for all bots, because
    a single bot has too few variants to estimate its own. A bot's results in other variants say something about this
    one, and they count more if few sets were played here and if bots differ little between variants.

Errors from few deal sets are hardly known, and errors that are too small by chance would count most. The variances of a
deal set are therefore shrunk towards each other, too (Smyth, Statistical Applications in Genetics and Molecular Biology
3, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL, Estimate, quantile
from bowerbird.harness.ratings.roots import root

if TYPE_CHECKING:
    from bowerbird.harness.ratings.games import Floats

STEPS = 200
"""Number of values of tau over which the posterior is averaged."""

FARTHEST = 8.0
"""The largest value of tau, in multiples of the typical distance of a rating from the bot's mean."""

SHARED = 0.25
"""Squared correlation of two bots' ratings in a variant, which share the strength and the luck of the bot at 0.

It follows that n bots say as much about tau as n / (1 + SHARED * (n - 1)) independent bots.
"""

FEWEST = 4
"""The fewest errors from which a common variance is estimated."""

Ratings = Mapping[str, Mapping[str, Estimate]]
"""Estimates by variant and bot."""


def shrunken(ratings: Ratings) -> dict[str, dict[str, Estimate]]:
    """Return the posterior mean and error of each rating, by variant and bot; {} with fewer than two variants.

    ratings: estimates by variant and bot, all on one scale; those of different variants are independent. A value is
        treated as normal, with an error from the distance to the nearer end of its 95% interval. A value without a
        finite end says nothing about its variant, and is replaced by what the bot's other variants suggest. A value
        without an error is fixed, and stays. The prior is flat in each bot's mean and in tau, so the errors include the
        uncertainty of both. A bot keeps its estimates if none of its variants is informative. All bots keep theirs if
        none has two informative variants.
    """
    import numpy as np

    if len(ratings) < 2:
        return {}
    variants, bots = sorted(ratings), sorted({bot for of_bot in ratings.values() for bot in of_bot})
    cells = [
        (place, column) for place, bot in enumerate(bots) for column, v in enumerate(variants) if bot in ratings[v]
    ]
    estimates = [ratings[variants[column]][bots[place]] for place, column in cells]
    values, errors = np.zeros((len(bots), len(variants))), np.full((len(bots), len(variants)), math.inf)
    for cell, one, error in zip(cells, estimates, _normal_errors(estimates), strict=True):
        if error > 0:
            values[cell], errors[cell] = one.value, error
    means, spreads = _posterior(values, errors)
    found: dict[str, dict[str, Estimate]] = {variant: {} for variant in variants}
    for (place, column), one in zip(cells, estimates, strict=True):
        mean, spread = float(means[place, column]), float(spreads[place, column])
        drawn = one.se > 0 and math.isfinite(spread)
        found[variants[column]][bots[place]] = Estimate(mean, spread) if drawn else one
    return found


def _normal_errors(estimates: Sequence[Estimate]) -> list[float]:
    """Return the standard errors of normal distributions with the same nearer ends of their 95% intervals.

    First, for errors with Student's t, the per-set variances are shrunk towards each other.
    """
    normal = quantile(LEVEL, None)
    errors = [min(abs(end - one.value) for end in one.interval()) / normal for one in estimates]
    spread = [
        place
        for place, one in enumerate(estimates)
        if one.dof and one.dof >= 1 and not one.side and 0 < quantile(LEVEL, one.dof) * one.se < normal * one.set_se
    ]
    if len(spread) < FEWEST:
        return errors
    smoothed = _smoothed([(estimates[place].se, estimates[place].dof or math.inf) for place in spread])
    for place, (se, dof) in zip(spread, smoothed, strict=True):
        errors[place] = se * quantile(LEVEL, dof) / normal
    return errors


def _smoothed(errors: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return (standard error, degrees of freedom) after shrinking each per-set variance towards the common one.

    The common variance and its degrees of freedom come from the moments of the log-variances.
    """
    import numpy as np

    from bowerbird.harness.ratings.distributions import digammas

    se, dof = np.array(errors).T
    of_a_set = se**2 * (dof + 1)
    first, second = digammas(dof / 2)
    logs = np.log(of_a_set) - first + np.log(dof / 2)
    excess = float(logs.var(ddof=1) - second.mean())
    least, most = 0.1, 1e4  # degrees of freedom
    if excess >= digammas(least / 2)[1]:
        return list(errors)
    worth = most
    if excess > digammas(most / 2)[1]:
        worth = 2 * float(root(lambda half: float(digammas(half)[1]) - excess, least / 2, most / 2))
    common = math.exp(float(logs.mean()) + float(digammas(worth / 2)[0]) - math.log(worth / 2))
    drawn = np.sqrt((worth * common + dof * of_a_set) / (worth + dof) / (dof + 1))
    return list(zip(drawn.tolist(), (worth + dof).tolist(), strict=True))


def _posterior(values: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Return the posterior means and standard deviations (bots x variants), infinite for bots without a known value.

    errors: standard errors, positive; infinite where nothing is known.
    """
    import numpy as np

    known = np.isfinite(errors)
    counts = known.sum(axis=1)
    free = int(np.maximum(counts - 1, 0).sum())
    if free == 0:
        return values, np.full_like(values, math.inf)
    centres = (values * known).sum(axis=1) / np.maximum(counts, 1)
    squares = float((((values - centres[:, None]) ** 2) * known).sum())
    typical = math.sqrt(squares / free) + float(np.median(errors[known]))
    steps = (np.arange(STEPS) + 0.5) / STEPS
    taus = FARTHEST * typical * steps**2
    likelihoods = np.array([_likelihood(values, errors, tau) for tau in taus])
    chances = likelihoods / (1 + SHARED * (int((counts > 1).sum()) - 1))
    weights = steps * np.exp(chances - chances.max())  # steps: the distance to the next tau
    weights /= weights.sum()
    mean, square = np.zeros_like(values), np.zeros_like(values)
    for tau, weight in zip(taus[weights > 1e-9], weights[weights > 1e-9], strict=True):
        at, variance = _given(values, errors, tau)
        mean += weight * at
        square += weight * (variance + at**2)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    return mean, np.where(counts[:, None] > 0, spread, math.inf)


def _likelihood(values: Floats, errors: Floats, tau: float) -> float:
    """Return the log-likelihood of tau, with the bots' means integrated out, up to a constant."""
    import numpy as np

    weights = 1 / (errors**2 + tau**2)
    total = weights.sum(axis=1)
    played = total > 0
    centres = (weights * values).sum(axis=1)[played] / total[played]
    squares = (weights[played] * (values[played] - centres[:, None]) ** 2).sum()
    return float(0.5 * (np.log(weights[weights > 0]).sum() - np.log(total[played]).sum() - squares))


def _given(values: Floats, errors: Floats, tau: float) -> tuple[Floats, Floats]:
    """Return the posterior means and variances (bots x variants) for this tau."""
    import numpy as np

    weights = 1 / (errors**2 + tau**2)
    total = weights.sum(axis=1, keepdims=True)
    sure = np.where(total > 0, total, 1.0)
    centres = (weights * values).sum(axis=1, keepdims=True) / sure
    drawn = 1 - tau**2 * weights
    return values + drawn * (centres - values), tau**2 * drawn + drawn**2 / sure
