"""The rating of record, fitted to all results in any order (ratings.md, Ratings kept, 2).

Strengths and seat advantages maximise a penalised composite likelihood of all rated pairs. Errors are clustered by
deal set. Every display refits from the stored results. The functions, not the module, import numpy, so that commands
without ratings start fast.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.bradley_terry.connectivity import connections
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bowerbird.harness.ratings.bradley_terry.contrasts import Contrasts, Errors
    from bowerbird.harness.ratings.bradley_terry.observations import Observations, SeatKey
    from bowerbird.harness.ratings.bradley_terry.separation import Separation
    from bowerbird.harness.ratings.games import Floats, Ints

ANCHOR = "random"
NO_ANCHORS: Mapping[str, float] = MappingProxyType({})
PENALTY = 1e-6
"""lambda: makes the maximum unique, and moves every rating by less than a tenth of a point."""

SEAT_PENALTY = 1.0
"""lambda of the seat advantages: a prior spread of one logit. Rotation keeps them out of the bots' ratings."""

_LARGEST = 1e9


@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings of record and all their differences, in Elo.

    `bots` are those with a rated pair, sorted. `groups` partition the bots: between two groups all results point the
    same way, so an interval has only one finite end. `basis` is the group whose intervals have two finite ends.
    `anchor` is the bot with the fixed rating `anchor_rating`; "" if the mean of `basis` is 0 instead, or if the mean of
    several `anchors` stands at `anchor_rating`, the mean of their given ratings. `sets` is the number of deal sets by
    bot. `seats` is the advantage of each seat in Elo, by (variant, seats, seat).
    """

    bots: tuple[str, ...]
    anchor: str
    anchor_rating: float
    basis: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    sets: Mapping[str, int]
    seats: Mapping[SeatKey, float]
    _place: Mapping[str, int] = field(repr=False)
    _contrasts: Contrasts = field(repr=False)
    _separation: Separation = field(repr=False)
    _middle: Floats = field(repr=False)
    """The weights by place of the mean that is fixed at `anchor_rating`."""
    _group: Ints = field(repr=False)
    """The number of the group by place."""
    _in_basis: NDArray[np.bool_] = field(repr=False)
    """For each place, whether the bot is in `basis`."""
    anchors: Mapping[str, float] = field(default_factory=dict)
    """The given ratings of the bots that set the scale; {} if the mean of `basis` is 0."""

    def rating(self, bot: str) -> Estimate:
        """Return the rating of a bot, with its error relative to the anchor. Raises RatingError for an unrated bot."""
        return self._against(bot, self._middle, next(iter(self.anchors or self.basis), bot), self.anchor_rating)

    def against(self, bot: str, zero: Mapping[str, float], start: float = 0.0) -> Estimate:
        """Return the rating of a bot on the scale on which a weighted mean of bots of the basis stands at `start`.

        `zero` holds the weights by bot. Raises RatingError for an unrated bot.
        """
        return self._against(bot, self._shares(zero), next(iter(zero)), start)

    def _against(self, bot: str, middle: Floats, one: str, start: float) -> Estimate:
        """Return the rating of a bot relative to a mean that includes the bot `one`."""
        shares = self._shares({bot: 1.0}) - middle
        if self._in_basis[self._place[bot]]:
            return self._contrasts.against(self._place[bot], middle, start)
        return self._one_sided(shares, self._side(bot, one), start)

    def difference(self, bot: str, other: str) -> Estimate:
        """Return how much stronger `bot` is than `other`. Raises RatingError for an unrated bot."""
        shares = self._shares({bot: 1.0}) - self._shares({other: 1.0})
        if self._group[self._place[bot]] == self._group[self._place[other]]:
            return self._contrasts.pair(self._place[bot], self._place[other])
        side = self._side(bot, other)
        found = self._one_sided(shares, side, 0.0)
        if not side:
            return found
        above, below = (bot, other) if side > 0 else (other, bot)
        doubt = self._separation.doubt(self._place[above], self._place[below])
        return Estimate(found.value, found.se, side=side, bound=found.bound, doubt=doubt)

    def values(self) -> Floats:
        """Return the ratings by place in `bots`."""
        return self._contrasts.values() - self._contrasts.value(self._middle) + self.anchor_rating

    @property
    def unknown_bounds(self) -> int:
        """How many bounds of perfect scores could not be found so far; their intervals are open."""
        return self._separation.failures

    def p_values(self) -> Floats:
        """Return the p-values of the differences of all pairs of bots, a matrix by their places in `bots`."""
        import numpy as np

        from bowerbird.harness.ratings.estimate import p_values_of_pairs

        values, errors = self.values(), self._contrasts.pairs()
        found = p_values_of_pairs(values, errors.se, errors.dof, errors.set_se)
        found[self._apart()] = 1.0
        for one, other in np.argwhere((self._separation.sides() > 0) & (values[:, None] > values)).tolist():
            doubt = min(1.0, 2 * self._separation.doubt(one, other))
            found[one, other] = found[other, one] = doubt
        return found

    def errors(self) -> Errors:
        """Return the errors of the differences of all pairs of bots, matrices by their places in `bots`.

        They are infinite between two groups, where an interval has only one finite end (`difference`).
        """
        import numpy as np

        from bowerbird.harness.ratings.bradley_terry.contrasts import Errors

        found, apart = self._contrasts.pairs(), self._apart()
        return Errors(np.where(apart, np.inf, found.se), found.dof, np.where(apart, np.inf, found.set_se))

    def _apart(self) -> NDArray[np.bool_]:
        """Return for each pair of bots whether they are in different groups."""
        apart: NDArray[np.bool_] = self._group[:, None] != self._group
        return apart

    def _side(self, bot: str, other: str) -> int:
        return int(self._separation.sides()[self._place[bot], self._place[other]])

    def _one_sided(self, shares: Floats, side: int, start: float) -> Estimate:
        """Return a contrast between bots of two groups: the value, and an interval with one finite end."""
        import math

        from bowerbird.harness.ratings.bradley_terry.contrasts import ELO_PER_LOGIT
        from bowerbird.harness.ratings.estimate import LEVEL, quantile

        value = self._contrasts.value(shares)
        bound = self._separation.bound(shares, side) if side else None
        if bound is None:
            return Estimate(start + value, math.inf, side=side)
        end = ELO_PER_LOGIT * bound
        return Estimate(start + value, abs(value - end) / quantile(LEVEL, None), side=side, bound=start + end)

    def _shares(self, weights: Mapping[str, float]) -> Floats:
        """Return weights by bot as an array by place. Raises RatingError for an unrated bot."""
        return _shares(self._place, weights)


def _shares(place: Mapping[str, int], weights: Mapping[str, float]) -> Floats:
    """Return weights by bot as an array by place. Raises RatingError for an unrated bot."""
    import numpy as np

    shares = np.zeros(len(place))
    for bot, weight in weights.items():
        if bot not in place:
            raise RatingError(f"bot {bot!r} has no rated game; rated are {', '.join(place) or 'none'}")
        shares[place[bot]] += weight
    return shares


def fit(
    results: Iterable[GameResult],
    *,
    anchor: str = ANCHOR,
    anchor_rating: float = 0.0,
    anchors: Mapping[str, float] = NO_ANCHORS,
    penalty: float = PENALTY,
    seat_penalty: float = SEAT_PENALTY,
    complete_only: bool = True,
    reduce_bias: bool = True,
) -> Fit:
    """Fit the ratings to all results, each game once.

    anchor: the bot fixed at `anchor_rating`. If it did not play, or won or lost everything while other bots have
        two-sided intervals, the mean of the largest group is 0 instead.
    anchors: several such bots with given ratings, instead of `anchor`; their mean is fixed at the mean of these
        ratings.
    penalty, seat_penalty: the penalties of squared strengths and seat advantages, in logits.
    complete_only: leave incomplete deal sets out; they favour bots that had better seats.
    reduce_bias: correct the bias of few deal sets (`maximum`). Without it gaps are overstated, and there is no maximum
        after a perfect score.

    Without a rated game the fit has no bots. Raises UnconnectedError if groups of bots never met, RatingError if
    results contradict each other or have no maximum.
    """
    from bowerbird.harness.ratings.bradley_terry.observations import observe
    from bowerbird.harness.ratings.games import complete_sets, distinct_games

    return fit_observations(
        observe(complete_sets(results) if complete_only else distinct_games(results)),
        anchor=anchor,
        anchor_rating=anchor_rating,
        anchors=anchors,
        penalty=penalty,
        seat_penalty=seat_penalty,
        reduce_bias=reduce_bias,
    )


def fit_observations(
    data: Observations,
    *,
    anchor: str = ANCHOR,
    anchor_rating: float = 0.0,
    anchors: Mapping[str, float] = NO_ANCHORS,
    penalty: float = PENALTY,
    seat_penalty: float = SEAT_PENALTY,
    reduce_bias: bool = True,
) -> Fit:
    """Fit the ratings to observed pairs. Parameters and errors are the same as for `fit`."""
    import numpy as np

    from bowerbird.harness.ratings.bradley_terry.contrasts import ELO_PER_LOGIT, Contrasts
    from bowerbird.harness.ratings.bradley_terry.likelihood import solve
    from bowerbird.harness.ratings.bradley_terry.linking import Linking
    from bowerbird.harness.ratings.bradley_terry.separation import Separation

    given = dict(anchors) or {anchor: anchor_rating}
    for rating in given.values():
        _check("anchor rating", rating, -_LARGEST)
    _check("penalty", penalty, 0.0)
    _check("seat penalty", seat_penalty, 0.0)
    bots, found = data.bots, connections(data.bots, _unbeaten(data))
    place = {bot: number for number, bot in enumerate(bots)}
    groups: list[list[str]] = [[] for _ in range(found.groups)]
    for bot, number in zip(bots, found.group.tolist(), strict=True):
        groups[number].append(bot)
    if not reduce_bias and len(groups) > 1:
        raise RatingError("some results all point the same way, so without the correction of bias there is no maximum")
    basis = _basis(groups, given)
    fixed = {bot: rating for bot, rating in given.items() if bot in basis}
    reference = next(iter(fixed), basis[0] if basis else "")
    solution = solve(data, reference, penalty=penalty, seat_penalty=seat_penalty, reduce_bias=reduce_bias)
    fitted = solution.fitted
    middle = [*fixed] or basis
    return Fit(
        bots=bots,
        anchor=reference if len(fixed) == 1 else "",
        anchor_rating=sum(fixed.values()) / max(1, len(fixed)),
        anchors=fixed,
        basis=tuple(basis),
        groups=tuple(tuple(group) for group in groups),
        sets=data.sets_of(),
        seats={key: ELO_PER_LOGIT * value for key, value in solution.advantages.items()},
        _place=place,
        _contrasts=Contrasts(solution, Linking(solution)),
        _separation=Separation(fitted, found),
        _middle=_shares(place, dict.fromkeys(middle, 1 / max(1, len(middle)))),
        _group=found.group,
        _in_basis=np.isin(bots, basis),
    )


def _check(what: str, number: object, least: float) -> None:
    """Raise RatingError unless a number lies between `least` and _LARGEST."""
    if not isinstance(number, int | float) or not least <= number <= _LARGEST:  # false for NaN, too
        raise RatingError(f"the {what} is not a number between {least:g} and {_LARGEST:g}")


def _unbeaten(data: Observations) -> tuple[Ints, Ints]:
    """Return the places of bots, and of opponents to which they did not always lose.

    A bot on both sides of a pair cancels out.
    """
    import numpy as np

    edges: list[tuple[Ints, Ints]] = []
    for patterns in data.patterns:
        won, lost, counting = patterns.outcome > 0, patterns.outcome < 1, patterns.counting
        size = len(patterns.form.seats)
        for one, other in product(range(size), range(size, counting.shape[1])):
            both = counting[:, one] & counting[:, other]
            edges.append((patterns.seated[won & both, one], patterns.seated[won & both, other]))
            edges.append((patterns.seated[lost & both, other], patterns.seated[lost & both, one]))
    none: Ints = np.zeros(0, dtype=np.int64)
    ones, others = (np.concatenate([none, *part]) for part in zip(*edges, strict=True)) if edges else (none, none)
    return ones, others


def _basis(groups: list[list[str]], anchors: Collection[str]) -> list[str]:
    """Return the group with two-sided intervals: it has most anchors, but is a single bot only if all groups are."""
    if not groups:
        return []
    largest = max(groups, key=len)
    home = max(groups, key=lambda group: sum(bot in anchors for bot in group))
    if not any(bot in anchors for bot in home):
        home = largest
    return home if len(home) > 1 or len(largest) == 1 else largest
