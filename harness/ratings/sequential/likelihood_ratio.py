"""The generalised likelihood ratio of two hypotheses on a mean: exact, for any support (ratings.md, Sequential test).

The distribution of set results is unknown. Each hypothesis fixes its mean, or its t value (the mean in standard
deviations), and is represented by the maximum likelihood estimate (MLE) of the distribution under that constraint.
Michel Van den Bergh, "Comments on normalized Elo" and "The generalized maximum likelihood ratio for the expectation
value of a distribution".

Arrays can contain many independent experiments: the last axis is the support, the axis before it the experiments.
"""

from __future__ import annotations

import numpy as np

from bowerbird.harness.ratings.games import Floats

STEPS = 200
"""The most steps of Newton's method for one mean."""

ROUNDS = 30
"""The most rounds of Van den Bergh's iteration."""

HALVINGS = 40
"""The number of halvings of the interval in the search for a first distribution."""

CLOSE = 1e-14
"""Newton's method ends when a step is smaller than this share of the bracket."""


def mean_llr(values: Floats, counts: Floats, mean0: float, mean1: float) -> Floats:
    """Return the log-likelihood ratio of mean `mean1` against mean `mean0`.

    `values` are the possible values, and `counts` how often each occurred. A value with count 0 is not in the support.
    Both means lie strictly between the smallest and the largest value of the support.
    """
    shares = counts / counts.sum(-1, keepdims=True)
    return _ratio(counts, mle_with_mean(values, shares, mean0), mle_with_mean(values, shares, mean1))


def t_value_llr(values: Floats, counts: Floats, t0: float, t1: float) -> Floats:
    """Return the log-likelihood ratio of t value `t1` against `t0`; a t value is mean / standard deviation."""
    shares = counts / counts.sum(-1, keepdims=True)
    return _ratio(counts, mle_with_t_value(values, shares, t0), mle_with_t_value(values, shares, t1))


def mle_with_mean(values: Floats, shares: Floats, mean: float | Floats) -> Floats:
    """Return the MLE of the distribution with this mean: shares / (1 + theta (values - mean)).

    Newton's method within brackets finds theta.
    """
    deviations = np.where(shares > 0, values - mean, 0.0)
    low, high = np.broadcast_arrays(
        -1 / deviations.max(-1, keepdims=True), -1 / deviations.min(-1, keepdims=True), shares
    )[:2]
    lower, upper = low[..., :1].copy(), high[..., :1].copy()
    theta = np.zeros_like(lower)
    for _ in range(STEPS):
        odds = deviations / (1 + theta * deviations)
        excess = np.sum(shares * odds, axis=-1, keepdims=True)
        lower, upper = np.where(excess > 0, theta, lower), np.where(excess > 0, upper, theta)
        newton = theta + excess / np.sum(shares * odds * odds, axis=-1, keepdims=True)
        following = np.where((newton > lower) & (newton < upper), newton, (lower + upper) / 2)
        done = np.abs(following - theta) <= CLOSE * (high - low)[..., :1]
        theta = np.where(done, theta, following)
        if np.all(done):
            break
    found = shares / (1 + theta * deviations)
    likeliest: Floats = found / found.sum(-1, keepdims=True)
    return likeliest


def mle_with_t_value(values: Floats, shares: Floats, t: float) -> Floats:
    """Return the MLE of the distribution with t value `t`, by Van den Bergh's iteration.

    Linearised about the current distribution, the constraint becomes a constraint on the mean of other values.
    """
    present = _start(values, shares, t)
    for _ in range(ROUNDS):
        following = mle_with_mean(_linear(values, present, t), shares, 0.0)
        done = np.max(np.abs(following - present), axis=-1, keepdims=True) < 1e-10
        present = np.where(done, present, following)
        if np.all(done):
            break
    return present


def _linear(values: Floats, present: Floats, t: float) -> Floats:
    mean, sigma = _moments(values, present)
    linear: Floats = values - t * sigma * (1 + ((mean - values) / sigma) ** 2) / 2
    return linear


def _moments(values: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation, each with an axis of length 1 for the support."""
    mean: Floats = np.sum(values * shares, axis=-1, keepdims=True)
    sigma: Floats = np.sqrt(np.sum((values - mean) ** 2 * shares, axis=-1, keepdims=True))
    return mean, sigma


def _start(values: Floats, shares: Floats, t: float) -> Floats:
    """Return the first distribution of the iteration: uniform, or if that is too far away, one with t value `t`."""
    uniform: Floats = np.where(shares > 0, 1.0, 0.0) / np.sum(shares > 0, axis=-1, keepdims=True)
    linear = np.where(shares > 0, _linear(values, uniform, t), 0.0)
    far = (linear.max(-1) <= 0) | (linear.min(-1) >= 0)
    if np.any(far):
        uniform[far] = _on_constraint(values, shares[far], t)
    return uniform


def _on_constraint(values: Floats, shares: Floats, t: float) -> Floats:
    """Return the distribution with t value `t` among the MLEs with a fixed mean, by bisection."""
    there = shares > 0
    low = np.where(there, values, np.inf).min(-1, keepdims=True)
    high = np.where(there, values, -np.inf).max(-1, keepdims=True)
    low, high = low + 1e-9 * (high - low), high - 1e-9 * (high - low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        mean, sigma = _moments(values, mle_with_mean(values, shares, middle))
        low, high = np.where(mean < t * sigma, middle, low), np.where(mean < t * sigma, high, middle)
    return mle_with_mean(values, shares, (low + high) / 2)


def _ratio(counts: Floats, under0: Floats, under1: Floats) -> Floats:
    there = counts > 0
    ratio: Floats = np.sum(counts * np.log(np.where(there, under1, 1.0) / np.where(there, under0, 1.0)), axis=-1)
    return ratio
