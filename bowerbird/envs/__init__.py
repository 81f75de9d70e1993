"""Environments for learning agents: PettingZoo, Gymnasium, OpenSpiel, and a numpy one that plays many games at once.

- `bowerbird.envs.pettingzoo`: `env("buck")`, one game at a time (needs the extra `rl`).
- `bowerbird.envs.gymnasium`: one agent, and opponents at the other seats (needs the extra `rl`).
- `bowerbird.envs.vector`: `VectorEnv("buck", games=256)`, many games stepped together.
- `bowerbird.envs.openspiel`: every variant as an OpenSpiel game (needs the extra `openspiel`).

All four number actions and encode observations in the same way, as does `Decision` in `bowerbird.sdk`:

>>> numbers = action_numbers("two-handed")
>>> len(numbers), str(numbers[2]), numbers.of("call s")
(70, 'call s', 2)
>>> layout = layout_of("two-handed")
>>> layout.size, layout["hand"].offset, layout["hand"].length
(433, 367, 32)

environments.md describes them field by field.
"""

from bowerbird.harness.features.actions import ActionNumbers, action_numbers
from bowerbird.harness.features.layout import Field, Layout, layout_of
from bowerbird.harness.features.observing import action_mask, observation

__all__ = ["ActionNumbers", "Field", "Layout", "action_mask", "action_numbers", "layout_of", "observation"]
