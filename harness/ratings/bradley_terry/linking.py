"""How many deal sets support a difference of ratings, and the degrees of freedom of its error.

A set contributes lambda = c' B H_s B c to the naive variance c' B c of a difference, with H_s the information of the
set. The effective number of sets is f = (sum lambda)^2 / sum lambda^2: the number of sets if all contribute equally,
and nearly 1 if one of them decides, no matter how many sets the two bots played elsewhere.

The error itself is the sum of q = (c' B u)^2 over sets, with u the gradient of the set. It is only as reliable as its
terms. If nearly all sets end the same way, it depends on the few that do not. With g = (sum q)^2 / sum q^2 its degrees
of freedom are 2 / (1/g - 1/f), which is f where the terms are normal (Satterthwaite), and never more than f - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bowerbird.harness.ratings.bradley_terry.likelihood import Solution
from bowerbird.harness.ratings.games import Floats
from bowerbird.harness.ratings.matrices import matrix_of

if TYPE_CHECKING:
    from bowerbird.harness.ratings.matrices import Matrix

MANY = 100
"""With more bots than this, two bots get the smaller of their numbers against the mean of all."""

BLOCK = 1 << 18
"""About this many numbers of a dense table are in memory at once, so that they fit in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The support of differences, as arrays of one shape: effective deal sets, and degrees of freedom of the error."""

    sets: Floats
    dof: Floats


class Linking:
    """The deal sets that support differences of ratings."""

    def __init__(self, solution: Solution) -> None:
        """Use the pairs and the maximum of a fit."""
        self._solution = solution
        self._data = solution.fitted.data
        self._along = solution.fitted.x.along(solution.bread)
        self._starts = np.searchsorted(self._data.kind, np.arange(len(self._data.sets) + 1))
        """The first entry of each kind of deal set."""
        self._found: dict[bytes, Behind] = {}

    def of(self, zero: Floats) -> Behind:
        """Return the support of all bots' differences from a mean. `zero` contains the weights of the mean by bot."""
        if (known := self._found.get(zero.tobytes())) is None:
            known = self._found[zero.tobytes()] = self._of(self._along - (self._along @ zero)[:, None])
        return known

    def _of(self, directions: Floats) -> Behind:
        entries = self._entries()
        sums = np.zeros((4, directions.shape[1]))
        for kinds, rows in self._blocks(directions.shape[1]):
            sets = self._data.sets[kinds]
            shares = self._by_kind(_squared(entries[rows] @ directions), kinds)
            sums[0] += sets @ shares
            sums[1] += sets @ _squared(shares)
            squares = _squared(self._solution.scores[kinds] @ directions)
            sums[2] += sets @ squares
            sums[3] += sets @ _squared(squares)
        return _behind(*sums)

    def _by_kind(self, table: Floats, kinds: slice) -> Floats:
        """Return the sums of the rows of a table, which are the entries of these kinds, by kind."""
        ends = self._starts[kinds.start : kinds.stop + 1] - self._starts[kinds.start]
        starts, each = ends[:-1], np.diff(ends)
        if np.all(each == each[0]):
            whole: Floats = table.reshape(len(each), each[0], *table.shape[1:]).sum(axis=1)
            return whole
        found: Floats = table[starts]
        for place in range(1, int(each.max())):  # faster than `reduceat` over few rows
            more = np.flatnonzero(each > place)
            found[more] += table[starts[more] + place]
        return found

    def _blocks(self, each: int) -> Iterator[tuple[slice, slice]]:
        """Yield slices of the kinds, each with the slice of its entries, about BLOCK numbers if an entry has `each`."""
        kinds = len(self._data.sets)
        step = max(1, BLOCK * kinds // max(1, len(self._data.kind) * each))
        for start in range(0, kinds, step):
            end = min(start + step, kinds)
            yield slice(start, end), slice(int(self._starts[start]), int(self._starts[end]))

    def _entries(self) -> Matrix:
        """Return, for each entry of the pairs, its row of the design times the square root of its information."""
        data, x = self._data, self._solution.fitted.x
        roots = np.sqrt(data.count * self._solution.weight[data.pattern])
        of, column, value = x.cells(data.pattern)
        return matrix_of(of, column, roots[of] * value, (len(roots), x.width))

    def of_pairs(self) -> Behind:
        """Return the support of the differences of all pairs of bots, as matrices."""
        number = self._along.shape[1]
        if number > MANY:
            single = self.of(np.full(number, 1 / number))
            return Behind(np.minimum.outer(single.sets, single.sets), np.minimum.outer(single.dof, single.dof))
        sums = np.zeros((4, number, number))
        entries, influences = self._entries() @ self._along, self._solution.scores @ self._along
        for kinds, rows in self._blocks(number**2):
            sets = self._data.sets[kinds]
            shares = self._by_kind(_squared_differences(entries[rows]), kinds)
            sums[0] += np.tensordot(sets, shares, 1)
            sums[1] += np.tensordot(sets, _squared(shares), 1)
            squares = _squared_differences(influences[kinds])
            sums[2] += np.tensordot(sets, squares, 1)
            sums[3] += np.tensordot(sets, _squared(squares), 1)
        return _behind(*sums)


def _squared_differences(table: Floats) -> Floats:
    """Return, for each row, the squared differences of all pairs of its numbers."""
    return _squared(table[:, :, None] - table[:, None, :])


def _squared(table: Floats) -> Floats:
    """Square a table in place, and return it."""
    return np.square(table, out=table)


def _behind(naive: Floats, naive_squares: Floats, error: Floats, error_squares: Floats) -> Behind:
    with np.errstate(invalid="ignore", divide="ignore"):
        sets = np.where(naive_squares > 0, naive**2 / naive_squares, 0.0)
        doubt = np.where(error > 0, error_squares / error**2, 0.0) - 1 / sets
        dof = np.where(doubt > 0, np.minimum(2 / doubt, sets - 1), sets - 1)
    return Behind(sets, np.where(sets > 1, dof, 0.0))
