"""One decision by perfect-information Monte Carlo."""

from __future__ import annotations

import math
import random

from bots.greedy.player import choose as rule_of_thumb
from bots.search.habits import Habits
from bots.search.thought import Clock
from bots.search.worlds import Worlds
from bots.search.worth import play_out
from engine import Action, SeatView

ROUND = 8
"""After so many worlds, actions that fall behind are no longer looked at."""

BEHIND = 2.5
"""An action is given up when it is so many standard errors worse than the best."""

CONVINCED = 0.7
"""The rule of thumb stands unless another action is better by so many standard errors."""


class _Line:
    """One action and what it brought, world by world."""

    __slots__ = ("action", "brought", "total")

    def __init__(self, action: Action) -> None:
        self.action = action
        self.brought: list[float] = []
        self.total = 0.0


def choose(view: SeatView, habits: Habits, clock: Clock, rng: random.Random) -> Action:
    """The action that is best on average over worlds that look like the view.

    The rule of thumb when there is no time.
    """
    plain = rule_of_thumb(view)
    lines = [_Line(action) for action in view.legal]
    if len(lines) == 1:
        return plain
    worlds = Worlds(view, habits)
    usual = next(line for line in lines if line.action is plain)
    while len(lines) > 1 and clock.more():
        world = worlds.draw(rng)
        for line in lines:
            game = world.copy()
            game.apply(line.action)
            value = play_out(game, habits)[view.seat]
            line.brought.append(value)
            line.total += value
        if len(lines[0].brought) % ROUND == 0:
            lines = _worth_a_look(lines)
    best = max(lines, key=lambda line: line.total)
    return best.action if usual not in lines or _behind(usual, best, CONVINCED) else plain


def _worth_a_look(lines: list[_Line]) -> list[_Line]:
    """The best and those that are not clearly behind it."""
    best = max(lines, key=lambda line: line.total)
    return [line for line in lines if not _behind(line, best, BEHIND)]


def _behind(line: _Line, best: _Line, errors: float) -> bool:
    """Whether a line is worse than another by so many standard errors.

    They are compared in the same worlds, so that what a world brings to both cancels out.
    """
    number = len(line.brought)
    if number < 2:
        return False
    differences = [top - own for top, own in zip(best.brought, line.brought, strict=True)]
    mean = sum(differences) / number
    variance = sum((difference - mean) ** 2 for difference in differences) / (number - 1)
    return mean > 0.0 and mean > errors * math.sqrt(variance / number)
