"""The composite likelihood of the rating of record as arrays: its maximum and the clustered covariance there.

Formulas: RATINGS.md, Ratings kept, 2. Everything is summed in the order of the games' ids and without a library that
splits sums over threads, so that the same results give the same digits.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.ratings.errors import RatingError
from harness.ratings.pairs import Pair, cluster_of, pairs_of
from harness.records.rows import GameResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SeatKey = tuple[str, int, int]
"""(variant, seats at the table, seat): what has a seat advantage."""

STEPS = 200
NULL = 1e-9
"""Directions with less than this share of the largest information are not identified by the results."""


@dataclass(frozen=True, slots=True)
class Observations:
    """Rated pairs. Equal ones are one pattern, and deal sets in which the same pairs came are one kind.

    `patterns` are the different (variant, pair). `pattern`, `kind`, `count`: so often does a pattern occur in a deal
    set of a kind, by entry. `sets` is how many deal sets there are of each kind.
    """

    patterns: tuple[tuple[str, Pair], ...]
    pattern: Ints
    kind: Ints
    count: Floats
    sets: Floats

    def sets_of(self) -> dict[str, int]:
        """By bot, in how many deal sets it plays."""
        numbers: dict[str, list[int]] = {}
        for number, (_, pair) in enumerate(self.patterns):
            for bot in {*pair.bots, *pair.other_bots}:
                numbers.setdefault(bot, []).append(number)
        played: dict[str, int] = {}
        for bot, patterns in sorted(numbers.items()):
            mine = np.zeros(len(self.patterns), dtype=bool)
            mine[patterns] = True
            kinds = np.zeros(len(self.sets), dtype=bool)
            kinds[self.kind[mine[self.pattern]]] = True
            played[bot] = int(self.sets[kinds].sum())
        return played

    def only(self, keep: Sequence[bool]) -> Observations:
        """The observations of the patterns to keep; deal sets without one are gone."""
        kept = np.flatnonzero(np.array(keep, dtype=bool)[self.pattern])
        numbers = np.cumsum(np.array(keep, dtype=np.int64)) - 1
        old, new = np.unique(self.kind[kept], return_inverse=True)
        return Observations(
            patterns=tuple(pattern for pattern, wanted in zip(self.patterns, keep, strict=True) if wanted),
            pattern=numbers[self.pattern[kept]],
            kind=new.astype(np.int64),
            count=self.count[kept],
            sets=self.sets[old],
        )


class Observer:
    """Takes in games, whole deal sets of all line-ups that share their packs, and counts what is rated of them.

    What a further deal set costs does not depend on how many there were.
    """

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._shapes: dict[tuple[object, ...], tuple[int, ...]] = {}
        self._numbers: dict[tuple[str, Pair], int] = {}
        self._kinds: dict[tuple[tuple[int, int], ...], int] = {}
        self._sets: list[int] = []
        self._pattern = array("q")
        self._kind = array("q")
        self._count = array("d")

    def add(self, games: Sequence[GameResult]) -> None:
        """Take in further games, which stand in the order of their ids. None of their deal sets was seen before."""
        clusters: dict[tuple[str, str, int], Counter[int]] = {}
        for game in games:
            if patterns := self._patterns_of(game):
                clusters.setdefault(cluster_of(game), Counter()).update(patterns)
        for counts in clusters.values():
            self._add_set(tuple(sorted(counts.items())))

    def _patterns_of(self, game: GameResult) -> tuple[int, ...]:
        shape = (game.variant, game.bots, game.sides, game.ranks, game.offenders, game.rated)
        if shape not in self._shapes:
            pairs = [(game.variant, pair) for pair in pairs_of(game)]
            self._shapes[shape] = tuple(self._numbers.setdefault(pair, len(self._numbers)) for pair in pairs)
        return self._shapes[shape]

    def _add_set(self, counts: tuple[tuple[int, int], ...]) -> None:
        kind = self._kinds.setdefault(counts, len(self._kinds))
        if kind < len(self._sets):
            self._sets[kind] += 1
            return
        self._sets.append(1)
        for pattern, count in counts:
            self._pattern.append(pattern)
            self._kind.append(kind)
            self._count.append(count)

    def observations(self) -> Observations:
        """All that was seen so far."""
        return Observations(
            patterns=tuple(self._numbers),
            pattern=np.array(self._pattern, dtype=np.int64),
            kind=np.array(self._kind, dtype=np.int64),
            count=np.array(self._count, dtype=np.float64),
            sets=np.array(self._sets, dtype=np.float64),
        )


def observe(games: Sequence[GameResult]) -> Observations:
    """The rated pairs of games, which stand in the order of their ids."""
    observer = Observer()
    observer.add(games)
    return observer.observations()


@dataclass(frozen=True, slots=True)
class Solution:
    """The maximum: strengths of the bots and seat advantages in logits, and what is known of the strengths.

    `covariance` is that of `strengths`, in which the reference bots stand at 0, clustered by deal set; `naive` is H^-1,
    as if all pairs were independent. `unknown` projects on the directions of which the results say nothing.
    """

    strengths: Floats
    advantages: dict[SeatKey, float]
    covariance: Floats
    naive: Floats
    unknown: Floats


def solve(
    data: Observations, bots: Sequence[str], references: Sequence[str], *, penalty: float, seat_penalty: float
) -> Solution:
    """Maximise the likelihood; the bots in `references` are held at 0.

    Raises RatingError where no maximum is found.
    """
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
    """log sigma(d), without overflow."""
    return -np.logaddexp(0.0, -d)


def sigmoid(d: Floats) -> Floats:
    """sigma(d)."""
    return np.exp(log_sigmoid(d))


def _seat_keys(variant: str, pair: Pair) -> list[SeatKey]:
    """The seats of a pair."""
    return [(variant, pair.players, seat) for seat in (*pair.seats, *pair.others)]


@dataclass(frozen=True, slots=True)
class Design:
    """By pattern, the coefficients of d: the mean of one side less that of the other, over bots and seats.

    Few are not 0, and those are here: `value` of pattern `row` at `column`, in the order of rows. So a pattern costs as
    much with many bots as with few.
    """

    row: Ints
    column: Ints
    value: Floats
    rows: int
    columns: int

    def times(self, vector: Floats) -> Floats:
        """The product with a vector of the columns."""
        return _sums(self.row, self.value * vector[self.column], self.rows)

    def back(self, vector: Floats) -> Floats:
        """The product of a vector of the rows with it."""
        return _sums(self.column, self.value * vector[self.row], self.columns)

    def squared(self, weights: Floats) -> Floats:
        """Its product with itself over the rows, each weighed."""
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
    """The design of the patterns; of bots first, then seats, it has these columns."""
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
        shares.pop(-1, None)  # a bot that is held at 0
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
    """Newton's method with halved steps; the objective is concave, so that there is one maximum."""
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
    raise RatingError(f"no ratings were found in {STEPS} steps that fit these results best")


