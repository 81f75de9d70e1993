"""Ratings over several variants (ratings.md, Ratings kept, 4)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness.ratings.estimate import Estimate
from harness.ratings.standings.pool import pool


def test_equal_variants_give_their_value_and_no_spread() -> None:
    found = pool([Estimate(100, 10, 50)] * 4)
    assert found.equal.value == found.random.value == 100  # type: ignore[union-attr]  # four finite variants have one
    assert found.equal.se == pytest.approx(5)
    assert found.tau == 0


def test_each_variant_weighs_the_same_in_the_mean_however_sure_it_is() -> None:
    found = pool([Estimate(0, 1, 50), Estimate(100, 50, 50)])
    assert found.equal.value == 50
    assert found.equal.se == pytest.approx(math.hypot(1, 50) / 2)


def test_paule_and_mandel_by_hand() -> None:
    """With equal errors tau^2 is the variance of the values less that of the errors."""
    values = (0.0, 40.0, 80.0)
    found = pool([Estimate(value, 10, 50) for value in values])
    assert found.tau == pytest.approx(math.sqrt(np.var(values, ddof=1) - 100))
    assert found.random is not None
    assert found.random.value == pytest.approx(40)
    assert found.random.se == pytest.approx(40 / math.sqrt(3)), "its error is the spread of the variants"


def test_a_perfect_score_in_one_variant_leaves_a_bound_of_the_mean() -> None:
    found = pool([Estimate(100, 10, 50), Estimate(math.inf, math.inf, None, 500)])
    assert (found.equal.value, found.equal.bound, found.random) == (math.inf, 300, None)


def test_perfect_and_hopeless_scores_have_no_mean() -> None:
    found = pool([Estimate(-math.inf, math.inf, None, -400), Estimate(math.inf, math.inf, None, 500)])
    assert math.isinf(found.equal.se)
    assert math.isfinite(found.equal.value)


def test_one_variant_has_no_spread() -> None:
    found = pool([Estimate(100, 10, 50)])
    assert (found.equal.value, found.random, found.tau) == (100, None, None)


@pytest.mark.slow
def test_random_effects_cover_the_true_mean() -> None:
    """Seven variants with a spread of 60 and errors from 10 to 40: 93% to 97% of the 95% intervals hold the mean."""
    rng = np.random.default_rng(4)
    errors = np.linspace(10, 40, 7)
    held = 0
    for _ in range(1000):
        values = 200 + rng.normal(0, 60, 7) + rng.normal(0, errors)
        random = pool([Estimate(value, error, 200) for value, error in zip(values, errors, strict=True)]).random
        assert random is not None
        low, high = random.interval()
        held += low <= 200 <= high
    assert 930 <= held <= 970


def test_a_variant_of_which_nothing_is_known_leaves_a_mean_of_which_nothing_is_known() -> None:
    """One deal set of a variant gives no error for it, and the other variants provide none."""
    found = pool([Estimate(51.6, 59.9, 1), Estimate(0.0, math.inf), Estimate(-111.2, 112.5, 1)])
    assert found.equal.interval() == (-math.inf, math.inf)
    assert found.random is None
    assert found.tau is None
