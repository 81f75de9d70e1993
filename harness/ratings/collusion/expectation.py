"""The prediction from all other results for a meeting of two bots, with its error: the arithmetic of `collusion`.

For every pair of bots, the ratings are fitted without the meetings of the two (all pairs at once). The prediction for
the two has three errors: that of those ratings, the luck of their own deal sets, and the spread of styles. The last
measures how far honest pairs deviate from the predictions of ratings, because one style can suit or beat another. It is
estimated from all other pairs, with a prior, so that a few pairs don't appear to have a spread of 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bowerbird.harness.ratings.bradley_terry.contrasts import ELO_PER_LOGIT
from bowerbird.harness.ratings.collusion.meetings import Meetings, Totals
from bowerbird.harness.ratings.distributions import below, beta_below
from bowerbird.harness.ratings.games import Bools, Floats, Ints
from bowerbird.harness.ratings.matrices import matrix_of, spans

if TYPE_CHECKING:
    from bowerbird.harness.ratings.matrices import Matrix

FEWEST_SETS = 8
"""A pair that met in fewer deal sets than this is not tested."""

STYLE = 50 / ELO_PER_LOGIT
"""The prior's expected spread of styles between honest pairs: a standard deviation, in logits."""

STYLE_PAIRS = 4.0
"""The prior weighs as much as this many pairs with exactly known results."""

ALIKE = 0.95
"""Two pairs whose deviations correlate more than this cannot be distinguished, so neither is tested."""

CAP = 2.5
"""For the spread of styles, a deviation counts as at most this many standard deviations."""

CAPPED_SQUARE = 0.97756
"""The mean square of a standard normal variable that is capped at CAP."""

ROUNDS = 5
STEPS = 60
CLOSE = 1e-7

WORTH_INTEGRATING = 1.0
"""Pairs within this many standard errors of the prediction get a p-value from the normal distribution."""

