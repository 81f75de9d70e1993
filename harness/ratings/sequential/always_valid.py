"""Always-valid p-values, which can be checked after any number of deal sets (ratings.md, Sequential test).

An ordinary p-value is valid for one look. With many looks, equal bots look different sooner or later. An always-valid
p-value is 1/e, where e is the likelihood ratio of a mixture of differences against no difference. Between equal bots
the mean of e is at most 1 at every look, so the probability that e ever reaches 20 is at most 5% (Ville). The mixture
is normal (Robbins 1970). After a perfect score, it is a mixture of all coins, against a fair coin.

Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences", Annals of
Statistics 49, 2021. Holm's step-down over always-valid p-values holds at every stopping time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL, Estimate
from bowerbird.harness.ratings.standings.ranks import settled_above

if TYPE_CHECKING:
    from bowerbird.harness.ratings.bradley_terry.fit import Fit
    from bowerbird.harness.ratings.games import Floats

MIXTURE_SETS = 25.0
"""rho, in deal sets: the mixed differences have the variance of a mean of this many sets.

The intervals are narrowest after about 8 (one pair) to 13 (ten pairs) times this many sets.
"""

FEWEST_SETS = 5.0
"""With fewer effective deal sets than this no difference is settled, because their spread is hardly known."""


def always_valid_p_value(estimate: Estimate) -> float:
    """Return the probability that a difference of 0 ever looks this clear, over any number of looks.

    It is never less than `estimate.p_value`. The effective number of deal sets is `estimate.dof` + 1; without `dof` it
    is unknown, and the result is 1.
    """
    if estimate.doubt is not None:
        return _after_straight_sets(_straight_sets(estimate))
    sets = _sets_of(estimate)
    if sets < FEWEST_SETS:
        return 1.0
    p_value = estimate.p_value
    if p_value <= 0:
        return 0.0
    z = NormalDist().inv_cdf(p_value / 2)
    log_e = z * z * sets / (2 * (sets + MIXTURE_SETS)) - math.log1p(sets / MIXTURE_SETS) / 2
    return math.exp(-max(log_e, 0.0))


def always_valid_interval(estimate: Estimate, level: float = LEVEL) -> tuple[float, float]:
    """Return both ends of an interval that contains the truth at every look, with the probability `level`.

    It excludes 0 if and only if `always_valid_p_value` is below 1 - level. Both ends are infinite below FEWEST_SETS.
    After a perfect score only one end is infinite; the other is the estimate's (in Elo), moved outwards.
    """
    if estimate.doubt is not None:
        return _after_perfect_score(estimate, level)
    sets = _sets_of(estimate)
    if sets < FEWEST_SETS:
        return -math.inf, math.inf
    squared = 2 * (sets + MIXTURE_SETS) / sets * (math.log1p(sets / MIXTURE_SETS) / 2 - math.log(1 - level))
    return estimate.interval(math.erf(math.sqrt(squared / 2)))


def all_settled(p_values: Iterable[float], level: float = LEVEL) -> bool:
    """Return True if Holm's step-down rejects all of these hypotheses, with a family-wise error of 1 - level."""
    ordered = sorted(p_values)
    return all(p_value < (1 - level) / (len(ordered) - place) for place, p_value in enumerate(ordered))


def all_told_apart(ratings: Fit, pairs: Sequence[tuple[str, str]], level: float = LEVEL) -> bool:
    """Return True if all of these pairs of rated bots are settled, over any number of looks.

    The probability that any pair of equal bots is ever settled is at most 1 - level. If `pairs` are all pairs of the
    table, the step-down method is the one used for ranks. Otherwise, as in a gauntlet, it is Holm's over these pairs
    alone.
    """
    bots = len(ratings.bots)
    if len({frozenset(pair) for pair in pairs}) < bots * (bots - 1) // 2:
        return all_settled([always_valid_p_value(ratings.difference(*pair)) for pair in pairs], level)
    at_one_look = ratings.p_values()
    if not _all_ordered(ratings, at_one_look, level):  # cheap; many looks settle nothing that one leaves open
        return False
    place = {bot: number for number, bot in enumerate(ratings.bots)}
    p_values = at_one_look.copy()
    for one, other in pairs:
        p_value = always_valid_p_value(ratings.difference(one, other))
        p_values[place[one], place[other]] = p_values[place[other], place[one]] = p_value
    return _all_ordered(ratings, p_values, level)


def _all_ordered(ratings: Fit, p_values: Floats, level: float) -> bool:
    """Return True if the step-down over these p-values puts one bot of each pair above the other."""
    above = settled_above(ratings.values(), p_values, level)
    return int(above.sum()) == len(ratings.bots) * (len(ratings.bots) - 1) // 2


def _sets_of(estimate: Estimate) -> float:
    """Return the effective number of deal sets behind an estimate; 0 if it is unknown."""
    known = estimate.dof is not None and math.isfinite(estimate.dof) and math.isfinite(estimate.se)
    return estimate.dof + 1 if known and estimate.dof is not None else 0.0


def _straight_sets(estimate: Estimate) -> float:
    """Return the number of equal coin flips in a row that are as unlikely as this perfect score."""
    return -math.log2(estimate.doubt) if estimate.doubt else math.inf


def _after_straight_sets(sets: float) -> float:
    """Return the always-valid p-value of `sets` deal sets that all went to one side: (k + 1) / 2^k.

    2^k / (k + 1) is the likelihood of k heads in a row averaged over all coins, against that of a fair coin.
    """
    return min(1.0, (max(sets, 0.0) + 1) * 2.0 ** -max(sets, 0.0)) if math.isfinite(sets) else 0.0


def _after_perfect_score(estimate: Estimate, level: float) -> tuple[float, float]:
    """Return the half-open interval.

    Unlike the interval for one look, it contains the coins that the mixture does not outweigh.
    """
    low, high = estimate.interval()
    sets = _straight_sets(estimate)
    if not 0 < sets < math.inf:
        return (low, high) if sets > 0 else (-math.inf, math.inf)
    at_one_look = math.log((1 - LEVEL) / 2) / sets
    at_all_looks = math.log((1 - level) / (sets + 1)) / sets
    shift = _elo(at_one_look) - _elo(at_all_looks)
    return (low - shift, high) if math.isinf(high) else (low, high + shift)


def _elo(log_share: float) -> float:
    """Return the Elo of a share of sets won, given by its logarithm."""
    return 400 / math.log(10) * (log_share - math.log(-math.expm1(log_share)))
