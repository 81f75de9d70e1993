"""The figures of standings in words, the same ones in the terminal and on the report page (RATINGS.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.league import League, Rated
    from harness.ratings.pool import Pooled
    from harness.records.rows import Standing

NOTHING = "-"

RATING = ("#", "bot", "Elo", "95%", "LOS", "live", "points/deal", "won-drawn-lost")
"""What `rating_figures` are."""

PLAYING = ("bot", "score", "games", "decisions", "p50 ms", "p99 ms", "faults")
"""What `playing_figures` are."""

POOLED = ("bot", "mean", "95%", "random effects", "95%", "tau", "variants", "norm.")
"""What `pooled_figures` are."""

WORDS = ("bot", "faults")
"""The columns of words; all others are of numbers."""

POOLED_TITLE = "over the variants, each weighing the same, and as a sample of all variants (random effects, spread tau)"
POOLED_NOTE = "norm.: normalised Elo against the field, over all games"


def ordered(bots: Iterable[str], league: League) -> list[str]:
    """The bots with the best rating of record first; those that are not rated come last, by name."""
    known = set(bots)
    rated = [line.bot for line in league.lines if line.bot in known]
    return [*rated, *sorted(known - set(rated))]


def rating_figures(line: Standing, rated: Rated | None) -> tuple[str, ...]:
    """How strong a bot is, and how sure that is; `rated` is None where it has no rating."""
    live = NOTHING if line.rating is None else f"{line.rating:.0f}"
    won = f"{line.wins}-{line.draws}-{line.losses}"
    if rated is None:
        return NOTHING, line.bot, NOTHING, NOTHING, NOTHING, live, _points(line, None), won
    return (
        str(rated.rank),
        line.bot,
        elo(rated.rating),
        interval(rated.rating),
        percent(rated.ahead),
        live,
        _points(line, rated),
        won,
    )


def playing_figures(line: Standing) -> tuple[str, ...]:
    """How a bot behaved."""
    return (
        line.bot,
        percent(line.score),
        str(line.games),
        str(line.decisions),
        _milliseconds(line.p50_ms),
        _milliseconds(line.p99_ms),
        faults_text(line.faults),
    )


def pooled_figures(bot: str, pooled: Pooled, rated: Rated | None) -> tuple[str, ...]:
    """A bot over several variants; `rated` is its place in all games together."""
    normalised = rated.normalised if rated is not None else None
    return (
        bot,
        elo(pooled.equal),
        interval(pooled.equal),
        NOTHING if pooled.random is None else elo(pooled.random),
        NOTHING if pooled.random is None else interval(pooled.random),
        NOTHING if pooled.tau is None else f"{pooled.tau:.0f}",
        str(pooled.variants),
        NOTHING if normalised is None else f"{round(normalised.value):+d}",
    )


def elo(estimate: Estimate) -> str:
    """`312`; `>827` where only a bound is known, `?` where nothing is."""
    if math.isinf(estimate.value):
        sign = ">" if estimate.value > 0 else "<"
        return f"{sign}{_whole(estimate.bound)}" if estimate.bound is not None else f"{sign}?"
    return _whole(estimate.value) if math.isfinite(estimate.se) else "?"


def _whole(value: float) -> str:
    """A whole number; what is rounded to 0 has no sign."""
    return str(round(value))


def interval(estimate: Estimate) -> str:
    """`251 to 380`: the 95% interval; `-` where the value is fixed, or there is no interval."""
    low, high = estimate.interval()
    return NOTHING if low == high or math.isinf(low) or math.isinf(high) else f"{_whole(low)} to {_whole(high)}"


def _points(line: Standing, rated: Rated | None) -> str:
    """Above the table's mean, with the error; `-` where points of several variants or games would be mixed."""
    return NOTHING if line.points_per_deal is None or rated is None else points(rated)


def points(rated: Rated) -> str:
    """`+1.20 ±0.31`: points a deal above the table's mean, with the error where there is one; `-` without points."""
    if rated.points is None:
        return NOTHING
    mean = f"{rated.points.mean:+.2f}"
    return mean if rated.points.error is None else f"{mean} ±{rated.points.error:.2f}"


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, `62.5%`; `-` where there is none."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def _milliseconds(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def faults_text(faults: Mapping[str, int]) -> str:
    """`TIMEOUT 2, CRASHED 1`, the kinds that occurred; `-` for none."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items() if count) or NOTHING
