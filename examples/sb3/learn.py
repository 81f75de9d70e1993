"""Trains a two-handed policy with sb3-contrib's MaskablePPO for `bot.py`, in two minutes: `python learn.py`.

The agent plays in the Gymnasium environment, at a seat drawn for each game, and learns against greedy and random play.
MaskablePPO asks the environment for the legal actions, so it never tries an illegal one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers import TransformObservation
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

SAVED = Path(__file__).with_name("policy.zip")
GAMES = 8
"""The number of games stepped together, half of them against greedy and half against random play."""


def seat(opponents: str) -> gymnasium.Env[np.ndarray, np.int64]:
    """Return the environment of one seat. It observes only the array: MaskablePPO requests the mask separately."""
    env = gymnasium.make("bowerbird.envs.gymnasium:bowerbird/TwoHanded-v0", seat=None, opponents=opponents)
    seen_and_mask = env.observation_space
    assert isinstance(seen_and_mask, gymnasium.spaces.Dict)
    return TransformObservation(env, lambda seen: seen["observation"], seen_and_mask["observation"])


def games(seed: int) -> VecEnv:
    """Return the games, which are stepped together."""
    opponents = iter(["greedy", "random"] * (GAMES // 2))
    return make_vec_env(lambda: seat(next(opponents)), n_envs=GAMES, seed=seed)


def main() -> None:
    """Train the policy and save it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=120_000, help="decisions of the agent (default 120000)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small
    agent = MaskablePPO(
        "MlpPolicy",
        games(asked.seed),
        n_steps=256,
        batch_size=512,
        n_epochs=4,
        gamma=0.98,  # points come at the end of a hand, and a game has many hands
        ent_coef=0.02,
        learning_rate=7e-4,
        policy_kwargs={"net_arch": [256]},
        seed=asked.seed,
        device="cpu",
    )
    while agent.num_timesteps < asked.steps:
        agent.learn(max(asked.steps // 8, 1), reset_num_timesteps=False)
        won = np.mean([game["r"] for game in agent.ep_info_buffer])
        print(f"{agent.num_timesteps:>8,} decisions  {won:+.2f} points a game", flush=True)
    agent.save(SAVED)
    print(f"saved {SAVED.name}")


if __name__ == "__main__":
    main()
