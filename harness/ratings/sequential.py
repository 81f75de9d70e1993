"""The sequential test of one bot against another on deal sets (RATINGS.md, Sequential test).

Pure: results in, a decision out. Deal sets decide in their order, whatever ends first, and the first one at which a
bound is reached decides for good, so that neither an interruption nor games that were under way change a verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.ratings.errors import RatingError
from harness.ratings.estimate import LEVEL, Estimate, quantile
from harness.ratings.measures import POINTS, SCORE
from harness.ratings.pairs import pairs_of
from harness.ratings.points import set_differences
from harness.records.rows import GameResult

if TYPE_CHECKING:
    from harness.ratings.generalised import Floats

NORMALISED = 800 / math.log(10)
"""Normalised Elo for a mean of one standard deviation of a game; for small differences of games without ties, Elo."""

TRACE = 1e-3
"""How often a result counts that did not come but could, so that no hypothesis is impossible; as fishtest does."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """H0: stronger by `elo0`, H1: by `elo1`; `alpha` and `beta` bound the chances to accept H1 and H0 wrongly.

    With `normalised` both are in normalised Elo, means in standard deviations of a game, else in logistic Elo.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def scale(self) -> str:
        """What elo0 and elo1 are, in a word."""
        return "normalised" if self.normalised else "logistic"

    def said(self, accepted: str, one: str, other: str) -> str:
        """What the one that was accepted ("H0", "H1") says of two bots, in words."""
        taken, left = (self.elo1, self.elo0) if accepted == "H1" else (self.elo0, self.elo1)
        return f"{one} is stronger than {other} by {taken:g} {self.scale} Elo rather than by {left:g}"


@dataclass(frozen=True, slots=True)
class SetValue:
    """A deal set: by how much the one bot was above the table, and of how many games that is the mean."""

    value: Fraction
    games: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a test stands after `sets` deal sets. `accepted` is "H0" or "H1", "" while none is."""

    llr: float
    lower: float
    upper: float
    sets: int
    accepted: str


def set_values(
    results: Iterable[GameResult],
    one: str,
    other: str,
    measure: str = SCORE,
    due: Mapping[str, int] | None = None,
) -> list[SetValue]:
    """The deal sets in which two bots met as sides of their own, in order, up to the first that is not complete.

    All line-ups that share their packs are one set. SCORE is the mean of the pairs, POINTS half the difference of the
    means, both less the table's mean: 0 is equal. `due` is the number of games in a set by variant entry; without it,
    as many as the fullest one has. Sets of a withdrawn bot are left out.
    """
    sets: dict[tuple[str, int, str], list[GameResult]] = {}
    for game in results:
        if {one, other} <= set(game.bots):
            sets.setdefault((game.id.run, game.id.set_number, game.id.entry), []).append(game)
    full: dict[str, int] = {}
    for (_, _, entry), games in sets.items():
        full[entry] = max(full.get(entry, 0), len(games))
    values: list[SetValue] = []
    for (_, _, entry), games in sorted(sets.items()):
        if len(games) < (due or full).get(entry, 0):
            break
        mean = _MEASURES[measure](games, one, other)
        if mean is not None:
            values.append(SetValue(mean, len(games)))
    return values


def _score(games: Sequence[GameResult], one: str, other: str) -> Fraction | None:
    """The mean of all pairs of the two, less 1/2; None where they have none."""
    won: list[Fraction] = []
    for game in games:
        for pair in pairs_of(game):
            sides = {*pair.bots}, {*pair.other_bots}
            if sides == ({one}, {other}):
                won.append(Fraction(pair.outcome))
            elif sides == ({other}, {one}):
                won.append(1 - Fraction(pair.outcome))
    return sum(won, Fraction()) / len(won) - Fraction(1, 2) if won else None


def _points(games: Sequence[GameResult], one: str, other: str) -> Fraction | None:
    """Half the difference of the two's points a deal, the mean over line-ups; None where a bot had been withdrawn."""
    if not all(game.rated for game in games):
        return None
    above = set_differences(games).values()
    return sum((bots[one] - bots[other] for bots in above), Fraction()) / (2 * len(above))


_MEASURES = {SCORE: _score, POINTS: _points}


