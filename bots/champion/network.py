"""The networks of a variant and their files. `bowerbird.bots.champion.training` trains them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import OptionValue, variant_names
from bowerbird.envs import action_numbers, layout_of

Array = NDArray[np.float32]
Masks = NDArray[np.int8]

NETWORKS = Path(__file__).parent / "networks"

MOST_STEPS = 95
"""The steps from 0 to the largest weight of a row.

255, a full byte, would take a sixth more space without better play.
"""

IMPOSSIBLE = np.float32(-1e9)
"""The score of an illegal action."""


@dataclass(frozen=True)
class Network:
    """Layers with max(0, x) between them.

    Attributes:
        weights: the weights from each layer to the next.
        biases: the biases there.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def outputs(self, inputs: Array) -> Array:
        """Return the outputs of the last layer, row by row."""
        found = inputs
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            found = np.maximum(found, 0) @ weights if number else found @ weights
            found += biases
        return found


@dataclass(frozen=True)
class Networks:
    """The networks of a variant. Both read renamed observations (`bots.champion.renaming`) scaled to about 1.

    Attributes:
        policy: scores each action. The higher the score, the likelier the action.
        values: also sees the hands of the others, and predicts the result of the hand for each seat, clockwise from the
            actor.
        unit: the number of points for a value of 1.
    """

    policy: Network
    values: Network
    unit: float

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read the networks from a file that `write` wrote. Raises ValueError if it is damaged or another file."""
        with _opened(file) as arrays:
            found = {name: _unpacked(arrays, name) for name in ("policy", "values")}
            return cls(**found, unit=float(arrays["unit"]))

    def write(self, file: Path, made: Mapping[str, object]) -> None:
        """Write the networks, their weights in steps (`in_steps`), with a description of how they were made."""
        texts = {"made": np.array(json.dumps(made)), "unit": np.array(self.unit)}
        packed = _packed(self.policy, "policy") | _packed(self.values, "values")
        np.savez_compressed(file, allow_pickle=False, **texts, **packed)

    def scores(self, observations: Array, masks: Masks) -> Array:
        """Return the scores of all actions, row by row."""
        found = self.policy.outputs(scaled(observations))
        found[masks == 0] = IMPOSSIBLE
        return found

    def margins(self, observations: Array, hands: Array) -> Array:
        """Return the predicted result of the hand by row and distance from the actor: points above the opponents."""
        return self.values.outputs(np.concatenate([scaled(observations), hands], axis=1)) * np.float32(self.unit)


def in_steps(weights: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights as whole numbers of steps, and the step of each row, whose largest weight is `MOST_STEPS`."""
    step = np.abs(weights).max(axis=-1, keepdims=True) / MOST_STEPS
    return np.rint(weights / np.where(step, step, 1)), step


def _packed(network: Network, name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network for a file.

    A weight is a number of steps in a byte, and a bit for its sign. The last layer has few weights, and rounding them
    would change the most choices, so they are 16-bit numbers, like the biases.
    """
    *others, last = network.weights
    found: dict[str, NDArray[Any]] = {f"{name} layers": np.array(len(network.weights))}
    found[f"{name} last"] = last.astype(np.float16)
    for number, biases in enumerate(network.biases):
        found[f"{name} biases {number}"] = biases.astype(np.float16)
    for number, weights in enumerate(others):
        steps, found[f"{name} step {number}"] = in_steps(weights)
        found[f"{name} steps {number}"] = np.abs(steps).astype(np.uint8)
        found[f"{name} signs {number}"] = np.packbits(steps < 0)
    return found


def _unpacked(arrays: Mapping[str, NDArray[Any]], name: str) -> Network:
    """Return the network from the arrays of `_packed`."""
    layers = range(int(arrays[f"{name} layers"]))
    weights = []
    for number in layers[:-1]:
        steps, step = arrays[f"{name} steps {number}"], arrays[f"{name} step {number}"]
        signs = np.unpackbits(arrays[f"{name} signs {number}"])[: steps.size].reshape(steps.shape)
        weights.append(steps * np.where(signs, -step, step))
    weights.append(arrays[f"{name} last"].astype(np.float32))
    return Network(tuple(weights), tuple(arrays[f"{name} biases {n}"].astype(np.float32) for n in layers))


@contextmanager
def _opened(file: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Yield the arrays of a file of networks. Raises ValueError if it cannot be read."""
    content = io.BytesIO(file.read_bytes())
    try:
        with np.load(content) as arrays:
            yield arrays
    except Exception as damage:  # zipfile, zlib and numpy raise a dozen kinds of errors
        raise ValueError(
            f"{file} is damaged, or not a file of champion's networks; restore it, "
            f"or train them again: python -m bowerbird.bots.champion.training {file.stem}"
        ) from damage


def made_of(file: Path) -> dict[str, Any]:
    """Return how the networks in a file were made: rounds, decisions, seed, and seconds of processor time."""
    with _opened(file) as arrays:
        made: dict[str, Any] = json.loads(str(arrays["made"]))
        return made


def variants_with_networks() -> tuple[str, ...]:
    """Return the variants that have trained networks, in the order of the rules."""
    return tuple(variant for variant in variant_names() if (NETWORKS / f"{variant}.npz").exists())


def networks_of(variant: str, options: Mapping[str, OptionValue]) -> Networks | None:
    """Return the networks of a variant, or None if their inputs and actions do not fit the options."""
    file = NETWORKS / f"{variant}.npz"
    if not file.exists():
        return None
    networks = Networks.read(file)
    fits = len(networks.policy.weights[0]) == layout_of(variant, options).size
    return networks if fits and len(networks.policy.biases[-1]) == len(action_numbers(variant, options)) else None


def softmax(scores: Array) -> Array:
    """Return the probabilities for scores, row by row."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)


def scaled(observations: Array) -> Array:
    """Return observations with scores and other numbers scaled to about 1. Ones and zeros stay as they are."""
    return np.asarray(np.clip(observations, -10, 1) + np.clip(observations - 1, 0, 100) / 10, np.float32)
