"""The sequential test of one bot against another on deal sets (GSPRT; ratings.md, Sequential test).

Pure: results in, a decision out. Deal sets count in the order of the schedule, not of completion, and the first one
that reaches a bound decides finally. So neither an interruption nor games in progress change a decision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.ratings.estimate import LEVEL, Estimate, quantile
from harness.ratings.pairs import RatingError
from harness.ratings.sequential.set_values import POINTS, SCORE, SetValue

if TYPE_CHECKING:
    from harness.ratings.sequential.likelihood_ratio import Floats

ELO_PER_DEVIATION = 800 / math.log(10)
"""Normalised Elo of a mean of one standard deviation of a game.

For small differences of games without ties it equals Elo.
"""

TRACE = 1e-3
"""The count of a possible result that never occurred, so that no hypothesis is impossible; as in fishtest."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """H0: stronger by `elo0`, H1: stronger by `elo1`.

    `alpha` and `beta` bound the probabilities of accepting H1 and H0 wrongly. `elo0` and `elo1` are in normalised Elo
    (means in standard deviations of a game) if `normalised`, else in logistic Elo.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False

    @property
    def lower(self) -> float:
        """The log-likelihood ratio that accepts H0."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio that accepts H1."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def scale(self) -> str:
        """The kind of Elo of `elo0` and `elo1`, in a word."""
        return "normalised" if self.normalised else "logistic"

    def conclusion(self, accepted: str, one: str, other: str) -> str:
        """Return the meaning of the accepted hypothesis ("H0" or "H1") for two bots, in words."""
        taken, left = (self.elo1, self.elo0) if accepted == "H1" else (self.elo0, self.elo1)
        return f"{taken:g} {self.scale} Elo of {one} above {other} fits better than {left:g}"


@dataclass(frozen=True, slots=True)
class SequentialDecision:
    """The state of a test after `sets` deal sets. `accepted` is "H0", "H1", or "" while the test is open.

    `llr` is the log-likelihood ratio of H1 against H0. At `lower` the test accepts H0, at `upper` H1.
    """

    llr: float
    lower: float
    upper: float
    sets: int
    accepted: str


class SequentialTest:
    """A test that gets its deal sets in parts and reads each of them once."""

    def __init__(self, hypotheses: Hypotheses, measure: str = SCORE) -> None:
        """Create a test without sets. Raises RatingError for points under logistic Elo, which is a share of games."""
        if measure == POINTS and not hypotheses.normalised:
            raise RatingError("points have no logistic Elo, test them with normalised Elo")
        self._hypotheses = hypotheses
        self._measure = measure
        self._seen: Counter[Fraction] = Counter()
        self._games = 0
        self._llr = 0.0
        self._sets = 0
        self._accepted = ""

    def add(self, values: Sequence[SetValue]) -> SequentialDecision:
        """Add further sets. Return the decision at the first set that reached a bound, else at the last."""
        lower, upper = self._hypotheses.lower, self._hypotheses.upper
        if not self._accepted:
            for ratio in self._ratios(values):
                self._llr = ratio
                self._sets += 1
                if ratio >= upper or ratio <= lower:
                    self._accepted = "H1" if ratio >= upper else "H0"
                    break
        return SequentialDecision(self._llr, lower, upper, self._sets, self._accepted)

    def _ratios(self, values: Sequence[SetValue]) -> list[float]:
        """Return the log-likelihood ratio after each of these sets."""
        if not values:
            return []
        self._games = self._games or values[0].games
        ratios = _ratios(values, self._seen, self._games, self._hypotheses, self._measure)
        self._seen.update(one.value for one in values)
        return ratios


def decide(values: Sequence[SetValue], hypotheses: Hypotheses, measure: str = SCORE) -> SequentialDecision:
    """Return the decision at the first of these deal sets that reached a bound, else at the last.

    Raises RatingError as `SequentialTest` does.
    """
    return SequentialTest(hypotheses, measure).add(values)


def ratios_of(values: Sequence[SetValue], hypotheses: Hypotheses, measure: str = SCORE) -> list[float]:
    """Return the log-likelihood ratio after each deal set. Raises RatingError as `SequentialTest` does."""
    return SequentialTest(hypotheses, measure)._ratios(values)


def _ratios(
    values: Sequence[SetValue], before: Mapping[Fraction, int], games: int, hypotheses: Hypotheses, measure: str
) -> list[float]:
    """Return the ratio after each set. `before` counts the earlier values; a set is the mean of `games` games."""
    import numpy as np

    from harness.ratings.sequential.likelihood_ratio import mean_llr, t_value_llr

    support, counts = _counts(values, before, measure)
    spread = np.flatnonzero((counts > 0).sum(-1) > 1)  # a single value has no spread, so its ratio is 0
    if not len(spread):
        return [0.0] * len(values)
    ratios = np.zeros(len(values))
    if hypotheses.normalised:
        root = math.sqrt(games)
        t0, t1 = hypotheses.elo0 / ELO_PER_DEVIATION * root, hypotheses.elo1 / ELO_PER_DEVIATION * root
        ratios[spread] = t_value_llr(support, counts[spread], t0, t1)
    else:
        ratios[spread] = mean_llr(support, counts[spread], _mean(hypotheses.elo0), _mean(hypotheses.elo1))
    found: list[float] = ratios.tolist()
    return found


def _mean(elo: float) -> float:
    """Return the expected score of an Elo difference, less 1/2."""
    return 1 / (1 + math.pow(10, -elo / 400)) - 0.5


def _counts(values: Sequence[SetValue], before: Mapping[Fraction, int], measure: str) -> tuple[Floats, Floats]:
    """Return the support, and by [set, value] how often the value has occurred so far, including `before`.

    Values that are possible but never occurred count TRACE: the mirror image of each value so far and, for SCORE, the
    two extremes -1/2 and 1/2. The mirror image counts only after its value has occurred: no ratio depends on later
    sets.
    """
    import numpy as np

    seen = {one.value for one in values}.union(before)
    ends = {Fraction(-1, 2), Fraction(1, 2)} if measure == SCORE else set()
    support = sorted(seen | {-value for value in seen} | ends)
    place = {value: column for column, value in enumerate(support)}
    came = np.zeros((len(values), len(support)))
    came[np.arange(len(values)), [place[one.value] for one in values]] = 1
    counts = np.cumsum(came, axis=0) + np.array([before.get(value, 0) for value in support])
    possible = (counts > 0) | (counts[:, ::-1] > 0)
    for end in ends:
        possible[:, place[end]] = True
    return np.array([float(value) for value in support]), np.where((counts == 0) & possible, TRACE, counts)


@dataclass(frozen=True, slots=True)
class Strength:
    """Estimates of the size of the difference from the sets of a test.

    `elo` is in logistic Elo (None for points), `normalised` in normalised Elo, `mean` in the unit of the measure: a
    share of games above 1/2, or points for each deal. If the results themselves decided when to
    stop, the values are too extreme.
    """

    elo: Estimate | None
    normalised: Estimate
    mean: Estimate


def strength_of(values: Sequence[SetValue], measure: str = SCORE) -> Strength | None:
    """Return the estimates from these sets; None with fewer than two sets or without any spread."""
    if len(values) < 2:
        return None
    number = len(values)
    mean = float(sum(one.value for one in values) / number)
    spread = math.sqrt(sum((float(one.value) - mean) ** 2 for one in values) / number)
    if spread == 0:
        return None
    root = math.sqrt(values[0].games)
    error = spread / math.sqrt(number)
    return Strength(
        elo=_logistic(mean, error) if measure == SCORE else None,
        normalised=Estimate(mean / (spread * root) * ELO_PER_DEVIATION, error / (spread * root) * ELO_PER_DEVIATION),
        mean=Estimate(mean, error),
    )


def _logistic(mean: float, error: float) -> Estimate:
    """Return the Elo of a score; its error follows from the width of the score's 95% interval (as in fastchess)."""
    reach = quantile(LEVEL, None)

    def elo(above: float) -> float:
        share = min(max(0.5 + above, 0.0), 1.0)
        return math.copysign(math.inf, above) if share in (0, 1) else 400 * math.log10(share / (1 - share))

    width = elo(mean + reach * error) - elo(mean - reach * error)
    return Estimate(elo(mean), width / 2 / reach)
