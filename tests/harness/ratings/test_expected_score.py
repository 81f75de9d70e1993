"""The Elo scale."""

from __future__ import annotations

import pytest

from bowerbird.harness.ratings.estimate import FARTHEST, expected_score
from bowerbird.harness.ratings.pairs import RatingError


def test_400_points_are_odds_of_ten_to_one() -> None:
    assert expected_score(400, 0) == pytest.approx(10 / 11)
    assert expected_score(0, 400) == pytest.approx(1 / 11)
    assert expected_score(7, 7) == 0.5


@pytest.mark.parametrize("rating", [2 * FARTHEST, -2 * FARTHEST, float("nan"), float("inf")])
def test_a_rating_without_odds_is_refused(rating: float) -> None:
    with pytest.raises(RatingError, match="not a number between"):
        expected_score(rating, 0)