BLOCK = 1 << 22
"""The most numbers of a dense table to hold in memory at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Excess:
    """For each pair of bots, the first's result against the second, and the prediction from all other results (m each).

    observed, expected: shares of pairs, or points per deal.
    error: the standard error of their difference if nothing is wrong.
    dof: its degrees of freedom.
    above, below: the probabilities of a result this high and this low if nothing is wrong; 1 for a pair that is not
        tested.
    """

    observed: Floats
    expected: Floats
    error: Floats
    dof: Floats
    above: Floats
    below: Floats


def judged_pairs(meetings: Meetings, left_out: Bools) -> Bools:
    """Return True for each pair that can be tested (m).

    The pair needs FEWEST_SETS deal sets. Without its meetings, each of the two bots must be linked to the other through
    games that were not lost; otherwise the prediction has no finite interval. And no other pair may have the same
    deviation: with three bots, or two challengers in a gauntlet, nobody can tell which two are suspicious.

    left_out: True for each pair of sides whose meetings are ignored everywhere (c).
    """
    kept = ~left_out
    own = (meetings.opposed != 0) & kept
    entries = np.bincount(meetings.meeting, minlength=len(left_out))
    found = np.zeros(len(meetings.pairs), dtype=np.bool_)
    enough = np.flatnonzero(own @ entries >= FEWEST_SETS)
    if not len(enough):
        return found
    found[enough] = sets_of(meetings, left_out)[enough] >= FEWEST_SETS
    weight = _totals(meetings.meeting, meetings.won.weight, len(left_out)) * kept
    share = 0.5 + _ratio(_totals(meetings.meeting, meetings.won.value, len(left_out)), weight)
    found[found] = _linked(meetings, share, kept, own, np.flatnonzero(found))
    return found & ~_alike(meetings, found, weight)


def sets_of(meetings: Meetings, left_out: Bools) -> Ints:
    """Return, for each pair, the number of deal sets in which the two met (m)."""
    order = np.argsort(meetings.meeting, kind="stable")
    starts = np.searchsorted(meetings.meeting[order], np.arange(len(left_out) + 1))
    pair, place = np.nonzero((meetings.opposed != 0) & ~left_out)
    each, most = np.diff(starts)[place], int(meetings.cluster.max(initial=-1)) + 1
    met = np.unique(np.repeat(pair, each) * most + meetings.cluster[order][spans(starts[place], each)])
    return np.bincount(met // max(1, most), minlength=len(meetings.pairs))


def _linked(meetings: Meetings, share: Floats, kept: Bools, own: Bools, rows: Ints) -> Bools:
    """Return True for each pair of `rows` whose bots are linked to each other without their own meetings (k).

    share: for two sides, the share that the first won (c). own: for each pair and two sides, True if the pair meets
        there (m x c).
    """
    number = len(meetings.bots)
    pair, place = np.nonzero(meetings.opposed * kept)
    first, second = np.array(meetings.pairs, dtype=np.int64)[pair].T
    won = np.where(meetings.opposed[pair, place] > 0, share[place], 1 - share[place])
    unbeaten = np.zeros((len(kept), number, number))
    unbeaten[place, first, second] = won > 1e-9
    unbeaten[place, second, first] = won < 1 - 1e-9
    left = own[rows].astype(np.float64) @ unbeaten.reshape(len(kept), -1)
    reached = (unbeaten.sum(axis=0) - left.reshape(-1, number, number) > 0).astype(np.float32)
    reached += np.eye(number, dtype=np.float32)
    for _ in range(number.bit_length()):
        reached = (reached @ reached > 0).astype(np.float32)
    each = np.arange(len(rows))
    a, b = np.array(meetings.pairs, dtype=np.int64)[rows].T
    found: Bools = (reached[each, a, b] > 0) & (reached[each, b, a] > 0)
    return found


def _alike(meetings: Meetings, judged: Bools, weight: Floats) -> Bools:
    """Return True for each tested pair if another pair has the same deviation from all ratings, up to a factor (m).

    weight: the weight of the counted meetings of two sides (c). The results themselves play no part.
    """
    root = np.sqrt(weight)
    x = meetings.design * root[:, None]
    free = np.eye(len(x)) - x @ np.linalg.pinv(x.T @ x, rcond=1e-9, hermitian=True) @ x.T
    rows = meetings.opposed * root
    covariance = rows @ free @ rows.T
    own = np.diag(covariance)
    known = own > 1e-6 * (rows**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.abs(covariance) / np.sqrt(own[:, None] * own)
    correlation[~known] = 0.0
    correlation[:, ~known] = 0.0
    np.fill_diagonal(correlation, 0.0)
    found: Bools = judged & (~known | (correlation > ALIKE).any(axis=1))
    return found


def excess_of_shares(meetings: Meetings, left_out: Bools, judged: Bools) -> Excess:
    """Return the shares of pairs won, by pair of bots.

    The parameters are those of `judged_pairs`, and its result.

    The probability of a share is binomial, with as many games as match the spread of the deal sets. The logit of its
    parameter follows Student's t.
    """
    sums = _Sums.of(meetings, meetings.won, left_out)
    rows = np.flatnonzero(judged)
    own = (meetings.opposed[rows] != 0) & ~left_out
    kept = ~own & ~left_out & (sums.weight > 0)
    chance = _chances(meetings.design, sums.mean + 0.5, sums.weight, kept)
    share = sums.mean + 0.5
    noise = sums.noise(sums.weight * share * (1 - share))
    sign = meetings.opposed[rows].astype(np.float64)
    around = _around(_Models(meetings.design, sums, sign, kept, chance - 0.5, chance * (1 - chance), noise, STYLE))
    expected, observed = around.expected + 0.5, around.observed + 0.5
    own_noise = np.maximum(noise, around.own_noise(observed * (1 - observed)))
    games = around.weight / own_noise
    of_logit = around.error_of_expected(own_noise)
    above, below = _binomial_tails(observed * games, games, expected, np.sqrt(of_logit.variance), of_logit.dof)
    error = around.slope * np.sqrt(of_logit.variance + own_noise / (around.weight * around.slope))
    return _excess(meetings, rows, around, (observed, expected, error, of_logit.dof, above, below))


def excess_of_points(meetings: Meetings, left_out: Bools, judged: Bools) -> Excess:
    """Return the points per deal, by pair of bots. The parameters are the same as for `excess_of_shares`."""
    assert meetings.points is not None, "points have a unit"
    sums = _Sums.of(meetings, meetings.points, left_out)
    rows = np.flatnonzero(judged)
    own = (meetings.opposed[rows] != 0) & ~left_out
    kept = ~own & ~left_out & (sums.weight > 0)
    information = kept * sums.weight
    inverse = np.linalg.inv(_information(meetings.design, information))
    pull = (information * sums.mean) @ meetings.design
    predicted = np.einsum("kij,kj->ki", inverse, pull) @ meetings.design.T
    noise = sums.noise(sums.weight)
    style = STYLE / 2 * np.sqrt(noise / max(1e-300, float(np.median(sums.weight / np.maximum(1, sums.sets)))))
    sign = meetings.opposed[rows].astype(np.float64)
    around = _around(
        _Models(meetings.design, sums, sign, kept, predicted, np.ones_like(predicted), noise, float(style))
    )
    own_noise = np.maximum(noise, around.own_noise(np.ones(len(rows))))
    found = around.error_of_expected(own_noise)
    error = np.sqrt(found.variance + own_noise / around.weight)
    dof = np.minimum(found.dof, np.maximum(1, around.sets - 1))
    size = np.divide(around.observed - around.expected, error, out=np.zeros(len(rows)), where=error > 0)
    return _excess(
        meetings, rows, around, (around.observed, around.expected, error, dof, below(-size, dof), below(size, dof))
    )


def _excess(
    meetings: Meetings, rows: Ints, around: _Around, figures: tuple[Floats, Floats, Floats, Floats, Floats, Floats]
) -> Excess:
    """Return the figures of the tested pairs, the fields of an `Excess`, in the places of all pairs.

    A tail is at least the probability that this many deal sets end on its side of the prediction if each set does so
    with half the share of uneven sets of all pairs. A few sets that all end the same way therefore never produce
    certainty.
    """
    number, uneven = len(meetings.pairs), np.full(len(rows), around.uneven / 2)

    def spread(values: Floats, empty: float) -> Floats:
        found = np.full(number, empty)
        found[rows] = values
        return found

    observed, expected, error, dof, *tails = figures
    above, below = (
        np.maximum(tail, np.where(ended > 0, beta_below(uneven, np.maximum(1, ended), around.sets - ended + 1), 1.0))
        for tail, ended in zip(tails, (around.sets_above, around.sets_below), strict=True)
    )
    return Excess(
        observed=spread(observed, np.nan),
        expected=spread(expected, np.nan),
        error=spread(error, np.inf),
        dof=spread(dof, 0.0),
        above=spread(above, 1.0),
        below=spread(below, 1.0),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Totals by two sides (c) and by entry, without the ignored ones.

    mean: for each pair of sides, the value above an even result. spread: the clustered variance of the sum of values.
    sets: how many deal sets two sides have. uneven: the share of these sets, over all sides, in which one side did
        better.
    """

    mean: Floats
    weight: Floats
    spread: Floats
    sets: Floats
    uneven: float
    value_of: Matrix
    weight_of: Matrix
    """By deal set and two sides."""

    @classmethod
    def of(cls, meetings: Meetings, totals: Totals, left_out: Bools) -> _Sums:
        number = len(left_out)
        counts = ~left_out[meetings.meeting] & (totals.weight > 0)
        row, column = meetings.cluster[counts], meetings.meeting[counts]
        value, weight = totals.value[counts], totals.weight[counts]
        shape = (int(meetings.cluster.max(initial=-1)) + 1, number)
        total = _totals(column, weight, number)
        mean = _ratio(_totals(column, value, number), total)
        sets = _totals(column, np.ones(len(column)), number)
        squares = _totals(column, (value - mean[column] * weight) ** 2, number)
        return cls(
            mean=mean,
            weight=total,
            spread=squares * _ratio(sets, sets - 1),
            sets=sets,
            uneven=float((np.abs(value) > 1e-9 * weight).mean()) if len(value) else 1.0,
            value_of=matrix_of(row, column, value, shape),
            weight_of=matrix_of(row, column, weight, shape),
        )

    def noise(self, independent: Floats) -> float:
        """Return the variance of the sums as a multiple of that of `independent` games (c), over all sides."""
        several = self.sets > 1
        whole = float(independent[several].sum())
        return max(1e-9, float(self.spread[several].sum()) / whole) if whole > 0 else 1.0


