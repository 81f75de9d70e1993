"""Ratios of sums over deal sets, such as mean points, with covariances clustered by deal set.

Each column is a ratio: the sum of totals / the sum of weights, over the deal sets (rows) in which it occurs. A contrast
    of columns gets its variance and degrees of freedom from the sets behind it, so columns need not share all sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.ratings.games import Floats, Ints
from bowerbird.harness.ratings.matrices import gram


@dataclass(frozen=True, slots=True)
class ClusteredRatios:
    """Ratios by column, with the data that their contrasts need; n columns.

    values: the ratios (n).
    sets: the number of deal sets behind each ratio (n).
    covariance: covariances clustered by deal set (n x n). Each set's residual is divided by sqrt(1 - its share of the
        column's weight), which is G / (G - 1) for the variance over G equal sets. Unusable for a column with a single
        set. spread: the sum over sets of the squared share of weight (n), which is the variance if all sets vary
        equally.
    _kinship: sums over sets of products of squared shares, with the loss of one degree of freedom by each column's
        mean (n x n), the denominator of `dof`.
    """

    values: Floats
    sets: Ints
    covariance: Floats
    spread: Floats
    _kinship: Floats

    @property
    def known(self) -> NDArray[np.bool_]:
        """True for each column that has at least two deal sets, so that its error is known."""
        return self.sets > 1

    def variances_of_differences(self) -> Floats:
        """Return the variance of the difference between each pair of columns (n x n); 0 if all sets agree."""
        own = np.diag(self.covariance)
        both = own[:, None] + own[None, :]
        found = both - 2 * self.covariance
        return np.where(found > 1e-13 * both, found, 0.0)

    def dof_of_differences(self) -> Floats:
        """Return the degrees of freedom of each difference (n x n); 0 for a column of one set."""
        own = np.diag(self._kinship)
        lost = own[:, None] + own[None, :] + 2 * self._kinship
        total = (self.spread[:, None] + self.spread[None, :]) ** 2
        found = np.divide(total, lost, out=np.zeros_like(total), where=lost > 0)
        return np.where(self.known[:, None] & self.known[None, :], found, 0.0)

    def dof(self) -> Floats:
        """Return the degrees of freedom of each column (n): (sum w)^2 / sum w^2 - 1 with equal sets; 0 for one set."""
        lost = np.diag(self._kinship)
        found = np.divide(self.spread**2, lost, out=np.zeros_like(lost), where=lost > 0)
        return np.where(self.known, found, 0.0)

    def dof_of_sums(self, columns: Ints, scales: Floats) -> Floats:
        """Return the degrees of freedom of sums of columns (m).

        columns: the numbers of the columns in each sum (m x k).
        scales: the variance of one set of each column, up to a common factor (n).
        """
        count = columns.shape[1]
        total, lost = np.zeros(len(columns)), np.zeros(len(columns))
        for one in range(count):
            a = columns[:, one]
            total += scales[a] * self.spread[a]
            for other in range(count):
                b = columns[:, other]
                lost += scales[a] * scales[b] * self._kinship[a, b]
        found = np.divide(total**2, lost, out=np.zeros_like(lost), where=lost > 0)
        return np.where(self.known[columns].all(axis=1), found, 0.0)


def clustered_ratios(
    rows: Sequence[int] | Ints, columns: Sequence[int] | Ints, totals: Floats, weights: Floats
) -> ClusteredRatios:
    """Return the ratios of all columns.

    The four parallel sequences describe the filled cells, each (row, column) once. `weights` are positive. Rows and
    columns are numbered from 0 without gaps.
    """
    row, column = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    number, shape = int(column.max()) + 1, (int(row.max()) + 1, int(column.max()) + 1)
    weight = np.bincount(column, weights, number)
    values = np.bincount(column, totals, number) / weight
    sets = np.bincount(column, minlength=number)
    share = weights / weight[column]
    residual = (totals - values[column] * weights) / weight[column]
    scaled = np.divide(residual, np.sqrt(1 - share), out=np.zeros_like(residual), where=sets[column] > 1)
    spread = np.bincount(column, share**2, number).astype(np.float64)
    loss = np.sqrt(np.divide(1.0, 1 - spread, out=np.zeros(number), where=sets > 1))
    return ClusteredRatios(
        values=values,
        sets=sets,
        covariance=gram(row, column, scaled, shape),
        spread=spread,
        _kinship=gram(row, column, share**2 * loss[column], shape),
    )
