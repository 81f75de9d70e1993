"""The network of a variant: scores every action from what a seat knows. Trained by `bots.champion.training`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import OptionValue, variant_names
from bowerbird.envs import action_numbers, layout_of

Array = NDArray[np.float32]
Masks = NDArray[np.int8]

NETWORKS = Path(__file__).parent / "networks"

IMPOSSIBLE = np.float32(-1e9)
"""The score of an action that is not legal."""


@dataclass(frozen=True)
class Network:
    """One hidden layer, and a score for each action; the higher the score, the likelier the action.

    Attributes:
        hidden, hidden_bias: from an observation to the hidden layer.
        action, action_bias: from there to the scores.
    """

    hidden: Array
    hidden_bias: Array
    action: Array
    action_bias: Array

    @classmethod
    def read(cls, file: Path) -> Self:
        """Return the network in a file that the training wrote."""
        with np.load(file) as arrays:
            return cls(**{each.name: arrays[each.name].astype(np.float32) for each in fields(cls)})

    def scores(self, observations: Array, masks: Masks) -> Array:
        """Return the scores of all actions, row by row, for observations of the layout of the variant."""
        hidden = scaled(observations) @ self.hidden
        hidden += self.hidden_bias
        found = np.maximum(hidden, 0, out=hidden) @ self.action
        found += self.action_bias
        found[masks == 0] = IMPOSSIBLE
        return np.asarray(found, np.float32)


def variants_with_network() -> tuple[str, ...]:
    """Return the variants for which a network has been trained, in the order of the rules."""
    return tuple(variant for variant in variant_names() if (NETWORKS / f"{variant}.npz").exists())


def network_of(variant: str, options: Mapping[str, OptionValue]) -> Network | None:
    """Return the network of a variant, or None if there is none whose inputs and actions are those of the options."""
    file = NETWORKS / f"{variant}.npz"
    if not file.exists():
        return None
    network = Network.read(file)
    fits = network.hidden.shape[0] == layout_of(variant, options).size
    return network if fits and network.action.shape[1] == len(action_numbers(variant, options)) else None


def softmax(scores: Array) -> Array:
    """Return the probabilities that scores stand for, row by row."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


def scaled(observations: Array) -> Array:
    """Return observations with scores and other numbers brought near to 1; ones and zeros stay as they are."""
    return np.asarray(np.clip(observations, -10, 1) + np.clip(observations - 1, 0, 100) / 10, np.float32)
