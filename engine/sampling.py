"""Games that a seat cannot tell from the real one."""

from __future__ import annotations

import random

from engine.game import Game
from engine.views import SeatView


def sample_game(view: SeatView, rng: random.Random) -> Game:
    """A game that the seat of this view cannot tell from the real one."""
    raise NotImplementedError
