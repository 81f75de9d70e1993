"""The network of this example, which estimates the value of each action in two-handed."""

from __future__ import annotations

from pathlib import Path

import torch
from tianshou.utils.net.common import Net

from bowerbird.envs import action_numbers, layout_of

VARIANT = "two-handed"

SAVED = Path(__file__).with_name("network.pt")


def network() -> Net:
    """Return an untrained network."""
    size, actions = layout_of(VARIANT).size, len(action_numbers(VARIANT))
    return Net(state_shape=size, action_shape=actions, hidden_sizes=[256])


def saved_network() -> Net:
    """Return the network that `learn.py` saved."""
    found = network()
    found.load_state_dict(torch.load(SAVED, weights_only=True))
    return found
