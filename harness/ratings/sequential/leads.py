"""The lead of one bot over another, over all variants, and whether it is settled over any number of looks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bowerbird.harness.ratings.bradley_terry.fit import Fit
from bowerbird.harness.ratings.estimate import LEVEL, Estimate
from bowerbird.harness.ratings.sequential.always_valid import always_valid_interval, always_valid_p_value
from bowerbird.harness.ratings.standings.pool import equal_mean


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference of two bots: the mean over the variants that both played, each with equal weight, in Elo.

    interval: the always-valid interval at LEVEL; its ends are infinite if too little is known.
    p_value: the always-valid p-value.
    """

    estimate: Estimate
    interval: tuple[float, float]
    p_value: float

    @property
    def is_settled(self) -> bool:
        """True if one of the two is stronger, with confidence LEVEL over any number of looks."""
        return self.p_value < 1 - LEVEL


def lead(fits: Mapping[str, Fit], bot: str, other: str) -> Lead | None:
    """Return the lead of `bot` over `other`; None if no variant rates both.

    fits: by variant (`variant_fits`).

    The test uses only errors from the spread of the deal sets. The narrower errors (`Estimate.set_se`) have no degrees
    of freedom, so the number of sets would be unknown and nothing would ever be settled.
    """
    differences = [one.difference(bot, other) for one in fits.values() if bot in one.bots and other in one.bots]
    if not differences:
        return None
    by_spread = equal_mean([replace(one, set_se=math.inf) for one in differences])
    return Lead(equal_mean(differences), always_valid_interval(by_spread), always_valid_p_value(by_spread))
