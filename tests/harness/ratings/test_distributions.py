"""Distributions match scipy's, which only large arrays import."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from bowerbird.harness.ratings import distributions
from bowerbird.harness.ratings.distributions import below, beta_below, chi_square, digammas, log_normal_below, quantiles

DOF = np.array([0.3, 0.5, 1, 1.7, 2, 3.3, 5, 10, 30, 99.5, 1e3, 1e4, 1e5, 1e6, 1e7, math.inf])[:, None]
VALUES = np.array([-math.inf, -37, -20, -12, -7, -3, -1, -0.5, -0.1, -1e-3, 0, 0.01, 1, 3, 6, math.inf])
TAILS = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.025, 0.1, 0.3, 0.45])


def test_students_t_and_the_normal_distribution_match_scipy_far_into_the_tails() -> None:
    expected = np.where(np.isinf(DOF), special.ndtr(VALUES), special.stdtr(np.where(np.isinf(DOF), 1, DOF), VALUES))
    np.testing.assert_allclose(below(VALUES, DOF), expected, rtol=1e-12)
    assert np.isnan(below(math.nan, 3.0))


def test_quantiles_match_scipy_and_lead_back_to_their_tails() -> None:
    chances = np.concatenate([TAILS, [0.5], 1 - TAILS[3:]])
    expected = np.where(
        np.isinf(DOF), special.ndtri(chances), special.stdtrit(np.where(np.isinf(DOF), 1, DOF), chances)
    )
    found = quantiles(chances, DOF)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(below(found, DOF), np.broadcast_to(chances, found.shape), rtol=1e-12)
    assert quantiles(np.array([0.0, 1.0]), 5.0).tolist() == [-math.inf, math.inf]


def test_large_arrays_have_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    few = below(VALUES, DOF), quantiles(TAILS, DOF)
    monkeypatch.setattr(distributions, "MANY", 0)
    for here, there in zip(few, (below(VALUES, DOF), quantiles(TAILS, DOF)), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-12)


def test_the_beta_distribution_matches_scipy() -> None:
    a, b = np.array([1e-9, 0.3, 1, 2.5, 40, 3e3])[:, None, None], np.array([1, 2.2, 17, 5e3])[:, None]
    values = np.concatenate([[0.0], TAILS, 1 - TAILS, [1.0]])
    np.testing.assert_allclose(beta_below(values, a, b), special.betainc(a, b, values), rtol=1e-10, atol=1e-300)


def test_other_functions_match_scipy() -> None:
    x = np.geomspace(0.01, 1e9, 400)
    found = digammas(x)
    np.testing.assert_allclose(found[0], special.digamma(x), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(found[1], special.polygamma(1, x), rtol=1e-13)
    values = np.append(np.linspace(-60, 9, 200), [-1e4, -1e10])
    np.testing.assert_allclose([log_normal_below(one) for one in values.tolist()], special.log_ndtr(values), rtol=1e-13)
    for dof in (*range(1, 40), 800):
        for tail in (0.025, 0.5, 0.975):
            assert chi_square(tail, dof) == pytest.approx(special.chdtri(dof, tail), rel=1e-13)
