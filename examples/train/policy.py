"""A small policy network in numpy: one hidden layer, a score for each action, and an estimate of the points to come."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
HIDDEN = 128


class Policy:
    """A network: its weights by name."""

    def __init__(self, weights: dict[str, Array]) -> None:
        self.weights = weights

    @classmethod
    def fresh(cls, inputs: int, actions: int, rng: np.random.Generator) -> Policy:
        """Return an untrained network: every legal action is about equally likely."""
        return cls(
            {
                "hidden": rng.normal(scale=1 / 8, size=(inputs, HIDDEN)).astype(np.float32),
                "hidden_bias": np.zeros(HIDDEN, np.float32),
                "action": rng.normal(scale=0.01, size=(HIDDEN, actions)).astype(np.float32),
                "action_bias": np.zeros(actions, np.float32),
                "value": np.zeros((HIDDEN, 1), np.float32),
                "value_bias": np.zeros(1, np.float32),
            }
        )

    @classmethod
    def read(cls, file: Path) -> Policy:
        """Return a network that `save` wrote."""
        with np.load(file) as weights:
            return cls(dict(weights))

    def save(self, file: Path) -> None:
        """Write the weights to a file."""
        np.savez(file, **self.weights)  # type: ignore[arg-type]  # the names are ours

    def hidden(self, observations: Array) -> Array:
        """Return the output of the hidden layer for each row of observations."""
        w = self.weights
        return np.asarray(np.maximum(observations @ w["hidden"] + w["hidden_bias"], 0), dtype=np.float32)

    def chances(self, hidden: Array, masks: NDArray[np.int8]) -> Array:
        """Return the probability of each action in each row, which is 0 for an illegal action."""
        scores = hidden @ self.weights["action"] + self.weights["action_bias"]
        scores[masks == 0] = -np.inf
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float32)

    def best(self, observations: Array, masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the number of the most likely action in each row."""
        return np.asarray(self.chances(self.hidden(scaled(observations)), masks).argmax(axis=1), dtype=np.int64)


def scaled(observations: Array) -> Array:
    """Return observations with scores and other numbers scaled to about 1; ones and zeros stay as they are."""
    return np.asarray(np.clip(observations, -10, 1) + np.clip(observations - 1, 0, 100) / 10, dtype=np.float32)
