"""The search: the network's best actions, tried in worlds that match the view and evaluated in two ways.

The value network predicts the result of the rest of the hand, and the rollout policy plays it out. They err in
different places, so champion uses the mean.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.deciding import Decider
from bowerbird.bots.champion.endings import Endings, fits
from bowerbird.bots.champion.inference import likely
from bowerbird.bots.champion.levels import Level
from bowerbird.bots.search.rollout import Rollouts, expected_rewards, rewards
from bowerbird.engine import Action, Game, Sampler, SeatView
from bowerbird.envs.tracking import Tracker

UNLIKELY = 0.005
"""Actions to which the network gives a lower probability than this are not tried."""

SURE = 0.99
"""From this probability on, the network's choice stands without a search."""

SWITCH_ERRORS = 1.0
"""The network's choice stands unless another action is better by this many standard errors."""

ROUND = 12
"""How many worlds are played between checks of the clock."""


class Look(NamedTuple):
    """The findings of a search.

    Attributes:
        ranked: the legal actions with the network's probabilities, likeliest first.
        tried: the actions that were tried, in the same order; () if the network's choice stood without a search.
        worths: the value of each of them to the seat, with a row for each world; no rows if there was no time.
    """

    ranked: list[tuple[float, Action]]
    tried: tuple[Action, ...]
    worths: NDArray[np.float64]

    @property
    def choice(self) -> Action:
        """The action with the best mean, or the network's choice if that is not better beyond chance."""
        return self.tried[best_of(self.worths)] if len(self.worths) else self.ranked[0][1]


def choose(decider: Decider, view: SeatView, level: Level, rng: random.Random, has_time: Callable[[], bool]) -> Action:
    """Return the action with the best average over likely worlds, or the network's choice if there is no time."""
    return look(decider, view, level, rng, has_time).choice


def look(decider: Decider, view: SeatView, level: Level, rng: random.Random, has_time: Callable[[], bool]) -> Look:
    """Search, and return the findings."""
    found = decider.ranked(view)
    tried = tuple(action for chance, action in found[: level.actions] if chance >= UNLIKELY)
    if len(tried) < 2 or found[0][0] > SURE or not level.worlds or not has_time():
        return Look(found, (), np.empty((0, 0)))
    chosen = _worlds(decider, view, level, rng)
    ends = _endings(chosen[0][0], view.seat, level)
    rollouts = Rollouts(decider.rollout_policy, view, rewards)
    first = decider.follow(chosen[0][0])
    rows: list[list[float]] = []
    for start in range(0, len(chosen), ROUND):
        if not has_time():
            break
        games = []
        for world, _ in chosen[start : start + ROUND]:
            for action in tried:
                game = first.alike(world.copy())
                game.apply(action)
                games.append(game)
        values = _worths(decider, view, games, ends, rollouts)
        for number, (_, times) in enumerate(chosen[start : start + ROUND]):
            rows += [values[number * len(tried) : (number + 1) * len(tried)]] * times
    return Look(found, tried, np.array(rows))


def _worlds(decider: Decider, view: SeatView, level: Level, rng: random.Random) -> list[tuple[Game, int]]:
    """Draw worlds. Return those in which actions are tried, and the weight of each."""
    sampler = Sampler(view)
    drawn = [sampler.draw(rng) for _ in range(level.drawn)]
    for world in drawn:
        world.skip_later_shuffles()
    if level.drawn <= level.worlds:
        return [(world, 1) for world in drawn]
    chosen = likely(decider, view, drawn, level.worlds, rng)
    rng.shuffle(chosen)
    return chosen


def _endings(world: Game, seat: int, level: Level) -> Endings | None:
    """Return the solver for the ends of the hand in play, which all worlds share, or None if it does not fit."""
    return Endings(world, seat, level.solved, lambda game: rewards(game)[seat]) if fits(world) else None


def _worths(
    decider: Decider, view: SeatView, games: Sequence[Tracker], ends: Endings | None, rollouts: Rollouts[list[float]]
) -> list[float]:
    """Return each game's value to the view's seat: the mean of two estimates, or the exact value of a solved end."""
    played_out = [None if _is_solved(each.game, ends) else rollouts(each.game)[view.seat] for each in games]
    valued = _values(decider, view, games, ends)
    return [value if other is None else (value + other) / 2 for value, other in zip(valued, played_out, strict=True)]


def _is_solved(game: Game, ends: Endings | None) -> bool:
    return ends is not None and ends.has_come(game)


def _values(decider: Decider, view: SeatView, games: Sequence[Tracker], ends: Endings | None) -> list[float]:
    """Play each game on, and return the value network's expectation for the view's seat.

    The network plays to the end of the next trick. With few tricks left, both sides play their best instead.
    """
    until = len(view.tricks) + 1

    def is_far(_place: int, game: Game) -> bool:
        return len(game.tricks) >= until or _is_solved(game, ends)

    found = {}
    judged = {}
    for place, each in decider.play_on(games, view.hand_number, is_far).items():
        if ends is not None and ends.has_come(each.game):
            found[place] = ends.worth(each.game)
        else:
            judged[place] = each
    if judged:
        for place, margins in zip(judged, decider.margins(list(judged.values())).tolist(), strict=True):
            found[place] = expected_rewards(games[place].game, view.scores, margins)[view.seat]
    return [found[place] if place in found else rewards(each.game)[view.seat] for place, each in enumerate(games)]


def best_of(values: NDArray[np.float64]) -> int:
    """Return the column with the largest mean, or 0 if it is not ahead by SWITCH_ERRORS errors. A row is a world."""
    best = int(values.mean(axis=0).argmax())
    gains = values[:, best] - values[:, 0]
    if gains.mean() <= SWITCH_ERRORS * gains.std() / math.sqrt(len(gains)):
        return 0
    return best
