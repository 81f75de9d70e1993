"""The cells of the standings tables as text, the same in the terminal and on the report page (ratings.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.standings.pool import Pooled
    from harness.ratings.standings.rating_list import RatedBot, RatingList
    from harness.records.values.query_results import Standing

NOTHING = "-"

RATING_COLUMNS = ("#", "bot", "Elo", "95%", "LOS", "live", "points/deal", "won-drawn-lost")
"""The titles of `rating_cells`."""

PLAYING_COLUMNS = ("bot", "score", "games", "decisions", "p50 ms", "p99 ms", "faults")
"""The titles of `playing_cells`."""

POOLED_COLUMNS = ("bot", "mean", "95%", "random effects", "95%", "tau", "variants", "norm.")
"""The titles of `pooled_cells`."""

TEXT_COLUMNS = ("bot", "faults")
"""The columns of text; all others hold numbers."""

POOLED_TITLE = "Elo over all variants with equal weights, and with random effects (spread tau)"
POOLED_NOTE = "norm.: normalised Elo against the field, over all games"


def ordered(bots: Iterable[str], rating_list: RatingList) -> list[str]:
    """Return the bots with the best rating of record first; unrated bots come last, by name."""
    known = set(bots)
    rated = [line.bot for line in rating_list.lines if line.bot in known]
    return [*rated, *sorted(known - set(rated))]


def rating_cells(line: Standing, rated: RatedBot | None) -> tuple[str, ...]:
    """Return the rating of a bot with its errors; `rated` is None if it has no rating."""
    live = NOTHING if line.rating is None else f"{line.rating:.0f}"
    won = f"{line.wins}-{line.draws}-{line.losses}"
    if rated is None:
        return NOTHING, line.bot, NOTHING, NOTHING, NOTHING, live, _points(line, None), won
    return (
        str(rated.rank),
        line.bot,
        elo_text(rated.rating),
        interval_text(rated.rating),
        percent_text(rated.ahead),
        live,
        _points(line, rated),
        won,
    )


def playing_cells(line: Standing) -> tuple[str, ...]:
    """Return the score, games, decisions, times and faults of a bot."""
    return (
        line.bot,
        percent_text(line.score),
        str(line.games),
        str(line.decisions),
        _milliseconds(line.p50_ms),
        _milliseconds(line.p99_ms),
        faults_text(line.faults),
    )


def pooled_cells(bot: str, pooled: Pooled, rated: RatedBot | None) -> tuple[str, ...]:
    """Return the rating of a bot over several variants; `rated` is its line in the list of all games."""
    normalised = rated.normalised if rated is not None else None
    return (
        bot,
        elo_text(pooled.equal),
        interval_text(pooled.equal),
        NOTHING if pooled.random is None else elo_text(pooled.random),
        NOTHING if pooled.random is None else interval_text(pooled.random),
        NOTHING if pooled.tau is None else f"{pooled.tau:.0f}",
        str(pooled.variants),
        NOTHING if normalised is None else f"{round(normalised.value):+d}",
    )


def elo_text(estimate: Estimate) -> str:
    """Return `312`; `>827` if only a bound is known, `?` if nothing is."""
    if math.isinf(estimate.value):
        sign = ">" if estimate.value > 0 else "<"
        return f"{sign}{_whole(estimate.bound)}" if estimate.bound is not None else f"{sign}?"
    return _whole(estimate.value) if math.isfinite(estimate.se) else "?"


def _whole(value: float) -> str:
    """Return a whole number; a value that rounds to 0 has no sign."""
    return str(round(value))


def interval_text(estimate: Estimate) -> str:
    """Return the 95% interval, `251 to 380`; `-` if the value is fixed or there is no interval."""
    low, high = estimate.interval()
    return NOTHING if low == high or math.isinf(low) or math.isinf(high) else f"{_whole(low)} to {_whole(high)}"


def _points(line: Standing, rated: RatedBot | None) -> str:
    """Return the points text; `-` if it would mix points of several variants or of whole games."""
    return NOTHING if line.points_per_deal is None or rated is None else points_text(rated)


def points_text(rated: RatedBot) -> str:
    """Return points a deal above the table's mean, `+1.20 ±0.31`; without an error if unknown, `-` without points."""
    if rated.points is None:
        return NOTHING
    mean = f"{rated.points.mean:+.2f}"
    return mean if rated.points.error is None else f"{mean} ±{rated.points.error:.2f}"


def percent_text(share: float | None) -> str:
    """Return a share as a percentage with one decimal, `62.5%`; `-` for None."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def whole_percent_text(share: float | None) -> str:
    """Return a share as a whole percentage, `63%`; `-` for None."""
    return NOTHING if share is None else f"{100 * share:.0f}%"


def _milliseconds(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def faults_text(faults: Mapping[str, int]) -> str:
    """Return the kinds that occurred, `TIMEOUT 2, CRASHED 1`; `-` for none."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items() if count) or NOTHING
