"""Judges decisions: the value of each legal action in points, over hands that the seat cannot tell apart.

Input: games before a decision. Output: an `Opinion` of each. All actions are tried in the same worlds and evaluated as
in the search (`lookahead`), but in points of the hand instead of shares of a win. With two tricks left the rest is
solved. Otherwise the value is the mean of the value network's expectation and the rollout policy's result. A call that
the network hardly ever makes is an exception: the value network has not seen what follows it, so only the rollout
policy determines how far it is from the likeliest call. The decisions of a hand are judged together, so that a network
decides in hundreds of games at once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.deciding import Decider, decider_of
from bowerbird.bots.champion.endings import Endings, fits
from bowerbird.bots.champion.levels import DEFAULT, LEVELS
from bowerbird.bots.champion.lookahead import best_of
from bowerbird.bots.champion.network import softmax
from bowerbird.bots.search.rollout import Rollouts
from bowerbird.engine import Action, Game, OptionValue, Sampler
from bowerbird.envs.tracking import Tracker
from bowerbird.envs.vector import hand_rewards

METHOD = 3
"""The version of the judging method. Figures of another method have another version."""

SOLVED = LEVELS[DEFAULT].solved
"""With this many tricks left, the rest of a hand is solved if possible."""

RARE = 1e-6
"""Before the play, the value network has learnt too little about actions that are less probable than this.

A jambone that loses 5.7 points seemed to lose 1.4 (docs/explanation/analysis.md, How it was checked).
"""

CARD_PLAY = frozenset({"play", "dictate"})
"""The kinds of actions that are card play. All others come before it."""


@dataclass(frozen=True)
class Question:
    """A decision with a choice.

    Attributes:
        game: the game before the decision, which is not changed.
        rng: draws the worlds.
    """

    game: Game
    rng: random.Random


@dataclass(frozen=True)
class Opinion:
    """The judge's opinion of a decision.

    Attributes:
        actions: the legal actions, the network's likeliest first.
        worths: the value of each action to the seat, in points of the hand above the mean of its opponents, with a row
            for each world.
        is_solved: whether every world was solved to the end of the hand.
    """

    actions: tuple[Action, ...]
    worths: NDArray[np.float64]
    is_solved: bool

    def choice(self, worlds: slice = slice(None)) -> int:
        """Return the place of the action that champion chooses after these worlds, by default all."""
        return best_of(self.worths[worlds])


@dataclass(frozen=True)
class _Sampled:
    """The worlds of a question, its rare actions, the solver of its hands' ends (or None), and the rollout policy."""

    seat: int
    actions: tuple[Action, ...]
    rare: NDArray[np.bool_]
    worlds: list[Game]
    tricks: int
    ends: Endings | None
    rollouts: Rollouts[tuple[float, ...]]

    def is_solved(self, game: Game) -> bool:
        """Return whether the rest of the hand of a game is solved."""
        return self.ends is not None and self.ends.has_come(game)