class _Error(NamedTuple):
    """The variance of the prediction, in logits or points, and its degrees of freedom (k each)."""

    variance: Floats
    dof: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """The k tested pairs, each with the fit without its meetings.

    observed, expected: means above an even result. slope: how much the expected mean grows with the logit.
    weight: the weight of their meetings. sets, sets_above, sets_below: numbers of deal sets, and of those above and
        below the prediction. of_fit, of_style: the variances of the prediction from the errors of the fit and from
        styles.
    dof_of_fit, dof_of_style: their degrees of freedom. alone: the clustered variance of the observed logit. against:
        how much more the difference of the two varies than both do separately, where deal sets link them.
    spread: the clustered variance of the sum of own values. uneven: as in `_Sums`.
    """

    observed: Floats
    expected: Floats
    slope: Floats
    weight: Floats
    sets: Floats
    sets_above: Floats
    sets_below: Floats
    of_fit: Floats
    of_style: Floats
    dof_of_fit: Floats
    dof_of_style: Floats
    alone: Floats
    against: Floats
    spread: Floats
    uneven: float

    def own_noise(self, slope: Floats) -> Floats:
        """Return the variance of the pair's own sum as a multiple of that of independent games with this slope (k)."""
        return _ratio(self.spread, self.weight * slope)

    def error_of_expected(self, own_noise: Floats) -> _Error:
        """Return the error of the prediction, without the luck of the own deal sets, whose variance is `own_noise`.

        It includes the covariance of the pair's own results with those of others, scaled to the variance that the
        pair's results would have if they were as predicted.
        """
        luck = own_noise / (self.weight * self.slope)
        as_expected = np.sqrt(np.minimum(1.0, _ratio(luck, self.alone)))
        fit = self.of_fit + np.maximum(0.0, self.against * as_expected)
        variance = fit + self.of_style
        dof = variance**2 / (fit**2 / self.dof_of_fit + self.of_style**2 / self.dof_of_style)
        return _Error(variance, dof)


