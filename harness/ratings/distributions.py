"""Student's t, the normal and a few other distributions. For a few numbers they do not import scipy, which takes longer
than most ratings.

With t = sqrt(dof) sinh(s), Student's density becomes cosh(s)^-dof, a smooth function with a concave logarithm. The
trapezoidal rule therefore integrates its tail to 14 digits after the substitution w = exp(x - exp(-x)) (Takahasi and
Mori, "Double exponential formulas for numerical integration", 1974), and Newton's method for the logarithm of the tail
always converges.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from bowerbird.harness.ratings.games import Floats
from bowerbird.harness.ratings.roots import root

MANY = 10_000
"""For more numbers than this, importing scipy is faster."""

STEP = 0.125
_X = np.arange(-3.75, 10.0, STEP)
_NODES = np.exp(_X - np.exp(-_X))
_WEIGHTS = STEP * _NODES * (1 + np.exp(-_X))
CLOSE = 1e-8
"""A quantile whose tail is relatively this close to the wanted one needs one last step."""

STEPS = 60
MOST_TERMS = 10_000
SHIFT = 15
"""From this number on, five terms of the series of `digammas` give all digits."""


def below(values: Floats | float, dof: Floats | float) -> Floats:
    """Return the probabilities of less than these values of Student's t, element by element.

    `dof` is positive, and infinite for the normal distribution.
    """
    values, dof = np.broadcast_arrays(np.asarray(values, dtype=np.float64), np.asarray(dof, dtype=np.float64))
    is_normal = np.isinf(dof)
    if values.size > MANY:
        from scipy.special import ndtr, stdtr

        found: Floats = ndtr(values)
        found[~is_normal] = stdtr(dof[~is_normal], values[~is_normal])
        return found
    size, tail, finite = np.abs(values), np.empty(values.shape), dof[~is_normal]
    tail[is_normal] = [math.erfc(value) / 2 for value in (size[is_normal] / math.sqrt(2)).tolist()]
    tail[~is_normal] = _integral(np.arcsinh(size[~is_normal] / np.sqrt(finite)), finite) / (2 * _half(finite))
    return np.where(values < 0, tail, 1 - tail)


def quantiles(chances: Floats | float, dof: Floats | float) -> Floats:
    """Return the values of Student's t below which these probabilities lie, element by element; `dof` as in `below`."""
    chances, dof = np.broadcast_arrays(np.asarray(chances, dtype=np.float64), np.asarray(dof, dtype=np.float64))
    is_normal = np.isinf(dof)
    if chances.size > MANY:
        from scipy.special import ndtri, stdtrit

        found: Floats = ndtri(chances)
        found[~is_normal] = stdtrit(dof[~is_normal], chances[~is_normal])
        return found
    tail, inverse = np.minimum(chances, 1 - chances), NormalDist().inv_cdf
    size = np.array([-inverse(one) if one > 0 else math.inf for one in tail.ravel().tolist()]).reshape(tail.shape)
    size[~is_normal] = _student(size[~is_normal], tail[~is_normal], dof[~is_normal])
    return np.where(chances < 0.5, -size, size)


def _student(normal: Floats, tail: Floats, dof: Floats) -> Floats:
    """Return the values above which these tails lie. `normal` are those of the normal distribution.

    The search begins at Wallace's approximation (Annals of Mathematical Statistics 30, 1959).
    """
    with np.errstate(invalid="ignore", over="ignore"):  # a tail of 0 begins and ends at infinity
        s = np.arcsinh(np.sqrt(np.expm1(np.minimum((normal * (8 * dof + 3) / (8 * dof + 1)) ** 2 / dof, 700.0))))
        whole = 2 * _half(dof)
        for _ in range(STEPS):
            found, density = _integral(s, dof), np.exp(-dof * _log_cosh(s))
            gap = np.log(found / (tail * whole))
            s = s + gap * found / density
            if np.all(np.abs(gap) < CLOSE):
                break
        return np.where(tail > 0, np.sqrt(dof) * np.sinh(s), math.inf)


