"""Roots match scipy's, which is not imported."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from bowerbird.harness.ratings.roots import root

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "line": lambda x: 3 * x - 0.7,
    "cube": lambda x: x**3 + x - 0.1,
    "exponential": lambda x: math.exp(x) - 1.5,
    "steep": lambda x: math.tanh(50 * (x - 0.3)),
    "step": lambda x: 1.0 if x > 0.2 else -1.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(low=st.floats(-20, -1), high=st.floats(2, 20))
def test_a_root_is_the_one_that_scipy_finds(name: str, low: float, high: float) -> None:
    function = FUNCTIONS[name]
    assert root(function, low, high) == brentq(function, low, high)
    assert root(function, low, high, xtol=1e-6) == brentq(function, low, high, xtol=1e-6)


def test_an_end_may_be_the_root() -> None:
    assert root(lambda x: x, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 1, 0.0, 1.0) == 1.0


def test_what_has_no_root_in_sight_is_refused() -> None:
    with pytest.raises(ValueError, match="same sign"):
        root(lambda x: x + 2, 0.0, 1.0)
    with pytest.raises(RuntimeError, match="100 steps"):  # too flat at its root, for scipy too
        root(lambda x: (x - 0.25) ** 3, -1.0, 2.0)
    with pytest.raises(ValueError, match="not a number"):
        root(lambda x: x - 0.5 if x in (0.0, 1.0) else math.nan, 0.0, 1.0)
