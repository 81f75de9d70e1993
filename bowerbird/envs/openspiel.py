"""Every variant as an OpenSpiel game: `python_bowerbird_euchre`, `python_bowerbird_two_handed`, and so on.

It needs the extra `openspiel`. openspiel.md shows how to use it.

>>> game = load_game("two-handed")
>>> game.get_type().short_name, game.num_distinct_actions(), game.observation_tensor_shape()
('python_bowerbird_two_handed', 70, [433])
"""

from bowerbird.harness.extras.envs.openspiel import (
    BowerbirdGame,
    BowerbirdState,
    information_state,
    load_game,
    register,
    short_name,
)

__all__ = ["BowerbirdGame", "BowerbirdState", "information_state", "load_game", "register", "short_name"]
