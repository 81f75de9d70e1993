"""The bot: chooses by search with the variant's networks, or like pimc if no networks fit."""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Mapping

from bowerbird.bots.champion import lookahead
from bowerbird.bots.champion.deciding import decider_of
from bowerbird.bots.champion.levels import Level
from bowerbird.bots.pimc.player import choose as pimc_choice
from bowerbird.bots.search.budget import SHARE_OF_BUDGET, Budget
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, OptionValue, SeatView
from bowerbird.sdk import Bot, Decision

HasTime = Callable[[], bool]
Choose = Callable[[SeatView, random.Random, HasTime], Action]

PATIENT_MS = 10**9


def _to_the_log(text: str) -> None:
    """Write a line to stderr, which is the bot's log."""
    print(text, file=sys.stderr, flush=True)


class ChampionBot(Bot):
    """See `bowerbird.bots.champion`. Reads the network of a variant once."""

    def __init__(
        self, level: Level, now: Callable[[], float] = time.monotonic, say: Callable[[str], None] = _to_the_log
    ) -> None:
        """Play at `level`. `now` returns the time in seconds, and `say` receives the bot's messages."""
        self._level = level
        self._say = say
        self._now = now
        self._players: dict[object, Choose] = {}

    def act(self, decision: Decision) -> Action:
        """Choose within the referee's budget."""
        deadline = self._now() + SHARE_OF_BUDGET * decision.budget_ms / 1000.0
        return self.choose(decision.view, decision.table.rng, lambda: self._now() < deadline)

    def choose(self, view: SeatView, rng: random.Random, has_time: HasTime) -> Action:
        """Return the action for a view, searching while `has_time`."""
        if len(view.legal) == 1:
            return view.legal[0]
        game = (view.variant, view.options)
        player = self._players.get(game)
        if player is None:
            player = self._players[game] = player_of(view.variant, view.options, self._level, self._say)
        return player(view, rng, has_time)


def player_of(
    variant: str, options: Mapping[str, OptionValue], level: Level, say: Callable[[str], None] = _to_the_log
) -> Choose:
    """Return the player for a variant with these options. If no networks fit, `say` so."""
    decider = decider_of(variant, options)
    if decider is not None:
        return lambda view, rng, has_time: lookahead.choose(decider, view, level, rng, has_time)
    say(f"champion has no networks for {variant} with these options, so it plays like pimc")
    policy = RolloutPolicy(variant, options)
    budget = Budget(seconds=math.inf, worlds=level.worlds)

    def as_pimc(view: SeatView, rng: random.Random, has_time: HasTime) -> Action:
        return pimc_choice(view, policy, budget.start(PATIENT_MS, lambda: 0.0 if has_time() else math.inf), rng)

    return as_pimc