@dataclass(frozen=True, slots=True, eq=False)
class _Models:
    """Fits without the meetings of each of k judged pairs.

    x: the design (c x n). sign: for each pair and two sides, the side of the first bot, 0 if the two do not meet there
        (k x c). kept: True where the fit counts these sides (k x c). predicted: the fit's prediction above an even
        result.
    slopes: how much it grows with the logit (k x c). noise: as `_Sums.noise`. prior: the expected spread of styles, in
        logits or points.
    """

    x: Floats
    sums: _Sums
    sign: Floats
    kept: Bools
    predicted: Floats
    slopes: Floats
    noise: float
    prior: float


class _Own(NamedTuple):
    """The meetings of each tested pair: their weight, slope, and means above an even result (k each)."""

    weight: Floats
    slope: Floats
    observed: Floats
    expected: Floats


def _around(models: _Models) -> _Around:
    """Return the tested pairs with the predictions of their fits."""
    x, sums, slopes = models.x, models.sums, models.slopes
    signed = models.sign * (sums.weight * ~models.kept)
    weight: Floats = np.abs(signed).sum(axis=1)
    slope = _ratio((np.abs(signed) * slopes).sum(axis=1), weight)
    observed = _ratio(signed @ sums.mean, weight)
    own = _Own(weight, slope, observed, _ratio((signed * models.predicted).sum(axis=1), weight))
    leaning = signed * slopes / (weight * slope)[:, None]
    information = models.kept * sums.weight * slopes
    inverse: Floats = np.linalg.inv(_information(x, information)).astype(np.float64)
    # For each pair and two sides, the change of the prediction for one more unit of value, in logits (k x c).
    line = np.einsum("ki,kij->kj", leaning @ x, inverse) @ x.T
    style, dof_of_style = _style(models, information, inverse)
    moved = (line * information) ** 2
    of_model = models.noise * (line**2 * information).sum(axis=1)
    found = _by_set(models, own, line * models.kept)
    with np.errstate(divide="ignore", invalid="ignore"):
        clustered = np.where(found.behind > 1, found.of_fit * found.behind / (found.behind - 1), np.inf)
    return _Around(
        observed=own.observed,
        expected=own.expected,
        slope=slope,
        weight=weight,
        sets=found.sets,
        sets_above=found.above,
        sets_below=found.below,
        of_fit=np.maximum(of_model, clustered),
        of_style=style * ((leaning**2).sum(axis=1) + moved.sum(axis=1)),
        dof_of_fit=np.maximum(1.0, found.behind - 1),
        dof_of_style=dof_of_style,
        alone=found.own / (weight * slope) ** 2,
        against=found.both - found.of_fit - found.own / (weight * slope) ** 2,
        spread=found.own * _ratio(found.sets, found.sets - 1),
        uneven=sums.uneven,
    )


