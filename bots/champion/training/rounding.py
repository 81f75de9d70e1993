"""Rounds the weights of trained networks to the precision of a file, so that they decide as before.

Rows are rounded one after another. Later rows compensate for the change that a row's rounding makes in the sums of its
layer, as far as inputs are correlated (E. Frantar et al., "GPTQ: accurate post-training quantization for generative
pre-trained transformers", 2022), and each layer compensates for the rounding of the layers before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.network import Array, Network, in_steps

DAMPING = 1e-3
"""The damping added to the mean square of each input, as a share of the mean.

It keeps weights close to the old ones.
"""


def rounded(network: Network, inputs: Array) -> Network:
    """Return a network whose weights fit in a file and that does nearly the same with inputs like these."""
    last = len(network.weights) - 1
    exact = found = inputs
    weights: list[Array] = []
    biases: list[Array] = []
    for number, (old, added) in enumerate(zip(network.weights, network.biases, strict=True)):
        aims = exact @ old + added
        rows = _fitted(np.vstack([old, added]), found, aims, is_last=number == last)
        weights.append(rows[:-1].astype(np.float32))
        biases.append(rows[-1].astype(np.float32))
        exact, found = np.maximum(aims, 0), np.maximum(found @ weights[-1] + biases[-1], 0)
    return Network(tuple(weights), tuple(biases))


def _fitted(rows: Array, inputs: Array, aims: Array, is_last: bool) -> NDArray[np.float64]:
    """Return weights that turn inputs into nearly the targets, in steps unless `is_last`. Biases are the last row."""
    inputs = np.hstack([inputs, np.ones((len(inputs), 1), np.float32)])
    squares = (inputs.T @ inputs).astype(np.float64) / len(inputs)
    squares[np.diag_indices_from(squares)] += DAMPING * np.diag(squares).mean()
    left = rows + np.linalg.solve(squares, inputs.T @ (aims - inputs @ rows) / len(inputs))
    if not is_last:
        shares = np.linalg.cholesky(np.linalg.inv(squares)).T
        for number in range(len(rows) - 1):
            steps, step = in_steps(left[number])
            lost = left[number] - steps * step
            left[number + 1 :] -= np.outer(shares[number, number + 1 :] / shares[number, number], lost)
            left[number] -= lost
    return left
