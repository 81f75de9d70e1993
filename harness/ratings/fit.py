"""The rating of record: refitted from all results, whatever their order (RATINGS.md, Ratings kept, 2).

Strengths and seat advantages maximise a penalised composite likelihood of all rated pairs; errors are clustered by
deal set. It is never stored: it is computed from the stored results whenever it is shown, so that the two cannot
disagree (the incremental Elo is stored, keyed by a hash, and verified). numpy is imported where it is used, so that a
command that rates nobody starts at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.ratings.errors import RatingError, UnconnectedError
from harness.ratings.estimate import Estimate
from harness.ratings.groups import Edges, comparable, connected, edges_of
from harness.ratings.pairs import complete_sets
from harness.records.rows import GameResult

if TYPE_CHECKING:
    from harness.ratings.likelihood import Observations, SeatKey
    from harness.ratings.one_sided import OneSided

SCALE = 400 / math.log(10)
"""Elo for each logit."""

ANCHOR = "random"
PENALTY = 1e-6
"""lambda: it makes the maximum unique and moves no rating by a tenth of a point."""

SEAT_PENALTY = 1.0
"""The same for seat advantages: as if they had a spread of one logit. Rotation keeps them out of the bots' ratings."""

LEAST = 2.0
"""No variance is less than this share of the naive one for each deal set.

Outcomes are few: a handful of sets may all end alike by chance, and their spread of 0 is no certainty. What n equal
sets leave open is some 3/n of different ones; LEAST / n of the naive variance says as much.
"""

TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of record and all their differences, in Elo.

    `bots` are those with a rated pair, sorted. `anchor` is the bot whose rating is fixed; "" where it is the mean of
    `basis` that is 0. `groups` part the bots where results are one-sided: within a group ratings are finite, across
    groups only a bound is known. `sets` are the deal sets of each bot that errors rest on. `seats` holds the advantage
    of each seat in Elo, by (variant, seats, seat).
    """

    bots: tuple[str, ...]
    anchor: str
    anchor_rating: float
    basis: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    sets: Mapping[str, int]
    seats: Mapping[SeatKey, float]
    _strengths: Mapping[str, float] = field(repr=False)
    _covariance: Mapping[str, Mapping[str, float]] = field(repr=False)
    _naive: Mapping[str, Mapping[str, float]] = field(repr=False)
    _unknown: Mapping[str, Mapping[str, float]] = field(repr=False)
    _one_sided: OneSided = field(repr=False)

    def rating(self, bot: str) -> Estimate:
        """The rating of a bot and its error against the anchor. Raises RatingError for one that is not rated.

        A bot that only ever won against the anchor's group has an infinite value and a bound.
        """
        self._check(bot)
        return self.against(bot, self._zero(), self.anchor_rating)

    def against(self, bot: str, zero: Mapping[str, float], start: float = 0.0) -> Estimate:
        """The rating of a bot where the weighted mean `zero` of bots of the basis stands at `start`.

        Raises RatingError for a bot that is not rated.
        """
        self._check(bot)
        if bot in self.basis:
            return self._contrast({bot: 1.0}, zero, start)
        side, bound = self._one_sided.place(bot)
        if not side:
            return Estimate(start, math.inf)
        middle = sum(share * self._strengths[base] for base, share in zero.items())
        end = None if bound is None else SCALE * (bound - middle) + start
        return Estimate(side * math.inf, math.inf, None, end, 0.0)

    def difference(self, bot: str, other: str) -> Estimate:
        """By how much `bot` is stronger than `other`. Raises RatingError for one that is not rated."""
        self._check(bot)
        self._check(other)
        if any(bot in group and other in group for group in self.groups):
            return self._contrast({bot: 1.0}, {other: 1.0})
        side, bound, doubt = self._one_sided.difference(bot, other)
        if not side:
            return Estimate(0.0, math.inf)
        return Estimate(side * math.inf, math.inf, None, None if bound is None else SCALE * bound, doubt)

    def _check(self, bot: str) -> None:
        if bot not in self._strengths:
            raise RatingError(f"bot {bot!r} has no rated game; rated are {', '.join(self.bots) or 'none'}")

    def _zero(self) -> dict[str, float]:
        """What stands at the anchor's rating."""
        return {self.anchor: 1.0} if self.anchor else dict.fromkeys(self.basis, 1 / len(self.basis))

    def _contrast(self, plus: Mapping[str, float], minus: Mapping[str, float], start: float = 0.0) -> Estimate:
        """The difference of two weighted means of strengths; the error is that of the bot with the fewest deal sets."""
        shares = {bot: plus.get(bot, 0.0) - minus.get(bot, 0.0) for bot in {**plus, **minus}}
        value = start + SCALE * sum(share * self._strengths[bot] for bot, share in shares.items())
        if not any(shares.values()):
            return Estimate(value, 0.0)
        sets = min(self.sets.get(bot, 0) for bot in shares)
        if sets < 2 or self._quadratic(shares, self._unknown) > TINY:
            return Estimate(value, math.inf)
        least = min(1.0, LEAST / sets) * self._quadratic(shares, self._naive)
        variance = max(self._quadratic(shares, self._covariance), least)
        return Estimate(value, SCALE * math.sqrt(variance), sets - 1)

    def _quadratic(self, shares: Mapping[str, float], matrix: Mapping[str, Mapping[str, float]]) -> float:
        return sum(one * other * matrix[a][b] for a, one in shares.items() for b, other in shares.items())


