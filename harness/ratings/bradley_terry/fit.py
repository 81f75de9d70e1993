"""The rating of record, fitted to all results in any order (ratings.md, Ratings kept, 2).

Strengths and seat advantages maximise a penalised composite likelihood of all rated pairs. Errors are clustered by
deal set. The fit is never stored: every display computes it from the stored results, so that the two cannot disagree
(the incremental Elo is stored, keyed by a hash, and verified). Functions import numpy, not this module, so that
commands without ratings start fast.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.ratings.bradley_terry.connectivity import Edges, UnconnectedError, comparable, connected, edges_of
from harness.ratings.estimate import Estimate
from harness.ratings.pairs import RatingError, complete_sets, distinct_games
from harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    from harness.ratings.bradley_terry.observations import Observations, SeatKey
    from harness.ratings.bradley_terry.one_sided import OneSided

ELO_PER_LOGIT = 400 / math.log(10)
"""Elo points of one logit."""

ANCHOR = "random"
PENALTY = 1e-6
"""lambda: makes the maximum unique and moves no rating by a tenth of a point."""

SEAT_PENALTY = 1.0
"""lambda of the seat advantages: a prior spread of one logit. Rotation keeps them out of the bots' ratings."""

VARIANCE_FLOOR = 2.0
"""The least variance of a contrast over n deal sets, as a multiple of its naive variance / n.

A few sets may all end alike by chance; their spread of 0 proves nothing. After n equal sets, a share of up to 3/n of
different ones is still plausible. VARIANCE_FLOOR / n of the naive variance allows for such a share.
"""

TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of record and all their differences, in Elo.

    `bots` are those with a rated pair, sorted. `basis` is the group of bots with finite ratings. `anchor` is the bot
    with the fixed rating `anchor_rating`; "" if the mean of `basis` is 0 instead. `groups` partition the bots: within a
    group differences are finite, across groups only a bound is known. `sets` is the number of deal sets behind the
    errors, by bot. `seats` is the advantage of each seat in Elo, by (variant, seats, seat).
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
        """Return the rating of a bot, its error against the anchor. Raises RatingError for an unrated bot.

        A bot that won every game against the anchor's group has an infinite value and a bound.
        """
        self._check(bot)
        return self.against(bot, self._zero(), self.anchor_rating)

    def against(self, bot: str, zero: Mapping[str, float], start: float = 0.0) -> Estimate:
        """Return the rating of a bot on the scale on which a weighted mean of bots of the basis stands at `start`.

        `zero` holds the weights by bot. Raises RatingError for an unrated bot.
        """
        self._check(bot)
        if bot in self.basis:
            return self._contrast({bot: 1.0}, zero, start)
        side, bound = self._one_sided.place(bot)
        if not side:
            return Estimate(start, math.inf)
        middle = sum(share * self._strengths[base] for base, share in zero.items())
        end = None if bound is None else ELO_PER_LOGIT * (bound - middle) + start
        return Estimate(side * math.inf, math.inf, None, end, 0.0)

    def difference(self, bot: str, other: str) -> Estimate:
        """Return by how much `bot` is stronger than `other`. Raises RatingError for an unrated bot."""
        self._check(bot)
        self._check(other)
        if any(bot in group and other in group for group in self.groups):
            return self._contrast({bot: 1.0}, {other: 1.0})
        side, bound, doubt = self._one_sided.difference(bot, other)
        if not side:
            return Estimate(0.0, math.inf)
        return Estimate(side * math.inf, math.inf, None, None if bound is None else ELO_PER_LOGIT * bound, doubt)

    def _check(self, bot: str) -> None:
        if bot not in self._strengths:
            raise RatingError(f"bot {bot!r} has no rated game; rated are {', '.join(self.bots) or 'none'}")

    def _zero(self) -> dict[str, float]:
        """Return the weights by bot of the mean that stands at `anchor_rating`."""
        return {self.anchor: 1.0} if self.anchor else dict.fromkeys(self.basis, 1 / len(self.basis))

    def _contrast(self, plus: Mapping[str, float], minus: Mapping[str, float], start: float = 0.0) -> Estimate:
        """Return the difference of two weighted means of strengths. The bot with the fewest deal sets gives `dof`."""
        shares = {bot: plus.get(bot, 0.0) - minus.get(bot, 0.0) for bot in {**plus, **minus}}
        value = start + ELO_PER_LOGIT * sum(share * self._strengths[bot] for bot, share in shares.items())
        if not any(shares.values()):
            return Estimate(value, 0.0)
        sets = min(self.sets.get(bot, 0) for bot in shares)
        if sets < 2 or self._quadratic(shares, self._unknown) > TINY:
            return Estimate(value, math.inf)
        least = min(1.0, VARIANCE_FLOOR / sets) * self._quadratic(shares, self._naive)
        variance = max(self._quadratic(shares, self._covariance), least)
        return Estimate(value, ELO_PER_LOGIT * math.sqrt(variance), sets - 1)

    def _quadratic(self, shares: Mapping[str, float], matrix: Mapping[str, Mapping[str, float]]) -> float:
        return sum(one * other * matrix[a][b] for a, one in shares.items() for b, other in shares.items())


