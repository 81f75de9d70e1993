"""Points per deal, with clustered errors (ratings.md, Ratings kept, 3) and exact differences, set by set.

In a run of single deals (`unit = "deals"`) a bot's points above its table's mean carry more information than wins. The
games of a deal set share their cards, so a set, over all line-ups that play its packs, is one observation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from bowerbird.engine import rules_of
from bowerbird.harness.ratings.estimate import Estimate, p_values_of_pairs
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import SetKey

if TYPE_CHECKING:
    from bowerbird.harness.ratings.clustered_ratios import ClusteredRatios
    from bowerbird.harness.ratings.games import Floats, Games, Ints

COIN_FLIPS = 10
"""With up to this many differing deal sets, a difference is no more certain than as many coin flips that all agree.
"""


@dataclass(frozen=True, slots=True)
class Points:
    """A bot's mean points above its table's mean, in points per deal, in the variant's better direction.

    The error of `estimate` is clustered by deal set. With one set it is infinite; it is never smaller than if one more
    set had ended level. `sets` is the number of deal sets.
    """

    variant: str
    bot: str
    estimate: Estimate
    sets: int

    @property
    def mean(self) -> float:
        """The points per deal above the table's mean."""
        return self.estimate.value

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None with fewer than two sets."""
        return self.estimate.se if math.isfinite(self.estimate.se) else None


@dataclass(frozen=True, slots=True, eq=False)
class PointsFit:
    """The points of all bots in one variant, and all their differences.

    `bots` are the bots with a rated game, sorted. `rows` are the points by bot. A difference compares two means of
    points above the table's mean, set by set where both played. It is therefore exactly 0 between two deterministic
    copies.
    """

    bots: tuple[str, ...]
    rows: Mapping[str, Points]
    _values: Floats = field(repr=False)
    _errors: Floats = field(repr=False)
    _dof: Floats = field(repr=False)

    def difference(self, bot: str, other: str) -> Estimate:
        """Return the lead of `bot` over `other` in points per deal. Raises RatingError for an unrated bot.

        The error is infinite if either of them played only one deal set. After k deal sets that differ (up to
        `COIN_FLIPS`), the p-value is at least 2 * 2^-k, and the error is never smaller than if one more set had ended
        level, because a few sets that all end the same way prove little.
        """
        one, two = self._place(bot), self._place(other)
        if one == two:
            return Estimate(0.0, 0.0)
        value, error = float(self._values[one] - self._values[two]), float(self._errors[one, two])
        return Estimate(value, error, float(self._dof[one, two]) if math.isfinite(error) else None)

    def values(self) -> Floats:
        """Return the points per deal by bot, in the order of `bots`."""
        return self._values.copy()

    def p_values(self) -> Floats:
        """Return the two-sided p-values of all differences by bot and bot (n x n), 1 for a bot with itself."""
        return p_values_of_pairs(self._values, self._errors, self._dof)

    def _place(self, bot: str) -> int:
        if bot not in self.rows:
            raise RatingError(f"bot {bot!r} has no rated game; rated are {', '.join(self.bots) or 'none'}")
        return self.bots.index(bot)


def set_differences(results: Iterable[GameResult]) -> dict[SetKey, dict[str, Fraction]]:
    """Return the exact mean of each bot's points above the table's mean, by deal set and bot. Positive is better.

    Two copies of a deterministic bot get 0 in every set.
    """
    import numpy as np

    from bowerbird.harness.ratings.games import Games

    games = Games(result for result in results if result.rated)
    if not games:
        return {}
    scale, sets = _scale(games), dict[SetKey, int]()
    numbers = np.array([sets.setdefault(game.id.set_key, len(sets)) for game in games])
    keys, each = list(sets), dict[SetKey, dict[str, list[int]]]()
    game, values = _seat_values(games, scale, numbers)
    for number, bot, value in zip(numbers[game].tolist(), games.seated.tolist(), values.tolist(), strict=True):
        each.setdefault(keys[number], {}).setdefault(games.bots[bot], []).append(value)
    return {
        key: {bot: Fraction(sum(values), scale * len(values)) for bot, values in of_bots.items()}
        for key, of_bots in each.items()
    }


def points(results: Iterable[GameResult]) -> tuple[Points, ...]:
    """Return the points of every bot in every variant, sorted by variant and bot."""
    variants: dict[str, list[GameResult]] = {}
    for result in results:
        variants.setdefault(result.variant, []).append(result)
    fits = [points_fit(games) for _, games in sorted(variants.items())]
    return tuple(found.rows[bot] for found in fits for bot in found.bots)


def points_fit(games: Iterable[GameResult]) -> PointsFit:
    """Return the points of all bots in games of one variant, with all differences.

    Every game counts, even in incomplete deal sets. If there is no rated game, the result has no bots. Raises
    RatingError for games of several variants, which have no common unit.
    """
    import numpy as np

    from bowerbird.harness.ratings.clustered_ratios import clustered_ratios
    from bowerbird.harness.ratings.games import as_games

    games = as_games(games)
    rated = games.kept(np.array([game.rated for game in games], dtype=bool))
    if len(variants := {game.variant for game in rated}) > 1:
        raise RatingError(f"points of several variants have no common unit: {', '.join(sorted(variants))}")
    if not rated:
        return PointsFit((), {}, np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
    scale = _scale(rated)
    game, values = _seat_values(rated, scale, rated.deal_sets)
    bots = rated.bots
    cells, cell = np.unique(rated.clusters[game] * len(bots) + rated.seated, return_inverse=True)
    row, column = cells // len(bots), cells % len(bots)
    total = np.bincount(cell, values).astype(np.float64)
    deals = np.bincount(cell, np.array([max(1, one.hands) for one in rated])[game]).astype(np.float64)
    found = clustered_ratios(row, column, total, deals * scale)
    differing = np.bincount(column[total != 0], minlength=len(bots))
    errors = np.maximum(np.sqrt(np.diag(found.covariance)), np.abs(found.values) / (differing + 1))
    by_bot = zip(bots, found.values.tolist(), errors.tolist(), found.dof().tolist(), found.sets.tolist(), strict=True)
    variant = variants.pop()
    rows = {
        bot: Points(variant, bot, Estimate(mean, error, dof) if dof > 0 else Estimate(mean, math.inf), sets)
        for bot, mean, error, dof, sets in by_bot
    }
    shared, alike = _sets_shared(row, column, total / deals)
    return PointsFit(tuple(bots), rows, found.values, *_errors_of_differences(found, shared, alike))


def _errors_of_differences(found: ClusteredRatios, shared: Floats, alike: Floats) -> tuple[Floats, Floats]:
    """Return the standard errors and the degrees of freedom of all differences (n x n).

    shared: number of deal sets in which both bots played (n x n).
    alike: number of these sets in which both had the same points per deal.
    """
    import numpy as np

    from bowerbird.harness.ratings.distributions import quantiles

    gaps = np.abs(found.values[:, None] - found.values[None, :])
    dof = found.dof_of_differences()
    differing = shared - alike
    alone = found.sets[:, None] - shared
    errors = np.maximum(np.sqrt(found.variances_of_differences()), gaps / (differing + alone + alone.T + 1))
    few = (differing <= COIN_FLIPS) & (gaps > 0) & (dof > 0)
    # The smaller p-value of two tests: a sign test over the sets of both, and a permutation test over the sets of one
    # alone.
    one, other = alone[few].astype(int), alone.T[few].astype(int)
    log_factorials = np.append(0.0, np.log(np.arange(1, 1 + (one + other).max(initial=0))).cumsum())
    splits = log_factorials[one + other] - log_factorials[one] - log_factorials[other]
    flips = differing[few] + splits / math.log(2)
    few[few] = flips <= COIN_FLIPS
    doubt = np.minimum(0.5, 0.5 ** flips[flips <= COIN_FLIPS])
    with np.errstate(divide="ignore"):
        errors[few] = np.maximum(errors[few], gaps[few] / quantiles(1 - doubt, dof[few]))
    errors[dof <= 0] = math.inf
    np.fill_diagonal(errors, 0.0)
    np.fill_diagonal(dof, math.inf)
    return errors, dof


def _sets_shared(rows: Ints, columns: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Return, for each pair of columns, how many rows have both, and how many have equal values in both (n x n)."""
    import numpy as np

    from bowerbird.harness.ratings.matrices import gram

    number, ones = int(columns.max()) + 1, np.ones(len(values))
    order = np.lexsort((values, rows))
    new = np.diff(rows[order], prepend=-1).astype(bool) | (np.diff(values[order], prepend=math.nan) != 0)
    kind = np.empty_like(rows)
    kind[order] = np.cumsum(new) - 1
    shared = gram(rows, columns, ones, (int(rows.max()) + 1, number))
    return shared, gram(kind, columns, ones, (int(kind.max()) + 1, number))


