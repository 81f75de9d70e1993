"""The expected score of a side from the difference of two ratings: the Elo scale."""

from __future__ import annotations

import math

from bowerbird.harness.ratings.pairs import RatingError

SCALE = 400.0
"""The difference in Elo at which the odds are ten to one."""

FARTHEST = 50_000.0
"""How far a rating may be from 0. Beyond that, odds overflow."""


def expected_score(rating: float, other: float) -> float:
    """Return E, the expected score (0 to 1) of a side against another.

    Ratings are in Elo. Raises RatingError for one that is not between -FARTHEST and FARTHEST.
    """
    if not (-FARTHEST <= rating <= FARTHEST and -FARTHEST <= other <= FARTHEST):  # false for NaN, too
        raise RatingError(f"a rating is not a number between {-FARTHEST:g} and {FARTHEST:g}")
    return 1.0 / (1.0 + math.pow(10.0, (other - rating) / SCALE))