def _integral(s: Floats, dof: Floats) -> Floats:
    """Return the integral of cosh(v)^-dof from s to infinity, for each s and dof."""
    scale = 1 / (dof * np.tanh(s) + np.sqrt(dof))
    found: Floats = scale * (np.exp(-dof[:, None] * _log_cosh(s[:, None] + scale[:, None] * _NODES)) @ _WEIGHTS)
    return found


def _half(dof: Floats) -> Floats:
    return _integral(np.zeros(len(dof)), dof)


def _log_cosh(v: Floats) -> Floats:
    """Return log cosh(v) for v >= 0, to its last digits even near 0."""
    return np.where(v < 1, np.log1p(2 * np.sinh(np.minimum(v, 1.0) / 2) ** 2), v + np.log1p(np.expm1(-2 * v) / 2))


def beta_below(values: Floats, a: Floats, b: Floats) -> Floats:
    """Return the probabilities of less than these values, from 0 to 1, of the beta distribution, element by element.

    Evaluates the continued fraction of the incomplete beta function by Lentz's method.
    """
    values, a, b = np.broadcast_arrays(values, a, b)
    if values.size > MANY:
        from scipy.special import betainc

        found: Floats = betainc(a, b, values)
        return found
    is_upper = values > (a + 1) / (a + b + 2)
    a, b, values = np.where(is_upper, b, a), np.where(is_upper, a, b), np.where(is_upper, 1 - values, values)
    both = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    whole = np.reshape([math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y) for x, y in both], a.shape)
    with np.errstate(divide="ignore"):
        found = np.exp(a * np.log(values) + b * np.log1p(-values) - whole) / a
    up = np.ones(values.shape)
    down = 1 / (1 - (a + b) * values / (a + 1))
    found = found * down
    for m in range(1, MOST_TERMS):
        for sign, top in ((1, m * (b - m) / (a + 2 * m - 1)), (-1, (a + m) * (a + b + m) / (a + 2 * m + 1))):
            term = sign * top * values / (a + 2 * m)
            up, down = 1 + term / up, 1 / (1 + term * down)
            found = found * up * down
        if not np.any(np.abs(up * down - 1) > 1e-15):
            break
    return np.where(is_upper, 1 - found, found)


def log_normal_below(value: float) -> float:
    """Return the logarithm of the probability of less than this value of a standard normal variable."""
    if value > 0:
        return math.log1p(-math.erfc(value / math.sqrt(2)) / 2)
    if value > -30:
        return math.log(math.erfc(-value / math.sqrt(2)) / 2)
    z = value**-2
    series = z * (1 - z * (3 - z * (15 - z * (105 - z * 945))))
    return -value * value / 2 - math.log(-value * math.sqrt(2 * math.pi)) + math.log1p(-series)


def chi_square(tail: float, dof: int) -> float:
    """Return the value above which this tail, between 0 and 1, of the chi-square distribution lies."""
    orders = [order / 2 for order in range(2 + dof % 2, dof + 1, 2)]

    def above(value: float) -> float:
        if value == 0:
            return 1.0
        half = value / 2
        rest = math.erfc(math.sqrt(half)) if dof % 2 else 0.0
        powers = ((order - 1) * math.log(half) - half - math.lgamma(order) for order in orders)
        return rest + math.fsum(map(math.exp, powers))

    high = 1.0
    while above(high) > tail:
        high *= 2
    return root(lambda value: above(value) - tail, 0.0, high, xtol=0.0)


def digammas(x: Floats | float) -> tuple[Floats, Floats]:
    """Return the digamma and the trigamma function of positive numbers: a recurrence, then the asymptotic series."""
    x = np.asarray(x, dtype=np.float64)
    steps = x + np.arange(SHIFT).reshape(-1, *[1] * x.ndim)
    x = x + SHIFT
    z = x**-2
    first = np.log(x) - 1 / (2 * x) - z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z / 132))))
    second = (1 + 1 / (2 * x) + z * (1 / 6 - z * (1 / 30 - z * (1 / 42 - z * (1 / 30 - z * 5 / 66))))) / x
    return first - (1 / steps).sum(axis=0), second + (steps**-2).sum(axis=0)
