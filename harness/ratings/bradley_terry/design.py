"""The sparse design matrix of rated pairs, and linear algebra on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bowerbird.harness.ratings.bradley_terry.observations import Observations, SeatKey
from bowerbird.harness.ratings.games import Floats, Ints
from bowerbird.harness.ratings.matrices import spans
from bowerbird.harness.ratings.pairs import NumericalError

SMALL = 200
"""With up to this many columns, numpy's linear algebra costs less than importing scipy's."""

UNDETERMINED = "these results leave a rating without any information; give a penalty above 0"


@dataclass(frozen=True, slots=True)
class Design:
    """For each pattern, the coefficients of d: the mean of one side minus the mean of the other.

    Columns are bots, then seats. The pattern's form has the seats, so their coefficients are kept by form.

    `row`, `column` and `value` describe the bots, parallel and in the order of rows. `of_row`, `place` and
    `product` describe each pair of them in a row (the second not before the first): their row, their place in the upper
    triangle of a matrix of all `bots`, and their product. `form` is the form of each row, and `seats` has the
    coefficients of each form. The cost of a pattern does not depend on the number of bots.
    """

    row: Ints
    column: Ints
    value: Floats
    bots: int
    form: Ints
    seats: Floats
    of_row: Ints = field(repr=False)
    place: Ints = field(repr=False)
    product: Floats = field(repr=False)

    @property
    def rows(self) -> int:
        """The number of patterns."""
        return len(self.form)

    @property
    def columns(self) -> int:
        """The number of bots and seats."""
        return int(self.bots + self.seats.shape[1])

    def times(self, vector: Floats) -> Floats:
        """Return X v, of length `rows`."""
        found: Floats = sums(self.row, self.value * vector[self.column], self.rows)
        return found + (self.seats @ vector[self.bots :])[self.form]

    def back(self, vector: Floats) -> Floats:
        """Return X' v, of length `columns`."""
        of_bots = sums(self.column, self.value * vector[self.row], self.bots)
        return np.concatenate([of_bots, sums(self.form, vector, len(self.seats)) @ self.seats])

    def information(self, weights: Floats, penalties: Floats) -> Floats:
        """Return the upper triangle of X' diag(weights) X + diag(penalties); the rest is 0."""
        bots, forms = self.bots, len(self.seats)
        found = np.zeros((self.columns, self.columns))
        found[:bots, :bots] = sums(self.place, self.product * weights[self.of_row], bots**2).reshape(bots, bots)
        cross = sums(self.column * forms + self.form[self.row], self.value * weights[self.row], bots * forms)
        found[:bots, bots:] = cross.reshape(bots, forms) @ self.seats
        found[bots:, bots:] = np.triu(self.seats.T @ (sums(self.form, weights, forms)[:, None] * self.seats))
        found.ravel()[:: self.columns + 1] += penalties
        return found

    def quadratic(self, upper: Floats) -> Floats:
        """Return by row x' M x for a symmetric matrix, of which only the upper triangle is read."""
        bots = self.bots
        is_square = self.place % (bots + 1) == 0
        parts = np.where(is_square, self.product, 2.0 * self.product) * upper[:bots, :bots].ravel()[self.place]
        by_form = upper[:bots, bots:] @ self.seats.T
        cross = sums(self.row, self.value * by_form[self.column, self.form[self.row]], self.rows)
        of_seats: Floats = np.sum(self.seats @ mirrored(np.triu(upper[bots:, bots:])) * self.seats, axis=1)
        return sums(self.of_row, parts, self.rows) + 2.0 * cross + of_seats[self.form]

    def cells(self, rows: Ints) -> tuple[Ints, Ints, Floats]:
        """Return the filled cells of these rows of X: their places in `rows`, their columns and their values.

        The columns are those of the bots, then one for each form (`width` columns), with 1 in the row's form.
        """
        starts = np.searchsorted(self.row, np.arange(self.rows + 1))
        each = np.diff(starts)[rows]
        cell, places = spans(starts[rows], each), np.arange(len(rows))
        return (
            np.append(np.repeat(places, each), places),
            np.append(self.column[cell], self.bots + self.form[rows]),
            np.append(self.value[cell], np.ones(len(rows))),
        )

    @property
    def width(self) -> int:
        """The number of columns of `cells`."""
        return self.bots + len(self.seats)

    def along(self, matrix: Floats) -> Floats:
        """Return what a matrix of `cells` is multiplied by to get X M: a row for each bot, then a row for each form."""
        return np.ascontiguousarray(np.concatenate([matrix[: self.bots], self.seats @ matrix[self.bots :]]))


