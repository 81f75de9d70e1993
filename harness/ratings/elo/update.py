"""The change that one game makes to Elo ratings, for tables of any size (ratings.md, Ratings kept, 1).

Every pair of sides at a table is a small match: E_ij = 1 / (1 + 10^((R_j - R_i) / 400)), S_ij by rank (1, 1/2, 0).
A side's rating moves by K / (n - 1) * sum_j (S_ij - E_ij), n sides at the table. A side's rating is the mean of its
members' ratings; each member gets the side's change. All changes of a game follow from the ratings before it.
Incremental ratings depend on the order of the games; `live_ratings` fixes that order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from bowerbird.harness.ratings.pairs import Pair, RatingError, pairs_of
from bowerbird.harness.records.values.game_result import GameResult

K = 20.0
"""The K-factor: how far one game moves a rating. 20, the smaller usual value: deal luck is large and games are many."""

START = 1500.0
"""The rating of a bot before its first game."""

SCALE = 400.0

FARTHEST = 50_000.0
"""Farthest rating from 0. Beyond it odds have no number."""


def expected_score(rating: float, other: float) -> float:
    """Return E, the expected score (0 to 1) of a side against another.

    Ratings are in Elo. Raises RatingError for one that is not between -FARTHEST and FARTHEST.
    """
    if not (-FARTHEST <= rating <= FARTHEST and -FARTHEST <= other <= FARTHEST):  # false for NaN, too
        raise RatingError(f"a rating is not a number between {-FARTHEST:g} and {FARTHEST:g}")
    return 1.0 / (1.0 + math.pow(10.0, (other - rating) / SCALE))


def changes(game: GameResult, ratings: Mapping[str, float], k: float = K) -> dict[str, float]:
    """Return the rating change of each bot that the game rates (`pairs_of`); empty if it rates none.

    `ratings` are those before the game; a bot without a rating begins at START. A bot on several sides (copies) gets
    the sum of their changes.
    """
    return changes_of(pairs_of(game), ratings, k)


def changes_of(pairs: Iterable[Pair], ratings: Mapping[str, float], k: float = K) -> dict[str, float]:
    """Return the same as `changes`, from the rated pairs of the game."""
    moved: dict[str, float] = {}
    for pair in pairs:
        mean, other_mean = _mean(pair.bots, ratings), _mean(pair.other_bots, ratings)
        change = k * pair.weight * (pair.outcome - expected_score(mean, other_mean))
        for bot in dict.fromkeys(pair.bots):
            moved[bot] = moved.get(bot, 0.0) + change
        for bot in dict.fromkeys(pair.other_bots):
            moved[bot] = moved.get(bot, 0.0) - change
    return moved


def _mean(bots: Sequence[str], ratings: Mapping[str, float]) -> float:
    return sum(ratings.get(bot, START) for bot in bots) / len(bots)