class SequentialTest:
    """A test that is told its deal sets bit by bit, and looks at each once."""

    def __init__(self, hypotheses: Hypotheses, measure: str = SCORE) -> None:
        """Before the first set. Raises RatingError for points under logistic Elo, which is a share of games."""
        if measure == POINTS and not hypotheses.normalised:
            raise RatingError("points have no logistic Elo, test them with normalised Elo")
        self._hypotheses = hypotheses
        self._measure = measure
        self._came: Counter[Fraction] = Counter()
        self._games = 0
        self._llr = 0.0
        self._sets = 0
        self._accepted = ""

    def add(self, values: Sequence[SetValue]) -> Decision:
        """Where it stands after these sets, too: at the first one that reached a bound, else at the last."""
        lower, upper = self._hypotheses.lower, self._hypotheses.upper
        if not self._accepted:
            for ratio in self._ratios(values):
                self._llr = ratio
                self._sets += 1
                if ratio >= upper or ratio <= lower:
                    self._accepted = "H1" if ratio >= upper else "H0"
                    break
        return Decision(self._llr, lower, upper, self._sets, self._accepted)

    def _ratios(self, values: Sequence[SetValue]) -> list[float]:
        """The log-likelihood ratio after each of these sets."""
        if not values:
            return []
        self._games = self._games or values[0].games
        ratios = _ratios(values, self._came, self._games, self._hypotheses, self._measure)
        self._came.update(one.value for one in values)
        return ratios


def decide(values: Sequence[SetValue], hypotheses: Hypotheses, measure: str = SCORE) -> Decision:
    """The test after these deal sets: at the first one that reached a bound, else at the last.

    Raises as SequentialTest.
    """
    return SequentialTest(hypotheses, measure).add(values)


def ratios_of(values: Sequence[SetValue], hypotheses: Hypotheses, measure: str = SCORE) -> list[float]:
    """The log-likelihood ratio after each deal set. Raises as SequentialTest."""
    return SequentialTest(hypotheses, measure)._ratios(values)


def _ratios(
    values: Sequence[SetValue], before: Mapping[Fraction, int], games: int, hypotheses: Hypotheses, measure: str
) -> list[float]:
    """The ratio after each set, where `before` came before them and a set is the mean of `games`."""
    import numpy as np

    from harness.ratings.generalised import deviation_ratio, mean_ratio

    support, counts = _counted(values, before, measure)
    told = np.flatnonzero((counts > 0).sum(-1) > 1)  # without any spread nothing is known yet
    if not len(told):
        return [0.0] * len(values)
    ratios = np.zeros(len(values))
    if hypotheses.normalised:
        root = math.sqrt(games)
        t0, t1 = hypotheses.elo0 / NORMALISED * root, hypotheses.elo1 / NORMALISED * root
        ratios[told] = deviation_ratio(support, counts[told], t0, t1)
    else:
        ratios[told] = mean_ratio(support, counts[told], _mean(hypotheses.elo0), _mean(hypotheses.elo1))
    found: list[float] = ratios.tolist()
    return found


def _mean(elo: float) -> float:
    """What an Elo difference gives above one half."""
    return 1 / (1 + math.pow(10, -elo / 400)) - 0.5


def _counted(values: Sequence[SetValue], before: Mapping[Fraction, int], measure: str) -> tuple[Floats, Floats]:
    """The support, and after each set how often each value has come, with those that came `before`.

    A value's mirror image could have come as well, and of shares all and nothing: they count a trace. What has not come
    yet has no mirror image yet, so that no ratio depends on later sets.
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
    """What the sets of a test say about the size of the difference. `elo` is None for points.

    Where the results themselves said when to stop, the values lie too far out.
    """

    elo: Estimate | None
    normalised: Estimate
    mean: Estimate


def strength_of(values: Sequence[SetValue], measure: str = SCORE) -> Strength | None:
    """The estimates from these sets; None with fewer than two or without any spread."""
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
        normalised=Estimate(mean / (spread * root) * NORMALISED, error / (spread * root) * NORMALISED),
        mean=Estimate(mean, error),
    )


def _logistic(mean: float, error: float) -> Estimate:
    """Elo of a score, its error half the width of the score's 95% interval (fastchess)."""
    reach = quantile(LEVEL, None)

    def elo(above: float) -> float:
        share = min(max(0.5 + above, 0.0), 1.0)
        return math.copysign(math.inf, above) if share in (0, 1) else 400 * math.log10(share / (1 - share))

    width = elo(mean + reach * error) - elo(mean - reach * error)
    return Estimate(elo(mean), width / 2 / reach)
