"""Networks that learn: the forward and backward passes, and the steps of Adam (D. Kingma, J. Ba, 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bowerbird.bots.champion.network import Array, Network

LARGEST = 0.5
"""A longer gradient of the policy is shortened to this length."""


class Layers:
    """The weights and biases of layers with max(0, x) between them. `learn` changes them in place."""

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator, longest: float = np.inf) -> None:
        """Start with `sizes` units in the layers, the first for the input.

        Gradients longer than `longest` are shortened.
        """
        self.weights: list[Array] = []
        last = len(sizes) - 2
        for number, (before, after) in enumerate(pairwise(sizes)):
            spread = 0.01 if number == last else 1 / 8
            self.weights += [
                rng.normal(scale=spread, size=(before, after)).astype(np.float32),
                np.zeros(after, np.float32),
            ]
        self._means = [np.zeros_like(each) for each in self.weights]
        self._squares = [np.zeros_like(each) for each in self.weights]
        self._steps = 0
        self._longest = longest

    def forward(self, inputs: Array) -> list[Array]:
        """Return the inputs and the outputs of each layer, the last without max."""
        layers = [inputs]
        count = len(self.weights) // 2
        for number in range(count):
            found = layers[-1] @ self.weights[2 * number] + self.weights[2 * number + 1]
            layers.append(np.maximum(found, 0) if number < count - 1 else found)
        return layers

    def network(self) -> Network:
        """Return a copy of the current network.

        Inputs that were always 0 in training get weights of 0, since theirs are still the random initial ones, which
        mean nothing and take space.
        """
        copies = tuple(each.copy() for each in self.weights)
        copies[0][~self._squares[0].any(axis=1)] = 0
        return Network(copies[0::2], copies[1::2])

    def learn(self, layers: list[Array], slopes: Array, rate: float) -> None:
        """Take a step against the slopes of a loss at the outputs; `layers` is what `forward` returned."""
        gradients: list[Array] = []
        for number in reversed(range(len(self.weights) // 2)):
            gradients += [slopes.sum(axis=0), layers[number].T @ slopes]
            if number:
                slopes = (slopes @ self.weights[2 * number].T) * (layers[number] > 0)
        self._step(gradients[::-1], rate)

    def _step(self, gradients: list[Array], rate: float) -> None:
        self._steps += 1
        length = float(np.sqrt(sum(float((each * each).sum()) for each in gradients)))
        shorter = min(1.0, self._longest / (length + 1e-9))
        pace = rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for number, gradient in enumerate(gradients):
            slope = gradient * np.float32(shorter)
            self._means[number] += 0.1 * (slope - self._means[number])
            self._squares[number] += 0.001 * (slope * slope - self._squares[number])
            roots = np.sqrt(self._squares[number]) + np.float32(1e-8)
            self.weights[number] -= np.float32(pace) * self._means[number] / roots
