"""An environment for PettingZoo: one game at a time, one seat after another (AEC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        "bowerbird.envs.pettingzoo needs PettingZoo and Gymnasium: pip install 'bowerbird[rl]'"
    ) from error

from bowerbird.engine import did_you_mean, known_are
from bowerbird.harness.extras.envs.render import rendered
from bowerbird.harness.extras.envs.rewards import Reward, check_reward
from bowerbird.harness.extras.envs.seeds import Seed
from bowerbird.harness.extras.envs.spaces import box_of, masked_of, numbers_of
from bowerbird.harness.extras.envs.table import OptionsError, Table, check_render_mode, number_of

RenderMode = Literal["ansi", "human", "rgb_array"]

RENDER_MODES = ("ansi", "human", "rgb_array")

ILLEGAL_REWARD = -1.0
"""The reward of an illegal action in `env`, which ends the game, as in PettingZoo's classic environments."""


class _Direct:
    """A mixin for PettingZoo's wrappers that reads the agents' attributes directly from the game.

    PettingZoo passes each look-up through all wrappers some twenty times a step, which takes half of a step's time.
    """

    def __init__(self, env: AECEnv, *arguments: Any, **named: Any) -> None:
        self._game = env.unwrapped
        super().__init__(env, *arguments, **named)  # type: ignore[call-arg]  # a wrapper of PettingZoo comes next

    def __str__(self) -> str:
        return str(self._game)

    def __repr__(self) -> str:
        return repr(self._game)

    agents = property(lambda self: self._game.agents)
    agent_selection = property(lambda self: self._game.agent_selection)
    rewards = property(lambda self: self._game.rewards)
    _cumulative_rewards = property(lambda self: self._game._cumulative_rewards)
    terminations = property(lambda self: self._game.terminations)
    truncations = property(lambda self: self._game.truncations)
    infos = property(lambda self: self._game.infos)


