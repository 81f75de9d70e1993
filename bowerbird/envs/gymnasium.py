"""A Gymnasium environment for every variant: one agent, and opponents at the other seats.

    gymnasium.make("bowerbird.envs.gymnasium:bowerbird/Euchre-v0", opponents="greedy")

It needs the extra `rl`. Importing it registers `bowerbird/Euchre-v0`, `bowerbird/TwoHanded-v0` and so on, as other
Gymnasium packages do. environments.md describes it.

>>> env_id("two-handed")
'bowerbird/TwoHanded-v0'
"""

from bowerbird.harness.extras.envs.gymnasium import RENDER_MODES, SeatEnv, env_id, register
from bowerbird.harness.extras.envs.opponents import Opponent, OpponentError, Opponents, OwnProcess
from bowerbird.harness.extras.envs.rewards import REWARDS, Reward, RewardError
from bowerbird.harness.extras.envs.seeds import SeedError, secret_of
from bowerbird.harness.extras.envs.table import OptionsError

register()

__all__ = [
    "RENDER_MODES",
    "REWARDS",
    "Opponent",
    "OpponentError",
    "Opponents",
    "OptionsError",
    "OwnProcess",
    "Reward",
    "RewardError",
    "SeatEnv",
    "SeedError",
    "env_id",
    "register",
    "secret_of",
]
