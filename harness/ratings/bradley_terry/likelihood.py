"""The composite likelihood of the rating of record: its maximum and the clustered covariance there.

Formulas: ratings.md, Ratings kept, 2. All sums run in the order of the games' ids, without a library that splits sums
over threads, so that the same results give the same digits.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.ratings.bradley_terry.observations import Floats, Ints, Observations, SeatKey
from harness.ratings.pairs import Pair, RatingError

STEPS = 200
NULL = 1e-9
"""The results do not identify directions with less than this share of the largest information."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The maximum: strengths of the bots and seat advantages in logits, with the covariance of the strengths.

    The reference bots stand at 0. `covariance` is clustered by deal set; `naive` is H^-1, as if all pairs were
    independent. `unknown` projects on the directions of strengths that the results do not identify.
    """

    strengths: Floats
    advantages: dict[SeatKey, float]
    covariance: Floats
    naive: Floats
    unknown: Floats


def solve(
    data: Observations, bots: Sequence[str], references: Sequence[str], *, penalty: float, seat_penalty: float
) -> Solution:
    """Maximise the likelihood with the bots in `references` at 0. Raises RatingError if no maximum is found."""
    seats = sorted({key for variant, pair in data.patterns for key in _seat_keys(variant, pair)})
    free = np.array([column for column, bot in enumerate(bots) if bot not in references], dtype=np.int64)
    columns = np.concatenate([free, len(bots) + np.arange(len(seats))])
    penalties = np.concatenate([np.full(len(free), penalty), np.full(len(seats), seat_penalty)])
    outcome = np.array([pair.outcome for _, pair in data.patterns])
    weight = np.array([pair.weight for _, pair in data.patterns])
    each = data.count * data.sets[data.kind]
    total = np.bincount(data.pattern, weights=each, minlength=len(data.patterns)) * weight
    x = _design(data.patterns, bots, seats, columns)
    beta = _maximum(x, outcome, total, penalties)
    strengths, covariance = np.zeros(len(bots)), np.zeros((len(bots), len(bots)))
    naive, unknown = np.zeros_like(covariance), np.zeros_like(covariance)
    strengths[free] = beta[: len(free)]
    if len(free):
        chance = sigmoid(x.times(beta))
        information = x.squared(total * chance * (1 - chance))
        residual = ((outcome - chance) * weight)[data.pattern] * data.count
        scores = _scores(residual, data, x)
        grid = np.ix_(free, free)
        inverse = np.linalg.inv(information + np.diag(penalties)).astype(np.float64)
        naive[grid] = inverse[: len(free), : len(free)]
        covariance[grid] = _sandwich(inverse, scores, data.sets)[: len(free), : len(free)]
        unknown[grid] = _null_space(information, penalties, len(free))
    advantages = dict(zip(seats, beta[len(free) :].tolist(), strict=True))
    return Solution(strengths, advantages, covariance, naive, unknown)


def log_sigmoid(d: Floats) -> Floats:
    """Return log sigma(d), without overflow."""
    return -np.logaddexp(0.0, -d)


def sigmoid(d: Floats) -> Floats:
    """Return sigma(d)."""
    return np.exp(log_sigmoid(d))


def _seat_keys(variant: str, pair: Pair) -> list[SeatKey]:
    """Return the keys of all seats of a pair."""
    return [(variant, pair.players, seat) for seat in (*pair.seats, *pair.others)]


@dataclass(frozen=True, slots=True)
class Design:
    """The sparse design matrix: by pattern the coefficients of d, the mean of one side less the mean of the other.

    `row`, `column` and `value` are parallel, in the order of rows: rows are patterns, columns bots and seats. The cost
    of a pattern does not depend on the number of bots.
    """

    row: Ints
    column: Ints
    value: Floats
    rows: int
    columns: int

    def times(self, vector: Floats) -> Floats:
        """Return X v, of length `rows`."""
        return _sums(self.row, self.value * vector[self.column], self.rows)

    def back(self, vector: Floats) -> Floats:
        """Return X' v, of length `columns`."""
        return _sums(self.column, self.value * vector[self.row], self.columns)

    def squared(self, weights: Floats) -> Floats:
        """Return X' diag(weights) X."""
        each = np.bincount(self.row, minlength=self.rows)[self.row]
        left = np.repeat(np.arange(len(self.row)), each)
        first = np.searchsorted(self.row, self.row[left])
        right = first + np.arange(len(left)) - np.repeat(np.cumsum(each) - each, each)
        products = self.value[left] * self.value[right] * weights[self.row[left]]
        places = self.column[left] * self.columns + self.column[right]
        return _sums(places, products, self.columns**2).reshape(self.columns, self.columns)


