"""The sequential test of one bot against another on deal sets (GSPRT; ratings.md, Sequential test).

Pure functions: results in, a decision out. Deal sets count in the order of the schedule, not of completion, and the
    first set that reaches a bound decides for good. Interruptions and games in progress therefore never change a
    decision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL, Estimate, quantile
from bowerbird.harness.ratings.normalised import ELO_PER_DEVIATION, FEWEST_SETS, mean_in_deviations, t_value_spread
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE, SetValue
from bowerbird.harness.ratings.sequential.stopped import Outcome, StoppedEstimate

if TYPE_CHECKING:
    from bowerbird.harness.ratings.games import Floats

MOST_ELO = 1000.0
"""Hypotheses lie strictly between -MOST_ELO and MOST_ELO. 1,000 Elo is a score of 99.7%; sets cannot measure more.
"""

LEAST_GAP = 0.001
"""`elo1` exceeds `elo0` by at least this much. No test can distinguish hypotheses that are closer."""

MOST_ERROR = 0.5
"""`alpha` and `beta` lie strictly between 0 and MOST_ERROR, so that the bounds lie on both sides of 0."""

TRACE = 1e-3
"""The count of a possible result that never occurred, so that no hypothesis is impossible; as in fishtest."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """H0: stronger by `elo0`, H1: stronger by `elo1`.

    `alpha` and `beta` bound the probabilities of wrongly accepting H1 and H0. `elo0` and `elo1` are in normalised Elo
    (means in standard deviations of a game) if `normalised`, else in logistic Elo. Raises RatingError if a number is
    outside its limits (MOST_ELO, MOST_ERROR), or `elo1` does not exceed `elo0` by LEAST_GAP.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            _check_between(name, getattr(self, name), -MOST_ELO, MOST_ELO)
        for name in ("alpha", "beta"):
            _check_between(name, getattr(self, name), 0.0, MOST_ERROR)
        if self.elo0 >= self.elo1:
            raise RatingError(f"elo0 = {self.elo0:g} must be less than elo1 = {self.elo1:g}")
        if self.elo1 - self.elo0 < LEAST_GAP * (1 - 1e-6):
            raise RatingError(f"elo0 and elo1 must be at least {LEAST_GAP:g} apart")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio that accepts H0."""
        return math.log(self.beta) - math.log1p(-self.alpha)

    @property
    def upper(self) -> float:
        """The log-likelihood ratio that accepts H1."""
        return math.log1p(-self.beta) - math.log(self.alpha)

    @property
    def scale(self) -> str:
        """The kind of Elo of `elo0` and `elo1`, in one word."""
        return "normalised" if self.normalised else "logistic"

    def conclusion(self, accepted: str, one: str, other: str) -> str:
        """Return the meaning, in words, of the accepted hypothesis ("H0" or "H1") for two bots."""
        taken, left = (self.elo1, self.elo0) if accepted == "H1" else (self.elo0, self.elo1)
        return f"{taken:g} {self.scale} Elo of {one} above {other} fits better than {left:g}"


def _check_between(name: str, value: float, above: float, below: float) -> None:
    """Raise RatingError unless `value` is a number strictly between `above` and `below`."""
    if not above < value < below:  # false for NaN, too
        shown = f"{value:g}" if isinstance(value, float) else f"{value}" if abs(value) < 10**12 else "a huge number"
        raise RatingError(f"got {name} = {shown}; must be a number above {above:g} and below {below:g}")


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
    """A test that receives its deal sets in parts and reads each set once."""

    def __init__(self, hypotheses: Hypotheses, measure: str = SCORE) -> None:
        """Create a test without sets. Raises RatingError for points under logistic Elo, which is a share of games."""
        if measure == POINTS and not hypotheses.normalised:
            raise RatingError("points have no logistic Elo; test them with normalised Elo")
        self._hypotheses = hypotheses
        self._measure = measure
        self._seen: Counter[Fraction] = Counter()
        self._games = 0
        self._llr = 0.0
        self._sets = 0
        self._accepted = ""

    def add(self, values: Sequence[SetValue]) -> SequentialDecision:
        """Add sets. Return the decision at the first set that reached a bound, else at the last."""
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


def ratio_of_counts(counts: Mapping[Fraction, int], games: int, hypotheses: Hypotheses) -> float:
    """Return the log-likelihood ratio of results whose counts are known, but not their order.

    counts: how often each result occurred, by value (a score minus 1/2); not empty.
    games: the number of games in a result.
    """
    last = next(value for value, count in counts.items() if count)
    before = {value: count - (value == last) for value, count in counts.items() if count - (value == last) > 0}
    return _ratios([SetValue(last, games)], before, games, hypotheses, SCORE)[0]


def _ratios(
    values: Sequence[SetValue], before: Mapping[Fraction, int], games: int, hypotheses: Hypotheses, measure: str
) -> list[float]:
    """Return the ratio after each set. `before` are the counts of earlier values; a set is a mean of `games` games."""
    import numpy as np

    from bowerbird.harness.ratings.sequential.likelihood_ratio import mean_llr, t_value_llr

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
    """Return the expected score of an Elo difference, minus 1/2."""
    return 1 / (1 + math.pow(10, -elo / 400)) - 0.5


def _counts(values: Sequence[SetValue], before: Mapping[Fraction, int], measure: str) -> tuple[Floats, Floats]:
    """Return the support, and how often each value has occurred so far, by [set, value], including `before`.

    Possible values that never occurred count TRACE: the mirror image of each value so far and, for SCORE, the extremes
    -1/2 and 1/2. A mirror image counts only after its value has occurred, so that no ratio depends on later sets.
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
class StoppedStrength:
    """Estimates of a test's difference, corrected for its stop: each is too high in half of all tests (`stopped`).

    `elo`, `normalised` and `mean` are as in `Strength`. `superiority` is the likelihood of superiority, corrected in
    the same way.
    """

    elo: StoppedEstimate | None
    normalised: StoppedEstimate
    mean: StoppedEstimate
    superiority: float


