"""A PettingZoo environment (AEC) for every variant: `env("buck", {"start": 20}, render_mode="ansi", reward="game")`.

It needs the extra `rl`. environments.md describes it.
"""

from bowerbird.harness.extras.envs.pettingzoo import RENDER_MODES, RawEnv, env, parallel_env, raw_env
from bowerbird.harness.extras.envs.rewards import REWARDS, Reward, RewardError
from bowerbird.harness.extras.envs.seeds import Seed, SeedError, secret_of
from bowerbird.harness.extras.envs.table import OptionsError

__all__ = [
    "RENDER_MODES",
    "REWARDS",
    "OptionsError",
    "RawEnv",
    "Reward",
    "RewardError",
    "Seed",
    "SeedError",
    "env",
    "parallel_env",
    "raw_env",
    "secret_of",
]
