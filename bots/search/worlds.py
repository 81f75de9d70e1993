"""Worlds to search in: whole games that match the view, likelier ones more often."""

from __future__ import annotations

import random

from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Game, Sampler, SeatView

BIDDING = frozenset({"pass", "order", "call", "bid", "stay", "drop", "alone", "decline", "defend"})
"""The kinds of public decision that reveal something about a hand."""

MISFIT_WEIGHT = 0.35
"""The factor on a world's weight for each bid of another seat that does not fit the seat's hand there."""

MAX_TRIES = 3
"""The maximum number of worlds to draw until one is accepted. The last one is accepted unconditionally."""


class WorldSampler:
    """A source of worlds for one view.

    `Sampler` respects everything that is certain. Of its worlds, those in which the rollout policy would bid as the
    other seats did are likelier: a world is accepted with the probability of its bids.
    """

    def __init__(self, view: SeatView, policy: RolloutPolicy) -> None:
        """Sample worlds of `view`. Raises EngineError like `Sampler`."""
        self._sampler = Sampler(view)
        self._policy = policy
        self._view = view
        self._bids = sum(event.seat != view.seat and event.action.kind in BIDDING for event in view.history)

    def draw(self, rng: random.Random) -> Game:
        """Draw a world, prepared for rollouts of its current hand."""
        world = self._sampler.draw(rng)
        if self._bids:
            for _ in range(MAX_TRIES - 1):
                if self._accepts(world, rng.random()):
                    break
                world = self._sampler.draw(rng)
        world.skip_later_shuffles()
        return world

    def _accepts(self, world: Game, threshold: float) -> bool:
        """Return whether the bids of the others are likelier in `world` than `threshold`, which was drawn from 0 to 1.

        The hand is dealt again and the bids replayed, up to the first decision that is not a bid or cannot be replayed.
        """
        game = world.redealt()
        likelihood = 1.0
        for seat, action in self._view.history:
            if seat != game.actor or action.kind not in BIDDING or action not in game.legal_actions():
                break
            if seat != self._view.seat and self._policy.choose(game) is not action:
                likelihood *= MISFIT_WEIGHT
                if likelihood <= threshold:
                    return False
            game.apply(action)
        return threshold < likelihood
