"""How many deal sets support a difference of ratings, and the degrees of freedom of its error.

A set contributes lambda = c' B H_s B c to the naive variance c' B c of a difference, with H_s the information of the
set. The effective number of sets is f = (sum lambda)^2 / sum lambda^2: the number of sets if all contribute alike, and
nearly 1 if everything depends on one of them, however many sets the two bots played elsewhere.

The error itself is the sum of q = (c' B u)^2 over sets, with u the gradient of the set. It is only as reliable as its
terms: if nearly all sets end alike, it depends on the few that do not. With g = (sum q)^2 / sum q^2 its degrees of
freedom are 2 / (1/g - 1/f), which is f where the terms are normal (Satterthwaite), and never more than f - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bowerbird.harness.ratings.bradley_terry.likelihood import Solution
from bowerbird.harness.ratings.bradley_terry.observations import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MANY = 100
"""With more bots, two bots get the smaller of their numbers against the mean of all."""

BLOCK = 1 << 18
"""About this many numbers of a dense table are held at once, so that they fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What differences rest on, as arrays of one shape: effective deal sets, and degrees of freedom of the error."""

    sets: Floats
    dof: Floats


class Linking:
    """The deal sets behind differences of ratings."""

    def __init__(self, solution: Solution) -> None:
        """Take a fit."""
        self._solution = solution
        self._data = solution.fitted.data
        self._design = solution.fitted.x

    def of(self, contrasts: Floats) -> Behind:
        """Return what these contrasts rest on; each is a column, rows are bots."""
        from scipy.sparse import csr_array

        data, solution = self._data, self._solution
        directions = solution.bread @ contrasts
        entries = self._entries()
        each = np.searchsorted(data.kind, np.arange(len(data.sets) + 1))
        of_kind = csr_array(
            (np.ones(len(data.kind)), np.arange(len(data.kind)), each), shape=(len(data.sets), len(data.kind))
        )
        sums = np.zeros((4, contrasts.shape[1]))
        step = max(1, BLOCK * len(data.sets) // max(1, len(data.kind) * contrasts.shape[1]))
        for start in range(0, len(data.sets), step):
            end = min(start + step, len(data.sets))
            rows = slice(int(each[start]), int(each[end]))
            sets = data.sets[start:end]
            shares = of_kind[start:end, rows] @ _squared(entries[rows] @ directions)
            sums[0] += sets @ shares
            sums[1] += sets @ _squared(shares)
            squares = _squared(solution.scores[start:end] @ directions)
            sums[2] += sets @ squares
            sums[3] += sets @ _squared(squares)
        return _behind(*sums)

    def _entries(self) -> csr_array:
        """Return for each entry of the pairs its row of the design, times the root of its information."""
        data, design = self._data, self._design
        roots = np.sqrt(data.count * self._solution.weight[data.pattern])
        found: csr_array = design.sparse()[data.pattern].multiply(roots[:, None]).tocsr()
        return found

    def of_pairs(self) -> Behind:
        """Return what the differences of all pairs of bots rest on, as matrices."""
        number = self._solution.bread.shape[1]
        if number > MANY:
            single = self.of(np.eye(number) - 1 / number)
            return Behind(np.minimum.outer(single.sets, single.sets), np.minimum.outer(single.dof, single.dof))
        sums = np.zeros((4, number, number))
        each = np.searchsorted(self._data.kind, np.arange(len(self._data.sets) + 1))
        entries = self._entries() @ self._solution.bread
        for kind, sets in enumerate(self._data.sets.tolist()):
            rows = entries[each[kind] : each[kind + 1]]
            products = rows.T @ rows
            own = np.diag(products)
            share = np.maximum(own[:, None] + own - 2 * products, 0.0)
            sums[0] += sets * share
            sums[1] += sets * share**2
        influences = self._solution.scores @ self._solution.bread
        for sets, line in zip(self._data.sets.tolist(), influences, strict=True):
            squares = np.subtract.outer(line, line) ** 2
            sums[2] += sets * squares
            sums[3] += sets * squares**2
        return _behind(*sums)


def _squared(table: Floats) -> Floats:
    """Square a table in place, and return it."""
    return np.square(table, out=table)


def _behind(naive: Floats, naive_squares: Floats, error: Floats, error_squares: Floats) -> Behind:
    with np.errstate(invalid="ignore", divide="ignore"):
        sets = np.where(naive_squares > 0, naive**2 / naive_squares, 0.0)
        doubt = np.where(error > 0, error_squares / error**2, 0.0) - 1 / sets
        dof = np.where(doubt > 0, np.minimum(2 / doubt, sets - 1), sets - 1)
    return Behind(sets, np.where(sets > 1, dof, 0.0))
