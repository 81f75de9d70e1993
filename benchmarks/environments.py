"""Speed of the environments for learning agents beside OpenSpiel's euchre: `make bench ARGS=envs`.

Steps a second by the clock, random play, masks and observations included. All are measured in several rounds, one after
the other, so that other load on the machine falls on all of them; the median is shown. What is not installed is left
out.

    shimmy        OpenSpiel's euchre as a PettingZoo environment (Shimmy)
    pettingzoo    `bowerbird.envs.pettingzoo.env`, with its wrappers
    pyspiel       OpenSpiel's euchre driven directly, with its information state tensor as a list
    pyspiel numpy the same, the tensor and the mask as numpy arrays, as a network needs them
    vector        `VectorEnv` in this process
    vector 2      `VectorEnv` with two workers

The figures are for people; no test asserts them. Aims: pettingzoo is five times shimmy, vector twice pyspiel.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import median
from typing import Any

import numpy as np

from bowerbird.envs.vector import VectorEnv

Steps = Iterator[int]
"""Yields how many steps were made since the last time."""

AT_ONCE = 500
"""Steps between two looks at the clock."""


def pettingzoo_steps(make: Callable[[], Any]) -> Steps:
    """Step a PettingZoo environment with random legal actions."""
    env = make()
    rng = Random(1)
    seed = made = 0
    while True:
        env.reset(seed=seed)
        seed += 1
        for _ in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            made += 1
            if made == AT_ONCE:
                yield made
                made = 0


def shimmy() -> Steps:
    """Step OpenSpiel's euchre through Shimmy."""
    game = import_module("pyspiel").load_game("euchre")
    return pettingzoo_steps(lambda: import_module("shimmy").OpenSpielCompatibilityV0(env=game))


def own(variant: str) -> Steps:
    """Step the PettingZoo environment of a variant."""
    return pettingzoo_steps(lambda: import_module("bowerbird.envs.pettingzoo").env(variant))


def pyspiel(*, arrays: bool) -> Steps:
    """Step OpenSpiel's euchre directly, hand after hand, chance moves not counted."""
    game = import_module("pyspiel").load_game("euchre")
    rng = Random(1)
    made = 0
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            tensor = state.information_state_tensor()
            if arrays:
                np.array(tensor, dtype=np.float32)
                np.array(state.legal_actions_mask(), dtype=np.int8)
            state.apply_action(rng.choice(state.legal_actions()))
            made += 1
            if made == AT_ONCE:
                yield made
                made = 0


def vector(variant: str, games: int, workers: int) -> Steps:
    """Step a vector environment."""
    rng = np.random.default_rng(1)
    with VectorEnv(variant, games=games, workers=workers) as env:
        env.reset(seed=1)
        while True:
            env.step(env.random_actions(rng))
            yield games


def rate(steps: Steps, seconds: float) -> float:
    """Return the steps a second of one round."""
    next(steps)
    start, made = time.perf_counter(), 0
    while (taken := time.perf_counter() - start) < seconds:
        made += next(steps)
    return made / taken


def measured(variant: str, games: int, rounds: int, seconds: float) -> dict[str, float]:
    """Return the median rate of each environment that is installed."""
    steps: dict[str, Steps] = {}
    if find_spec("shimmy") and find_spec("pyspiel"):
        steps["shimmy"] = shimmy()
    if find_spec("pettingzoo"):
        steps["pettingzoo"] = own(variant)
    if find_spec("pyspiel"):
        steps |= {"pyspiel": pyspiel(arrays=False), "pyspiel numpy": pyspiel(arrays=True)}
    steps |= {"vector": vector(variant, games, 0), "vector 2": vector(variant, games, 2)}
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, each in steps.items():
            found[name].append(rate(each, seconds))
    return {name: median(rates) for name, rates in found.items()}


def main() -> None:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="euchre", help="the variant of our own environments")
    parser.add_argument("--games", type=int, default=512, help="games of a vector environment")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one measurement")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rates = measured(arguments.variant, arguments.games, arguments.rounds, arguments.seconds)
    if arguments.json:
        print(json.dumps(rates))
        return
    for name, steps in rates.items():
        print(f"{name:<14}{steps:>10,.0f} steps/s")
    for ours, theirs in (("pettingzoo", "shimmy"), ("vector", "pyspiel"), ("vector", "pyspiel numpy")):
        if ours in rates and theirs in rates:
            print(f"{ours} / {theirs}: {rates[ours] / rates[theirs]:.1f}")
    if "pyspiel" in rates:
        print(f"vector 2 / pyspiel: {rates['vector 2'] / rates['pyspiel']:.1f}")
