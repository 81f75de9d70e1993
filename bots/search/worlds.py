"""Worlds to search in: those that look like the view, the likelier ones more often."""

from __future__ import annotations

import random

from bots.search.habits import Habits
from bots.search.worth import cut_short
from engine import Game, Sampler, SeatView
from engine.packs import DealtPacks

CALLS = frozenset({"pass", "order", "call", "bid", "stay", "drop", "alone", "decline", "defend"})
"""Public decisions that tell of a hand."""

DOUBT = 0.35
"""The weight of a world for each call of another seat that does not fit its hand there."""

TRIES = 3
"""Worlds looked at for one that is taken; the last one is taken as it is."""


class Worlds:
    """Draws worlds of one view.

    `engine.Sampler` takes what is certain; what others called makes worlds likelier in which they would call so by
    habit. A world is taken with the probability that its calls have there.
    """

    def __init__(self, view: SeatView, habits: Habits) -> None:
        """Of this view; raises EngineError as `engine.Sampler` does."""
        self._sampler = Sampler(view)
        self._habits = habits
        self._view = view
        self._telling = sum(event.seat != view.seat and event.action.kind in CALLS for event in view.history)

    def draw(self, rng: random.Random) -> Game:
        """One world, cut short after this hand."""
        world = self._sampler.draw(rng)
        if self._telling:
            for _ in range(TRIES - 1):
                if self._is_taken(world, rng.random()):
                    break
                world = self._sampler.draw(rng)
        return cut_short(world)

    def _is_taken(self, world: Game, luck: float) -> bool:
        """Whether the calls of the others fit their hands well enough for this draw of 0 to 1.

        The hand is dealt again, and they call by habit, up to the first decision that is no call, or that the replay
        cannot follow.
        """
        game = Game.start(world.rules, world.dealer, DealtPacks(0, world.orders, world.source))
        likelihood = 1.0
        for seat, action in self._view.history:
            if seat != game.actor or action.kind not in CALLS or action not in game.legal_actions():
                break
            if seat != self._view.seat and self._habits.choose(game) is not action:
                likelihood *= DOUBT
                if likelihood <= luck:
                    return False
            game.apply(action)
        return luck < likelihood
