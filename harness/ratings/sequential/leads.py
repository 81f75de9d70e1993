"""By how much one bot is above another over all variants, and whether that is settled at any number of looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.ratings.bradley_terry.fit import Fit
from harness.ratings.estimate import LEVEL, Estimate
from harness.ratings.sequential.always_valid import always_valid_interval, always_valid_p_value
from harness.ratings.standings.pool import equal_mean


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference of two bots: the mean over the variants that both played, each with equal weight, in Elo.

    interval: the always-valid one at LEVEL; its ends are infinite where too little is known.
    p_value: the always-valid one.
    """

    estimate: Estimate
    interval: tuple[float, float]
    p_value: float

    @property
    def is_settled(self) -> bool:
        """Whether one of the two is stronger, with the confidence LEVEL at however many looks."""
        return self.p_value < 1 - LEVEL


def lead(fits: Mapping[str, Fit], bot: str, other: str) -> Lead | None:
    """Return by how much `bot` is above `other`; None if no variant rates both.

    fits: by variant (`variant_fits`).
    """
    differences = [one.difference(bot, other) for one in fits.values() if bot in one.bots and other in one.bots]
    if not differences:
        return None
    mean = equal_mean(differences)
    return Lead(mean, always_valid_interval(mean), always_valid_p_value(mean))
