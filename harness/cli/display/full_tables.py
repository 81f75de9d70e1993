"""All tables of the standings: each scope, the mean over variants, the crosstable (`bowerbird standings --full`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.output import Column, table
from bowerbird.harness.ratings.standings.text import cells
from bowerbird.harness.ratings.standings.text.sentences import (
    NO_SETS,
    apart_text,
    flag_lines,
    rank_notes,
    undecided_text,
)

if TYPE_CHECKING:
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
    from bowerbird.harness.ratings.standings.rating_list import RatingList
    from bowerbird.harness.records.values.query_results import Pairing


def full_lines(overview: Overview, width: int | None = None, *, only_pooled: bool = False) -> list[str]:
    """Return the tables of each scope, separately rated scopes last, then the tables of all variants together.

    only_pooled: leave out the tables of each scope.
    width: the longest line of a table; None for no limit.
    """
    lines: list[str] = [] if overview.every else [NO_SETS]
    for board in () if only_pooled and len(overview.variants) > 1 else overview.every:
        lines += scope_lines(overview, board, width)
    if len(overview.variants) > 1:
        overall = overview.overall
        lines += pooled_lines(overview, width)
        lines += [
            "all variants",
            *playing_table(overall, width),
            "",
            *crosstable(overall.bots, overall.pairings, width),
            "",
            *likelihood_lines(overall.rating_list, width),
        ]
    apart = apart_text(overview)
    return [*lines, *(["", apart] if apart and only_pooled else [])]


def scope_lines(overview: Overview, board: Leaderboard, width: int | None = None) -> list[str]:
    """Return the lines of a scope: title, ratings, basis, remarks, flags, counts and crosstable."""
    listed = board.rating_list
    ranked = ["ranked by points, as the tournament file says"] if listed.rank_by != "elo" else []
    undecided = undecided_text(listed)
    return [
        board_title(overview, board),
        *rating_table(board, width, overview.estimates.get(board.variant, {}) if board in overview.variants else {}),
        listed.sentence,
        *ranked,
        *([undecided] if undecided else []),
        *rank_notes(listed),
        *listed.remarks,
        *flag_lines(board),
        "",
        *playing_table(board, width),
        "",
        *crosstable(board.bots, board.pairings, width),
        "",
        *likelihood_lines(listed, width),
    ]


def board_title(overview: Overview, board: Leaderboard) -> str:
    """Return the title of a scope: its variant, and the terms that distinguish it from other scopes of that variant."""
    if board.scope is None:
        return "all variants"
    played = f"{counted(board.games, 'game')} in {counted(board.sets, 'deal set')}"
    apart = ", rated apart" if board in overview.apart else ""
    where = f"; runs {', '.join(board.runs)}" if apart and board.runs else ""
    return f"{overview.description(board.scope)} ({played}{apart}{where})"


def rating_table(
    board: Leaderboard, width: int | None = None, estimates: Mapping[str, Estimate] | None = None
) -> list[str]:
    """Return the table of ratings, their intervals and likelihoods of superiority.

    estimates: each bot's rating in the variant, shrunk towards its mean over variants; empty with one variant.
    """
    estimates = estimates or {}
    rated = {line.bot: line for line in board.rating_list.lines}
    rows = [
        cells.rating_cells(line, rated.get(line.bot), estimates.get(line.bot), has_points=board.has_points)
        for line in board.standings
    ]
    return _table(cells.RATING_COLUMNS, rows, width)


def playing_table(board: Leaderboard, width: int | None = None) -> list[str]:
    """Return the table of games, faults and times."""
    return _table(cells.PLAYING_COLUMNS, [cells.playing_cells(line) for line in board.standings], width)


def pooled_lines(overview: Overview, width: int | None = None) -> list[str]:
    """Return the table of ratings over several variants, with its title and notes."""
    overall = overview.overall
    if not overview.pooled:
        return [overall.rating_list.sentence, ""]
    rows = [
        cells.pooled_cells(line.bot, overview.pooled[line.bot], overview.normalised.get(line.bot))
        for line in overall.rating_list.lines
    ]
    undecided = undecided_text(overall.rating_list)
    notes = [overall.rating_list.sentence, *([undecided] if undecided else []), cells.POOLED_NOTE, ""]
    return [cells.POOLED_TITLE, *_table(cells.POOLED_COLUMNS, rows, width), *notes]


DROPPED = (
    *("points/deal", "LOS", "won-drawn-lost", "p50 ms", "decisions", "score", "tau", "variants", "norm."),
    "estimate",
)
"""The columns that a narrow terminal drops, in this order."""


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the table without its empty columns."""
    kept = cells.filled(titles, rows)
    columns = [
        Column(
            titles[place],
            right=titles[place] not in cells.TEXT_COLUMNS,
            cut=titles[place] == "bot",
            drop=DROPPED.index(titles[place]) + 1 if titles[place] in DROPPED else 0,
            below="faults: " if titles[place] == "faults" else None,
        )
        for place in kept
    ]
    return table(columns, [[row[place] for place in kept] for row in rows], width)