def fit(
    results: Iterable[GameResult],
    *,
    anchor: str = ANCHOR,
    anchor_rating: float = 0.0,
    penalty: float = PENALTY,
    seat_penalty: float = SEAT_PENALTY,
    complete_only: bool = True,
) -> Fit:
    """Fit the ratings to all results, each game once.

    Only complete deal sets count, unless `complete_only` is False. Incomplete ones favour those who had better places.

    `anchor` stands at `anchor_rating`. If it did not play, or won or lost everything while other bots have finite
    differences, the mean of the largest group is 0 instead. Without a rated game the fit has no bots.
    Raises UnconnectedError if groups of bots never met, RatingError for results that contradict each other.
    """
    from harness.ratings.bradley_terry.observations import observe

    return fit_observations(
        observe(complete_sets(results) if complete_only else distinct_games(results)),
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
    """Fit the ratings to observed pairs. Parameters and errors are those of `fit`."""
    from harness.ratings.bradley_terry.likelihood import solve
    from harness.ratings.bradley_terry.one_sided import OneSided

    edges = _edges(data)
    components = connected(edges)
    if len(components) > 1:
        raise UnconnectedError(components)
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
        seats={key: ELO_PER_LOGIT * value for key, value in solution.advantages.items()},
        _strengths=strengths,
        _covariance=_named(bots, solution.covariance.tolist()),
        _naive=_named(bots, solution.naive.tolist()),
        _unknown=_named(bots, solution.unknown.tolist()),
        _one_sided=OneSided(
            data, groups=groups, basis=basis, strengths=strengths, advantages=solution.advantages, edges=edges
        ),
    )


def _edges(data: Observations) -> Edges:
    """Return by bot the opponents to whom it did not always lose. A bot on both sides of a pair cancels out."""
    met = {(pair.bots, pair.other_bots, pair.outcome) for _, pair in data.patterns}
    return edges_of(
        (bot, other, outcome)
        for bots, others, outcome in met
        for bot in Counter(bots) - Counter(others)
        for other in Counter(others) - Counter(bots)
    )


def _basis(groups: list[list[str]], anchor: str) -> list[str]:
    """Return the group with finite ratings: the anchor's, unless it is alone and another group is not."""
    if not groups:
        return []
    largest = max(groups, key=len)
    home = next((group for group in groups if anchor in group), largest)
    return home if len(home) > 1 or len(largest) == 1 else largest


def _within(groups: list[list[str]], bots: set[str]) -> bool:
    return any(bots <= set(group) for group in groups)


def _named(bots: tuple[str, ...], matrix: list[list[float]]) -> dict[str, dict[str, float]]:
    return {bot: dict(zip(bots, row, strict=True)) for bot, row in zip(bots, matrix, strict=True)}
