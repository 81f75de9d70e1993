"""The part of a searching bot that is the same for every search."""

from __future__ import annotations

import random
from collections.abc import Callable

from bowerbird.bots.search.budget import Budget, Clock
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, SeatView
from bowerbird.sdk import Bot, Decision

Search = Callable[[SeatView, RolloutPolicy, Clock, random.Random], Action]
"""Returns a legal action of the view. Searches while the clock allows another world, with the given random numbers."""


class SearchingBot(Bot):
    """A bot that plays by a search. It keeps one rollout policy for each variant and set of options."""

    def __init__(self, search: Search, budget: Budget) -> None:
        """Play by `search`, with `budget` for each decision."""
        self._search = search
        self._budget = budget
        self._policies: dict[object, RolloutPolicy] = {}

    def act(self, decision: Decision) -> Action:
        """Search within the bot's budget and the referee's."""
        clock = self._budget.start(decision.budget_ms)
        view = decision.view
        game = (view.variant, view.options)
        policy = self._policies.get(game)
        if policy is None:
            policy = self._policies[game] = RolloutPolicy(view.variant, view.options)
        return self._search(view, policy, clock, decision.table.rng)