def crosstable(bots: Sequence[str], pairings: Sequence[Pairing], width: int | None = None) -> list[str]:
    """Return a crosstable in the order of `bots`. A cell is the share that the row's bot won against the column's."""
    return square_table("against", bots, {(cell.bot, cell.opponent): cell.score for cell in pairings}, width)


def likelihood_lines(listed: RatingList, width: int | None = None) -> list[str]:
    """Return how likely each bot is to be stronger than each other bot, and the settled pairs; [] without ranks."""
    found = listed.likelihoods
    if found is None or len(found.bots) < 2:
        return []
    shares = {
        (bot, other): share
        for bot, row in zip(found.bots, found.superiority.tolist(), strict=True)
        for other, share in zip(found.bots, row, strict=True)
    }
    pairs = found.settled_pairs()
    told = ", ".join(f"{one} above {other}" for one, other in pairs[:MOST_PAIRS])
    more = f" and {counted(len(pairs) - MOST_PAIRS, 'more pair')}" if len(pairs) > MOST_PAIRS else ""
    settled = f"settled: {told}{more}" if pairs else "no pair is settled"
    title = "how likely the row's bot is to be stronger than the column's, each pair on its own"
    return [title, *square_table("stronger", found.bots, shares, width), settled, ""]


MOST_PAIRS = 50
"""The most settled pairs that are named; the rest are counted (`--json` has them all)."""

Text = Callable[[float | None], str]


def square_table(
    title: str,
    bots: Sequence[str],
    shares: Mapping[tuple[str, str], float | None],
    width: int | None,
    texts: tuple[Text, Text] = (cells.percent_text, cells.whole_percent_text),
) -> list[str]:
    """Return a table of shares, with a row and a column for each bot.

    If it is wider than `width`, columns get numbers instead of names; if that is not enough, cells get the shorter of
    their two texts.
    """
    usual, brief = texts

    def drawn(names: Sequence[str], titles: Sequence[str], text: Text) -> list[str]:
        columns = [Column(title, cut=True), *(Column(title, right=True) for title in titles)]
        rows = [
            [name, *("·" if bot == other else text(shares.get((bot, other))) for other in bots)]
            for name, bot in zip(names, bots, strict=True)
        ]
        return table(columns, rows, None if text is not brief else width)

    digits = len(str(len(bots)))
    numbers = [str(number + 1) for number in range(len(bots))]
    numbered = [f"{number:>{digits}} {bot}" for number, bot in zip(numbers, bots, strict=True)]
    for lines in (drawn(bots, bots, usual), drawn(numbered, numbers, usual)):
        if width is None or max(map(len, lines)) <= width:
            return lines
    return drawn(numbered, numbers, brief)