class _BySet(NamedTuple):
    """Sums over deal sets by tested pair (k each).

    of_fit, both, own: squares of a set's contributions to the expected logit, to observed minus expected, and to the
        pair's own sum.
    sets, above, below: numbers of sets, and of those above and below the prediction.
    behind: the effective number of sets behind the expectation.
    """

    of_fit: Floats
    both: Floats
    own: Floats
    sets: Floats
    above: Floats
    below: Floats
    behind: Floats


def _by_set(models: _Models, own: _Own, line: Floats) -> _BySet:
    """Return the sums over deal sets. `line` is the change of the prediction for one more unit of value (k x c)."""
    totals = np.zeros((8, len(line)))
    met, counted = models.sign * ~models.kept, np.abs(models.sign) * ~models.kept
    for value_of, weight_of in _blocks(models.sums, len(line)):
        of_fit = value_of @ line.T - weight_of @ (line * models.predicted).T
        value, weight = value_of @ met.T, weight_of @ counted.T
        from_own = value - weight * own.observed
        beyond, size = value - weight * own.expected, 1e-9 * weight
        behind = weight_of @ (line**2 * models.slopes).T
        totals[0] += (of_fit**2).sum(axis=0)
        totals[1] += ((from_own / (own.weight * own.slope) - of_fit) ** 2).sum(axis=0)
        totals[2] += (from_own**2).sum(axis=0)
        totals[3] += (weight > 0).sum(axis=0)
        totals[4] += (beyond > size).sum(axis=0)
        totals[5] += (beyond < -size).sum(axis=0)
        totals[6] += behind.sum(axis=0)
        totals[7] += (behind**2).sum(axis=0)
    return _BySet(totals[0], totals[1], totals[2], totals[3], totals[4], totals[5], _ratio(totals[6] ** 2, totals[7]))