class Judge:
    """A judge of decisions in games of one variant with one set of options."""

    def __init__(self, decider: Decider, worlds: int) -> None:
        """Create a judge with these networks and this many worlds for each decision."""
        self._decider = decider
        self._worlds = worlds

    @classmethod
    def of(cls, variant: str, options: dict[str, OptionValue], worlds: int) -> Self | None:
        """Return the judge of a variant under these options, or None if no networks fit."""
        decider = decider_of(variant, options)
        return None if decider is None else cls(decider, worlds)

    def opinions(self, questions: Sequence[Question]) -> list[Opinion]:
        """Return the judge's opinions of decisions, which must be of one hand (equal `hand_number`)."""
        if not questions:
            return []
        hand = questions[0].game.hand_number
        sampled = [
            self._sampled(question, actions, rare)
            for question, (actions, rare) in zip(questions, self._orders(questions), strict=True)
        ]
        games, owners = [], []
        for one in sampled:
            first = self._decider.follow(one.worlds[0])
            for world in one.worlds:
                for action in one.actions:
                    game = first.alike(world.copy())
                    game.apply(action)
                    games.append(game)
                    owners.append(one)
        played_out = [
            None if one.is_solved(each.game) else one.rollouts(each.game)[one.seat]
            for each, one in zip(games, owners, strict=True)
        ]
        valued = np.array(self._values(games, owners, hand), np.float64)
        rolled = np.array(
            [value if other is None else other for value, other in zip(valued, played_out, strict=True)], np.float64
        )
        found, start = [], 0
        for one in sampled:
            size = len(one.worlds) * len(one.actions)
            shape, own = (len(one.worlds), len(one.actions)), slice(start, start + size)
            by_rollout = rolled[own].reshape(shape)
            more = (valued[own].reshape(shape) - by_rollout) / 2
            worths = by_rollout + np.where(one.rare, more[:, :1], more)
            found.append(Opinion(one.actions, worths, all(map(one.is_solved, one.worlds))))
            start += size
        return found

    def par(self, game: Game) -> tuple[float, ...]:
        """Return the result of the hand by seat if the network plays on, in points above the mean of the opponents.

        The network decides at all seats, for each from what that seat knows.
        """
        played = game.copy()
        self._decider.play_on([self._decider.follow(played)], game.hand_number, lambda _place, _game: False)
        return hand_points(played)

    def _orders(self, questions: Sequence[Question]) -> list[tuple[tuple[Action, ...], NDArray[np.bool_]]]:
        """Return the legal actions of each question, likeliest first, and which of them are rare."""
        decider = self._decider
        odds = softmax(decider.scores([decider.follow(question.game) for question in questions]))
        found = []
        for row, question in zip(odds, questions, strict=True):
            legal = question.game.legal_actions()
            own = np.array([row[decider.number[action]] for action in legal], np.float64)
            order = np.argsort(-own, kind="stable")
            actions = tuple(legal[place] for place in order.tolist())
            before_play = np.array([action.kind not in CARD_PLAY for action in actions])
            found.append((actions, (own[order] < RARE) & before_play))
        return found

    def _sampled(self, question: Question, actions: tuple[Action, ...], rare: NDArray[np.bool_]) -> _Sampled:
        game = question.game
        seat = game.actor
        assert seat is not None, "a question is a decision"
        view = game.view(seat)
        sampler = Sampler(view)
        worlds = [sampler.draw(question.rng) for _ in range(self._worlds)]
        for world in worlds:
            world.skip_later_shuffles()
        ends = Endings(worlds[0], seat, SOLVED, lambda end: hand_points(end)[seat]) if fits(worlds[0]) else None
        rollouts = Rollouts(self._decider.rollout_policy, view, hand_points)
        return _Sampled(seat, actions, rare, worlds, len(game.tricks), ends, rollouts)

    def _values(self, games: Sequence[Tracker], owners: Sequence[_Sampled], hand: int) -> list[float]:
        """Play each game to the end of its next trick, and return the seat's expected result."""

        def is_far(place: int, game: Game) -> bool:
            return len(game.tricks) > owners[place].tricks or owners[place].is_solved(game)

        found: dict[int, float] = {}
        judged = {}
        for place, each in self._decider.play_on(games, hand, is_far).items():
            ends = owners[place].ends
            if ends is not None and ends.has_come(each.game):
                found[place] = ends.worth(each.game)
            else:
                judged[place] = each
        if judged:
            margins = self._decider.margins(list(judged.values()))
            for row, place in enumerate(judged):
                found[place] = float(margins[row, owners[place].seat])
        return [
            found[place] if place in found else hand_points(each.game)[owners[place].seat]
            for place, each in enumerate(games)
        ]


def hand_points(game: Game) -> tuple[float, ...]:
    """Return the result of the last hand by seat: a seat's points above the mean of its opponents."""
    return hand_rewards(game.rules, game.results[-1].points)
