"""The generalised likelihood ratio of two hypotheses on a mean: exact, for any support (RATINGS.md, Sequential test).

The distribution of set results is unknown. Each hypothesis fixes its mean, or its mean in standard deviations; the
likeliest distribution of the observed support under that constraint stands for the hypothesis. Michel Van den Bergh,
"Comments on normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a distribution".

Arrays may hold many experiments at once: the last axis is the support, the one before it the experiments. What comes of
one does not depend on the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 200
ROUNDS = 30
HALVINGS = 40
CLOSE = 1e-14


def mean_ratio(values: Floats, counts: Floats, mean0: float, mean1: float) -> Floats:
    """log of the likelihood under mean `mean1` over that under `mean0`.

    `values` are those that can come, `counts` how often each came; one that is 0 is not in the support. Both means lie
    strictly between the least and the greatest value of the support.
    """
    shares = counts / counts.sum(-1, keepdims=True)
    return _ratio(counts, with_mean(values, shares, mean0), with_mean(values, shares, mean1))


def deviation_ratio(values: Floats, counts: Floats, t0: float, t1: float) -> Floats:
    """The same for hypotheses on mean / standard deviation."""
    shares = counts / counts.sum(-1, keepdims=True)
    return _ratio(counts, with_deviation(values, shares, t0), with_deviation(values, shares, t1))


def with_mean(values: Floats, shares: Floats, mean: float | Floats) -> Floats:
    """The likeliest distribution with this mean: shares / (1 + theta (a - mean)).

    theta is found by Newton's method within brackets.
    """
    apart = np.where(shares > 0, values - mean, 0.0)
    low, high = np.broadcast_arrays(-1 / apart.max(-1, keepdims=True), -1 / apart.min(-1, keepdims=True), shares)[:2]
    lower, upper = low[..., :1].copy(), high[..., :1].copy()
    theta = np.zeros_like(lower)
    for _ in range(STEPS):
        odds = apart / (1 + theta * apart)
        excess = np.sum(shares * odds, axis=-1, keepdims=True)
        lower, upper = np.where(excess > 0, theta, lower), np.where(excess > 0, upper, theta)
        newton = theta + excess / np.sum(shares * odds * odds, axis=-1, keepdims=True)
        following = np.where((newton > lower) & (newton < upper), newton, (lower + upper) / 2)
        done = np.abs(following - theta) <= CLOSE * (high - low)[..., :1]
        theta = np.where(done, theta, following)
        if np.all(done):
            break
    found = shares / (1 + theta * apart)
    likeliest: Floats = found / found.sum(-1, keepdims=True)
    return likeliest


def with_deviation(values: Floats, shares: Floats, t: float) -> Floats:
    """The likeliest distribution whose mean is `t` standard deviations, by Van den Bergh's iteration.

    Linearised about the present distribution the constraint is one on a mean, of other values.
    """
    present = _start(values, shares, t)
    for _ in range(ROUNDS):
        following = with_mean(_linear(values, present, t), shares, 0.0)
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
    """Mean and standard deviation, each with an axis of length 1 for the support."""
    mean: Floats = np.sum(values * shares, axis=-1, keepdims=True)
    sigma: Floats = np.sqrt(np.sum((values - mean) ** 2 * shares, axis=-1, keepdims=True))
    return mean, sigma


def _start(values: Floats, shares: Floats, t: float) -> Floats:
    """Where the iteration begins: all of the support alike, or where `t` is too far from that, on the constraint."""
    alike: Floats = np.where(shares > 0, 1.0, 0.0) / np.sum(shares > 0, axis=-1, keepdims=True)
    linear = np.where(shares > 0, _linear(values, alike, t), 0.0)
    far = (linear.max(-1) <= 0) | (linear.min(-1) >= 0)
    if np.any(far):
        alike[far] = _on_constraint(values, shares[far], t)
    return alike


def _on_constraint(values: Floats, shares: Floats, t: float) -> Floats:
    """Of the likeliest distributions by mean, the one whose mean is `t` standard deviations, by bisection."""
    there = shares > 0
    low = np.where(there, values, np.inf).min(-1, keepdims=True)
    high = np.where(there, values, -np.inf).max(-1, keepdims=True)
    low, high = low + 1e-9 * (high - low), high - 1e-9 * (high - low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        mean, sigma = _moments(values, with_mean(values, shares, middle))
        low, high = np.where(mean < t * sigma, middle, low), np.where(mean < t * sigma, high, middle)
    return with_mean(values, shares, (low + high) / 2)


def _ratio(counts: Floats, under0: Floats, under1: Floats) -> Floats:
    there = counts > 0
    ratio: Floats = np.sum(counts * np.log(np.where(there, under1, 1.0) / np.where(there, under0, 1.0)), axis=-1)
    return ratio
