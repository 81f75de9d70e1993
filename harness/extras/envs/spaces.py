"""Observations and actions as Gymnasium spaces."""

from __future__ import annotations

import numpy as np

try:
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("the spaces of environments need Gymnasium: pip install 'bowerbird[rl]'") from error

from bowerbird.harness.features.layout import Layout
from bowerbird.harness.features.observing import Observer


def box_of(layout: Layout, rows: int = 0) -> spaces.Box:
    """Return the space of one observation, or of an array with `rows` of them."""
    low, high = np.full(layout.size, -np.inf, np.float32), np.full(layout.size, np.inf, np.float32)
    low[: layout.bits], high[: layout.bits] = 0, 1
    if rows:
        low, high = np.tile(low, (rows, 1)), np.tile(high, (rows, 1))
    return spaces.Box(low, high, dtype=np.float32)


def masked_of(observer: Observer) -> spaces.Dict:
    """Return the space of an observation with its mask of legal actions, in PettingZoo's form."""
    mask = spaces.Box(0, 1, (len(observer.actions),), dtype=np.int8)
    return spaces.Dict({"observation": box_of(observer.layout), "action_mask": mask})


def numbers_of(observer: Observer, games: int = 0) -> spaces.Discrete | spaces.MultiDiscrete:
    """Return the space of one action number, or of one for each of `games`."""
    actions = len(observer.actions)
    return spaces.MultiDiscrete([actions] * games) if games else spaces.Discrete(actions)
