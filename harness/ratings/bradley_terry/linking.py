"""How many deal sets stand behind a difference of ratings, and the degrees of freedom of its error.

A set contributes lambda = c' B H_s B c to the naive variance c' B c of a difference, with H_s the information of the
set. The effective number of sets is f = (sum lambda)^2 / sum lambda^2: the number of sets if all contribute alike, and
nearly 1 if all hangs on one of them, however many sets each of the two bots played elsewhere.

The error itself is the sum of q = (c' B u)^2 over sets, with u the gradient of the set. It is known no better than its
terms allow: if nearly all sets end alike, it hangs on the few that do not. With g = (sum q)^2 / sum q^2 its degrees of
freedom are 2 / (1/g - 1/f), which is f where the terms are normal (Satterthwaite), and never more than f - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bowerbird.harness.ratings.bradley_terry.likelihood import Solution, influences
from bowerbird.harness.ratings.bradley_terry.observations import Floats

MANY = 100
"""With more bots the numbers for two bots are the smaller ones of their numbers against the mean of all."""

BLOCK = 1 << 22
"""Most numbers of a dense table that is held at once."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind differences, arrays of one shape: effective deal sets, and degrees of freedom of the error."""

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
        """Return what stands behind these contrasts; one column each, rows are bots."""
        sums = np.zeros((4, contrasts.shape[1]))
        sets = self._data.sets[:, None]
        width = max(1, BLOCK // max(1, len(self._data.sets), self._design.rows))
        for start in range(0, contrasts.shape[1], width):
            columns = slice(start, start + width)
            shares = self._by_kind(self._solution.bread @ contrasts[:, columns])
            sums[0, columns] = (sets * shares).sum(0)
            sums[1, columns] = (sets * shares**2).sum(0)
        for numbers, influence in self._influences():
            squares = (influence @ contrasts) ** 2
            sums[2] += (numbers[:, None] * squares).sum(0)
            sums[3] += (numbers[:, None] * squares**2).sum(0)
        return _behind(*sums)

    def of_pairs(self) -> Behind:
        """Return what stands behind the differences of all pairs of bots, as matrices."""
        number = self._solution.bread.shape[1]
        if number > MANY:
            single = self.of(np.eye(number) - 1 / number)
            return Behind(np.minimum.outer(single.sets, single.sets), np.minimum.outer(single.dof, single.dof))
        sums = np.zeros((4, number, number))
        each = np.searchsorted(self._data.kind, np.arange(len(self._data.sets) + 1))
        lines = self._design.lines(self._solution.bread)
        for kind, sets in enumerate(self._data.sets.tolist()):
            entries = slice(each[kind], each[kind + 1])
            pattern = self._data.pattern[entries]
            rows = lines[pattern] * np.sqrt(self._data.count[entries] * self._solution.weight[pattern])[:, None]
            products = rows.T @ rows
            own = np.diag(products)
            share = np.maximum(own[:, None] + own - 2 * products, 0.0)
            sums[0] += sets * share
            sums[1] += sets * share**2
        for numbers, influence in self._influences():
            for sets, line in zip(numbers.tolist(), influence, strict=True):
                squares = np.subtract.outer(line, line) ** 2
                sums[2] += sets * squares
                sums[3] += sets * squares**2
        return _behind(*sums)

    def _influences(self) -> Iterator[tuple[Floats, Floats]]:
        solution = self._solution
        return influences(solution.residual, self._data, self._design, solution.bread)

    def _by_kind(self, directions: Floats) -> Floats:
        """Return by kind of deal set and direction the contribution of one set to the naive variance."""
        lines = self._design.lines(directions) ** 2 * self._solution.weight[:, None]
        starts = np.searchsorted(self._data.kind, np.arange(len(self._data.sets)))
        found: Floats = np.add.reduceat(lines[self._data.pattern] * self._data.count[:, None], starts, axis=0)
        return found


def _behind(naive: Floats, naive_squares: Floats, error: Floats, error_squares: Floats) -> Behind:
    with np.errstate(invalid="ignore", divide="ignore"):
        sets = np.where(naive_squares > 0, naive**2 / naive_squares, 0.0)
        doubt = np.where(error > 0, error_squares / error**2, 0.0) - 1 / sets
        dof = np.where(doubt > 0, np.minimum(2 / doubt, sets - 1), sets - 1)
    return Behind(sets, np.where(sets > 1, dof, 0.0))
