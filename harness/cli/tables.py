"""Standings and crosstables as text (CLI.md, `bowerbird standings`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from harness.cli.output import Column, table

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.league import League, Rated
    from harness.ratings.pool import Pooled
    from harness.records.rows import Pairing, Standing

NOTHING = "-"


def ordered(bots: Iterable[str], league: League) -> list[str]:
    """The bots with the best rating of record first; those that are not rated come last, by name."""
    known = set(bots)
    rated = [line.bot for line in league.lines if line.bot in known]
    return [*rated, *sorted(known - set(rated))]


def faults_text(faults: Mapping[str, int]) -> str:
    """`TIMEOUT 2, CRASHED 1`, the kinds that occurred; `-` for none."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items() if count) or NOTHING


def rating_table(standings: Sequence[Standing], league: League) -> list[str]:
    """The lines of the table that says who is how strong, and how sure that is."""
    lines = {line.bot: line for line in standings}
    return table(_RATING, [_rating(lines[bot], league.line(bot)) for bot in ordered(lines, league)])


def playing_table(standings: Sequence[Standing], league: League) -> list[str]:
    """The lines of the table that says how the bots behaved."""
    lines = {line.bot: line for line in standings}
    return table(_PLAYING, [_playing(lines[bot]) for bot in ordered(lines, league)])


_RATING = (
    Column("#", right=True),
    Column("bot"),
    Column("Elo", right=True),
    Column("95%", right=True),
    Column("LOS", right=True),
    Column("live", right=True),
    Column("points/deal", right=True),
    Column("won-drawn-lost", right=True),
)
_PLAYING = (
    Column("bot"),
    Column("score", right=True),
    Column("games", right=True),
    Column("decisions", right=True),
    Column("p50 ms", right=True),
    Column("p99 ms", right=True),
    Column("faults"),
)


def _rating(line: Standing, rated: Rated | None) -> tuple[str, ...]:
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


def elo(estimate: Estimate) -> str:
    """`312`; `>827` where only a bound is known, `?` where nothing is."""
    if math.isinf(estimate.value):
        sign = ">" if estimate.value > 0 else "<"
        return f"{sign}{estimate.bound:.0f}" if estimate.bound is not None else f"{sign}?"
    return f"{estimate.value:.0f}" if math.isfinite(estimate.se) else "?"


def interval(estimate: Estimate) -> str:
    """`251 to 380`: the 95% interval; `-` where the value is fixed, or there is no interval."""
    low, high = estimate.interval()
    return NOTHING if low == high or math.isinf(low) or math.isinf(high) else f"{low:.0f} to {high:.0f}"


def _points(line: Standing, rated: Rated | None) -> str:
    """Above the table's mean, with the error; `-` where points of several variants or games would be mixed."""
    return NOTHING if line.points_per_deal is None or rated is None else points(rated)


def points(rated: Rated) -> str:
    """`+1.20 ±0.31`: points a deal above the table's mean, with the error where there is one; `-` without points."""
    if rated.points is None:
        return NOTHING
    mean = f"{rated.points.mean:+.2f}"
    return mean if rated.points.error is None else f"{mean} ±{rated.points.error:.2f}"


def _playing(line: Standing) -> tuple[str, ...]:
    return (
        line.bot,
        percent(line.score),
        str(line.games),
        str(line.decisions),
        _milliseconds(line.p50_ms),
        _milliseconds(line.p99_ms),
        faults_text(line.faults),
    )


def pooled_table(pooled: Mapping[str, Pooled], overall: League) -> list[str]:
    """The lines of the table over several variants."""
    return table(_POOLED, [_pooled(bot, line, overall.line(bot)) for bot, line in pooled.items()])


_POOLED = (
    Column("bot"),
    Column("mean", right=True),
    Column("95%", right=True),
    Column("random effects", right=True),
    Column("95%", right=True),
    Column("tau", right=True),
    Column("variants", right=True),
    Column("norm.", right=True),
)


def _pooled(bot: str, pooled: Pooled, rated: Rated | None) -> tuple[str, ...]:
    normalised = rated.normalised if rated is not None else None
    return (
        bot,
        elo(pooled.equal),
        interval(pooled.equal),
        NOTHING if pooled.random is None else elo(pooled.random),
        NOTHING if pooled.random is None else interval(pooled.random),
        NOTHING if pooled.tau is None else f"{pooled.tau:.0f}",
        str(pooled.variants),
        NOTHING if normalised is None else f"{normalised.value:+.0f}",
    )


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, `62.5%`; `-` where there is none."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def _milliseconds(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def crosstable(bots: Sequence[str], pairings: Sequence[Pairing]) -> list[str]:
    """The lines of a crosstable: the row's bot's share against the column's, in the order of `bots`."""
    shares = {(cell.bot, cell.opponent): cell.score for cell in pairings}
    columns = [Column("against"), *(Column(bot, right=True) for bot in bots)]
    rows = [[bot, *("·" if bot == other else percent(shares.get((bot, other))) for other in bots)] for bot in bots]
    return table(columns, rows)
