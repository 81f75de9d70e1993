"""Standings and crosstables as text (CLI.md, `bowerbird standings`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from harness.cli.output import Column, table
from harness.ratings.figures import (
    PLAYING,
    POOLED,
    RATING,
    WORDS,
    percent,
    playing_figures,
    pooled_figures,
    rating_figures,
)

if TYPE_CHECKING:
    from harness.ratings.league import League
    from harness.ratings.pool import Pooled
    from harness.ratings.scopes import Scope
    from harness.records.rows import Pairing


def rating_table(scope: Scope) -> list[str]:
    """The lines of the table that says who is how strong, and how sure that is."""
    return table(_columns(RATING), [rating_figures(line, scope.league.line(line.bot)) for line in scope.standings])


def playing_table(scope: Scope) -> list[str]:
    """The lines of the table that says how the bots behaved."""
    return table(_columns(PLAYING), [playing_figures(line) for line in scope.standings])


def pooled_table(pooled: Mapping[str, Pooled], overall: League) -> list[str]:
    """The lines of the table over several variants."""
    return table(_columns(POOLED), [pooled_figures(bot, line, overall.line(bot)) for bot, line in pooled.items()])


def _columns(titles: Sequence[str]) -> list[Column]:
    return [Column(title, right=title not in WORDS) for title in titles]


def crosstable(bots: Sequence[str], pairings: Sequence[Pairing]) -> list[str]:
    """The lines of a crosstable: the row's bot's share against the column's, in the order of `bots`."""
    shares = {(cell.bot, cell.opponent): cell.score for cell in pairings}
    columns = [Column("against"), *(Column(bot, right=True) for bot in bots)]
    rows = [[bot, *("·" if bot == other else percent(shares.get((bot, other))) for other in bots)] for bot in bots]
    return table(columns, rows)
