"""The cells of the tables of standings, places and matches, as text (ratings.md).

They are the same in the terminal and on the report page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.records.values.placements import (
    ANNULLED,
    BETTER_SEED,
    BYE,
    EXTRA_SETS,
    TIE,
    WALKOVER,
    MatchResult,
    Placement,
)

if TYPE_CHECKING:
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.ratings.points import Points
    from bowerbird.harness.ratings.standings.head_to_head import CommonOpponent, Comparison
    from bowerbird.harness.ratings.standings.pool import Pooled
    from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
    from bowerbird.harness.records.values.query_results import Pairing, Standing


NOTHING = "-"

SUMMARY_COLUMNS = ("#", "bot", "Elo", "95%", "points/deal", "score", "place", "faults")
"""The titles of `summary_cells`."""

RATING_COLUMNS = ("#", "bot", "Elo", "95%", "LOS", "estimate", "points/deal", "won-drawn-lost")
"""The titles of `rating_cells`."""

PLAYING_COLUMNS = ("bot", "score", "games", "decisions", "p50 ms", "p99 ms", "faults")
"""The titles of `playing_cells`."""

POOLED_COLUMNS = ("bot", "mean", "95%", "random effects", "95%", "tau", "variants", "norm.")
"""The titles of `pooled_cells`."""

COMPARISON_COLUMNS = ("variant", "games", "sets", "won-drawn-lost", "score", "Elo", "95%", "LOS", "points/deal")
"""The titles of `comparison_cells`."""

COMMON_COLUMNS = ("variant", "opponent", "{bot}", "won-drawn-lost", "{other}", "won-drawn-lost")
"""The titles of `common_cells`, with the names of the two bots to fill in."""

MAYBE_EMPTY = ("estimate", "points/deal", "place")
"""The columns to leave out if no bot has a value."""

TEXT_COLUMNS = ("bot", "faults")
"""The text columns; all others contain numbers."""

POOLED_TITLE = "Elo over all variants with their weights, and with random effects (spread tau)"
POOLED_NOTE = "norm.: normalised Elo against the field, over all games"


def filled(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the columns to show: all except those of MAYBE_EMPTY in which no bot has a value."""
    return [
        at for at, title in enumerate(titles) if title not in MAYBE_EMPTY or any(row[at] != NOTHING for row in rows)
    ]


def ordered(bots: Iterable[str], rating_list: RatingList) -> list[str]:
    """Return the bots in the order of the rating list; unrated bots come last, by name."""
    known = set(bots)
    rated = [line.bot for line in rating_list.lines if line.bot in known]
    return [*rated, *sorted(known - set(rated))]


def summary_cells(
    line: Standing, rated: RatedBot | None, place: int | None = None, *, has_points: bool
) -> tuple[str, ...]:
    """Return the cells of the table on the first screen.

    rated: None if the bot has no rating. place: the place in the competition; None if there are no places.
    """
    rank, elo, interval, points = _rated(rated, has_points)
    score, in_competition = percent_text(line.score), NOTHING if place is None else str(place)
    return rank, line.bot, elo, interval, points, score, in_competition, brief_faults(line.faults)


def rating_cells(
    line: Standing, rated: RatedBot | None, estimate: Estimate | None = None, *, has_points: bool
) -> tuple[str, ...]:
    """Return the rating of a bot with its errors.

    `estimate` is the rating shrunk towards the bot's mean over variants.
    """
    rank, elo, interval, points = _rated(rated, has_points)
    return (
        rank,
        line.bot,
        elo,
        interval,
        NOTHING if rated is None else percent_text(rated.ahead),
        NOTHING if estimate is None else elo_with_error(estimate),
        points,
        f"{line.wins}-{line.draws}-{line.losses}",
    )


def _rated(rated: RatedBot | None, has_points: bool) -> tuple[str, str, str, str]:
    """Return rank, Elo, interval and points."""
    if rated is None:
        return NOTHING, NOTHING, NOTHING, NOTHING
    points = points_text(rated.points if has_points else None)
    return rank_text(rated), elo_text(rated.rating), interval_text(rated.rating), points


def rank_text(rated: RatedBot) -> str:
    """Return the ranks that a bot can have, `2` or `1–3`; `-` if none are claimed."""
    if rated.rank is None:
        return NOTHING
    last = rated.rank if rated.last_rank is None else rated.last_rank
    return str(rated.rank) if rated.rank == last else f"{rated.rank}–{last}"


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


def pooled_cells(bot: str, pooled: Pooled, normalised: Estimate | None) -> tuple[str, ...]:
    """Return the rating of a bot over several variants; `normalised` is its normalised Elo over all games."""
    return (
        bot,
        elo_text(pooled.equal),
        interval_text(pooled.equal),
        NOTHING if pooled.random is None else elo_text(pooled.random),
        NOTHING if pooled.random is None else interval_text(pooled.random),
        tau_text(pooled),
        str(pooled.variants),
        NOTHING if normalised is None else f"{round(normalised.value):+d}",
    )


def tau_text(pooled: Pooled) -> str:
    """Return the spread from variant to variant with its 95% interval, `40 (22 to 95)`; `-` if it is unknown."""
    if pooled.tau is None:
        return NOTHING
    interval = pooled.tau_interval
    return f"{pooled.tau:.0f}" if interval is None else f"{pooled.tau:.0f} ({interval[0]:.0f} to {_end(interval[1])})"


def _end(value: float) -> str:
    return "any" if math.isinf(value) else f"{value:.0f}"


