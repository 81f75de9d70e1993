"""Games that a network plays with itself: many together, decisions with one legal action made at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bots.champion.network import Array, Masks, scaled
from bots.greedy.player import choose
from bowerbird.engine import Game, Rules, SeatView, new_game, rules_of
from bowerbird.envs.tracking import Tracker, arrays_of, observer_of
from bowerbird.envs.vector import hand_rewards

MAX_HANDS = 40
"""Hands of a game at most, where the rules set no end that is sure to come."""


@dataclass(frozen=True)
class Questions:
    """A decision in each game, row by row.

    Attributes:
        actors: the seats to decide.
        observations: what they know, scaled for a network.
        masks: their legal actions.
        hidden: the hands of the other seats, clockwise from the actor.
    """

    actors: NDArray[np.int64]
    observations: Array
    masks: Masks
    hidden: Array


class SelfPlay:
    """Games of a variant under its default options, each begun anew when it has ended.

    Attributes:
        rules: the rules.
        questions: the present decisions; each has two legal actions or more.
        rewards: by game and seat, what the hand that ended with the last step brought: points above the mean of the
            seats against it.
        ended: whether a hand ended with the last step.
    """

    questions: Questions

    def __init__(self, variant: str, games: int, seed: int) -> None:
        self.rules: Rules = rules_of(variant).rules({"max_hands": MAX_HANDS})
        self._observer = observer_of(variant, self.rules.options)
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
        """Return what greedy would do in each game."""
        number = self._observer.actions.number
        return np.array([number[choose(_actors_view(tracker.game))] for tracker in self._trackers])

    def step(self, numbers: NDArray[np.int64]) -> None:
        """Apply an action to each game."""
        self.rewards[:] = 0
        self.ended[:] = False
        actions = self._observer.actions.actions
        for row, (tracker, number) in enumerate(zip(self._trackers, numbers.tolist(), strict=True)):
            if tracker.apply(actions[number]):
                self._end_hand(row)
        self._ask()

    def _ask(self) -> None:
        """Make all decisions with one legal action; note the others."""
        for row, tracker in enumerate(self._trackers):
            while len(legal := tracker.game.legal_actions()) == 1:
                if tracker.apply(legal[0]):
                    self._end_hand(row)
        actors, observations, masks = arrays_of(self._observer, self._trackers)
        self.questions = Questions(actors, scaled(observations), masks, self._hidden())

    def _hidden(self) -> Array:
        pack, players = self.rules.pack, self.rules.players
        length = (pack.size + 7) // 8
        rows = []
        for tracker in self._trackers:
            game = tracker.game
            hands, actor = game.hands, game.actor or 0
            rows += [hands[(actor + offset) % players].to_bytes(length, "little") for offset in range(1, players)]
        bits = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
        cards = np.unpackbits(bits, axis=1, count=pack.size, bitorder="little")
        return cards.reshape(len(self._trackers), -1).astype(np.float32)

    def _end_hand(self, row: int) -> None:
        """Note what a hand brought. A second one that ends with the same step has no decision, and counts for none."""
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
    """Return what the seat to decide knows."""
    assert game.actor is not None
    return game.view(game.actor)
