"""Many games of one variant, stepped together in this process or in several, with numpy arrays as results."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bowerbird.engine import EngineError, counted, rules_of
from bowerbird.harness.closing import Closing
from bowerbird.harness.extras.envs.batch import Arrays, Batch, refuse_illegal, shapes_of
from bowerbird.harness.extras.envs.limits import with_hand_limit
from bowerbird.harness.extras.envs.rewards import Reward, check_reward
from bowerbird.harness.extras.envs.seeds import Seed, secret_of
from bowerbird.harness.extras.envs.workers import Workers
from bowerbird.harness.features.actions import ActionNumbers
from bowerbird.harness.features.layout import Layout
from bowerbird.harness.features.observing import observer_of

if TYPE_CHECKING:
    from gymnasium import spaces


class VectorError(EngineError, ValueError):
    """An argument is not valid for a vector environment."""


class _Stepper(Protocol):
    """A stepper of games: a batch in this process, or worker processes."""

    arrays: Arrays

    def reset(self, secret: bytes) -> None:
        """Start all games afresh."""

    def step(self, numbers: NDArray[np.int64]) -> None:
        """Apply one legal action to each game."""

    def saved(self) -> bytes:
        """Return the games in play, pickled."""

    def restore(self, saved: bytes) -> None:
        """Continue saved games."""


class VectorEnv(Closing):
    """Games of one variant that are stepped together. The next game begins as soon as one ends.

    >>> with VectorEnv("two-handed", games=4) as env:
    ...     env.reset(seed=1)
    ...     env.step(env.random_actions(np.random.default_rng(1)))
    ...     env.observations.shape, env.masks.shape, env.actors.shape, env.rewards.shape
    ((4, 433), (4, 70), (4,), (4, 2))

    A step overwrites the arrays; copy what you keep. Game i is first game i of the seed, then game i + `games`, and so
    on, for any number of workers (`bowerbird.harness.extras.envs.pettingzoo` has the same games).

    variant: an id of rules.md.
    options: the options that differ from their defaults. Without max_hands a game ends after at most 100 hands.
    games: the number of games.
    reward: "hand" for the points of each hand, or "game" for 1 to -1 at the end
        (`bowerbird.harness.extras.envs.rewards`).
    workers: the number of processes that share the games; 0 steps them in this process.

    Attributes:
        observations: the acting seat's observation in each game (`Layout`), float32.
        masks: 1 for each legal action in each game, else 0, int8.
        actors: the seat to decide in each game.
        rewards: the rewards of the last step by game and seat.
        hand_ended, game_ended: whether a hand, or the game, ended with the last step. The row of an ended game already
            shows the next game, but its rewards belong to the ended one.
        layout: the layout of the observations.
        actions: the numbers of the actions.
        num_envs, single_observation_space, observation_space, single_action_space, action_space: as in Gymnasium.

    Raises:
        UnknownVariant, InvalidOption: the variant or an option is wrong.
        VectorError, RewardError: `games`, `workers` or `reward` is wrong.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    actors: NDArray[np.int64]
    rewards: NDArray[np.float32]
    hand_ended: NDArray[np.bool_]
    game_ended: NDArray[np.bool_]
    layout: Layout
    actions: ActionNumbers

    def __init__(
        self,
        variant: str = "euchre",
        options: Mapping[str, object] | None = None,
        *,
        games: int = 256,
        reward: Reward = "hand",
        workers: int = 0,
    ) -> None:
        if games < 1:
            raise VectorError(f"games must be a whole number from 1 up, not {games}")
        if not 0 <= workers <= games:
            raise VectorError(f"workers must be from 0 to the number of games, {games}, not {workers}")
        check_reward(reward)
        self.games = games
        self._reward = reward
        rules = rules_of(variant).rules(with_hand_limit(options))
        self._observer = observer_of(variant, rules.options)
        self.layout, self.actions = self._observer.layout, self._observer.actions
        self._secret: bytes | None = None
        self._workers: Workers | None = None
        self._stepper: _Stepper
        if workers:
            self._stepper = self._workers = Workers(variant, rules.options, games, reward, workers)
        else:
            arrays = Arrays(*(np.zeros(shape, kind) for shape, kind in shapes_of(self._observer, games).values()))
            self._stepper = Batch(
                variant, rules.options, places=range(games), stride=games, reward=reward, arrays=arrays
            )
        for name, array in vars(self._stepper.arrays).items():
            setattr(self, name, array)

    def __repr__(self) -> str:
        count = 0 if self._workers is None else self._workers.count
        where = f"{counted(count, 'worker')}" if count else "this process"
        sizes = f"{self.layout.size} numbers seen, {counted(len(self.actions), 'action')}"
        return f"<VectorEnv of {self.layout.rules.variant}: {counted(self.games, 'game')} in {where}; {sizes}>"

    @property
    def num_envs(self) -> int:
        """The number of games, under Gymnasium's name for it."""
        return self.games

    @cached_property
    def single_observation_space(self) -> spaces.Box:
        """The space of a row of `observations`. Like the other spaces, it needs Gymnasium (the extra `rl`)."""
        from bowerbird.harness.extras.envs.spaces import box_of  # only the spaces need Gymnasium

        return box_of(self.layout)

    @cached_property
    def observation_space(self) -> spaces.Box:
        """The space of `observations`."""
        from bowerbird.harness.extras.envs.spaces import box_of

        return box_of(self.layout, self.games)

    @cached_property
    def single_action_space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The space of one action number."""
        from bowerbird.harness.extras.envs.spaces import numbers_of

        return numbers_of(self._observer)

    @cached_property
    def action_space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The space of the action numbers of a step."""
        from bowerbird.harness.extras.envs.spaces import numbers_of

        return numbers_of(self._observer, self.games)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy: the arguments, the arrays and the games. A copy has its own workers."""
        rules, begun = self.layout.rules, self._secret is not None
        return {
            "variant": rules.variant,
            "arguments": {
                "options": dict(rules.options),
                "games": self.games,
                "reward": self._reward,
                "workers": 0 if self._workers is None else self._workers.count,
            },
            "secret": self._secret,
            "arrays": {name: array.copy() for name, array in vars(self._stepper.arrays).items()},
            "in_play": self._stepper.saved() if begun else b"",
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        VectorEnv.__init__(self, state["variant"], **state["arguments"])
        self._secret = state["secret"]
        for name, array in state["arrays"].items():
            getattr(self, name)[:] = array
        if self._secret is not None:
            self._stepper.restore(state["in_play"])

    def reset(self, seed: Seed | None = None) -> None:
        """Start new games. Without a `seed`, the operating system draws one.

        Raises:
            SeedError: `seed` is neither a whole number from 0 up nor 32 bytes.
        """
        self._secret = os.urandom(32) if seed is None else secret_of(seed)
        self._stepper.reset(self._secret)

    def step(self, actions: ArrayLike) -> None:
        """Apply one action, given by number, to each game. If it raises IllegalAction, no game has changed.

        Raises: VectorError: `reset` was not called, the last step was interrupted, or `actions` does not have one whole
            number for each game. IllegalAction: an action is not legal in its game. WorkerError: a worker process has
            ended or does not answer.
        """
        if self._secret is None:
            raise VectorError("call reset before step, and again after an interrupted step")
        numbers = np.asarray(actions)
        if numbers.shape != (self.games,) or numbers.dtype.kind not in "iu":
            given = f"shape {numbers.shape} of {numbers.dtype}"
            raise VectorError(f"step needs a whole number for each of {self.games} games, not {given}")
        numbers = numbers.astype(np.int64, copy=False)
        refuse_illegal(self._stepper.arrays, numbers, self._observer)
        secret, self._secret = self._secret, None  # after Ctrl-C during a step only reset helps
        self._stepper.step(numbers)
        self._secret = secret

    def random_actions(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a random legal action for each game."""
        rows, width = self.masks.shape
        first = np.arange(rows) * width
        legal = np.flatnonzero(self.masks.view(np.bool_))  # of all games, one after another
        begins = legal.searchsorted(first)
        counts = np.diff(begins, append=len(legal))
        chosen = legal[begins + (rng.random(rows) * counts).astype(np.int64)] - first
        return np.asarray(chosen, dtype=np.int64)

    def close(self) -> None:
        """End the worker processes."""
        if self._workers is not None:
            self._workers.close()