def elo_with_error(estimate: Estimate) -> str:
    """Return a rating with half the width of its 95% interval, `287 ±45`; without it if it is unknown or one-sided."""
    low, high = estimate.interval()
    reach = (high - low) / 2
    return f"{elo_text(estimate)} ±{round(reach)}" if 0 < reach < math.inf else elo_text(estimate)


def elo_text(estimate: Estimate) -> str:
    """Return a rating as a whole number, `312`; a value that rounds to 0 has no sign."""
    return str(round(estimate.value))


def interval_text(estimate: Estimate) -> str:
    """Return the 95% interval: `251 to 380`; `> 612` after a perfect score; `-` if it is unknown or the value fixed."""
    low, high = estimate.interval()
    if low == high or (math.isinf(low) and math.isinf(high)):
        return NOTHING
    if math.isinf(high):
        return f"> {round(low)}"
    return f"< {round(high)}" if math.isinf(low) else f"{round(low)} to {round(high)}"


def points_text(points: Points | None) -> str:
    """Return points per deal above the table's mean, `+1.20 ±0.31`; `-` without points.

    The error is half the width of the 95% interval; it is left out if unknown.
    """
    return _points_with_error(None if points is None else points.estimate)


def _points_with_error(estimate: Estimate | None) -> str:
    if estimate is None:
        return NOTHING
    low, high = estimate.interval()
    mean = f"{estimate.value:+.2f}"
    return f"{mean} ±{(high - low) / 2:.2f}" if math.isfinite(high - low) else mean


def percent_text(share: float | None) -> str:
    """Return a share as a percentage with one decimal, `62.5%`; `-` for None."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def whole_percent_text(share: float | None) -> str:
    """Return a share as a whole percentage, `63%`; `-` for None."""
    return NOTHING if share is None else f"{100 * share:.0f}%"


def _milliseconds(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def faults_text(faults: Mapping[str, int]) -> str:
    """Return the kinds of faults that occurred, `TIMEOUT 2, CRASHED 1`; `-` for none."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items() if count) or NOTHING


def brief_faults(faults: Mapping[str, int]) -> str:
    """Return the number of faults with their most frequent kind: `TIMEOUT 2`, `3, most TIMEOUT`; `-` for none."""
    kinds = {kind: count for kind, count in faults.items() if count}
    if len(kinds) < 2:
        return faults_text(kinds)
    return f"{sum(kinds.values())}, most {max(kinds, key=lambda kind: kinds[kind])}"


def comparison_cells(one: Comparison) -> tuple[str, ...]:
    """Return the cells that compare two bots in one scope."""
    met = one.pairing
    return (
        one.title,
        str(one.games),
        str(one.sets),
        NOTHING if met is None else won_text(met),
        NOTHING if met is None else percent_text(met.score),
        NOTHING if one.difference is None else f"{round(one.difference.value):+d}",
        NOTHING if one.difference is None else interval_text(one.difference),
        NOTHING if one.difference is None else percent_text(one.difference.superiority),
        _points_with_error(one.points),
    )


def common_cells(title: str, one: CommonOpponent) -> tuple[str, ...]:
    """Return the cells with the results of two bots against a third bot in one scope."""
    return (
        title,
        one.opponent,
        percent_text(one.of_bot.score),
        won_text(one.of_bot),
        percent_text(one.of_other.score),
        won_text(one.of_other),
    )


def won_text(pairing: Pairing) -> str:
    """Return `12-0-4`: won, drawn and lost."""
    return f"{pairing.wins}-{pairing.draws}-{pairing.losses}"


PLACE_COLUMNS = ("place", "bot", "points", "games won", "opponents", "byes", "remark")
"""The titles of `place_cells`."""

MATCH_COLUMNS = ("round", "bot", "opponent", "games", "winner", "how")
"""The titles of `match_cells`."""

HOW = {
    BYE: "bye",
    EXTRA_SETS: "after extra deal sets",
    BETTER_SEED: "the better seed, since it was still tied after extra deal sets",
    TIE: "tied",
    WALKOVER: "walkover: the other bot was withdrawn",
    ANNULLED: "advanced, but its games are annulled",
}
"""The words for a match that its games did not decide."""


def place_cells(place: Placement) -> tuple[str, ...]:
    """Return the cells of a place. With points, the remark would only repeat the other cells."""
    return (
        str(place.place),
        place.bot,
        "-" if place.points is None else _points(place.points),
        percent_text(place.share),
        "-" if place.opponents is None else _points(place.opponents),
        str(place.byes),
        place.remark if place.points is None else "",
    )


def filled_places(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the columns of places with any content; place and bot are always among them."""
    return [at for at in range(len(PLACE_COLUMNS)) if at < 2 or any(row[at] not in ("", "-", "0") for row in rows)]


def _points(points: float) -> str:
    return f"{points:g}"


def tie_breaks(places: Sequence[Placement], matches: Sequence[MatchResult]) -> str:
    """Return a sentence that explains what decides the places and what breaks ties."""
    if any(place.points is not None for place in places):
        bye = "; a bye counts as a match won with half of its games" if any(place.byes for place in places) else ""
        return (
            "points: matches won, a tied one counts half; ties are broken by the share of games won, "
            f"then by the sum of the opponents' points{bye}"
        )
    extra = any(match.decided_by in (EXTRA_SETS, BETTER_SEED) for match in matches)
    tied = "; a tied match got extra deal sets, and if those were tied, too, the better seed advanced" if extra else ""
    return f"places: the round in which a bot lost{tied}"


def match_cells(match: MatchResult) -> tuple[str, ...]:
    """Return the cells of a match."""
    games = "-" if match.is_bye else f"{match.won:g}-{match.lost:g}"
    winner = match.winner or "-"
    return match.title, match.bot, match.opponent or "-", games, winner, HOW.get(match.decided_by, "")
