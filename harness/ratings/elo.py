"""Incremental Elo for tables of any size (RATINGS.md, Ratings kept, 1).

Every pair of sides at a table is a small match: E_ij = 1 / (1 + 10^((R_j - R_i) / 400)), S_ij by rank (1, 1/2, 0), and
a side's rating moves by K / (n - 1) * sum_j (S_ij - E_ij), n sides at the table. A side's rating is the mean of its
members'; each member gets the side's change. All changes of a game are made from the ratings before it. Such ratings
depend on the order of the games by nature; `ladder` fixes that order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from harness.ratings.pairs import Pair, pairs_of
from harness.records.record import GameRecord
from harness.records.result import WITHDRAWN, sides_of
from harness.records.rows import GameResult
from harness.records.run import GameId

K = 20.0
"""How far one game moves a rating. 20, the smaller of the usual two: deal luck is large and games are many."""

START = 1500.0
"""The rating of a bot before its first game."""

SCALE = 400.0


def expected(rating: float, other: float) -> float:
    """E: the score that a side is expected to make against another."""
    return 1.0 / (1.0 + math.pow(10.0, (other - rating) / SCALE))


def changes(game: GameResult, ratings: Mapping[str, float], k: float = K) -> dict[str, float]:
    """What the game changes for each bot that it rates; empty where it rates none.

    `ratings` are those before the game; a bot that has none begins at START. A side with a seat at fault loses every
    pair that is rated; between two such sides the ranks count. A pair of one bot with itself is not rated. A bot on
    several sides (copies) gets the changes of all of them. A game that a withdrawn bot did not play rates nobody.
    """
    return changes_of(pairs_of(game), ratings, k)


def changes_of(pairs: Iterable[Pair], ratings: Mapping[str, float], k: float = K) -> dict[str, float]:
    """As `changes`, from the pairs that the game rates (`pairs_of`)."""
    moved: dict[str, float] = {}
    for pair in pairs:
        mean, other_mean = _mean(pair.bots, ratings), _mean(pair.other_bots, ratings)
        change = k * pair.weight * (pair.outcome - expected(mean, other_mean))
        for bot in dict.fromkeys(pair.bots):
            moved[bot] = moved.get(bot, 0.0) + change
        for bot in dict.fromkeys(pair.other_bots):
            moved[bot] = moved.get(bot, 0.0) - change
    return moved


def result_of_record(record: GameRecord) -> GameResult:
    """What ratings need to know of a game that has just been played. Raises ValueError for a malformed id."""
    return GameResult(
        id=GameId.parse(record.id),
        variant=record.variant,
        bots=tuple(seat.bot for seat in record.seats),
        sides=sides_of(record.variant, record.options),
        ranks=record.result.ranks,
        scores=record.scores,
        offenders=tuple(sorted({fault.seat for fault in record.faults})),
        rated=record.result.ended != WITHDRAWN,
        decisions=sum(len(hand.actions) for hand in record.hands),
        hands=sum(bool(hand.scores) for hand in record.hands),
    )


def _mean(bots: Sequence[str], ratings: Mapping[str, float]) -> float:
    return sum(ratings.get(bot, START) for bot in bots) / len(bots)
