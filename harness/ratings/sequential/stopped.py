"""Estimates after a sequential test, corrected for the stop (ratings.md, Sequential test).

A test stops when its results are extreme, so the plain mean is too extreme. Here the log-likelihood ratio is treated as
a Brownian motion that stops at the two bounds. From that follows, for each true difference, the probability of a worse
outcome, which means that H0 is accepted earlier, or H1 later, or H0 instead of H1 (stage-wise ordering). The estimate
is the difference at which a worse outcome is as likely as not, so half of all estimates are too high. The interval
contains the differences for which neither a worse nor a better outcome is rare. fishtest computes the same for logistic
Elo.

D. Siegmund, "Sequential Analysis", 1985. M. Van den Bergh, "Comments on normalized Elo".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bowerbird.harness.ratings.estimate import LEVEL
from bowerbird.harness.ratings.roots import root

FEWEST_STEPS = 0.01
"""Below this elapsed time, in squared distances between the bounds, a second reflection is practically impossible.
"""

STRONGEST_DRIFT = 15.0
"""Above this drift times the distance between the bounds, a second reflection is practically impossible."""

TERMS = 40
"""Terms of the sine series. At FEWEST_STEPS the last term is below 1e-30."""

REACH = 2.0**40
"""Widest search for a drift, in standard errors."""


@dataclass(frozen=True, slots=True)
class StoppedEstimate:
    """A value that is too high in half of all tests. `low` and `high` are its 95% interval."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float, widening: float = 1.0) -> StoppedEstimate:
        """Return the estimate in another unit. `widening` multiplies the distances of both ends from the value."""
        value = self.value * factor
        return StoppedEstimate(
            value,
            value + (self.low - self.value) * factor * widening,
            value + (self.high - self.value) * factor * widening,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a Brownian motion from 0, between `lower` and `upper`, with variance 1 per unit of time.

    At the time `time` it is at `position`: at one of the bounds, or still between them.
    """

    lower: float
    upper: float
    time: float
    position: float

    def worse(self, drift: float) -> float:
        """Return the probability of a worse outcome with this drift per unit of time.

        An outcome is worse if it reaches `lower` earlier, is lower at `time`, or reaches `upper` later.
        """
        width = self.upper - self.lower
        if self.time < FEWEST_STEPS * width**2 or abs(drift) * width > STRONGEST_DRIFT:
            return min(max(self._reflected_once(drift), 0.0), 1.0)
        return min(max(self._series(drift), 0.0), 1.0)

    def _series(self, drift: float) -> float:
        """Return the probability of reaching `lower` at any time, plus a sine series for times after `time`."""
        width, start, position = self.upper - self.lower, -self.lower, self.position - self.lower
        if abs(drift) * width < 1e-8:
            ruin = (width - start) / width
        else:
            ruin = math.expm1(2 * drift * (width - start)) / math.expm1(2 * drift * width)
        total = 0.0
        for term in range(1, TERMS + 1):
            wave = term * math.pi / width
            decay = math.exp(drift * (position - start) - (wave**2 + drift**2) * self.time / 2)
            shape = drift * math.sin(wave * position) - wave * math.cos(wave * position)
            total += decay * math.sin(wave * start) * shape / (drift**2 + wave**2)
        return ruin + 2 / width * total

    def _reflected_once(self, drift: float) -> float:
        """Return the probability, ignoring paths that reach both bounds (Siegmund)."""
        from bowerbird.harness.ratings.distributions import log_normal_below

        root, moved = math.sqrt(self.time), drift * self.time
        below = log_normal_below((self.position - moved) / root)
        after_lower = 2 * drift * self.lower + log_normal_below((2 * self.lower + moved - self.position) / root)
        after_upper = 2 * drift * self.upper + log_normal_below((self.position - moved - 2 * self.upper) / root)
        return math.exp(below) + math.exp(min(after_lower, 0.0)) - math.exp(min(after_upper, 0.0))

    def drift(self, probability: float) -> float:
        """Return the drift at which a worse outcome has this probability, strictly between 0 and 1."""

        centre, reach = self.position / self.time, 1 / math.sqrt(self.time)
        while reach * math.sqrt(self.time) < REACH:
            low, high = centre - reach, centre + reach
            if self.worse(low) > probability > self.worse(high):
                return float(root(lambda drift: self.worse(drift) - probability, low, high, xtol=1e-12, rtol=1e-12))
            reach *= 2
        return centre

    def estimate(self, level: float = LEVEL) -> StoppedEstimate:
        """Return the median-unbiased drift with its interval."""
        tail = (1 - level) / 2
        return StoppedEstimate(self.drift(0.5), self.drift(1 - tail), self.drift(tail))
