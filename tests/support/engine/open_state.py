"""Changes that tests make to a game behind its public face."""

from __future__ import annotations

from bowerbird.engine import Game
from bowerbird.engine.game import state_of


def set_scores(game: Game, scores: tuple[int, ...]) -> Game:
    """Give a game in play other scores, by seat; return the game."""
    state_of(game).scores = scores
    return game
