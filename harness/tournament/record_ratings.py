"""Stores the ratings of record of a complete run, so that SQL shows what `bowerbird standings` shows.

The store does not import ratings, so this module fits them once a run is complete, and stores them with the digest of
their results. `bowerbird standings` always refits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.records.values.run import RecordRating

if TYPE_CHECKING:
    from bowerbird.harness.ratings.standings.rating_list import RatingList
    from bowerbird.harness.ratings.standings.scopes import Scope
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.game_result import GameResult

OVERALL = ""
"""The scope that covers all variants."""


def store_record_ratings(run: StoredRun) -> bool:
    """Fit and store the ratings of record of a complete run, unless they are stored for these results.

    Return whether they were stored now. Nothing is stored for a scope without ratings, for example because its bots
    never met. Raises StoreError if reading or writing fails.
    """
    with run.store.snapshot():
        if run.row.ended is None or not run.row.is_rated or run.record_ratings():
            return False
        digest, results = run.results_digest(), run.results()
    ratings = tuple(record_ratings(results, run.row.config))
    return bool(ratings) and run.save_record_ratings(ratings, digest)


def record_ratings(results: Sequence[GameResult], config: str) -> Iterator[RecordRating]:
    """Yield the ratings of one run as its standings show them: for each variant, and over all variants.

    config: the resolved copy of the tournament file that is stored with the run.
    """
    from bowerbird.harness.ratings.pairs import deal_sets
    from bowerbird.harness.ratings.standings.chosen_pairs import why_no_ranks, without_claims
    from bowerbird.harness.ratings.standings.mean_list import mean_list
    from bowerbird.harness.ratings.standings.pool import on_one_scale, pooled_of, variant_fits
    from bowerbird.harness.ratings.standings.scopes import (
        anchors_of,
        main_scopes,
        ranking_of,
        scopes_of_run,
        weights_of,
    )

    scope_of = scopes_of_run(config, {(game.id.entry, game.variant) for game in results})
    games: dict[Scope, list[GameResult]] = {}
    for game in results:
        games.setdefault(scope_of[game.id.entry], []).append(game)
    sets = {scope: deal_sets(found) for scope, found in games.items()}
    main = main_scopes(sets)
    rank_by, why, anchors = ranking_of(config), why_no_ranks([config]), anchors_of(config)
    lists = {scope: without_claims(_list_of(found, rank_by, anchors), why) for scope, found in games.items()}
    for scope, found in lists.items():
        others = [other for other in lists if other.variant == scope.variant and other != scope]
        name = scope.variant if main[scope.variant] == scope else scope.against(others)
        yield from _rows(name, found)
    shown = [main[variant] for variant in sorted(main)]
    if len(shown) == 1:
        yield from _rows(OVERALL, lists[shown[0]])
    elif shown:
        fits = variant_fits((game for scope in shown for game in games[scope]), anchors=anchors)
        weights = weights_of(config)
        pooled = pooled_of(on_one_scale(fits, anchors=anchors), weights)
        number = sum(sets[scope] for scope in shown)
        listed = mean_list(fits, pooled, number, weights=weights, anchors=anchors)
        yield from _rows(OVERALL, without_claims(listed, why))


def _list_of(results: Sequence[GameResult], rank_by: str, anchors: Mapping[str, float]) -> RatingList:
    from bowerbird.harness.ratings.pairs import RatingError
    from bowerbird.harness.ratings.standings.rating_list import RatingList, rating_list

    try:
        return rating_list(results, rank_by=rank_by, anchors=anchors)
    except RatingError as error:
        return RatingList((), f"no ratings: {error}")


def _rows(scope: str, found: RatingList) -> Iterator[RecordRating]:
    for line in found.lines:
        low, high = map(_finite, line.rating.interval())
        points = points_low = points_high = None
        if line.points is not None:
            points = _finite(line.points.estimate.value)
            points_low, points_high = map(_finite, line.points.estimate.interval())
        yield RecordRating(
            scope=scope,
            bot=line.bot,
            rank=line.rank or 1,  # without ranks, bots are not told apart
            elo=line.rating.value,
            se=_finite(line.rating.se),
            low=low,
            high=high,
            points=points,
            points_low=points_low,
            points_high=points_high,
            basis=found.sentence,
        )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
