"""The search: the network's best actions, tried in likely worlds that the network plays to the end of the hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np

from bots.champion.deciding import Decider
from bots.champion.inference import likely
from bots.champion.levels import Level
from bots.search.rollout import rewards
from bowerbird.engine import Action, Sampler, SeatView

UNLIKELY = 0.02
"""The probability below which an action of the network is not tried."""

SURE = 0.98
"""The probability from which the network's choice is taken without a search."""

SWITCH_ERRORS = 0.7
"""The network's choice stands unless another action is better by this many standard errors."""

ROUND = 8
"""Worlds that are played before the time is looked at."""


def choose(decider: Decider, view: SeatView, level: Level, rng: random.Random, has_time: Callable[[], bool]) -> Action:
    """Return the action that brings most on average over likely worlds; without time, the network's choice."""
    found = decider.ranked(view)
    tried = [action for chance, action in found[: level.actions] if chance >= UNLIKELY]
    if len(tried) < 2 or found[0][0] > SURE or not level.worlds or not has_time():
        return found[0][1]
    sampler = Sampler(view)
    worlds = [sampler.draw(rng) for _ in range(level.drawn)]
    for world in worlds:
        world.skip_later_shuffles()
    chosen = likely(decider, view, worlds, level.worlds, rng)
    rng.shuffle(chosen)
    rows: list[list[float]] = []
    for start in range(0, len(chosen), ROUND):
        if not has_time():
            break
        games = []
        for world, _ in chosen[start : start + ROUND]:
            for action in tried:
                game = world.copy()
                game.apply(action)
                games.append(game)
        decider.play_out(games)
        values = [rewards(game)[view.seat] for game in games]
        for number, (_, times) in enumerate(chosen[start : start + ROUND]):
            rows += [values[number * len(tried) : (number + 1) * len(tried)]] * times
    return tried[_best(np.array(rows))] if rows else found[0][1]


def _best(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """Return the column with the largest mean, or 0 if that is not larger by SWITCH_ERRORS errors; a row is a world."""
    best = int(values.mean(axis=0).argmax())
    gains = values[:, best] - values[:, 0]
    if gains.mean() <= SWITCH_ERRORS * gains.std() / math.sqrt(len(gains)):
        return 0
    return best
