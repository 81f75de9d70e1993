"""Two bots against each other (`bowerbird standings --between A B`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import unknown
from bowerbird.harness.cli.display.standings import head_lines
from bowerbird.harness.cli.display.standings_document import estimate_document
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import Column, output_width, print_json, print_lines, table
from bowerbird.harness.cli.shared.runs import require_variant
from bowerbird.harness.ratings.standings.text.cells import (
    COMMON_COLUMNS,
    COMPARISON_COLUMNS,
    common_cells,
    comparison_cells,
)
from bowerbird.harness.ratings.standings.text.sentences import mean_text

if TYPE_CHECKING:
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.ratings.standings.head_to_head import Comparison, HeadToHead
    from bowerbird.harness.records.store.store import StoredRun


def print_head_to_head(runs: Sequence[StoredRun], bots: tuple[str, str], *, variant: str | None, as_json: bool) -> None:
    """Compare two bots of these runs on stdout: by variant, and against the opponents that both met.

    Raises InputError if a bot is not in the standings, both are the same, or no run has a game of `variant`.
    """
    from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
    from bowerbird.harness.ratings.standings.overview import overview

    if variant is not None:
        require_variant(runs, variant)
    found = overview(runs, variant)
    known = sorted({bot for board in found.every for bot in board.bots})
    for bot in bots:
        if bot not in known:
            raise InputError(unknown("bot", bot, known))
    if bots[0] == bots[1]:
        raise InputError(f"--between names {bots[0]!r} twice; name two different bots")
    compared = HeadToHeads(found).between(*bots)
    if as_json:
        print_json(head_to_head_document(runs, compared))
        return
    print_lines([*head_lines(runs), "", *head_to_head_lines(compared, output_width())])


def head_to_head_lines(compared: HeadToHead, width: int | None = None) -> list[str]:
    """Return the comparison as lines. `width` is the longest line of a table; None for no limit."""
    bot, other = compared.bot, compared.other
    if not compared.comparisons:
        return [f"{bot} and {other} never played the same variant under the same terms"]
    rows = [comparison_cells(one) for one in compared.comparisons]
    kept = [at for at in range(len(COMPARISON_COLUMNS)) if at < 2 or any(row[at] != "-" for row in rows)]
    columns = [
        Column(COMPARISON_COLUMNS[at], right=at > 0, wrap=at == 0, drop=1 if COMPARISON_COLUMNS[at] == "games" else 0)
        for at in kept
    ]
    lines = [f"{bot} against {other}", *table(columns, [[row[at] for at in kept] for row in rows], width)]
    mean = mean_text(compared)
    lines += [mean] if mean else []
    lines.append(
        f"Elo, points: the lead of {bot} over {other}, from all games of the scope; "
        "other columns: only games in which they met"
    )
    common = [cells for one in compared.comparisons for cells in common_rows(one)]
    if common:
        titles = [title.format(bot=bot, other=other) for title in COMMON_COLUMNS]
        heads = [Column(title, right=at > 1, cut=at == 1, wrap=at == 0) for at, title in enumerate(titles)]
        lines += ["", "against the opponents that both met", *table(heads, common, width)]
    return lines


def common_rows(one: Comparison) -> list[tuple[str, ...]]:
    """Return a row for each opponent that both bots met in a scope."""
    return [common_cells(one.title, each) for each in one.common]


def head_to_head_document(runs: Sequence[StoredRun], compared: HeadToHead) -> dict[str, object]:
    """Return the comparison for JSON."""
    return {
        "runs": [run.fingerprint for run in runs],
        "bots": [compared.bot, compared.other],
        "mean": None if compared.mean is None else _difference(compared.mean),
        "scopes": [
            {
                "title": one.title,
                "variant": one.variant,
                "games": one.games,
                "sets": one.sets,
                "pairing": one.pairing,
                "difference": None if one.difference is None else _difference(one.difference),
                "points": None if one.points is None else _difference(one.points),
                "common": [
                    {"opponent": each.opponent, "of_first": each.of_bot, "of_second": each.of_other}
                    for each in one.common
                ],
            }
            for one in compared.comparisons
        ],
    }


def _difference(estimate: Estimate) -> dict[str, object]:
    return {**estimate_document(estimate), "los": estimate.superiority}
