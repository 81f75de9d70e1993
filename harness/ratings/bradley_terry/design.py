"""The sparse design matrix of rated pairs, and linear algebra on it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bowerbird.harness.ratings.bradley_terry.observations import Floats, Ints, SeatKey
from bowerbird.harness.ratings.pairs import NumericalError, Pair

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Design:
    """For each pattern, the coefficients of d: the mean of one side minus the mean of the other.

    Columns are bots, then seats.

    `row`, `column` and `value` are parallel, in the order of rows. `of_row`, `place` and `product` describe each two
    coefficients of a row (the second not before the first): their row, their place in the upper triangle of a matrix of
    all columns, and their product. The cost of a pattern does not depend on the number of bots.
    """

    row: Ints
    column: Ints
    value: Floats
    rows: int
    columns: int
    of_row: Ints = field(repr=False)
    place: Ints = field(repr=False)
    product: Floats = field(repr=False)

    def times(self, vector: Floats) -> Floats:
        """Return X v, of length `rows`."""
        return sums(self.row, self.value * vector[self.column], self.rows)

    def back(self, vector: Floats) -> Floats:
        """Return X' v, of length `columns`."""
        return sums(self.column, self.value * vector[self.row], self.columns)

    def squared(self, weights: Floats) -> Floats:
        """Return X' diag(weights) X."""
        upper = sums(self.place, self.product * weights[self.of_row], self.columns**2)
        upper = upper.reshape(self.columns, self.columns)
        diagonal = np.diag(upper).copy()
        whole: Floats = upper + upper.T
        np.fill_diagonal(whole, diagonal)
        return whole

    def quadratic(self, matrix: Floats) -> Floats:
        """Return by row x' M x for a symmetric matrix."""
        twice = 2.0 * matrix
        np.fill_diagonal(twice, np.diag(matrix))
        return sums(self.of_row, self.product * twice.ravel()[self.place], self.rows)

    def sparse(self) -> csr_array:
        """Return X."""
        from scipy.sparse import csr_array

        starts = np.searchsorted(self.row, np.arange(self.rows + 1))
        return csr_array((self.value, self.column, starts), shape=(self.rows, self.columns))


def design_of(
    patterns: Sequence[tuple[str, Pair]], bots: Sequence[str], seats: Sequence[SeatKey], columns: Ints
) -> Design:
    """Return the design matrix of the patterns, with these `columns` of all (first the bots, then the seats)."""
    kept = {old: new for new, old in enumerate(columns.tolist())}
    bot_column = {bot: kept.get(column, -1) for column, bot in enumerate(bots)}
    seat_column = {key: kept.get(len(bots) + column, -1) for column, key in enumerate(seats)}
    row, column, value = array("q"), array("q"), array("d")
    for number, (variant, pair) in enumerate(patterns):
        players = pair.players
        for sign, members, names in ((1.0, pair.seats, pair.bots), (-1.0, pair.others, pair.other_bots)):
            share = sign / len(members)
            for seat, bot in zip(members, names, strict=True):
                row.extend((number, number))
                column.extend((bot_column[bot], seat_column[variant, players, seat]))
                value.extend((share, share))
    rows, places, shares = (np.array(one) for one in (row, column, value))
    there = places >= 0  # all but the reference bot
    cells, first = np.unique(rows[there] * max(1, len(columns)) + places[there], return_inverse=True)
    return sparse_design(
        cells // max(1, len(columns)),
        cells % max(1, len(columns)),
        sums(first, shares[there], len(cells)),
        len(patterns),
        len(columns),
    )


def sparse_design(row: Ints, column: Ints, value: Floats, rows: int, columns: int) -> Design:
    """Return the matrix with these coefficients, in the order of rows; all others are 0."""
    each = np.bincount(row, minlength=rows)[row]
    first = np.repeat(np.arange(len(row)), each)
    second = np.searchsorted(row, row[first]) + np.arange(len(first)) - np.repeat(np.cumsum(each) - each, each)
    is_upper = column[first] <= column[second]
    first, second = first[is_upper], second[is_upper]
    return Design(
        row=row,
        column=column,
        value=value,
        rows=rows,
        columns=columns,
        of_row=row[first],
        place=column[first] * columns + column[second],
        product=value[first] * value[second],
    )


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


def factor_of(matrix: Floats) -> Floats:
    """Return the upper Cholesky factor of a positive definite matrix. Raises NumericalError if it is not."""
    from scipy.linalg.lapack import dpotrf

    factor, failed = dpotrf(matrix)
    if failed:
        raise NumericalError("these results leave a rating without any information; give a penalty above 0")
    found: Floats = factor
    return found


def inverse_of(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix. Raises NumericalError if it is not."""
    return inverse_by(factor_of(matrix))


def inverse_by(factor: Floats) -> Floats:
    """Return the inverse of the matrix with this Cholesky factor."""
    from scipy.linalg.lapack import dpotri

    if not len(factor):
        return factor
    upper, _ = dpotri(factor)
    whole: Floats = np.triu(upper) + np.triu(upper, 1).T
    return whole


def solved_by(factor: Floats, right: Floats) -> Floats:
    """Return M^-1 b for the matrix M with this Cholesky factor."""
    from scipy.linalg.lapack import dpotrs

    if not len(factor):
        return right
    solution, _ = dpotrs(factor, right)
    found: Floats = solution
    return found