def fit(
    results: Iterable[GameResult],
    *,
    anchor: str = ANCHOR,
    anchor_rating: float = 0.0,
    penalty: float = PENALTY,
    seat_penalty: float = SEAT_PENALTY,
) -> Fit:
    """Fit the ratings to all results; only complete deal sets count, each game once.

    `anchor` stands at `anchor_rating`. Where it did not play, or won or lost everything while others can be told apart,
    the mean of the largest group is 0. Raises UnconnectedError where bots never met, RatingError for results that
    contradict each other. Without a rated game nobody is rated.
    """
    from harness.ratings.likelihood import observe

    return fit_observations(
        observe(complete_sets(results)),
        anchor=anchor,
        anchor_rating=anchor_rating,
        penalty=penalty,
        seat_penalty=seat_penalty,
    )


def fit_observations(
    data: Observations,
    *,
    anchor: str = ANCHOR,
    anchor_rating: float = 0.0,
    penalty: float = PENALTY,
    seat_penalty: float = SEAT_PENALTY,
) -> Fit:
    """As `fit`, from the observed pairs."""
    from harness.ratings.likelihood import solve
    from harness.ratings.one_sided import OneSided

    edges = graph(data)
    islands = connected(edges)
    if len(islands) > 1:
        raise UnconnectedError(islands)
    bots, groups = tuple(sorted(edges)), comparable(edges)
    basis = _basis(groups, anchor)
    inside = data.only([_within(groups, {*pair.bots, *pair.other_bots}) for _, pair in data.patterns])
    references = [anchor if anchor in group else group[0] for group in groups]
    solution = solve(inside, bots, references, penalty=penalty, seat_penalty=seat_penalty)
    strengths = dict(zip(bots, solution.strengths.tolist(), strict=True))
    return Fit(
        bots=bots,
        anchor=anchor if anchor in basis else "",
        anchor_rating=anchor_rating if anchor in basis else 0.0,
        basis=tuple(basis),
        groups=tuple(tuple(group) for group in groups),
        sets=inside.sets_of(),
        seats={key: SCALE * value for key, value in solution.advantages.items()},
        _strengths=strengths,
        _covariance=_by_name(bots, solution.covariance.tolist()),
        _naive=_by_name(bots, solution.naive.tolist()),
        _unknown=_by_name(bots, solution.unknown.tolist()),
        _one_sided=OneSided(
            data, groups=groups, basis=basis, strengths=strengths, advantages=solution.advantages, edges=edges
        ),
    )


def graph(data: Observations) -> Edges:
    """Who did not lose everything against whom. What a bot adds to both sides of a pair cancels out."""
    met = {(pair.bots, pair.other_bots, pair.outcome) for _, pair in data.patterns}
    return edges_of(
        (bot, other, outcome)
        for bots, others, outcome in met
        for bot in Counter(bots) - Counter(others)
        for other in Counter(others) - Counter(bots)
    )


def _basis(groups: list[list[str]], anchor: str) -> list[str]:
    """The group whose ratings are finite numbers: the anchor's, unless it is alone and others are not."""
    if not groups:
        return []
    largest = max(groups, key=len)
    home = next((group for group in groups if anchor in group), largest)
    return home if len(home) > 1 or len(largest) == 1 else largest


def _within(groups: list[list[str]], bots: set[str]) -> bool:
    return any(bots <= set(group) for group in groups)


def _by_name(bots: tuple[str, ...], matrix: list[list[float]]) -> dict[str, dict[str, float]]:
    return {bot: dict(zip(bots, row, strict=True)) for bot, row in zip(bots, matrix, strict=True)}
