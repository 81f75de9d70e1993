"""The loss of a decision: how much more the judge's choice is worth than the chosen action, without selection bias.

The best of several noisy means looks better than it is. So the judge chooses on one half of the worlds, and the other
half measures the values of this choice and the chosen action. Then the halves change places. Pure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.judging import Opinion


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of a decision, in points of the seat's hand.

    Attributes:
        points: how much more the judge's choice is worth than the chosen action. It can be below 0, since the estimate
            is noisy and the judge can choose worse than the seat.
        error: its standard error; 0 if the judge chooses the same action on both halves.
    """

    points: float
    error: float


def loss_of(opinion: Opinion, chosen: int) -> Loss:
    """Return the loss of the action at the place `chosen`. The opinion must have at least two worlds."""
    gains = np.concatenate(_gains(opinion, chosen))
    return Loss(float(gains.mean()), float(gains.std(ddof=1)) / math.sqrt(len(gains)))


def halves_of(opinion: Opinion, chosen: int) -> tuple[float, float]:
    """Return the loss of each half's choice as the other half measures it, to test whether they agree."""
    first, second = _gains(opinion, chosen)
    return float(first.mean()), float(second.mean())


def _gains(opinion: Opinion, chosen: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much more the other half's choice is worth than the chosen action, for the worlds of each half."""
    worths, half = opinion.worths, len(opinion.worths) // 2
    first, second = slice(0, half), slice(half, None)
    by_first = worths[first, opinion.choice(second)] - worths[first, chosen]
    return by_first, worths[second, opinion.choice(first)] - worths[second, chosen]
