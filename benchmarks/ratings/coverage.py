"""Measures one simulated run: which intervals contain the truth, and how large the estimated gaps are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, median

from benchmarks.ratings.designs import Setting
from bowerbird.harness.ratings.bradley_terry.fit import Fit, fit
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.values.game_result import GameResult


def coverage(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return the shares of the 95% intervals that contain the truth, and the widths of the intervals.

    difference, rating: coverage of the differences that the setting requests, and of the ratings of their bots. open:
        share of the differences whose interval has an infinite end. width: median half-width of the other intervals, in
        Elo; NaN if there are none.
    """
    found = fit(games)
    pairs = setting.pairs or tuple(combinations(found.bots, 2))
    estimates = [found.difference(bot, other) for bot, other in pairs]
    truths = [setting.truth[bot] - setting.truth[other] for bot, other in pairs]
    finite = [(high - low) / 2 for low, high in (one.interval() for one in estimates) if math.isfinite(high - low)]
    rated = sorted({bot for pair in pairs for bot in pair})
    return {
        "difference": fmean(holds(one, truth) for one, truth in zip(estimates, truths, strict=True)),
        "rating": fmean(holds(found.rating(bot), true_rating(setting, found, bot)) for bot in rated),
        "open": 1 - len(finite) / len(estimates),
        "width": median(finite) if finite else math.nan,
    }


def holds(estimate: Estimate, truth: float) -> bool:
    """Return whether the 95% interval contains the truth."""
    low, high = estimate.interval()
    return low <= truth <= high


def true_rating(setting: Setting, found: Fit, bot: str) -> float:
    """Return the true rating of a bot on the scale of the fit, whose zero depends on the results."""
    zero = [found.anchor] if found.anchor else found.basis
    return setting.truth[bot] - fmean(setting.truth[one] for one in zero) + found.anchor_rating


def normalised_coverage(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return the coverage of normalised Elo in the rating list, and the median half-width in normalised Elo.

    A bot without normalised Elo counts as not covered.
    """
    if setting.normalised is None:
        raise ValueError("this design has no true normalised Elo")
    truth = setting.normalised
    estimates = {line.bot: line.normalised for line in rating_list(games).lines}
    known = [one for one in estimates.values() if one is not None]
    covered = [one is not None and holds(one, truth[bot]) for bot, one in estimates.items()]
    widths = [(high - low) / 2 for low, high in (one.interval() for one in known)]
    return {"normalised": fmean(covered), "width": median(widths) if widths else math.nan}


def bias(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return the estimated differences as a multiple of the true ones, with and without bias reduction.

    After perfect scores the plain fit has no maximum. Its value is then NaN, so its mean does not include the results
    with the widest gaps.
    """
    try:
        plain = _slope(setting, fit(games, reduce_bias=False))
    except RatingError:
        plain = math.nan
    return {"reduced": _slope(setting, fit(games)), "plain": plain}


def _slope(setting: Setting, found: Fit) -> float:
    """Return the slope of the least-squares line through 0 of estimated against true differences."""
    pairs = list(combinations(found.bots, 2))
    values = [found.difference(bot, other).value for bot, other in pairs]
    truths = [setting.truth[bot] - setting.truth[other] for bot, other in pairs]
    above = math.fsum(value * truth for value, truth in zip(values, truths, strict=True))
    return above / math.fsum(truth * truth for truth in truths)