def design_of(data: Observations, seats: Sequence[SeatKey], columns: Ints) -> Design:
    """Return the design matrix of the patterns. `columns` are the places of the bots that have one."""
    kept = np.full(len(data.bots), -1)
    kept[columns] = np.arange(len(columns))
    seat_column = {key: column for column, key in enumerate(seats)}
    by_form = np.zeros((len(data.patterns), len(seats)))
    form = np.zeros(data.number, dtype=np.int64)
    cells: list[tuple[Ints, Ints, Floats]] = []
    for number, patterns in enumerate(data.patterns):
        of = patterns.form
        share = np.repeat([1 / len(of.seats), -1 / len(of.others)], [len(of.seats), len(of.others)])
        form[patterns.number] = number
        by_form[number, [seat_column[of.variant, of.players, seat] for seat in of.all_seats]] = share
        column = kept[patterns.seated].ravel()
        there = column >= 0  # all but the reference bot
        row, value = np.repeat(patterns.number, len(share)), np.tile(share, len(patterns.number))
        cells.append((row[there], column[there], value[there]))
    rows, places, values = zip(*cells, strict=True) if cells else ([form], [form], [np.zeros(0)])
    of_bots = np.concatenate(rows), np.concatenate(places), np.concatenate(values)
    return design_by(of_bots, len(columns), form, by_form)


def design_by(of_bots: tuple[Ints, Ints, Floats], bots: int, form: Ints, seats: Floats) -> Design:
    """Return the matrix with these coefficients of bots, and of seats by form.

    of_bots: parallel rows, columns (below `bots`) and coefficients, which are added up if a cell has several.
    form: the form of each row.
    """
    cells, cell = np.unique(of_bots[0] * bots + of_bots[1], return_inverse=True)
    row, column = np.divmod(cells, max(1, bots))
    value = sums(cell, of_bots[2], len(cells))
    own = np.arange(len(row))
    rest = np.bincount(row, minlength=len(form)).cumsum()[row] - own
    first, second = np.repeat(own, rest), spans(own, rest)
    return Design(
        row=row,
        column=column,
        value=value,
        bots=bots,
        form=form,
        seats=seats,
        of_row=row[first],
        place=column[first] * bots + column[second],
        product=value[first] * value[second],
    )


def mirrored(upper: Floats) -> Floats:
    """Return the symmetric matrix with this upper triangle; everything below it must be 0."""
    diagonal = np.diag(upper).copy()
    whole: Floats = upper + upper.T
    np.fill_diagonal(whole, diagonal)
    return whole


def sums(places: Ints, values: Floats, number: int) -> Floats:
    """Return for each place (below `number`) the sum of its values, added in order."""
    found: Floats = np.bincount(places, weights=values, minlength=number).astype(np.float64)
    return found


def log_sigmoid(d: Floats) -> Floats:
    """Return log sigma(d), without overflow."""
    return -np.logaddexp(0.0, -d)


def sigmoid(d: Floats) -> Floats:
    """Return sigma(d)."""
    return np.exp(log_sigmoid(d))


def factor_of(upper: Floats) -> Floats:
    """Return the lower Cholesky factor of the positive definite matrix with this upper triangle, which is overwritten.

    Raises NumericalError if it is not positive definite.
    """
    if len(upper) <= SMALL:
        try:
            found: Floats = np.linalg.cholesky(upper.T).astype(np.float64, copy=False)
        except np.linalg.LinAlgError as error:
            raise NumericalError(UNDETERMINED) from error
        return found
    from scipy.linalg.lapack import dpotrf

    found, failed = dpotrf(upper.T, lower=1, overwrite_a=1)  # LAPACK reads the transpose without a copy
    if failed:
        raise NumericalError(UNDETERMINED)
    return found


def inverse_by(factor: Floats) -> Floats:
    """Return the upper triangle of the inverse of the matrix with this Cholesky factor; the rest is 0."""
    if len(factor) <= SMALL:
        inverse = np.linalg.inv(factor)
        return np.triu(inverse.T @ inverse)
    from scipy.linalg.lapack import dpotri

    lower, _ = dpotri(factor, lower=1)
    found: Floats = lower.T
    return found


def solved_by(factor: Floats, right: Floats) -> Floats:
    """Return M^-1 b for the matrix M with this Cholesky factor."""
    if len(factor) <= SMALL:
        return np.linalg.solve(factor.T, np.linalg.solve(factor, right))
    from scipy.linalg.lapack import dpotrs

    solution, _ = dpotrs(factor, right, lower=1)
    found: Floats = solution
    return found
