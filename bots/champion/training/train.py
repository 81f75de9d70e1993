"""The rounds of a training: games are played, and the networks learn from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.network import IMPOSSIBLE, Array, Masks, Networks, softmax
from bowerbird.bots.champion.training.games import SelfPlay
from bowerbird.bots.champion.training.learning import LARGEST, Layers
from bowerbird.bots.champion.training.rounding import rounded

HIDDEN = (256, 128)
"""The sizes of the policy network's hidden layers."""

SEEING = (256, 128)
"""The sizes of the hidden layers of the second network, which sees all hands."""

GAMES, STEPS = 256, 32
"""The number of games played together, and of steps of each game in a round."""

CLONING = 40
"""The number of rounds in which the network learns to decide like greedy.

In a short training it is a quarter of all.
"""

STRAYING = 0.15
"""The share of random actions in games of greedy, so that the network also learns what to do after a mistake."""

CLONING_PASSES, PASSES, MINIBATCH = 4, 2, 512
"""How often the networks learn from a round, during cloning and later, and from how many decisions at once."""

RATE = 1e-3
"""The learning rates of the networks. The policy's rate falls to 0 after cloning."""

CLIP = 0.2
"""The maximum relative change of an action's probability in a round."""

ENTROPY = 0.05
"""The weight of the entropy bonus relative to an action's gain, falling to 0."""

MEMORY = 0.9
"""How much of the later reward counts for a decision (lambda of generalised advantages)."""


@dataclass(frozen=True)
class Round:
    """Decisions of a round, row by row.

    Attributes:
        observations, hidden, masks: as in `Questions`.
        actions: the chosen actions. labels: greedy's actions, in a round of cloning.
        chances: the network's probabilities of the chosen actions.
        advantages: the gains above expectation, on a scale of 1.
        values: the results of the hand for each seat, the actor's first, which the second network should have
            predicted.
    """

    observations: Array
    hidden: Array
    masks: Masks
    actions: NDArray[np.int64]
    labels: NDArray[np.int64]
    chances: Array
    advantages: Array
    values: Array


