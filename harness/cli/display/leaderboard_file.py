"""Leaderboards as one file on stdout, for a spreadsheet or a web page (`bowerbird standings --format csv|md`)."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.cli.display.standings_document import finite
from bowerbird.harness.cli.shared.output import echo
from bowerbird.harness.cli.shared.runs import require_variant
from bowerbird.harness.ratings.standings.text.cells import SUMMARY_COLUMNS, TEXT_COLUMNS, filled, summary_cells
from bowerbird.harness.ratings.standings.text.sentences import undecided_text
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.faults import FAULT_KINDS

if TYPE_CHECKING:
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
    from bowerbird.harness.ratings.standings.rating_list import RatedBot
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.query_results import Standing

Cell = str | int | float | None

CSV, MARKDOWN = "csv", "md"

COLUMNS = (
    *("scope", "variant", "unit", "runs", "rank_by", "rank", "last_rank", "place", "bot", "version"),
    *("elo", "elo_low", "elo_high", "los_next", "estimate", "estimate_low", "estimate_high"),
    *("points", "points_low", "points_high", "wins", "draws", "losses", "score"),
    *("games", "sets", "decisions", "p50_ms", "p99_ms", *FAULT_KINDS),
    *("random_effects", "random_effects_low", "random_effects_high", "tau", "tau_low", "tau_high", "variants"),
    *("normalised_elo", "normalised_elo_low", "normalised_elo_high"),
)
"""The columns of the csv file. The scope "all variants" is the mean over variants; only it uses the last columns.
"""

_FORMULA = re.compile(r"[=+\-@|%\t\r]")
"""Characters that make a spreadsheet read a string as a formula if the string begins with one."""

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&$@])")
"""Characters that have a special meaning in Markdown, or in HTML within Markdown."""


def print_leaderboards(runs: Sequence[StoredRun], file_format: str, *, variant: str | None) -> None:
    """Print a leaderboard for each scope of these runs, as one file in CSV or MARKDOWN (`markdown_lines`).

    Raises InputError if the runs have no game of `variant`.
    """
    from bowerbird.harness.ratings.standings.overview import overview
    from bowerbird.harness.ratings.standings.text.headline import headline_of

    if variant is not None:
        require_variant(runs, variant)
    found = overview(runs, variant)
    told = headline_of(found, runs) if variant is None and file_format == MARKDOWN else ""
    for line in csv_lines(found) if file_format == CSV else markdown_lines(found, told):
        echo(line)


def csv_lines(overview: Overview) -> Iterator[str]:
    """Yield the lines of a csv file: titles, then the bots of each scope. Strings that look like formulas get a "'"."""
    yield ",".join(COLUMNS)
    for board in boards_of(overview):
        for row in rows_of(overview, board):
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(_csv_cell(cell) for cell in row)
            yield line.getvalue()


def markdown_lines(overview: Overview, headline: str = "") -> Iterator[str]:
    """Yield the lines of a Markdown text that fits a post: the headline, and the first screen's table of each scope."""
    if headline:
        yield from (f"**{_markdown(headline)}**", "")
    for number, board in enumerate(boards_of(overview)):
        if number:
            yield ""
        title = "all variants" if board.scope is None else overview.description(board.scope)
        yield f"## {_markdown(title)}"
        yield ""
        rated = {line.bot: line for line in board.rating_list.lines}
        rows = [
            summary_cells(line, rated.get(line.bot), board.places.get(line.bot), has_points=board.has_points)
            for line in board.standings
        ]
        if rows:
            kept = filled(SUMMARY_COLUMNS, rows)
            yield _row(_markdown(SUMMARY_COLUMNS[place]) for place in kept)
            yield _row("---" if SUMMARY_COLUMNS[place] in TEXT_COLUMNS else "--:" for place in kept)
            for row in rows:
                yield _row(_markdown(row[place]) for place in kept)
            yield ""
        listed = board.rating_list
        for sentence in filter(None, (undecided_text(listed), listed.sentence, *listed.remarks)):
            yield f"- {_markdown(sentence)}"


def boards_of(overview: Overview) -> tuple[Leaderboard, ...]:
    """Return the leaderboards of a file: first all variants together, if there are several, then each scope."""
    return (*((overview.overall,) if overview.overall.scope is None else ()), *overview.every)


def rows_of(overview: Overview, board: Leaderboard) -> Iterator[tuple[Cell, ...]]:
    """Yield each bot's cells in the order of COLUMNS. None is an unknown value or the open end of an interval."""
    rated = {line.bot: line for line in board.rating_list.lines}
    scope = board.scope
    same: tuple[Cell, ...] = (
        "all variants" if scope is None else overview.description(scope),
        None if scope is None else scope.variant,
        None if scope is None else scope.unit,
        " ".join(board.runs),
        board.rating_list.rank_by,
    )
    for line in board.standings:
        yield (
            *same,
            *_rating(overview, board, line, rated.get(line.bot)),
            *_counts(board, line),
            *_over_variants(overview, board, line, rated.get(line.bot)),
        )


def _rating(overview: Overview, board: Leaderboard, line: Standing, rated: RatedBot | None) -> Iterator[Cell]:
    estimates = overview.estimates.get(board.variant, {}) if board in overview.variants else {}
    yield from ((None, None) if rated is None else (rated.rank, rated.last_rank))
    yield from (board.places.get(line.bot), line.bot, line.version)
    yield from _interval(None if rated is None else rated.rating)
    yield None if rated is None else rated.ahead
    yield from _interval(estimates.get(line.bot))
    points = None if rated is None or not board.has_points else rated.points
    yield from _interval(None if points is None else points.estimate)


def _counts(board: Leaderboard, line: Standing) -> Iterator[Cell]:
    yield from (line.wins, line.draws, line.losses, line.score, line.games, board.sets, line.decisions)
    yield from (line.p50_ms, line.p99_ms, *(line.faults.get(kind, 0) for kind in FAULT_KINDS))


def _over_variants(overview: Overview, board: Leaderboard, line: Standing, rated: RatedBot | None) -> Iterator[Cell]:
    pooled = overview.pooled.get(line.bot) if board.scope is None else None
    if pooled is None:
        yield from [None] * 7
    else:
        yield from _interval(pooled.random)
        yield from (pooled.tau, *map(finite, pooled.tau_interval or (math.inf, math.inf)), pooled.variants)
    normalised = overview.normalised.get(line.bot) if board.scope is None else rated and rated.normalised
    yield from _interval(normalised or None)


def _interval(estimate: Estimate | None) -> tuple[Cell, Cell, Cell]:
    if estimate is None:
        return None, None, None
    low, high = estimate.interval()
    return estimate.value, finite(low), finite(high)


def _number(cell: float) -> str:
    return str(cell) if isinstance(cell, int) else f"{cell:.6g}"


def _csv_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return _number(cell)
    text = shown(cell)
    return f"'{text}" if _FORMULA.match(text) else text


def _markdown(text: str) -> str:
    """Return untrusted text as plain text in Markdown."""
    return _MARKUP.sub(r"\\\1", shown(text))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
