"""Matrices described by their filled cells: arrays if they are small, else sparse.

Importing scipy takes longer than rating a few thousand games, so only large matrices use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bowerbird.harness.ratings.games import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix: TypeAlias = Floats | csr_array

DENSE = 0.1
"""A matrix is an array if at least this share of its cells is filled."""

SMALL = 1 << 19
"""A matrix with up to this many cells is an array, too."""


def matrix_of(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Matrix:
    """Return the matrix with these cells, parallel sequences; the values of equal cells are added."""
    height, width = shape
    if height * width <= max(SMALL, len(values) / DENSE):
        return np.bincount(rows * width + columns, values, height * width).reshape(shape)
    from scipy.sparse import csr_array

    return csr_array((values, (rows, columns)), shape=shape)


def spans(starts: Ints, sizes: Ints) -> Ints:
    """Return the numbers from each start on, as many as its size, one span after another."""
    return np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)


def gram(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    """Return the products of all pairs of columns (n x n) of a matrix, which is described as for `matrix_of`."""
    matrix = matrix_of(rows, columns, values, shape)
    found = matrix.T @ matrix
    return found if isinstance(found, np.ndarray) else found.toarray()
