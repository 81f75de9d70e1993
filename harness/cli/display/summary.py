"""The first screen of standings: a table, and a line per other fact. For eight bots it fits 24 lines of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.display.faults import story_lines
from bowerbird.harness.cli.shared.output import Column, recorded_command, table, wrapped
from bowerbird.harness.ratings.standings.scopes import GAMES, UNIT_WORDS
from bowerbird.harness.ratings.standings.text.cells import SUMMARY_COLUMNS, TEXT_COLUMNS, filled, summary_cells
from bowerbird.harness.ratings.standings.text.sentences import (
    NO_SETS,
    apart_text,
    flags_text,
    leaders_text,
    remarks_of,
    undecided_text,
)

if TYPE_CHECKING:
    from pathlib import Path

    from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
    from bowerbird.harness.ratings.standings.rating_list import RatingList
    from bowerbird.harness.records.values.query_results import FaultRow

SCREEN_LINES, SCREEN_COLUMNS = 24, 80
"""The smallest usual terminal."""

FEWEST_VARIANTS = 2
"""The fewest lines about variants, including the line that counts the rest, even if the screen is full."""

DROPPED = {"points/deal": 1, "score": 2, "place": 3, "faults": 4}
"""The columns that a narrow terminal drops, in this order."""

FAULT_POINTS = "points/deal: a side at fault gets the worst points of its deal set"
"""The note on how faults affect points, shown if there are both (ratings.md, Ratings kept, 3)."""

FEW = 3
"""The most remarks that are shown; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything around the standings on the first screen.

    head: lines above the table: the run, reasons to trust it less, its places.
    faults: all faults of the runs, in schedule order.
    db: the database.
    more: the arguments of a command that shows these standings again.
    lines: the height of the screen.
    """

    head: Sequence[str]
    faults: Sequence[FaultRow]
    db: Path
    more: Sequence[str]
    lines: int = SCREEN_LINES


def summary_lines(overview: Overview, shown: Shown, width: int | None = None) -> list[str]:
    """Return the first screen as lines. `width` is the longest line of the table; None for no limit."""
    columns = min(width or SCREEN_COLUMNS, SCREEN_COLUMNS)
    overall = overview.overall
    head = [*shown.head, "", *([overall_title(overview)] if overall.scope is not None else [])]
    head += summary_table(overall, width) if overall.standings else [NO_SETS]
    below = _below(overview, shown)
    faults = _fault_count(shown)
    room = shown.lines - _height([*head, *below, *faults], columns)
    variants: list[str] = []
    if len(overview.variants) > 1:
        variants = ["", *variant_lines(overview.variants, room - 1, columns)]
        room -= _height(variants, columns)
    stories = _latest_stories(shown, room + _height(faults, columns), columns)
    return [*head, *variants, *below, *(stories or faults)]


def _height(lines: Sequence[str], columns: int) -> int:
    """Return how many terminal lines these lines occupy."""
    return sum(len(wrapped(line, columns)) for line in lines)


def overall_title(overview: Overview) -> str:
    """Return the title of the table if there is only one variant: `buck in single hands`."""
    scope = overview.overall.scope
    if scope is None:
        return "all variants"
    title = overview.description(scope)
    words = UNIT_WORDS[scope.unit]
    return title if scope.unit == GAMES or words in title else f"{title} {words}"


def summary_table(board: Leaderboard, width: int | None = None) -> list[str]:
    """Return the table: rank, bot, rating with its interval, points if there are any, score and faults."""
    rated = {line.bot: line for line in board.rating_list.lines}
    rows = [
        summary_cells(line, rated.get(line.bot), board.places.get(line.bot), has_points=board.has_points)
        for line in board.standings
    ]
    kept = filled(SUMMARY_COLUMNS, rows)
    columns = [
        Column(
            SUMMARY_COLUMNS[place],
            right=SUMMARY_COLUMNS[place] not in TEXT_COLUMNS,
            cut=SUMMARY_COLUMNS[place] == "bot",
            drop=DROPPED.get(SUMMARY_COLUMNS[place], 0),
        )
        for place in kept
    ]
    return table(columns, [[row[place] for place in kept] for row in rows], width)


def variant_lines(boards: Sequence[Leaderboard], room: int, columns: int) -> list[str]:
    """Return a line for each variant with its leaders. The last line counts the variants that do not fit.

    room: the number of free lines of `columns` characters; at least FEWEST_VARIANTS lines are used anyway.
    """
    names = max(len(board.variant) for board in boards)
    lines = [f"{board.variant:<{names}}  {leaders_text(board.rating_list)}" for board in boards]
    limit = max(FEWEST_VARIANTS, room)
    if _height(lines, columns) <= limit:
        return lines
    kept: list[str] = []
    while _height([*kept, lines[len(kept)]], columns) < limit:
        kept.append(lines[len(kept)])
    return [*kept, f"and {counted(len(lines) - len(kept), 'more variant')}: --full, or --variant V"]


def _below(overview: Overview, shown: Shown) -> list[str]:
    """Return the lines below the table.

    They are open questions, the basis, remarks, flags, separately rated scopes, and the commands that show everything.
    """
    overall = overview.overall
    lines = (
        [undecided_text(overall.rating_list, SCREEN_COLUMNS), _basis(overall.rating_list)]
        if overall.rating_list.lines
        else []
    )
    if not overall.rating_list.lines:
        lines.append(overall.rating_list.sentence)
    remarks = remarks_of(overview)
    lines += remarks[:FEW]
    if len(remarks) > FEW:
        lines.append(f"and {counted(len(remarks) - FEW, 'more remark')}: --full")
    if overall.has_points and any(fault.was_played for fault in shown.faults):
        lines.append(FAULT_POINTS)
    lines.append(flags_text(overview, SCREEN_COLUMNS))
    apart = apart_text(overview)
    lines += [apart] if apart else []
    lines.append(f"all tables: {recorded_command(shown.db, *shown.more)} --full; all terms: --explain")
    return [line for line in lines if line]


def _basis(rating_list: RatingList) -> str:
    ranked = "" if rating_list.rank_by == "elo" else "ranked by points; "
    return f"{ranked}{rating_list.sentence}"


def _fault_count(shown: Shown) -> list[str]:
    """Return a line with the number of faults and the command that lists them; [] for none."""
    return ["", f"{counted(len(shown.faults), 'fault')}: {_fault_list(shown)}"] if shown.faults else []


def _fault_list(shown: Shown) -> str:
    run = shown.faults[-1].game.partition("/")[0]
    return recorded_command(shown.db, "matches", run, "--faults")


def _latest_stories(shown: Shown, room: int, columns: int) -> list[str]:
    """Return the stories of the latest faults, one for each bot, kind and detail, until the screen is full."""
    latest: dict[tuple[str, str, str], FaultRow] = {}
    for fault in reversed(shown.faults):
        latest.setdefault((fault.bot, fault.kind, fault.detail), fault)
    found: list[str] = []
    for fault in latest.values():
        head = found or ["", f"the latest of {counted(len(shown.faults), 'fault')} (all: {_fault_list(shown)})"]
        longer = [*head, *story_lines(fault, shown.db.parent)]
        if _height(longer, columns) > room:
            break
        found = longer
    return found
