"""Chooses an action by perfect-information Monte Carlo."""

from __future__ import annotations

import math
import random

from bowerbird.bots.greedy.player import choose as greedy_choice
from bowerbird.bots.search.budget import Clock
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.bots.search.rollout import Rollouts, rewards
from bowerbird.bots.search.worlds import WorldSampler
from bowerbird.engine import Action, SeatView

ROUND = 8
"""After each round of this many worlds, actions that have fallen behind are dropped."""

DROP_ERRORS = 2.5
"""An action is dropped when it is this many standard errors worse than the best."""

SWITCH_ERRORS = 0.7
"""Greedy's choice stands unless another action is better by this many standard errors."""


class _Candidate:
    """An action and its rewards, world by world."""

    __slots__ = ("action", "rewards", "total")

    def __init__(self, action: Action) -> None:
        self.action = action
        self.rewards: list[float] = []
        self.total = 0.0


def choose(view: SeatView, policy: RolloutPolicy, clock: Clock, rng: random.Random) -> Action:
    """Return the action that is best on average over worlds that match the view.

    Without time, return greedy's choice.
    """
    greedy = greedy_choice(view)
    candidates = [_Candidate(action) for action in view.legal]
    if len(candidates) == 1:
        return greedy
    worlds = WorldSampler(view, policy)
    rollouts = Rollouts(policy, view, rewards)
    default = next(candidate for candidate in candidates if candidate.action is greedy)
    while len(candidates) > 1 and clock.next_world():
        world = worlds.draw(rng)
        for candidate in candidates:
            game = world.copy()
            game.apply(candidate.action)
            reward = rollouts(game)[view.seat]
            candidate.rewards.append(reward)
            candidate.total += reward
        if len(candidates[0].rewards) % ROUND == 0:
            candidates = _not_behind(candidates)
    best = max(candidates, key=lambda candidate: candidate.total)
    return best.action if default not in candidates or _is_behind(default, best, SWITCH_ERRORS) else greedy


def _not_behind(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the best candidate and those not clearly behind it."""
    best = max(candidates, key=lambda candidate: candidate.total)
    return [candidate for candidate in candidates if not _is_behind(candidate, best, DROP_ERRORS)]


def _is_behind(candidate: _Candidate, best: _Candidate, errors: float) -> bool:
    """Return whether `candidate` is worse than `best` by more than `errors` standard errors.

    They are compared in the same worlds, so that the influence of each world cancels out.
    """
    number = len(candidate.rewards)
    if number < 2:
        return False
    differences = [top - own for top, own in zip(best.rewards, candidate.rewards, strict=True)]
    mean = sum(differences) / number
    variance = sum((difference - mean) ** 2 for difference in differences) / (number - 1)
    return mean > 0.0 and mean > errors * math.sqrt(variance / number)
