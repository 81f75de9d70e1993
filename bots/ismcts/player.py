"""One decision by information set Monte Carlo tree search."""

from __future__ import annotations

import math
import random

from bots.greedy.player import choose as rule_of_thumb
from bots.search.habits import Habits
from bots.search.thought import Clock
from bots.search.worlds import Worlds
from bots.search.worth import play_out
from engine import Action, Game, SeatView

EXPLORATION = 0.5
"""UCB1's constant, in shares of the span of all outcomes so far: a single hand moves the worth of a game but little."""


class _Node:
    """What is known of an action after those above it.

    Attributes:
        seat: who chose it; `total` is the worth to that seat, summed over `visits`.
        available: iterations in which it was legal when its parent was passed.
    """

    __slots__ = ("available", "children", "seat", "total", "visits")

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.total = 0.0
        self.visits = 0
        self.available = 0
        self.children: dict[Action, _Node] = {}


class _Span:
    """The lowest and the highest outcome so far."""

    __slots__ = ("highest", "lowest")

    def __init__(self) -> None:
        self.lowest = 1.0
        self.highest = 0.0

    def take(self, outcome: float) -> None:
        self.lowest = min(self.lowest, outcome)
        self.highest = max(self.highest, outcome)

    @property
    def width(self) -> float:
        return max(0.0, self.highest - self.lowest)


def choose(view: SeatView, habits: Habits, clock: Clock, rng: random.Random) -> Action:
    """The action that the search visited most; the rule of thumb when there is no time."""
    if len(view.legal) == 1:
        return view.legal[0]
    root = _Node(view.seat)
    span = _Span()
    worlds = Worlds(view, habits)
    while clock.more():
        _iterate(root, worlds.draw(rng), habits, span)
    if not root.children:
        return rule_of_thumb(view)
    return max(root.children.items(), key=lambda child: child[1].visits)[0]


def _iterate(root: _Node, game: Game, habits: Habits, span: _Span) -> None:
    """Down the tree in one world, one node more, to the end of the hand, and back."""
    path = _descend(root, game, habits, span)
    outcome = play_out(game, habits)
    span.take(outcome[root.seat])
    for node in path:
        node.visits += 1
        node.total += outcome[node.seat]


def _descend(root: _Node, game: Game, habits: Habits, span: _Span) -> list[_Node]:
    """The nodes passed, the new one last; forced moves are made and need no node."""
    path: list[_Node] = []
    node = root
    hand = game.hand_number
    while game.hand_number == hand and (seat := game.actor) is not None:
        legal = game.legal_actions()
        if len(legal) == 1:
            game.apply(legal[0])
            continue
        children = node.children
        new = [action for action in legal if action not in children]
        for action in legal:
            if action in children:
                children[action].available += 1
        if new:
            first = habits.choose(game)
            action = first if first in new else new[0]
            child = children[action] = _Node(seat)
            child.available = 1
            game.apply(action)
            path.append(child)
            return path
        action = _select(children, legal, EXPLORATION * span.width)
        game.apply(action)
        node = children[action]
        path.append(node)
    return path


def _select(children: dict[Action, _Node], legal: tuple[Action, ...], exploration: float) -> Action:
    """UCB1 among the actions that are legal in this world."""

    def bound(action: Action) -> float:
        child = children[action]
        return child.total / child.visits + exploration * math.sqrt(math.log(child.available) / child.visits)

    return max(legal, key=bound)
