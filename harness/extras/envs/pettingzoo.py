"""PettingZoo's environment: one game at a time, one seat after another (AEC)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

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

from bowerbird.engine import EngineError, Rules, did_you_mean, known_are, new_game, rules_of
from bowerbird.harness.extras.envs.limits import with_hand_limit
from bowerbird.harness.extras.envs.render import image_of, text_of
from bowerbird.harness.extras.envs.rewards import Reward, check_reward, of_game, of_hand
from bowerbird.harness.extras.envs.seeds import Seed, secret_of
from bowerbird.harness.features.observing import observer_of
from bowerbird.harness.features.tracking import Tracker

RenderMode = Literal["ansi", "human", "rgb_array"]

RENDER_MODES = ("ansi", "human", "rgb_array")

VARIANT_OPTIONS = "variant_options"
"""The key of the options of `reset` that belong to the variant."""

ILLEGAL_REWARD = -1.0
"""The reward of an illegal action in `env`, which ends the game, as in PettingZoo's classic environments."""


class OptionsError(EngineError, ValueError):
    """An argument of an environment that it cannot take."""


def env(
    variant: str = "euchre",
    options: Mapping[str, object] | None = None,
    render_mode: RenderMode | None = None,
    reward: Reward = "hand",
) -> AECEnv:
    """Return the environment with PettingZoo's usual wrappers: an illegal action ends the game with a reward of -1.

    The parameters and errors are those of `RawEnv`.
    """
    game = wrappers.TerminateIllegalWrapper(
        raw_env(variant, options, render_mode, reward), illegal_reward=ILLEGAL_REWARD
    )
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


class RawEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game of a variant as an AEC environment, without wrappers: an illegal action raises IllegalAction.

    Agents are `seat_0`, `seat_1`, and so on. The agent selected is the seat that decides, also where no other seat may
    know that it is asked. An observation is a dict of `observation` (`harness.features.layout`) and `action_mask`,
    which is all zeros unless the agent is to decide; `infos` holds the mask, too. An episode is a whole game.

    variant: an id of rules.md.
    options: the options that differ from their defaults; without max_hands the game ends after 100 hands at the latest.
    render_mode: ansi returns a text, human prints it, rgb_array returns a picture. They show all cards.
    reward: hand, the points of each hand, or game, 1 to -1 at the end (`bowerbird.harness.extras.envs.rewards`).

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
        if render_mode is not None and render_mode not in RENDER_MODES:
            hint = did_you_mean(str(render_mode), RENDER_MODES) or known_are(RENDER_MODES)
            raise OptionsError(f"unknown render_mode {render_mode!r}{hint}")
        self.render_mode = render_mode
        self._reward = reward
        self._options = dict(options or {})
        self._rules = rules_of(variant).rules(with_hand_limit(self._options))
        self._observer = observer_of(variant, self._rules.options)
        self._secret = os.urandom(32)
        self._number = -1
        self._tracker: Tracker | None = None
        self.possible_agents = [f"seat_{seat}" for seat in self._rules.seats]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        layout, actions = self._observer.layout, len(self._observer.actions)
        low, high = np.full(layout.size, -np.inf, np.float32), np.full(layout.size, np.inf, np.float32)
        low[: layout.bits], high[: layout.bits] = 0, 1
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def __str__(self) -> str:
        return "bowerbird_v1"

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    @property
    def game(self) -> Any:
        """The game in play (`bowerbird.engine.Game`), all cards visible; None before the first `reset`."""
        return self._tracker.game if self._tracker is not None else None

    def reset(self, seed: Seed | None = None, options: Mapping[str, object] | None = None) -> None:
        """Begin a game: the first one of `seed`, or without a seed the next one of the last seed.

        seed: a whole number from 0 up, or the engine's 32 bytes. Game k of a seed is
            `new_game(variant, options, seed=secret_of(seed), set_number=k)`, and game k of a vector environment.
        options: `{"variant_options": {...}}` sets options of the variant, from this game on, besides those of the
            constructor. Other keys are for wrappers.

        Raises:
            SeedError, InvalidOption: the seed or an option is wrong.
            OptionsError: the options would change seats, actions or observations.
        """
        changed = self._variant_options(options or {})
        if changed:
            self._rules = self._with_options(changed)
            self._options |= changed
        if seed is not None:
            self._secret = secret_of(seed)
            self._number = -1
        self._number += 1
        game = new_game(self._rules.variant, self._rules.options, seed=self._secret, set_number=self._number)
        self._tracker = Tracker(self._observer, game)
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

    def _variant_options(self, options: Mapping[str, object]) -> Mapping[str, object]:
        """Return the options of the variant among those of `reset`; raise OptionsError if they stand elsewhere."""
        stray = [name for name in options if name in rules_of(self._rules.variant).options]
        if stray:
            raise OptionsError(f'reset takes options of the variant as {{"variant_options": {{"{stray[0]}": …}}}}')
        changed = options.get(VARIANT_OPTIONS, {})
        if not isinstance(changed, Mapping):
            raise OptionsError(f"{VARIANT_OPTIONS} must be a mapping of options to values, not {changed!r}")
        return changed

    def _with_options(self, options: Mapping[str, object]) -> Rules:
        """Return the rules with `options` besides those in force; raise OptionsError if they change the spaces."""
        rules = rules_of(self._rules.variant).rules(with_hand_limit({**self._options, **options}))
        old, new = self._observer, observer_of(rules.variant, rules.options)
        if (new.layout.fields, new.actions.actions) != (old.layout.fields, old.actions.actions):
            given = ", ".join(f"{name} = {value}" for name, value in options.items())
            raise OptionsError(
                f"reset cannot take {given}: it changes seats, actions or observations; make another env"
            )
        return rules

    def _select(self) -> None:
        """Select the seat that decides and show it its mask."""
        assert self._tracker is not None
        game = self._tracker.game
        if game.actor is None:
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = self.possible_agents[game.actor]
        self.infos[self.agent_selection] = {"action_mask": self._observer.actions.mask(game.legal_actions())}

    def step(self, action: int | None) -> None:
        """Apply the action number of the agent selected, or None if its game is over.

        Raises:
            IllegalAction: the action is not legal.
            ValueError: the game is over and `action` is not None.
        """
        assert self._tracker is not None, "step comes after reset"
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        tracker = self._tracker
        if action is None:
            raise OptionsError(f"{agent} is to decide; only an agent whose game is over takes the action None")
        ended = tracker.apply(self._observer.actions[int(action)])
        self.infos[agent] = {}
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if ended:
            self._end_hand()
        self._select()
        if self.render_mode == "human":
            self.render()

    def _end_hand(self) -> None:
        """Give the rewards of a hand that has ended, and end the game with the last one."""
        assert self._tracker is not None
        game = self._tracker.game
        if self._reward == "hand":
            rewards = of_hand(self._rules, game.results[-1].points)
        else:
            rewards = of_game(game) if game.is_over else (0.0,) * game.players
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()
        if game.is_over:
            self.terminations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows, in new arrays."""
        assert self._tracker is not None, "observe comes after reset"
        tracker, observer = self._tracker, self._observer
        seat = self._seats[agent]
        found = np.empty(observer.layout.size, dtype=np.float32)
        row = np.frombuffer(tracker.packed(seat), dtype=np.uint8)
        found[: observer.layout.bits] = np.unpackbits(row, count=observer.layout.bits, bitorder="little")
        found[observer.layout.bits :] = np.frombuffer(tracker.numbers(seat), dtype=np.float32)
        legal = tracker.game.legal_actions() if tracker.game.actor == seat else ()
        return {"observation": found, "action_mask": observer.actions.mask(legal)}

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table as text or picture, or print it, according to `render_mode`."""
        if self.render_mode is None or self._tracker is None:
            gymnasium.logger.warn("render needs a render_mode: ansi, human or rgb_array")
            return None
        if self.render_mode == "rgb_array":
            return image_of(self._tracker.game)
        text = text_of(self._tracker.game)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: an environment holds no resources."""


raw_env = RawEnv
"""The environment without wrappers, by the name that PettingZoo gives it."""