class _TerminateIllegal(_Direct, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's wrapper that ends the game with an illegal action."""


class _NamedBounds(_Direct, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]  # as above
    """PettingZoo's wrapper that refuses invalid actions, with an error that lists the valid ones."""

    def step(self, action: Any) -> None:
        """Apply an action, given by number. None is for an agent whose game is over."""
        game = self._game
        agent = game.agent_selection
        over = game.terminations[agent] or game.truncations[agent]
        if not (action is None and over):
            number_of(action, int(game.action_spaces[agent].n))
        self.env.step(action)


class _OrderEnforcing(_Direct, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # as above
    """PettingZoo's wrapper that refuses calls before the first `reset`."""

    @property
    def agents(self) -> list[str]:
        """The agents still in the game. PettingZoo raises an AttributeError before the first `reset`."""
        if not self._has_reset:
            raise AttributeError  # Python calls `__getattr__` now; the other attributes do not exist yet
        agents: list[str] = self._game.agents
        return agents


def env(
    variant: str = "euchre",
    options: Mapping[str, object] | None = None,
    render_mode: RenderMode | None = None,
    reward: Reward = "hand",
) -> AECEnv:
    """Return the environment with PettingZoo's usual wrappers. An illegal action ends the game with a reward of -1.

    The parameters and errors are the same as for `RawEnv`.
    """
    game = _TerminateIllegal(raw_env(variant, options, render_mode, reward), illegal_reward=ILLEGAL_REWARD)
    return _OrderEnforcing(_NamedBounds(game))


def parallel_env(*_arguments: object, **_named: object) -> NoReturn:
    """Raise NotImplementedError, since PettingZoo's parallel API is for games in which all agents act at once."""
    raise NotImplementedError(
        "seats decide one after another, so there is no parallel environment; use env, or VectorEnv for many games"
    )


class RawEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game of a variant as an AEC environment, without wrappers: an illegal action raises IllegalAction.

    Agents are `seat_0`, `seat_1`, and so on. The selected agent is the seat that decides, even if no other seat may
    know that it decides. An observation is a dict of `observation` (`harness.features.layout`) and `action_mask`, which
    is all zeros unless the agent must decide. The mask is also in `infos`, and `action_masks` returns that of the
    selected agent.

    An episode is a whole game. `state` shows all hands, and is only for critics in training.

    variant: an id of rules.md.
    options: the options that differ from their defaults. Without max_hands the game ends after at most 100 hands.
    render_mode: "ansi" returns a string, "human" prints it, and "rgb_array" returns a picture. All cards are shown.
    reward: "hand" for the points of each hand, or "game" for 1 to -1 at the end
        (`bowerbird.harness.extras.envs.rewards`).

    Raises:
        UnknownVariant, InvalidOption: the variant or an option is wrong.
        OptionsError, RewardError: `render_mode` or `reward` is wrong.
    """

    metadata = {  # noqa: RUF012  # PettingZoo reads it from the class
        "name": "bowerbird_v1",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        variant: str = "euchre",
        options: Mapping[str, object] | None = None,
        render_mode: RenderMode | None = None,
        reward: Reward = "hand",
    ) -> None:
        super().__init__()
        check_reward(reward)
        check_render_mode(render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._reward = reward
        self._table = Table(variant, options)
        self.possible_agents = [f"seat_{seat}" for seat in self._table.rules.seats]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        observer = self._table.observer
        self.observation_spaces = {agent: masked_of(observer) for agent in self.possible_agents}
        self.action_spaces = {agent: numbers_of(observer) for agent in self.possible_agents}
        rows = box_of(observer.layout, len(self.possible_agents))
        self.state_space = spaces.Box(rows.low.ravel(), rows.high.ravel(), dtype=np.float32)

    def __str__(self) -> str:
        return "bowerbird_v1"

    def __repr__(self) -> str:
        return f"<PettingZoo environment of {self._table.rules.variant}: {len(self.possible_agents)} agents>"

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent. Raises OptionsError for any other name."""
        seat = self._seats.get(agent)
        if seat is None:
            hint = did_you_mean(str(agent), self._seats) or known_are(self._seats)
            raise OptionsError(f"unknown agent {agent!r}{hint}")
        return seat

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete | spaces.MultiDiscrete:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    @property
    def game(self) -> Any:
        """The game in play (`bowerbird.engine.Game`), all cards visible; None before the first `reset`."""
        return None if self._table.tracker is None else self._table.game

    def reset(self, seed: Seed | None = None, options: Mapping[str, object] | None = None) -> None:
        """Begin a game: the first game of `seed` or, without one, the next game of the last seed.

        seed: a whole number from 0 up, or the engine's 32 bytes. Game k of a seed is
            `new_game(variant, options, seed=secret_of(seed), set_number=k)`, and game k of a vector environment.
        options: `{"variant_options": {...}}` sets options of the variant, from this game on, in addition to the
            constructor's options. There is no other key.

        Raises:
            SeedError, InvalidOption: the seed or an option is wrong.
            OptionsError: a key is unknown, or the options would change seats, actions or observations.
        """
        self._table.begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        """Select the seat that decides and show it its mask."""
        actor = self._table.game.actor
        if actor is None:
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = self.possible_agents[actor]
        self.infos[self.agent_selection] = {"action_mask": self._table.mask(actor)}

    def step(self, action: int | None) -> None:
        """Apply the selected agent's action, given by number, or None if its game is over.

        Raises:
            IllegalAction: the action is not legal.
            OptionsError: `action` is not a whole number.
            ValueError: the game is over and `action` is not None.
        """
        tracker = self._table.tracker
        assert tracker is not None, "call reset before step"
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise OptionsError(f"{agent} must choose an action; None is only for an agent whose game is over")
        ended = tracker.apply(self._table.action(action))
        self.infos[agent] = {}
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if ended:
            self._end_hand()
        self._select()
        if self.render_mode == "human":
            self.render()

    def _end_hand(self) -> None:
        """Set the rewards of a hand that has ended, and end the game after its last hand."""
        self.rewards = dict(zip(self.possible_agents, self._table.rewards(self._reward), strict=True))
        self._accumulate_rewards()
        if self._table.game.is_over:
            self.terminations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows, in new arrays."""
        seat = self._seat(agent)
        return {"observation": self._table.observation(seat), "action_mask": self._table.mask(seat)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions of the selected agent are legal."""
        return self._table.mask(self._seats[self.agent_selection]).astype(np.bool_)

    def state(self) -> NDArray[np.float32]:
        """Return what all agents know, `seat_0` first, in one new array.

        It has all hands, which no agent may see. It is for a central critic. A policy that reads it cheats. Cards that
        no seat knows, such as a kitty's, are not in it.
        """
        return np.concatenate([self._table.observation(seat) for seat in self._seats.values()])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table as text or a picture, or print it, according to `render_mode`."""
        if self.render_mode is None or self._table.tracker is None:
            gymnasium.logger.warn("render needs a render_mode: ansi, human or rgb_array")
            return None
        return rendered(self._table.game, self.render_mode)

    def close(self) -> None:
        """Do nothing, since an environment has no resources to free."""


raw_env = RawEnv
"""The environment without wrappers, under PettingZoo's name for it."""