def _scale(games: Iterable[GameResult]) -> int:
    """Return a factor that makes all points above a table's mean whole numbers."""
    return math.lcm(*{len(game.bots) for game in games})


def _seat_values(games: Games, scale: int, sets: Ints) -> tuple[Ints, Ints]:
    """Return for each seat of each game the game's place, and its points above the table's mean, times `scale`, in the
    better direction; 0 in a game without a hand.

    The points are those above the table's mean, times `scale`, in the better direction; 0 in a game without a hand. An
    offender's side gets the worst value of the set (protocol.md, Faults at a table).

    sets: the number of each game's deal set, from 0.
    """
    import numpy as np

    seats = games.sizes
    starts = np.cumsum(seats) - seats
    game = np.repeat(np.arange(len(games)), seats)
    all_scores = chain.from_iterable(game.scores or (0,) * len(game.bots) for game in games)
    scores = np.fromiter(all_scores, np.int64, len(game))
    better = {variant: 1 if rules_of(variant).better == "high" else -1 for variant in {game.variant for game in games}}
    sign = np.array([better[game.variant] for game in games])
    mean = np.add.reduceat(scores, starts) * (scale // seats)
    value = sign[game] * (scores * scale - mean[game])
    worst = np.full(int(sets.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(worst, sets[game], value)
    for start, number, one in zip(starts.tolist(), sets.tolist(), games, strict=True):
        for offender in one.offenders:
            guilty = [start + seat for seat, side in enumerate(one.sides) if side == one.sides[offender]]
            value[guilty] = worst[number]
    return game, value