def _blocks(sums: _Sums, columns: int) -> Iterator[tuple[Matrix, Matrix]]:
    """Yield values and weights for blocks of deal sets."""
    height = max(1, BLOCK // max(1, columns))
    for start in range(0, sums.value_of.shape[0], height):
        yield sums.value_of[start : start + height], sums.weight_of[start : start + height]


def _style(models: _Models, information: Floats, inverse: Floats) -> tuple[Floats, Floats]:
    """Return, for each tested pair, the variance of styles, in logits or points, and its degrees of freedom (k each).

    The deviations of other pairs from the fit vary because of luck and because of styles. A deviation is capped at CAP
    standard deviations, so that two colluding bots cannot hide two others.

    information: the information of two sides in the fits (k x c). inverse: the inverse of the information of the
        ratings (k x n x n).
    """
    x, noise, prior = models.x, models.noise, models.prior
    deviation = np.where(models.kept, (models.sums.mean - models.predicted) / models.slopes, 0.0)
    counts = information > 0
    with np.errstate(divide="ignore"):
        luck = np.where(counts, noise / information, 0.0)
    weight = np.where(counts, 1 / (luck + prior**2), 0.0)
    leverage = _quadratic(inverse, x)
    share = leverage * information
    each = weight * (1 - 2 * share) + information**2 * _quadratic(_wrapped(inverse, x, weight), x)
    by_luck, by_style = (each * luck).sum(axis=1), each.sum(axis=1)
    pairs, squares = counts.sum(axis=1).astype(np.float64), deviation**2
    free = pairs - (x.shape[1] - 1)
    usable = (free > 0) & (by_style > 1e-9 * weight.sum(axis=1))
    found = np.maximum(0.0, _ratio((weight * squares).sum(axis=1) - by_luck, by_style))
    for _ in range(ROUNDS):
        variance = np.where(counts, luck + found[:, None], 0.0)
        usual = variance * (1 - 2 * share) + _quadratic(_wrapped(inverse, x, information**2 * variance), x)
        cut = np.minimum(squares, CAP**2 * np.maximum(usual, 0.0)) / CAPPED_SQUARE
        found = np.maximum(0.0, _ratio((weight * cut).sum(axis=1) - by_luck, by_style))
    found = np.where(usable, found, 0.0)
    scale = np.maximum(found, prior**2)
    doubt = ((each * np.where(counts, luck + scale[:, None], 0.0)) ** 2).sum(axis=1) * _ratio(pairs, free)
    known = np.where(usable, _ratio((scale * by_style) ** 2, doubt), 0.0)
    dof = STYLE_PAIRS + known
    return (STYLE_PAIRS * prior**2 + known * found) / dof, dof


def _wrapped(inverse: Floats, x: Floats, weight: Floats) -> Floats:
    """Return A X' diag(w) X A for each tested pair, with A the inverse (k x n x n)."""
    found: Floats = inverse @ _squared(x, weight) @ inverse
    return found


def _squared(x: Floats, weight: Floats) -> Floats:
    """Return X' diag(w) X for each row of weights (k x n x n)."""
    number = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    found: Floats = (weight @ products).reshape(-1, number, number)
    return found


def _information(x: Floats, weight: Floats) -> Floats:
    """Return X' diag(w) X, made regular along equal shifts of all strengths, on which no result depends."""
    found: Floats = _squared(x, weight)
    scale = np.trace(found, axis1=1, axis2=2) / x.shape[1] + 1e-9
    number = x.shape[1]
    regular: Floats = found + scale[:, None, None] / number + 1e-9 * scale[:, None, None] * np.eye(number)
    return regular


def _quadratic(matrices: Floats, x: Floats) -> Floats:
    """Return x' M x for each matrix M and row x of X (k x c)."""
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    found: Floats = matrices.reshape(len(matrices), -1) @ products.T
    return found


def _chances(x: Floats, share: Floats, weight: Floats, kept: Bools) -> Floats:
    """Return, for each tested pair, the first sides' probabilities, from the ratings without its meetings (k x c).

    These ratings maximise the likelihood with Firth's correction, as the ratings of record do.
    """
    beta = np.zeros((len(kept), x.shape[1]))
    counts = kept * weight
    for _ in range(STEPS):
        chance = _sigmoid(beta @ x.T)
        spread = counts * chance * (1 - chance)
        inverse: Floats = np.linalg.inv(_information(x, spread)).astype(np.float64)
        leverage = spread * _quadratic(inverse, x)
        pull = counts * (share - chance) + leverage * (0.5 - chance)
        matrix = _information(x, spread + leverage * chance * (1 - chance))
        step = np.linalg.solve(matrix, (pull @ x)[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1, initial=0.0)
        beta += step * np.minimum(1.0, 1 / np.maximum(size, 1e-12))[:, None]
        if size.max(initial=0.0) < CLOSE:
            break
    found: Floats = np.clip(_sigmoid(beta @ x.T), 1e-9, 1 - 1e-9)
    return found


def _binomial_tails(won: Floats, games: Floats, chance: Floats, error: Floats, dof: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of winning at least, and at most, `won` of `games` (k each).

    The logit of the probability follows Student's t around that of `chance`, with a standard error. Numbers of games
    need not be whole.
    """
    centre = np.log(chance) - np.log1p(-chance)
    z = (won / games - chance) / np.sqrt(chance * (1 - chance) / games + (error * chance * (1 - chance)) ** 2)
    above, under = below(-z, np.inf), below(z, np.inf)
    near = np.abs(z) < WORTH_INTEGRATING
    if near.all():
        return above, under
    far = ~near
    step = np.linspace(-9.0, 9.0, 501)
    t = np.sinh(step)
    v = dof[far, None]
    density = np.exp(-(v + 1) / 2 * np.log1p(t**2 / v)) * np.cosh(step)
    mass = density / density.sum(axis=1, keepdims=True)
    p = _sigmoid(centre[far, None] + error[far, None] * t)
    n, x = games[far, None], won[far, None]
    above[far] = np.where(won[far] > 1e-9, (mass * beta_below(p, np.maximum(x, 1e-9), n - x + 1)).sum(axis=1), 1.0)
    lost = games[far] - won[far]
    under[far] = np.where(lost > 1e-9, (mass * beta_below(1 - p, np.maximum(n - x, 1e-9), x + 1)).sum(axis=1), 1.0)
    return above, under


def _sigmoid(d: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(d, -30.0, 30.0)))
    return found


def _totals(places: Ints, values: Floats, number: int) -> Floats:
    """Return, for each place below `number`, the sum of its values."""
    return np.bincount(places, values, number).astype(np.float64)


def _ratio(values: Floats, over: Floats) -> Floats:
    """Return values / over; 0 where `over` is 0."""
    values, over = np.broadcast_arrays(np.asarray(values, dtype=np.float64), np.asarray(over, dtype=np.float64))
    return np.divide(values, over, out=np.zeros(values.shape), where=over != 0)
