"""Environments survive `pickle` in mid-game: the copy and the original continue alike, and do not share their games."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed; the extra rl adds it")

from bowerbird.engine import variant_names
from bowerbird.envs.pettingzoo import env, raw_env
from bowerbird.envs.vector import VectorEnv
from bowerbird.harness.extras.envs.plain_play import FROM_GAMES
from tests.support.deadline import DEADLINE_S
from tests.support.engine.random_options import random_options

ARRAYS = ("observations", "masks", "actors", "rewards", "hand_ended", "game_ended")


def step(game: Any, rng: Random) -> None:
    """Take a random legal action."""
    game.step(rng.choice(np.flatnonzero(game.infos[game.agent_selection]["action_mask"]).tolist()))


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("variant", variant_names())
def test_an_environment_survives_pickle(variant: str, make: Callable[..., Any]) -> None:
    rng = Random(variant)
    for options in ({}, random_options(variant, rng, 2)):
        game = make(variant, options)
        pickled(game).reset(seed=1)
        game.reset(seed=1)
        for _ in range(25):
            if not game.terminations[game.agent_selection]:
                step(game, rng)
        twin = pickled(game)
        for _ in range(100):
            agent = game.agent_selection
            assert twin.agent_selection == agent
            assert twin.rewards == game.rewards
            for name, value in game.observe(agent).items():
                assert (twin.observe(agent)[name] == value).all()
            if game.terminations[agent]:
                break
            number = rng.getrandbits(40)
            step(game, Random(number))
            step(twin, Random(number))


def check_vector(variant: str, options: dict[str, Any], workers: int, games: int) -> None:
    with VectorEnv(variant, options, games=games, workers=workers) as env, pickled(env) as unstarted:
        for each in (env, unstarted):
            each.reset(seed=3)
        rng = np.random.default_rng(1)
        for _ in range(30):
            env.step(env.random_actions(rng))
        with pickled(env) as twin:
            for _ in range(40):
                for name in ARRAYS:
                    assert (getattr(env, name) == getattr(twin, name)).all(), name
                chosen = env.random_actions(rng)
                env.step(chosen)
                twin.step(chosen)


@pytest.mark.parametrize("games", [5, FROM_GAMES])
@pytest.mark.parametrize("variant", variant_names())
def test_a_vector_environment_survives_pickle(variant: str, games: int) -> None:
    check_vector(variant, random_options(variant, Random(variant), 2), 0, games)


@pytest.mark.usefixtures("processes")
def test_a_copy_of_a_vector_environment_has_workers_of_its_own() -> None:
    check_vector("king-cut-throat", {}, 2, 5)
    check_vector("euchre", {}, 2, 2 * FROM_GAMES)


FRESH = """
import pickle, sys
game, vector = pickle.load(sys.stdin.buffer)
with vector:
    print(game.observe(game.agent_selection)["observation"].sum(), vector.observations.sum(), vector.masks.sum())
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("variant", ["euchre", "king-cut-throat"])
def test_environments_can_be_unpickled_in_a_fresh_process(variant: str) -> None:
    game = env(variant, {"max_hands": 2})
    game.reset(seed=1)
    step(game, Random(1))
    with VectorEnv(variant, games=3, workers=1) as vector:
        vector.reset(seed=1)
        vector.step(vector.random_actions(np.random.default_rng(1)))
        done = subprocess.run(
            [sys.executable, "-c", FRESH],
            input=pickle.dumps((game, vector)),
            capture_output=True,
            check=False,
            timeout=DEADLINE_S,
        )
        assert done.returncode == 0, done.stderr.decode()
        seen = game.observe(game.agent_selection)["observation"].sum()
        assert done.stdout.decode().split() == [str(seen), str(vector.observations.sum()), str(vector.masks.sum())]