def _design(
    patterns: Sequence[tuple[str, Pair]], bots: Sequence[str], seats: Sequence[SeatKey], columns: Ints
) -> Design:
    """Return the design matrix of the patterns, with these `columns` of all (first the bots, then the seats)."""
    kept = {old: new for new, old in enumerate(columns.tolist())}
    bot_column = {bot: kept.get(column, -1) for column, bot in enumerate(bots)}
    seat_column = {key: kept.get(len(bots) + column, -1) for column, key in enumerate(seats)}
    row, column, value = array("q"), array("q"), array("d")
    for number, (variant, pair) in enumerate(patterns):
        shares: dict[int, float] = {}
        for sign, members, names in ((1.0, pair.seats, pair.bots), (-1.0, pair.others, pair.other_bots)):
            for seat, bot in zip(members, names, strict=True):
                for place in (bot_column[bot], seat_column[variant, pair.players, seat]):
                    shares[place] = shares.get(place, 0.0) + sign / len(members)
        shares.pop(-1, None)  # a reference bot
        for place, share in sorted(shares.items()):
            row.append(number)
            column.append(place)
            value.append(share)
    return Design(
        np.array(row, dtype=np.int64),
        np.array(column, dtype=np.int64),
        np.array(value, dtype=np.float64),
        len(patterns),
        len(columns),
    )


def _maximum(x: Design, outcome: Floats, total: Floats, penalties: Floats) -> Floats:
    """Return the one maximum of the concave objective, by Newton's method with step halving."""
    beta = np.zeros(x.columns)
    value = _objective(beta, x, outcome, total, penalties)
    for _ in range(STEPS):
        chance = sigmoid(x.times(beta))
        gradient = x.back(total * (outcome - chance)) - penalties * beta
        hessian = x.squared(total * chance * (1 - chance)) + np.diag(penalties)
        step = np.linalg.solve(hessian, gradient)
        if not np.any(np.abs(step) > 1e-13 * (1 + np.abs(beta))):
            return beta
        better = _objective(beta + step, x, outcome, total, penalties)
        while better < value and np.any(np.abs(step) > 1e-13):
            step = step / 2
            better = _objective(beta + step, x, outcome, total, penalties)
        if better <= value and np.all(np.abs(step) < 1e-9):
            return beta
        beta, value = beta + step, better
    raise RatingError(f"the fit of these results did not converge in {STEPS} steps")


def _objective(beta: Floats, x: Design, outcome: Floats, total: Floats, penalties: Floats) -> float:
    d = x.times(beta)
    fits = outcome * log_sigmoid(d) + (1 - outcome) * log_sigmoid(-d)
    return float(np.sum(total * fits) - np.sum(penalties * beta * beta) / 2)


def _scores(residual: Floats, data: Observations, x: Design) -> Floats:
    """Return by kind of deal set the gradient of one set's part of the likelihood."""
    first = np.searchsorted(x.row, np.arange(x.rows + 1))
    each = (first[1:] - first[:-1])[data.pattern]
    entry = np.repeat(np.arange(len(data.pattern)), each)
    place = np.repeat(first[data.pattern] - np.cumsum(each) + each, each) + np.arange(len(entry))
    places = data.kind[entry] * x.columns + x.column[place]
    kinds = len(data.sets)
    return _sums(places, residual[entry] * x.value[place], kinds * x.columns).reshape(kinds, x.columns)


def _sandwich(inverse: Floats, scores: Floats, sets: Floats) -> Floats:
    """Return H^-1 (sum u u') H^-1 G/(G-1) with G deal sets; NaN with fewer than two."""
    clusters = float(sets.sum())
    if clusters < 2:
        return np.full_like(inverse, np.nan)
    outer = _product(scores * sets[:, None], scores) * clusters / (clusters - 1)
    return _product(inverse, _product(outer, inverse))


def _null_space(information: Floats, penalties: Floats, strengths: int) -> Floats:
    """Return the projection on the directions of strengths without information, given free seat advantages."""
    known = information[:strengths, :strengths]
    if strengths < len(information):
        seats = information[strengths:, strengths:] + np.diag(penalties[strengths:])
        known = known - information[:strengths, strengths:] @ np.linalg.solve(
            seats, information[strengths:, :strengths]
        )
    values, vectors = np.linalg.eigh(known)
    empty: Floats = vectors[:, values <= NULL * max(1.0, float(values[-1]))]
    return _product(empty.T, empty.T)


def _sums(places: Ints, values: Floats, number: int) -> Floats:
    """Return by place (below `number`) the sum of its values, added in their order."""
    sums: Floats = np.bincount(places, weights=values, minlength=number).astype(np.float64)
    return sums


def _product(left: Floats, right: Floats) -> Floats:
    """Return left' right, summed in a fixed order."""
    product: Floats = np.einsum("pi,pj->ij", left, right)
    return product
