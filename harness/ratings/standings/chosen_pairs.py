"""Runs in which results choose who meets claim no ranks and intervals (ratings.md, Where results choose the pairs).

A bot that was lucky meets other lucky ones. So the same luck decides a result and what it is compared with, and the
usual errors are too small: most tables of twelve equal bots told some apart. In adaptive runs some of the deal sets
are drawn by lot now, and only these choose the pairs. Ratings count all of them, and their ranks hold.

Enters: the stored tournament files of runs, and a rating list. Leaves: the same list without what it cannot know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.points import Points
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
from bowerbird.harness.ratings.standings.scopes import format_of

BY_MATCHES = ("swiss", "knockout")
"""The formats in which the matches choose the pairs, and give the places."""

BY_RATINGS = "adaptive"
"""The format in which ratings choose the pairs."""

BY_LOT = 3
"""The `schedule` of an adaptive run from which on only deal sets that are drawn by lot choose its pairs: ranks hold."""


def why_no_ranks(configs: Iterable[str]) -> str:
    """Return why no ranks can be claimed from these runs, as a sentence; "" if they can.

    configs: the resolved copy of the tournament file that is stored with each run.
    """
    formats = {form for form, schedule in map(format_of, configs) if form != BY_RATINGS or schedule < BY_LOT}
    if not formats & {*BY_MATCHES, BY_RATINGS}:
        return ""
    places = "; the places are those of the matches" if formats & {*BY_MATCHES} else ""
    return f"no ranks and no intervals: results chose who met whom, so equal bots would be told apart{places}"


def is_by_lot(config: str) -> bool:
    """Return whether only deal sets that are drawn by lot choose the pairs of an adaptive run."""
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
        points=None if line.points is None else _points_alone(line.points),
    )


def _points_alone(points: Points) -> Points:
    return replace(points, estimate=value_alone(points.estimate))


def value_alone(estimate: Estimate) -> Estimate:
    """Return an estimate whose error is not known; a value that is fixed, as that of the anchor, stays so."""
    return estimate if estimate.se == 0 else Estimate(estimate.value, math.inf)