@dataclass(frozen=True, slots=True)
class Strength:
    """Estimates of the size of the difference from the sets of a test.

    `elo` is in logistic Elo (None for points), `normalised` in normalised Elo, `mean` in the unit of the measure: a
    share of games above 1/2, or points per deal. If the results themselves decided when to stop, these values are too
    extreme; the estimates in `corrected` are not. `corrected` is None without hypotheses and after a perfect score.
    """

    elo: Estimate | None
    normalised: Estimate
    mean: Estimate
    corrected: StoppedStrength | None = None


def strength_of(
    values: Sequence[SetValue], measure: str = SCORE, hypotheses: Hypotheses | None = None
) -> Strength | None:
    """Return the estimates from these sets; None with fewer than two sets or without any spread.

    Intervals use Student's t with one degree of freedom less than the sets. The interval of normalised Elo includes the
    error of the standard deviation, and is unknown with fewer than FEWEST_SETS. After a perfect score (SCORE, all games
    of all sets won, or all lost) the estimates have a bound.

    hypotheses: the hypotheses of the test that these sets ended, needed to correct the estimates for its stop. Sets
        after the first that reached a bound are then left out.
    """
    if hypotheses is not None:
        decision = decide(values, hypotheses, measure)
        values = values[: decision.sets]
    if len(values) < 2:
        return None
    first, games = values[0].value, values[0].games
    if all(one.value == first for one in values):
        return _perfect(first > 0, len(values), games) if measure == SCORE and abs(first) == Fraction(1, 2) else None
    numbers = [float(one.value) for one in values]
    number = len(numbers)
    t_value, t_error = mean_in_deviations(numbers)
    mean = math.fsum(numbers) / number
    deviation = mean / t_value if t_value else math.sqrt(math.fsum(one * one for one in numbers) / number)
    plain = Estimate(mean, deviation / math.sqrt(number - 1), number - 1)
    factor = ELO_PER_DEVIATION / math.sqrt(games)
    return Strength(
        elo=_logistic(plain) if measure == SCORE else None,
        normalised=Estimate(t_value * factor, t_error * factor if number >= FEWEST_SETS else math.inf, number - 1),
        mean=plain,
        corrected=None if hypotheses is None else _corrected(numbers, games, hypotheses, decision.accepted, measure),
    )


def _logistic(mean: Estimate) -> Estimate:
    """Return the Elo of a score, given as its excess over 1/2, by the delta method."""
    share = 0.5 + mean.value
    return Estimate(_elo(mean.value), mean.se * 400 / math.log(10) / (share * (1 - share)), mean.dof)


def _elo(above: float) -> float:
    """Return the Elo of a score, given as its excess over 1/2; infinite if everything was won or lost."""
    share = 0.5 + above
    if not 0 < share < 1:
        return math.copysign(math.inf, above)
    return 400 * math.log10(share / (1 - share))


