"""An environment for Gymnasium: one agent at one seat, and opponents at the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
except ImportError as error:
    raise ImportError("bowerbird.envs.gymnasium needs Gymnasium: pip install 'bowerbird[rl]'") from error

from bowerbird.engine import Action, rules_of, variant_names
from bowerbird.harness.extras.envs.opponents import RANDOM, Opponents, OwnProcess, seated
from bowerbird.harness.extras.envs.render import rendered
from bowerbird.harness.extras.envs.rewards import Reward, check_reward
from bowerbird.harness.extras.envs.spaces import masked_of, numbers_of
from bowerbird.harness.extras.envs.table import OptionsError, Table, check_render_mode, number_of
from bowerbird.harness.sdk.bot import Bot
from bowerbird.harness.sdk.local import LocalSessions, LocalTable

RENDER_MODES = ("ansi", "human", "rgb_array")

NAMESPACE = "bowerbird"

ILLEGAL_REWARD = -1.0
"""The reward of an illegal action, which ends the game, as in PettingZoo's environment."""

Observation = dict[str, NDArray[Any]]


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a variant as a Gymnasium environment.

    An episode is a whole game. The other seats play between two steps. A reward is the seat's winnings since the last
    step. The mask of legal actions is in the observation (`action_mask`) and in `info["action_mask"]`, and
    `action_masks()` returns it. An illegal action ends the game with a reward of -1 and sets `info["illegal"]`.

    variant: an id of rules.md.
    options: the options that differ from their defaults. Without max_hands the game ends after at most 100 hands.
    seat: the agent's seat; None draws one for each game.
    opponents: "random", "greedy", MODULE:FUNCTION, a function from a `SeatView` to an action, an `OwnProcess`, or a
        `bowerbird.sdk.Bot`. It is one for all other seats, or a list with one for each, clockwise from the agent.
    reward: "hand" for the points of each hand, or "game" for 1 to -1 at the end
        (`bowerbird.harness.extras.envs.rewards`).
    render_mode: "ansi" returns a string, "human" prints it, and "rgb_array" returns a picture. All cards are shown.

    Raises:
        UnknownVariant, InvalidOption: the variant or an option is wrong.
        OptionsError, RewardError, OpponentError: another argument is wrong.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  # Gymnasium reads it from the class

    def __init__(
        self,
        variant: str = "euchre",
        options: Mapping[str, object] | None = None,
        *,
        seat: int | None = 0,
        opponents: Opponents = RANDOM,
        reward: Reward = "hand",
        render_mode: Literal["ansi", "human", "rgb_array"] | None = None,
    ) -> None:
        check_reward(reward)
        check_render_mode(render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._reward = reward
        self._table = Table(variant, options)
        players = self._table.rules.players
        if seat is not None and (isinstance(seat, bool) or seat not in range(players)):
            raise OptionsError(f"seat must be a whole number from 0 to {players - 1}, or None, not {seat!r}")
        self._fixed_seat = seat
        self._seat = seat or 0
        self._opponents = seated(opponents, players - 1)
        self._sessions = LocalSessions([one for one in self._opponents if isinstance(one, Bot)])
        self._bots: LocalTable | None = None
        self._over = True
        self.observation_space = masked_of(self._table.observer)  # type: ignore[assignment]  # its own Dict is not a dict
        self.action_space = numbers_of(self._table.observer)  # type: ignore[assignment] # Discrete, for one game

    def __repr__(self) -> str:
        return f"<Gymnasium environment of {self._table.rules.variant}: one seat of {self._table.rules.players}>"

    @property
    def game(self) -> Any:
        """The game in play (`bowerbird.engine.Game`), all cards visible; None before the first `reset`."""
        return None if self._table.tracker is None else self._table.game

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game: the first game of `seed` or, without one, the next game of the last seed.

        A game that ends before the agent's first decision is skipped.

        seed: a whole number from 0 up. It determines the cards, the seat, and the actions of random opponents.
        options: `{"variant_options": {...}}` sets options of the variant, from this game on, in addition to the
            constructor's options. There is no other key.

        Raises:
            SeedError, InvalidOption: the seed or an option is wrong.
            OptionsError: a key is unknown, or the options would change seats, actions or observations.
        """
        self._table.begin(seed, options)
        super().reset(seed=None if seed is None else int(seed))
        while not self._sit_down():
            self._table.begin(None, None)
        return self._seen(), self._info()

    def _sit_down(self) -> bool:
        """Take a seat in a new game, and return whether it gets a decision before the game ends."""
        if self._fixed_seat is None:
            self._seat = int(self.np_random.integers(self._table.rules.players))
        self._open_table()
        self._play_on()
        self._over = self._table.game.is_over
        return not self._over

    def _open_table(self) -> None:
        """Let the bots among the opponents sit down at a new game. The last game may have been abandoned."""
        self._close_table()
        players = self._table.rules.players
        bots: list[Bot | None] = [None] * players
        for place, opponent in enumerate(self._opponents, 1):
            if isinstance(opponent, Bot):
                bots[(self._seat + place) % players] = opponent
        if any(bot is not None for bot in bots):
            self._bots = LocalTable(self._table.game, bots, self._sessions, self.np_random.bytes(32))

    def _close_table(self) -> None:
        if self._bots is not None:
            self._bots.close()
            self._bots = None

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply the seat's action, given by number, and let the others play until its next decision or the game's end.

        Raises: OptionsError: `action` is not the number of an action, or the game is over. IllegalAction: an opponent
            has chosen an illegal action. ResignedError: a bot resigned.
        """
        if self._over:
            raise OptionsError("call reset before step: there is no game, or it is over")
        chosen = self._table.observer.actions[number_of(action, len(self._table.observer.actions))]
        if chosen not in self._table.game.legal_actions():
            self._over = True
            return self._seen(), ILLEGAL_REWARD, True, False, self._info(illegal=True)
        reward = self._apply(chosen) + self._play_on()
        self._over = self._table.game.is_over
        if self.render_mode == "human":
            self.render()
        return self._seen(), reward, self._over, False, self._info()

    def _play_on(self) -> float:
        """Let the opponents play until the seat's next decision or the end of the game. Return the seat's rewards."""
        game, rewards = self._table.game, 0.0
        while game.actor is not None and game.actor != self._seat:
            opponent = self._opponents[(game.actor - self._seat) % game.players - 1]
            if opponent is None:
                legal = game.legal_actions()
                rewards += self._apply(legal[int(self.np_random.integers(len(legal)))])
            elif isinstance(opponent, Bot):
                assert self._bots is not None, "the bots sit at the table"
                rewards += self._apply(Action(str(self._bots.ask(game.actor))))
            else:
                rewards += self._apply(Action(str(opponent(game.view(game.actor)))))
        return rewards

    def _apply(self, action: Action) -> float:
        """Apply an action of the seat to decide, and return the rewards of the agent's seat."""
        tracker = self._table.tracker
        assert tracker is not None, "a game is in play"
        actor = tracker.game.actor
        ended = tracker.apply(action)
        if self._bots is not None and actor is not None:
            self._bots.acted(actor)
            if tracker.game.is_over:
                self._close_table()
        return self._table.rewards(self._reward)[self._seat] if ended else 0.0

    def _seen(self) -> Observation:
        return {"observation": self._table.observation(self._seat), "action_mask": self._mask()}

    def _mask(self) -> NDArray[np.int8]:
        """Return the seat's mask, which is all zeros if an illegal action has ended the game."""
        mask = self._table.mask(self._seat)
        return np.zeros_like(mask) if self._over else mask

    def _info(self, *, illegal: bool = False) -> dict[str, Any]:
        """Return the same keys with fixed types after every reset and step, as Gymnasium's vectors cast them
        silently."""
        return {"action_mask": self._mask(), "seat": self._seat, "illegal": illegal}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions of the seat are legal, in the form that sb3-contrib's MaskablePPO requires."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the table as text or a picture, or print it, according to `render_mode`."""
        if self.render_mode is None or self._table.tracker is None:
            gymnasium.logger.warn("render needs a render_mode, ansi, human or rgb_array, and a reset before it")
            return None
        return rendered(self._table.game, self.render_mode)

    def close(self) -> None:
        """End the processes of opponents, and close the table of bots."""
        self._close_table()
        for opponent in self._opponents:
            if isinstance(opponent, OwnProcess):
                opponent.close()


def env_id(variant: str) -> str:
    """Return the id of a variant's environment, such as bowerbird/TwoHanded-v0.

    >>> env_id("two-handed"), env_id("bid-102")
    ('bowerbird/TwoHanded-v0', 'bowerbird/Bid102-v0')

    Raises:
        UnknownVariant: no variant has this name.
    """
    return f"{NAMESPACE}/{''.join(part.capitalize() for part in rules_of(variant).name.split('-'))}-v0"


def register() -> tuple[str, ...]:
    """Register every variant with Gymnasium, unless that is already done, and return the ids."""
    ids = {variant: env_id(variant) for variant in variant_names()}
    for variant, name in ids.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{SeatEnv.__module__}:SeatEnv", kwargs={"variant": variant})
    return tuple(ids.values())
