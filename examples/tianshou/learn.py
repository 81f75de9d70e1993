"""Trains a two-handed network by self-play with Tianshou's DQN for `bot.py`, in three minutes: `python learn.py`.

Tianshou plays in the PettingZoo environment. Both seats share one learner, which learns from the decisions of each. An
episode is a hand: the value of a decision is the points that its hand ends with.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from network import SAVED, VARIANT, network  # type: ignore[import-not-found]  # beside this file
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams

from bowerbird.envs.pettingzoo import env

GAMES = 16
"""The number of games stepped together."""

A_HAND = 40
"""More steps than a hand has: values are never estimated from a later position, which is often the other seat's."""

EXPLORING = 0.15
"""The share of actions chosen at random."""


def game() -> PettingZooEnv:
    """Return an environment in which each episode is one hand."""
    return PettingZooEnv(env(VARIANT, {"max_hands": 1}))


def main() -> None:
    """Train the network and save it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="decisions of both seats (default 60000)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    np.random.seed(asked.seed)
    torch.manual_seed(asked.seed)
    torch.set_num_threads(1)  # the network is small
    table = game()
    worth = network()
    policy = DiscreteQLearningPolicy(
        model=worth,
        action_space=table.action_space,
        observation_space=table.observation_space,
        eps_inference=EXPLORING,  # with several agents, Tianshou 2.0.1 does not put the policies into training mode
    )
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=5e-4), gamma=1.0, n_step_return_horizon=A_HAND)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner] * len(table.agents), env=table)
    together = DummyVectorEnv([game for _ in range(GAMES)])
    together.seed(asked.seed)
    buffer = VectorReplayBuffer(20_000, GAMES)
    both.run_training(
        OffPolicyTrainerParams(
            training_collector=Collector(both, together, buffer, exploration_noise=True),
            max_epochs=8,
            epoch_num_steps=max(asked.steps // 8, 1),
            collection_step_num_env_steps=GAMES * 32,
            update_step_num_gradient_steps_per_sample=1 / 32,
            batch_size=512,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=True,
        )
    )
    torch.save(worth.state_dict(), SAVED)
    print(f"saved {SAVED.name}")


if __name__ == "__main__":
    main()
