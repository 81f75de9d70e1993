"""Finds a root of a function. scipy can do this, too, but importing `scipy.optimize` takes longer than most fits."""

from __future__ import annotations

import math
from collections.abc import Callable

XTOL = 2e-12
RTOL = 4 * 2.0**-52
MOST_STEPS = 100


def root(
    function: Callable[[float], float], low: float, high: float, *, xtol: float = XTOL, rtol: float = RTOL
) -> float:
    """Return an x between `low` and `high` at which `function` is 0, to within `xtol` + `rtol` |x|.

    Brent's method (Algorithms for Minimization without Derivatives, 1973, chapter 4), step by step as in scipy's
    `brentq`. Raises ValueError if `function` has the same sign at both ends or is not a number, and
    RuntimeError after 100 steps.
    """
    before, now = low, high
    at_before, at_now = function(before), function(now)
    if at_before == 0:
        return before
    if at_now == 0:
        return now
    if (at_before < 0) == (at_now < 0):
        raise ValueError(f"the function has the same sign at {low} and at {high}")
    other = at_other = step = last_step = 0.0
    for _ in range(MOST_STEPS):
        if at_before != 0 and (at_before < 0) != (at_now < 0):  # the root is between these two
            other, at_other = before, at_before
            last_step = step = now - before
        if abs(at_other) < abs(at_now):
            before, now, other = now, other, now
            at_before, at_now, at_other = at_now, at_other, at_now
        least = (xtol + rtol * abs(now)) / 2
        half = (other - now) / 2
        if at_now == 0 or abs(half) < least:
            return now
        tried = math.inf
        if abs(last_step) > least and abs(at_now) < abs(at_before):
            tried = _interpolated((before, at_before), (now, at_now), (other, at_other))
        if 2 * abs(tried) < min(abs(last_step), 3 * abs(half) - least):
            last_step, step = step, tried
        else:
            last_step = step = half
        before, at_before = now, at_now
        now += step if abs(step) > least else least if half > 0 else -least
        at_now = function(now)
        if math.isnan(at_now):
            raise ValueError(f"the function is not a number at {now}")
    raise RuntimeError(f"no root was found between {low} and {high} in {MOST_STEPS} steps")


def _interpolated(before: tuple[float, float], now: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the step from `now` to the root of a curve through the points, or infinity if there is no root."""
    (x, y), (x_before, y_before), (x_other, y_other) = now, before, other
    if x_before == x_other:
        return -y * (x - x_before) / (y - y_before)
    if y_other == y_before:
        return math.inf
    slope, other_slope = (y_before - y) / (x_before - x), (y_other - y) / (x_other - x)
    return -y * (y_other * other_slope - y_before * slope) / (other_slope * slope * (y_other - y_before))
