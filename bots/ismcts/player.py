"""Chooses an action by information set Monte Carlo tree search."""

from __future__ import annotations

import math
import random

from bowerbird.bots.greedy.player import choose as greedy_choice
from bowerbird.bots.search.budget import Clock
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.bots.search.rollout import Rollouts, rewards
from bowerbird.bots.search.worlds import WorldSampler
from bowerbird.engine import Action, Game, SeatView

EXPLORATION = 0.5
"""UCB1's constant, as a share of the range of rewards so far, since one hand changes a game's reward only a little."""


class _Node:
    """An action in the tree, after those above it.

    Attributes:
        seat: the seat that chose it.
        total: the reward of that seat, summed over `visits`.
        visits: how many iterations passed the node.
        available: how many iterations passed its parent while the action was legal.
        children: the next node for each action.
    """

    __slots__ = ("available", "children", "seat", "total", "visits")

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.total = 0.0
        self.visits = 0
        self.available = 0
        self.children: dict[Action, _Node] = {}


class _RewardRange:
    """The lowest and the highest reward so far."""

    __slots__ = ("highest", "lowest")

    def __init__(self) -> None:
        self.lowest = 1.0
        self.highest = 0.0

    def add(self, reward: float) -> None:
        self.lowest = min(self.lowest, reward)
        self.highest = max(self.highest, reward)

    @property
    def width(self) -> float:
        return max(0.0, self.highest - self.lowest)


def choose(view: SeatView, policy: RolloutPolicy, clock: Clock, rng: random.Random) -> Action:
    """Return the action that the search visited most, or greedy's choice if there is no time."""
    if len(view.legal) == 1:
        return view.legal[0]
    root = _Node(view.seat)
    reward_range = _RewardRange()
    worlds = WorldSampler(view, policy)
    rollouts = Rollouts(policy, view, rewards)
    while clock.next_world():
        _iterate(root, worlds.draw(rng), policy, rollouts, reward_range)
    if not root.children:
        return greedy_choice(view)
    return max(root.children.items(), key=lambda child: child[1].visits)[0]


def _iterate(
    root: _Node, game: Game, policy: RolloutPolicy, rollouts: Rollouts[list[float]], reward_range: _RewardRange
) -> None:
    """Descend the tree in one world, add a node, play the hand out, and add the rewards to the nodes passed."""
    path = _descend(root, game, policy, reward_range)
    found = rollouts(game)
    reward_range.add(found[root.seat])
    for node in path:
        node.visits += 1
        node.total += found[node.seat]


def _descend(root: _Node, game: Game, policy: RolloutPolicy, reward_range: _RewardRange) -> list[_Node]:
    """Descend to a new node. Return the nodes passed, with the new one last. Forced actions get no node."""
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
            first = policy.choose(game)
            action = first if first in new else new[0]
            child = children[action] = _Node(seat)
            child.available = 1
            game.apply(action)
            path.append(child)
            return path
        action = _select(children, legal, EXPLORATION * reward_range.width)
        game.apply(action)
        node = children[action]
        path.append(node)
    return path


def _select(children: dict[Action, _Node], legal: tuple[Action, ...], exploration: float) -> Action:
    """Return the action with the highest UCB1 bound among those legal in this world."""

    def bound(action: Action) -> float:
        child = children[action]
        return child.total / child.visits + exploration * math.sqrt(math.log(child.available) / child.visits)

    return max(legal, key=bound)
