"""Rating curves: the ratings after more and more deal sets of every line-up.

Input: results, and the rating list of all of them. Output: points; the last points are the ratings of that list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bowerbird.harness.ratings.standings.pool import Pooled, on_one_scale, pooled_of, variant_fits
from bowerbird.harness.ratings.standings.rating_list import RatingList, computed
from bowerbird.harness.records.values.game_result import GameResult

MOST_POINTS = 12
"""The most points of a curve. Each point is a separate fit."""

GAMES_FITTED = 200_000
"""The most games to fit for the curves, over all points together, so that a long run's curves take little time."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The ratings after `sets` deal sets, by bot. A bot that cannot be rated yet is missing."""

    sets: int
    ratings: dict[str, float]


def curve_points(results: Sequence[GameResult], listed: RatingList) -> list[CurvePoint]:
    """Return the points of the curves of all bots; [] without ratings.

    results: the results behind `listed`, run after run. Within a run they are used in the order of deal set numbers, so
        that every line-up and variant contributes to each point.
    """
    if not listed.lines:
        return []
    sets = [list(games) for _, games in groupby(_fairly(results), key=lambda one: (one.id.run, one.id.set_key))]
    points = min(MOST_POINTS, max(1, GAMES_FITTED // max(1, len(results))), len(sets))
    ends = [-(-len(sets) * number // points) for number in range(1, points)]
    found = [CurvePoint(end, _rated([game for games in sets[:end] for game in games])) for end in ends]
    last = CurvePoint(len(sets), {line.bot: line.rating.value for line in listed.lines})
    return [*(point for point in found if point.ratings), last]


def _fairly(results: Sequence[GameResult]) -> Iterator[GameResult]:
    """Yield results run after run, and within each run by deal set number, then line-up and variant."""
    for _, games in groupby(results, key=lambda one: one.id.run):
        yield from sorted(games, key=lambda one: (one.id.set_number, one.id.lineup, one.id.entry, one.id.rotation))


def _rated(results: Sequence[GameResult]) -> dict[str, float]:
    """Return each bot's mean rating over the variants, as in the standings of these results."""
    unrated: dict[str, Pooled] = {}
    pooled, _ = computed("a point of the curves", lambda: pooled_of(on_one_scale(variant_fits(results))), unrated)
    return {bot: one.equal.value for bot, one in pooled.items()}
