"""Games that a network plays against itself, many together. Decisions with one legal action are made at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.network import Array, Masks, scaled
from bowerbird.bots.champion.renaming import Renaming
from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Game, Rules, SeatView, new_game, rules_of
from bowerbird.envs.tracking import Tracker, arrays_of, hands_of_others, observer_of
from bowerbird.envs.vector import hand_rewards

MAX_HANDS = 40
"""The maximum number of hands in a game whose rules do not guarantee an end."""


@dataclass(frozen=True)
class Questions:
    """A decision in each game, row by row, with suits and seats renamed (`bowerbird.bots.champion.renaming`).

    Attributes:
        actors: the seats to decide.
        observations: their observations, scaled for a network.
        masks: their legal actions.
        hidden: the hands of the other seats, clockwise from the actor.
    """

    actors: NDArray[np.int64]
    observations: Array
    masks: Masks
    hidden: Array


class SelfPlay:
    """Games of a variant under its default options, each restarted when it ends.

    Attributes:
        rules: the rules.
        questions: the current decisions, each with at least two legal actions.
        rewards: the results of hands that ended with the last step, by game and seat: points above the mean of the
            opponents.
        ended: whether a hand ended with the last step.
    """

    questions: Questions

    def __init__(self, variant: str, games: int, seed: int) -> None:
        self.rules: Rules = rules_of(variant).rules({"max_hands": MAX_HANDS})
        self._observer = observer_of(variant, self.rules.options)
        self._renaming = Renaming(self._observer)
        self._secret = hashlib.sha256(f"{variant} {seed}".encode()).digest()
        self._begun = 0
        self.rewards = np.zeros((games, self.rules.players), np.float32)
        self.ended = np.zeros(games, bool)
        self._trackers = [Tracker(self._observer, self._new_game()) for _ in range(games)]
        self._ask()

    @property
    def actions(self) -> int:
        """The number of actions of the variant."""
        return len(self._observer.actions)

    def greedy(self) -> NDArray[np.int64]:
        """Return greedy's action in each game."""
        number = self._observer.actions.number
        found = np.array([number[choose(_actors_view(tracker.game))] for tracker in self._trackers])
        return self._renaming.renamed(found, self._ways)

    def step(self, numbers: NDArray[np.int64]) -> None:
        """Apply an action to each game."""
        numbers = self._renaming.actions(numbers, self._ways)
        self.rewards[:] = 0
        self.ended[:] = False
        actions = self._observer.actions.actions
        for row, (tracker, number) in enumerate(zip(self._trackers, numbers.tolist(), strict=True)):
            if tracker.apply(actions[number]):
                self._end_hand(row)
        self._ask()

    def _ask(self) -> None:
        """Make all decisions with one legal action, and store the others."""
        for row, tracker in enumerate(self._trackers):
            while len(legal := tracker.game.legal_actions()) == 1:
                if tracker.apply(legal[0]):
                    self._end_hand(row)
        actors, observations, masks = arrays_of(self._observer, self._trackers)
        renaming = self._renaming
        self._ways = ways = renaming.ways(observations)
        self.questions = Questions(
            actors,
            scaled(renaming.observations(observations, ways)),
            renaming.masks(masks, ways),
            renaming.hands(hands_of_others(self._observer, self._trackers), ways),
        )

    def _end_hand(self, row: int) -> None:
        """Store the result of a hand. A second hand that ends in the same step has no decision and does not count."""
        tracker = self._trackers[row]
        game = tracker.game
        if not self.ended[row]:
            self.rewards[row] = hand_rewards(self.rules, game.results[-1].points)
            self.ended[row] = True
        if game.is_over:
            tracker.start(self._new_game())

    def _new_game(self) -> Game:
        self._begun += 1
        rules = self.rules
        return new_game(rules.variant, rules.options, seed=self._secret, set_number=self._begun)


def _actors_view(game: Game) -> SeatView:
    """Return the observation of the seat to decide."""
    assert game.actor is not None
    return game.view(game.actor)
