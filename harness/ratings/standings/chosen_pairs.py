"""Removes ranks and intervals if results choose the pairs (ratings.md, Where results choose the pairs).

A lucky bot meets other lucky bots. The same luck therefore affects a result and the prediction for it, and the usual
errors are too small: in most tables of twelve equal bots, some differed significantly. In newer adaptive runs, some
deal sets are drawn by lot, and only these choose the pairs. Ratings count all deal sets, and their ranks hold.

Input: the stored tournament files of runs, and a rating list. Output: the same list, without claims that it cannot
support.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
from bowerbird.harness.ratings.standings.scopes import format_of

BY_MATCHES = ("swiss", "knockout")
"""The formats in which matches choose the pairs and decide the places."""

BY_RATINGS = "adaptive"
"""The format in which ratings choose the pairs."""

BY_LOT = 3
"""From this `schedule` version of adaptive runs on, only deal sets drawn by lot choose the pairs, so ranks hold."""


def why_no_ranks(configs: Iterable[str]) -> str:
    """Return the reason why these runs allow no ranks, as a sentence; "" if they do.

    configs: the resolved copy of the tournament file stored with each run.
    """
    formats = {form for form, schedule in map(format_of, configs) if form != BY_RATINGS or schedule < BY_LOT}
    if not formats & {*BY_MATCHES, BY_RATINGS}:
        return ""
    places = "; the places are those of the matches" if formats & {*BY_MATCHES} else ""
    return f"no ranks and no intervals: results chose who met whom, so equal bots would be told apart{places}"


def is_by_lot(config: str) -> bool:
    """Return True if only deal sets drawn by lot choose the pairs of an adaptive run."""
    form, schedule = format_of(config)
    return form == BY_RATINGS and schedule >= BY_LOT


def without_claims(listed: RatingList, why: str) -> RatingList:
    """Return a rating list without ranks, intervals and likelihoods; the same list if `why` is ""."""
    if not why:
        return listed
    lines = tuple(_without_claims(line) for line in listed.lines)
    return replace(listed, lines=lines, undecided=(), no_ranks=why, likelihoods=None)


def _without_claims(line: RatedBot) -> RatedBot:
    return replace(
        line,
        rank=None,
        last_rank=None,
        rating=value_alone(line.rating),
        ahead=None,
        normalised=None if line.normalised is None else value_alone(line.normalised),
        points=None if line.points is None else replace(line.points, estimate=value_alone(line.points.estimate)),
    )


def value_alone(estimate: Estimate) -> Estimate:
    """Return the estimate with an unknown error. A fixed value, such as the anchor's, stays fixed."""
    return estimate if estimate.se == 0 else Estimate(estimate.value, math.inf)
