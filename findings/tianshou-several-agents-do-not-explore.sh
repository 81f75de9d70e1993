#!/usr/bin/env bash
# Tianshou 2.0.1 (tianshou) with PettingZoo 1.27.0 (pettingzoo): DQN for several agents.
#
# One would guess: with eps_training=1.0 all actions in training are random, as they are with a single agent.
# What happens: the policy of a MultiAgentOffPolicyAlgorithm is told that it is in training, but its agents' policies
# aren't. They explore with eps_inference, by default not at all: each agent tries one action for ever.
#
# Brings PyTorch, 3 GB on Linux. Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-compile --only-binary :all: \
  tianshou==2.0.1 torch==2.15.0 pettingzoo==1.27.0 gymnasium==1.4.0 || exit 2
"$folder/venv/bin/python" -W ignore - 2>"$folder/said" <<'PYTHON'
import sys

import numpy as np
import torch
from gymnasium import spaces
from pettingzoo import AECEnv
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

ACTIONS = 10


class InTurn(AECEnv):
    """Two agents that act in turn, ten times, whatever they do."""

    metadata = {"name": "in_turn", "is_parallelizable": False}
    possible_agents = ["a", "b"]

    def observation_space(self, agent):
        return SEEN

    def action_space(self, agent):
        return CHOSEN

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection, self.count = "a", 0

    def observe(self, agent):
        return np.ones(3, np.float32)

    def step(self, action):
        taken.append(int(action))
        self.count += 1
        self.terminations = dict.fromkeys(self.agents, self.count == 10)
        self.agent_selection = "ab"[self.count % 2]


def actions(both):
    """Train for a moment; return the distinct actions taken."""
    torch.manual_seed(1)
    np.random.seed(1)
    taken.clear()
    env = PettingZooEnv(InTurn())
    policies = [
        DiscreteQLearningPolicy(
            model=Net(state_shape=3, action_shape=ACTIONS), action_space=CHOSEN, eps_training=1.0, eps_inference=both
        )
        for _ in env.agents
    ]
    learners = [DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-9)) for policy in policies]
    team = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    games = DummyVectorEnv([lambda: PettingZooEnv(InTurn())])
    team.run_training(
        OffPolicyTrainerParams(
            training_collector=Collector(team, games, VectorReplayBuffer(1000, 1), exploration_noise=True),
            max_epochs=1,
            epoch_num_steps=200,
            collection_step_num_env_steps=50,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    return len(set(taken))


SEEN, CHOSEN, taken = spaces.Box(0, 1, (3,)), spaces.Discrete(ACTIONS), []
explored, both = actions(0.0), actions(1.0)
print(f"distinct actions of {ACTIONS}: with eps_training=1.0 {explored}, with eps_inference=1.0, too, {both}")
sys.exit(0 if explored <= 2 < both else 1)
PYTHON
