"""Standings and crosstables as text (CLI.md, `bowerbird standings`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from harness.cli.output import Column, table

if TYPE_CHECKING:
    from harness.records.rows import Pairing, Standing

NOTHING = "-"


def ranked(standings: Sequence[Standing]) -> list[tuple[int, Standing]]:
    """The standings with the best first, each with its rank: by Elo, then by share of won pairs, then by name.

    Bots whose Elo and share are equal share a rank; one that is not rated comes last.
    """

    def strength(line: Standing) -> tuple[float, float]:
        return (
            line.rating if line.rating is not None else float("-inf"),
            line.score if line.score is not None else -1.0,
        )

    ordered = sorted(standings, key=lambda line: (*(-part for part in strength(line)), line.bot))
    return [(1 + sum(strength(other) > strength(line) for other in standings), line) for line in ordered]


def faults_text(faults: Mapping[str, int]) -> str:
    """`TIMEOUT 2, CRASHED 1`, the kinds that occurred; `-` for none."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items() if count) or NOTHING


def standings_table(standings: Sequence[Standing]) -> list[str]:
    """The lines of a table of standings."""
    return table(_STANDINGS, [_standing(rank, line) for rank, line in ranked(standings)])


_STANDINGS = (
    Column("#", right=True),
    Column("bot"),
    Column("Elo", right=True),
    Column("points/deal", right=True),
    Column("won", right=True),
    Column("drawn", right=True),
    Column("lost", right=True),
    Column("score", right=True),
    Column("games", right=True),
    Column("p50 ms", right=True),
    Column("p99 ms", right=True),
    Column("faults"),
)


def _standing(rank: int, line: Standing) -> tuple[str, ...]:
    return (
        str(rank),
        line.bot,
        NOTHING if line.rating is None else f"{line.rating:.0f}",
        NOTHING if line.points_per_deal is None else f"{line.points_per_deal:.2f}",
        str(line.wins),
        str(line.draws),
        str(line.losses),
        percent(line.score),
        str(line.games),
        _milliseconds(line.p50_ms),
        _milliseconds(line.p99_ms),
        faults_text(line.faults),
    )


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, `62.5%`; `-` where there is none."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def _milliseconds(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def crosstable(standings: Sequence[Standing], pairings: Sequence[Pairing]) -> list[str]:
    """The lines of a crosstable: the row's bot's share against the column's, bots in the order of the standings."""
    bots = [line.bot for _, line in ranked(standings)]
    shares = {(cell.bot, cell.opponent): cell.score for cell in pairings}
    columns = [Column("against"), *(Column(bot, right=True) for bot in bots)]
    rows = [[bot, *("·" if bot == other else percent(shares.get((bot, other))) for other in bots)] for bot in bots]
    return table(columns, rows)