class Training:
    """The training of the networks of one variant."""

    _seen: Round
    """The latest round, if there is one."""

    def __init__(self, variant: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._play = play = SelfPlay(variant, GAMES, seed)
        inputs, hidden = play.questions.observations.shape[1], play.questions.hidden.shape[1]
        self._policy = Layers((inputs, *HIDDEN, play.actions), self._rng, LARGEST)
        self._seeing = Layers((inputs + hidden, *SEEING, play.rules.players), self._rng)
        self._scale = 1.0
        """The standard deviation of a hand's results in points, which is the unit of the second network."""

    @property
    def decisions(self) -> int:
        """The number of decisions in a round."""
        return GAMES * STEPS

    def networks(self) -> Networks:
        """Return the networks after a round, rounded so that they decide as before in that round's positions."""
        seen = self._seen
        return Networks(
            rounded(self._policy.network(), seen.observations),
            rounded(self._seeing.network(), np.concatenate([seen.observations, seen.hidden], axis=1)),
            self._scale,
        )

    def rounds(self, count: int) -> Iterator[int]:
        """Train for `count` rounds, and yield the number of rounds done after each."""
        cloning = max(1, min(CLONING, count // 4))
        for number in range(count):
            self._seen = batch = self._round(number < cloning)
            left = 1 - max(0, number - cloning) / (count - cloning)
            for _ in range(CLONING_PASSES if number < cloning else PASSES):
                order = self._rng.permutation(len(batch.actions))
                for start in range(0, len(order), MINIBATCH):
                    self._learn(batch, order[start : start + MINIBATCH], left, number < cloning)
            yield number + 1

    def _round(self, is_cloning: bool) -> Round:
        """Play a round."""
        play, rows = self._play, np.arange(GAMES)
        questions, made, labels, chances, values, rewards, ended = [], [], [], [], [], [], []
        for _ in range(STEPS):
            asked = play.questions
            odds = softmax(self._scores(asked.observations, asked.masks))
            if is_cloning:
                labels.append(play.greedy())
                strays = (self._rng.random(GAMES) < STRAYING)[:, None]
                odds = np.where(strays, asked.masks / asked.masks.sum(axis=1, keepdims=True), _ones(labels[-1], odds))
            chosen = (odds.cumsum(axis=1) > self._rng.random((GAMES, 1)) * odds.sum(axis=1, keepdims=True)).argmax(
                axis=1
            )
            questions.append(asked)
            values.append(self._values())
            made.append(chosen)
            chances.append(odds[rows, chosen])
            play.step(chosen)
            rewards.append(play.rewards / self._scale)
            ended.append(play.ended.copy())
        values.append(self._values())
        if is_cloning:
            self._measure(np.concatenate(rewards)[np.concatenate(ended)])
        gains = advantages(np.stack(values), np.stack(rewards), np.stack(ended))
        actors = np.concatenate([asked.actors for asked in questions])
        gain = gains.reshape(len(actors), -1)
        seats = (actors[:, None] + np.arange(gain.shape[1])) % gain.shape[1]
        own = gain[np.arange(len(actors)), actors]
        return Round(
            np.concatenate([asked.observations for asked in questions]),
            np.concatenate([asked.hidden for asked in questions]),
            np.concatenate([asked.masks for asked in questions]),
            np.concatenate(made),
            np.concatenate(labels) if is_cloning else np.concatenate(made),
            np.concatenate(chances).astype(np.float32),
            np.asarray(own / (own.std() + 1e-6), np.float32),
            np.take_along_axis(gain + np.concatenate(values[:-1]), seats, axis=1),
        )

    def _measure(self, rewards: Array) -> None:
        """Set the unit from the results of a round in which hands have ended."""
        spread = float(rewards.std()) if len(rewards) > GAMES else 0.0
        if self._scale == 1.0 and spread > 0:
            self._scale = spread

    def _scores(self, observations: Array, masks: Masks) -> Array:
        return _possible(self._policy.forward(observations)[-1], masks)

    def _values(self) -> Array:
        """Return the results that the second network expects, by game and seat."""
        asked = self._play.questions
        by_distance = self._seeing.forward(np.concatenate([asked.observations, asked.hidden], axis=1))[-1]
        players = by_distance.shape[1]
        return np.take_along_axis(by_distance, (np.arange(players) - asked.actors[:, None]) % players, axis=1)

    def _learn(self, batch: Round, rows: NDArray[np.int64], left: float, is_cloning: bool) -> None:
        """Let both networks learn from some decisions. `left` is the remaining share of the training."""
        count = len(rows)
        seen = self._seeing.forward(np.concatenate([batch.observations[rows], batch.hidden[rows]], axis=1))
        self._seeing.learn(seen, np.asarray((seen[-1] - batch.values[rows]) / count, np.float32), RATE)
        layers = self._policy.forward(batch.observations[rows])
        odds = softmax(_possible(layers[-1], batch.masks[rows]))
        wrong = odds - _ones(batch.labels[rows], odds) if is_cloning else _improving(odds, batch, rows, ENTROPY * left)
        self._policy.learn(layers, np.asarray(wrong / count, np.float32), RATE * left)


def advantages(values: Array, rewards: Array, ended: NDArray[np.bool_]) -> Array:
    """Return the gains above expectation by step, game and seat (generalised advantages, J. Schulman, 2016).

    values: the expected results by step, game and seat, with one step more than the others.
    rewards, ended: the results, and whether a hand ended with the step.
    """
    found = np.zeros_like(rewards)
    later = np.zeros_like(rewards[0])
    for step in reversed(range(len(rewards))):
        over = ended[step][:, None]
        surprise = np.where(over, rewards[step], values[step + 1]) - values[step]
        later = np.where(over, surprise, surprise + MEMORY * later)
        found[step] = later
    return found


def _improving(odds: Array, batch: Round, rows: NDArray[np.int64], curiosity: float) -> Array:
    """Return the slopes of PPO's loss, with a bonus for entropy, at the scores."""
    at = np.arange(len(rows))
    actions, gains = batch.actions[rows], batch.advantages[rows]
    ratio = odds[at, actions] / batch.chances[rows]
    free = np.where(gains > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    push = np.where(free, gains * ratio, 0)[:, None]
    logs = np.log(np.maximum(odds, 1e-12))
    spread = -(odds * logs).sum(axis=1, keepdims=True)
    slopes = push * odds + curiosity * odds * (logs + spread)
    slopes[at, actions] -= push[:, 0]
    return np.asarray(slopes, np.float32)


def _possible(scores: Array, masks: Masks) -> Array:
    """Return the scores, with IMPOSSIBLE for illegal actions."""
    return np.where(masks == 0, IMPOSSIBLE, scores)


def _ones(columns: NDArray[np.int64], like: Array) -> Array:
    found = np.zeros_like(like)
    found[np.arange(len(columns)), columns] = 1
    return found