def _perfect(won: bool, sets: int, games: int) -> Strength:
    """Return the estimates after this many sets, if all were won or all were lost.

    Each set counts as one coin flip. The values belong to the share with half a set added to both sides (Firth); the
    bounds belong to the smallest share that wins this many sets with a probability of 2.5%.
    """
    side = 1 if won else -1
    share, least = (sets + 0.5) / (sets + 1), ((1 - LEVEL) / 2) ** (1 / sets)

    def estimate(scale: Callable[[float], float]) -> Estimate:
        bound = scale(least - 0.5)
        return Estimate(side * scale(share - 0.5), math.inf, side=side, bound=side * bound, doubt=0.5**sets)

    def normalised(above: float) -> float:
        return above / math.sqrt(0.25 - above * above) * ELO_PER_DEVIATION / math.sqrt(games)

    return Strength(elo=estimate(_elo), normalised=estimate(normalised), mean=estimate(float))


def _corrected(
    numbers: Sequence[float], games: int, hypotheses: Hypotheses, accepted: str, measure: str
) -> StoppedStrength:
    """Return the estimates corrected for the stop. `numbers` are the values of the sets up to the stop.

    The log-likelihood ratio moves as a Brownian motion. Its drift is linear in the tested quantity: the mean, or the t
    value. The other quantity follows from the standard deviation of a set; its interval scales with its standard error.
    """
    t_value, _ = mean_in_deviations(numbers)
    mean = math.fsum(numbers) / len(numbers)
    deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in numbers) / len(numbers))
    spread = t_value_spread(numbers)
    per_deviation = ELO_PER_DEVIATION / math.sqrt(games)
    if hypotheses.normalised:
        scale = _Scale(hypotheses.elo0 / per_deviation, hypotheses.elo1 / per_deviation, t_value, spread)
    else:
        scale = _Scale(_mean(hypotheses.elo0), _mean(hypotheses.elo1), mean, deviation)
    outcome = scale.outcome(len(numbers), hypotheses, accepted)
    tested = scale.estimate(outcome)
    if hypotheses.normalised:
        # with few sets the deviation is hardly known
        in_deviations = tested.scaled(1.0, quantile(LEVEL, len(numbers) - 1) / quantile(LEVEL, None))
        in_means = in_deviations.scaled(deviation, 1 / spread)
    else:
        in_means, in_deviations = tested, tested.scaled(1 / deviation, spread)
    if measure == SCORE:
        most = len(numbers) / (len(numbers) + 1) / 2  # the estimate as after a perfect score
        in_means = StoppedEstimate(
            min(max(in_means.value, -most), most), max(in_means.low, -0.5), min(in_means.high, 0.5)
        )
    return StoppedStrength(
        elo=StoppedEstimate(*map(_elo, (in_means.value, in_means.low, in_means.high))) if measure == SCORE else None,
        normalised=in_deviations.scaled(per_deviation),
        mean=in_means,
        superiority=outcome.worse(scale.drift(0.0)),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """The tested quantity, and the log-likelihood ratio that depends on it, in units of the ratio's variance.

    `end0` and `end1` are the quantity under both hypotheses, `at` is its plain estimate, and `error` the standard
    deviation of one set's share in it.
    """

    end0: float
    end1: float
    at: float
    error: float

    def drift(self, quantity: float) -> float:
        """Return the drift of the ratio per unit of its variance if this is the true quantity."""
        return (quantity - (self.end0 + self.end1) / 2) / (self.end1 - self.end0)

    def outcome(self, sets: int, hypotheses: Hypotheses, accepted: str) -> Outcome:
        """Return the end of the ratio's path after these sets.

        The last set of a finished test overshoots the bound, so time and ratio move back to the bound along the mean
        path.
        """
        lower, upper = hypotheses.lower, hypotheses.upper
        time = sets * ((self.end1 - self.end0) / self.error) ** 2
        slope = self.drift(self.at)
        position = slope * time
        bound = upper if slope > 0 else lower
        on_its_side = slope != 0 and accepted == ("H1" if slope > 0 else "H0")
        if on_its_side or not lower < position < upper:
            return Outcome(lower, upper, bound / slope, bound)
        return Outcome(lower, upper, time, position)

    def estimate(self, outcome: Outcome) -> StoppedEstimate:
        """Return the quantity, corrected for the stop."""
        found = outcome.estimate()
        middle, width = (self.end0 + self.end1) / 2, self.end1 - self.end0
        return StoppedEstimate(*(middle + width * drift for drift in (found.value, found.low, found.high)))
