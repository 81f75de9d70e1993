"""Sentences about standings: the leaders, undecided pairs, remarks, and separately rated scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.ratings.standings.scopes import apart_sentence
from bowerbird.harness.ratings.standings.text.cells import NOTHING, elo_text, interval_text, percent_text, points_text

if TYPE_CHECKING:
    from bowerbird.harness.ratings.standings.head_to_head import HeadToHead
    from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
    from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList

NO_SETS = "no complete deal set is stored"

RANKS_NOTE = "#: the ranks that a bot can have; in at most 5% of such tables one of these intervals is wrong"

MOST_TOLD = 10_000
"""A forecast above this many deal sets becomes "more than" this."""

ALONE = 0.975
"""The likelihood of superiority that would decide a pair tested alone."""

FEW = 3
"""The most leaders of a variant that are named; the others are counted."""


def leaders_text(rating_list: RatingList) -> str:
    """Return the leaders: `greedy 312 (251 to 380), then mybot 40`, or all bots that share the first rank."""
    lines = rating_list.lines
    if not lines:
        return rating_list.sentence
    if rating_list.no_ranks:
        return f"{', '.join(_short(line, rating_list.rank_by) for line in lines[:FEW])}: no ranks"
    lines = rating_list.staying or lines
    first = [line for line in lines if line.rank == lines[0].rank]
    if len(first) == 1:
        others = f", then {_short(lines[1], rating_list.rank_by)}" if len(lines) > 1 else ""
        if rating_list.rank_by != "elo":
            return f"{_short(lines[0], rating_list.rank_by)}{others}"
        interval = interval_text(lines[0].rating)
        return f"{_short(lines[0], 'elo')}{'' if interval == NOTHING else f' ({interval})'}{others}"
    named = ", ".join(_short(line, rating_list.rank_by) for line in first[:FEW])
    more = f" and {len(first) - FEW} more" if len(first) > FEW else ""
    return f"{named}{more}: not decided"


def _short(line: RatedBot, rank_by: str) -> str:
    return f"{line.bot} {elo_text(line.rating) if rank_by == 'elo' else points_text(line.points)}"


def undecided_text(rating_list: RatingList, columns: int | None = None) -> str:
    """Return the neighbours whose order is not settled, and roughly how many more deal sets would settle it.

    columns: name as many pairs as fit in this width, at least one, and count the others; None to name all.
    """
    pairs = rating_list.undecided
    if rating_list.no_ranks:
        return rating_list.no_ranks
    if not pairs:
        return "" if len(rating_list.staying) < 2 else "decided: each bot can be told apart from the next"
    parts = [f"{pair.bot} and {pair.other} ({more_text(pair.more_sets)})" for pair in pairs]

    def text(named: int) -> str:
        rest = f" and {counted(len(parts) - named, 'more pair')}" if named < len(parts) else ""
        return f"not decided: {', '.join(parts[:named])}{rest}"

    fitting = [named for named in range(1, len(parts) + 1) if columns is None or len(text(named)) <= columns]
    return text(max(fitting, default=1))


def more_text(sets: int | None) -> str:
    """Return the number of deal sets in words, `about 1,200 more deal sets`. None means that the number is unknown."""
    if sets is None:
        return "no forecast yet"
    if sets > MOST_TOLD:
        return f"more than {MOST_TOLD:,} more deal sets"
    return "about one more deal set" if sets == 1 else f"about {_rounded(sets)} more deal sets"


def rank_notes(listed: RatingList) -> list[str]:
    """Return what a table's ranks guarantee, and why a high likelihood of superiority may not settle a rank."""
    return [RANKS_NOTE, *filter(None, [los_note(listed)])] if listed.lines and not listed.no_ranks else []


def los_note(listed: RatingList) -> str:
    """Return why two neighbours are undecided despite a high likelihood of superiority; "" if there are none."""
    for line in listed.lines:
        if line.ahead is not None and line.ahead >= ALONE and any(pair.bot == line.bot for pair in listed.undecided):
            pairs = len(listed.lines) * (len(listed.lines) - 1) // 2
            if pairs > 1:
                return (
                    f"LOS {percent_text(line.ahead)} of {line.bot} would decide a pair that was tested alone, "
                    f"but this table tests {pairs} pairs at once"
                )
    return ""


def _rounded(number: int) -> str:
    """Return a number rounded to two significant digits: 1234 becomes 1,200."""
    digits = max(0, len(str(number)) - 2)
    return f"{round(number, -digits):,}"


def remarks_of(overview: Overview) -> list[str]:
    """Return the remarks of all scopes, each once; with several variants each begins with its variant."""
    own = [*overview.overall.rating_list.remarks]
    if len(overview.variants) < 2:
        return own
    by_variant = [(board.variant, remark) for board in overview.variants for remark in board.rating_list.remarks]
    return own + [f"{variant}: {remark}" for variant, remark in by_variant if remark not in own]


FLAGS = 10
"""The most flags of a scope that are described; the others are only counted."""

FLAG_NOTE = "a flag does not change ratings or accuse anybody: one style may fare badly against another"


def flags_text(overview: Overview, columns: int) -> str:
    """Return one line about the collusion flags of all scopes, with the most certain spelled out; "" for none.

    columns: the longest line that names the bots.
    """
    flags = [(board, flag) for board in overview.every for flag in board.collusion]
    if not flags:
        return ""
    board, surest = min(flags, key=lambda found: found[1].p_value)
    where = f" in {board.variant}" if len(overview.every) > 1 else ""
    more = f" and {len(flags) - 1} more" if len(flags) > 1 else ""
    text = f"flagged{where}: {surest.brief}{more}: --full"
    return text if len(text) <= columns else f"flagged: results of {counted(len(flags), 'pair')} of bots: --full"


def flag_lines(board: Leaderboard) -> list[str]:
    """Return the collusion flags of a scope as sentences, with a note on their meaning; [] for none."""
    if not board.collusion:
        return []
    more = len(board.collusion) - FLAGS
    return [
        *(f"flagged: {flag.sentence}" for flag in board.collusion[:FLAGS]),
        *([f"flagged: {counted(more, 'more pair')} of bots (--json)"] if more > 0 else []),
        FLAG_NOTE,
    ]


def apart_text(overview: Overview, where: str = "--full shows {them}") -> str:
    """Return one line about the separately rated scopes and where they are shown; "" for none."""
    several = len({run for board in overview.every for run in board.runs}) > 1
    return apart_sentence(
        [
            (overview.description(board.scope), board.runs if several else ())
            for board in overview.apart
            if board.scope is not None
        ],
        where,
    )


def mean_text(compared: HeadToHead) -> str:
    """Return a sentence with the mean difference of two bots over the variants; "" with fewer than two variants."""
    mean = compared.mean
    if mean is None:
        return ""
    interval = interval_text(mean)
    known = "" if interval == NOTHING else f" ({interval})"
    weight = "its" if any(one != 1 for one in compared.weights.values()) else "equal"
    return (
        f"mean over the variants, each with {weight} weight: {round(mean.value):+d}{known}, "
        f"LOS {percent_text(mean.superiority)}"
    )