def _objective(beta: Floats, x: Design, outcome: Floats, total: Floats, penalties: Floats) -> float:
    d = x.times(beta)
    fits = outcome * log_sigmoid(d) + (1 - outcome) * log_sigmoid(-d)
    return float(np.sum(total * fits) - np.sum(penalties * beta * beta) / 2)


def _scores(residual: Floats, data: Observations, x: Design) -> Floats:
    """By kind of deal set, the gradient of its part of the likelihood."""
    first = np.searchsorted(x.row, np.arange(x.rows + 1))
    each = (first[1:] - first[:-1])[data.pattern]
    entry = np.repeat(np.arange(len(data.pattern)), each)
    place = np.repeat(first[data.pattern] - np.cumsum(each) + each, each) + np.arange(len(entry))
    places = data.kind[entry] * x.columns + x.column[place]
    kinds = len(data.sets)
    return _sums(places, residual[entry] * x.value[place], kinds * x.columns).reshape(kinds, x.columns)


def _sandwich(inverse: Floats, scores: Floats, sets: Floats) -> Floats:
    """H^-1 (sum u u') H^-1 G/(G-1) with G deal sets; NaN with fewer than two, which tell nothing about each other."""
    clusters = float(sets.sum())
    if clusters < 2:
        return np.full_like(inverse, np.nan)
    outer = _product(scores * sets[:, None], scores) * clusters / (clusters - 1)
    return _product(inverse, _product(outer, inverse))


def _null_space(information: Floats, penalties: Floats, strengths: int) -> Floats:
    """The projection on the directions of strengths without information, once seat advantages are allowed for."""
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
    """By place, of so many, the sum of its values in their order."""
    sums: Floats = np.bincount(places, weights=values, minlength=number).astype(np.float64)
    return sums


def _product(left: Floats, right: Floats) -> Floats:
    """left' right, summed in one order."""
    product: Floats = np.einsum("pi,pj->ij", left, right)
    return product
