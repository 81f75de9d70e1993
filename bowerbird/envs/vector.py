"""Many games of one variant, stepped together in this process or in several: `VectorEnv`.

>>> import numpy as np
>>> with VectorEnv("two-handed", games=4) as env:
...     env.reset(seed=1)
...     env.step(env.random_actions(np.random.default_rng(1)))
...     env.observations.shape, env.masks.shape, env.actors.shape, env.rewards.shape
((4, 433), (4, 70), (4,), (4, 2))

environments.md describes it.
"""

from bowerbird.harness.extras.envs.rewards import REWARDS, Reward, RewardError
from bowerbird.harness.extras.envs.rewards import of_hand as hand_rewards
from bowerbird.harness.extras.envs.seeds import Seed, SeedError, secret_of
from bowerbird.harness.extras.envs.vector import VectorEnv, VectorError
from bowerbird.harness.extras.envs.workers import WorkerError

__all__ = [
    "REWARDS",
    "Reward",
    "RewardError",
    "Seed",
    "SeedError",
    "VectorEnv",
    "VectorError",
    "WorkerError",
    "hand_rewards",
    "secret_of",
]
