"""Means in standard deviations: the error of the deviation counts (ratings.md, Ratings kept, 4)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bowerbird.harness.ratings.estimate import quantile
from bowerbird.harness.ratings.normalised import mean_in_deviations, t_value_spread
from bowerbird.harness.ratings.pairs import RatingError


def test_the_error_is_that_of_the_delta_method() -> None:
    values = np.array([-0.5, -0.25, 0, 0, 0.25, 0.5, 0.5, 0.5, 0.5])
    mean, deviation = values.mean(), values.std()
    t = mean / deviation
    skewness, kurtosis = (float(np.mean(((values - mean) / deviation) ** power)) for power in (3, 4))
    found, error = mean_in_deviations(values.tolist())
    assert found == pytest.approx(t)
    assert error**2 == pytest.approx((1 - t * skewness + t**2 * (kurtosis - 1) / 4) / 8)
    assert error == t_value_spread(values.tolist()) / math.sqrt(len(values) - 1)


def test_the_error_of_normal_values_is_that_of_an_effect_size() -> None:
    """For normal values the textbook has sqrt((1 + t^2 / 2) / n)."""
    values = np.random.default_rng(3).normal(2.0, 1.0, 200_000).tolist()
    assert t_value_spread(values) == pytest.approx(math.sqrt(1 + 2.0), rel=0.02)


def test_a_mean_of_0_has_the_error_of_students_t() -> None:
    values = [-3.0, -1, 0, 1, 3]
    found, error = mean_in_deviations(values)
    assert found == 0
    assert error == pytest.approx(1 / 2)


@pytest.mark.parametrize("values", [[], [0.5], [0.25, 0.25], [0.0, math.nan], [0.0, math.inf]])
def test_values_without_a_deviation_are_refused(values: list[float]) -> None:
    with pytest.raises(RatingError):
        mean_in_deviations(values)


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(("won", "sets"), [(0.77, 40), (0.88, 40), (0.95, 60), (0.77, 200), (0.88, 200), (0.95, 200)])
def test_intervals_of_normalised_elo_cover_the_truth(won: float, sets: int) -> None:
    """Sets of two games at a normalised Elo of 223, 406 and 717. With a deviation taken as known .81, .55 and .25."""
    truth = (won - 0.5) / math.sqrt(won * (1 - won)) * math.sqrt(2)
    rng = np.random.default_rng(29)
    covered = without = runs = 0
    for _ in range(1500):
        values = rng.binomial(2, won, sets) / 2 - 0.5
        if values.std() > 0:
            runs += 1
            found, error = mean_in_deviations(values.tolist())
            covered += abs(found - truth) <= quantile(0.95, sets - 1) * error
            without += abs(found - truth) <= 1.96 / math.sqrt(sets)
    assert 0.93 <= covered / runs <= 0.98, f"{covered} of {runs} intervals contain the truth"
    assert without / runs < 0.88, "the error of the deviation matters here"
