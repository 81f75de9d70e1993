"""The PettingZoo environment of every variant, tested with PettingZoo's own tests (environments.md)."""

from __future__ import annotations

import subprocess
import sys
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed; the extra rl adds it")

from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test.state_test import test_state as state_test
from pettingzoo.test.state_test import test_state_space as state_space_test

from bowerbird.engine import Game, IllegalAction, InvalidOption, UnknownVariant, new_game, rules_of, variant_names
from bowerbird.envs import action_numbers, layout_of, observation
from bowerbird.envs.pettingzoo import OptionsError, RewardError, SeedError, env, parallel_env, raw_env, secret_of
from tests.support.deadline import DEADLINE_S
from tests.support.engine.random_options import random_options
from tests.support.paths import ROOT

ALL = pytest.mark.parametrize("variant", variant_names())
EXPECTED_WARNINGS = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros",
    "Environment's (minimum|maximum) state space value is",
)
"""Warnings about observations with masks, which PettingZoo suppresses by name for its own classic environments."""


def play(game: Any, rng: Random, steps: int = 10**9) -> None:
    """Take random legal actions until the game is over or `steps` are taken."""
    while steps and not game.terminations[game.agent_selection]:
        legal = np.flatnonzero(game.infos[game.agent_selection]["action_mask"]).tolist()
        game.step(rng.choice(legal))
        steps -= 1


@ALL
def test_pettingzoos_own_tests_pass(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        for options in ({}, random_options(variant, Random(variant), 3)):
            api_test(env(variant, options), num_cycles=60)
            seed_test(lambda options=options: env(variant, options), num_cycles=20)
            render_test(lambda render_mode, options=options: env(variant, options, render_mode=render_mode))
            state_space_test(env(variant, options))
            state_test(env(variant, options), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.long
@ALL
def test_pettingzoos_benchmark_plays_for_its_five_seconds(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(env(variant, random_options(variant, Random(variant), 3)))
    assert "turns per second" in capsys.readouterr().out


@ALL
def test_an_observation_is_that_of_the_agents_view(variant: str) -> None:
    game = raw_env(variant, {"max_hands": 1})
    game.reset(seed=1)
    rng = Random(variant)
    while not game.terminations[game.agent_selection]:
        for seat, agent in enumerate(game.possible_agents):
            seen = game.observe(agent)
            view = game.game.view(seat)
            assert (seen["observation"] == observation(view)).all()
            assert seen["action_mask"].sum() == len(view.legal)
            assert game.observation_space(agent).contains(seen)
        play(game, rng, 1)


# Games, seeds and options


def test_games_of_a_seed_are_those_of_the_engine() -> None:
    game = raw_env("two-handed")
    for number in range(3):
        game.reset(seed=7 if number == 0 else None)
        twin = new_game("two-handed", {"max_hands": 100}, seed=secret_of(7), set_number=number)
        assert game.game.packs == twin.packs
        assert game.game.dealer == twin.dealer


def test_options_survive_a_reset() -> None:
    game = env("two-handed", {"deck": 24, "target": 3, "max_hands": 2})
    for options in (None, {}, {"variant_options": {"target": 4}}, None):
        game.reset(seed=1, options=options)
        kept = game.unwrapped.game.options
        assert (kept["deck"], kept["max_hands"]) == (24, 2)
    assert kept["target"] == 4


def test_bad_arguments_are_refused_in_one_sentence() -> None:
    with pytest.raises(UnknownVariant, match="did you mean 'euchre'"):
        env("euchr")
    with pytest.raises(InvalidOption, match="unknown option 'targt' of euchre, did you mean 'target'"):
        env("euchre", {"targt": 5})
    with pytest.raises(OptionsError, match="unknown render_mode 'asci', did you mean 'ansi'"):
        env(render_mode="asci")  # type: ignore[arg-type]  # the error is what is tested
    with pytest.raises(RewardError, match="unknown reward 'hands', did you mean 'hand'"):
        env(reward="hands")  # type: ignore[arg-type]  # the error is what is tested
    game = env("two-handed")
    for seed in (-1, "1", 1.5, b"short", True):
        with pytest.raises(SeedError, match="seed must be a whole number of at least 0 or 32 bytes, not"):
            game.reset(seed=seed)
    with pytest.raises(OptionsError, match="it changes seats, actions or observations; make another env"):
        game.reset(options={"variant_options": {"deck": 24}})
    with pytest.raises(OptionsError, match="reset takes options of the variant as"):
        game.reset(options={"target": 3})
    with pytest.raises(OptionsError, match="unknown key 'variant_option' in the options of reset, did you mean"):
        game.reset(options={"variant_option": {"target": 3}})
    with pytest.raises(OptionsError, match="unknown key 'options' in the options of reset"):
        game.reset(options={"options": {"target": 3}})
    with pytest.raises(OptionsError, match="reset takes options as"):
        game.reset(options=[("target", 3)])  # a wrong type is what is tested
    with pytest.raises(InvalidOption, match="unknown option 'targt' of two-handed, did you mean 'target'"):
        game.reset(options={"variant_options": {"targt": 3}})
    with pytest.raises(InvalidOption, match="option target of two-handed must be a whole number from 1 up, not 0"):
        game.reset(options={"variant_options": {"target": 0}})


# Rewards


@ALL
def test_rewards_of_hands_are_their_points_over_those_of_the_seats_against_it(variant: str) -> None:
    """The rewards of all seats sum to zero; with two sides they are the difference of the sides' points."""
    game = raw_env(variant, {"max_hands": 3})
    game.reset(seed=2)
    rng = Random(variant)
    hands = 0
    while not game.terminations[game.agent_selection]:
        play(game, rng, 1)
        results = game.game.results
        if len(results) == hands:
            assert not any(game.rewards.values())
            continue
        hands = len(results)
        points, rules = results[-1].points, game.game.rules
        sign = 1 if rules.better == "high" else -1
        for seat, reward in enumerate(game.rewards.values()):
            others = [points[other] for other in rules.seats if rules.sides[other] != rules.sides[seat]]
            assert reward == pytest.approx(sign * (points[seat] - sum(others) / len(others)))
        assert sum(game.rewards.values()) == pytest.approx(0)
    assert hands


@pytest.mark.parametrize("variant", ["buck", "euchre", "five-handed", "two-handed"])
def test_the_reward_of_a_game_goes_to_its_winners(variant: str) -> None:
    game = raw_env(variant, {"max_hands": 3}, reward="game")
    game.reset(seed=5)
    play(game, Random(3))
    ranks, rewards = game.game.ranks, list(game.rewards.values())
    assert sorted(range(len(ranks)), key=lambda seat: (ranks[seat], seat)) == sorted(
        range(len(ranks)), key=lambda seat: (-rewards[seat], seat)
    )
    assert sum(rewards) == pytest.approx(0)
    assert max(rewards) <= 1


def test_points_of_a_hand_count_although_a_match_begins_its_next_game() -> None:
    """B4: when a game of a match is won, scores begin again at 0; the rewards follow the points made."""
    game = raw_env("euchre", {"target": 1, "games_to_win": 3})
    game.reset(seed=1)
    play(game, Random(1))
    made = [result.points for result in game.game.results]
    assert all(
        max(points) > 0 for points, result in zip(made, game.game.results, strict=True) if result.ended == "scored"
    )
    assert all(min(points) >= 0 for points in made)


# Wrong actions


def test_an_illegal_action_ends_the_game_with_a_penalty() -> None:
    """PettingZoo's usual wrapper; the raw environment raises."""
    game = env("two-handed")
    game.reset(seed=1)
    agent = game.agent_selection
    illegal = int(np.flatnonzero(game.infos[agent]["action_mask"] == 0)[0])
    game.step(illegal)
    assert all(game.terminations.values())
    assert game.rewards[agent] == -1
    raw = raw_env("two-handed")
    raw.reset(seed=1)
    with pytest.raises(IllegalAction, match="legal: pass, order"):
        raw.step(illegal)
    with pytest.raises(OptionsError, match="an action must be a whole number from 0 to 69, not 70"):
        raw.step(70)
    with pytest.raises(OptionsError, match="must choose an action; None is only for an agent whose game is over"):
        raw.step(None)


@pytest.mark.parametrize("wrong", [1.9, np.float32(1), "pass", True, [1], np.array([1.0]), None, 70, -1], ids=repr)
def test_an_action_that_is_no_number_of_one_is_refused_and_the_numbers_are_named(wrong: Any) -> None:
    for make in (env, raw_env):
        game = make("two-handed")
        game.reset(seed=1)
        before = game.unwrapped.game.view(0)
        with pytest.raises(OptionsError, match=r"0 to 69|None is only for"):
            game.step(wrong)
        assert game.unwrapped.game.view(0) == before


def test_numbers_of_numpy_are_actions() -> None:
    for kind in (np.int64, np.int8, np.array):
        game = env("two-handed")
        game.reset(seed=1)
        game.step(kind(0))
        assert not game.terminations[game.agent_selection]


def test_an_unknown_agent_is_refused_and_the_agents_are_named() -> None:
    game = raw_env("two-handed")
    game.reset(seed=1)
    for ask in (game.observe, game.observation_space, game.action_space):
        with pytest.raises(OptionsError, match=r"unknown agent 'seat_2', did you mean 'seat_[01]'"):
            ask("seat_2")
        with pytest.raises(OptionsError, match="unknown agent 7; known are 'seat_0' and 'seat_1'"):
            ask(7)  # type: ignore[arg-type]  # the error is what is tested


# What critics and other libraries ask for


@ALL
def test_the_state_is_what_all_seats_know(variant: str) -> None:
    game = env(variant)
    game.reset(seed=3)
    play(game, Random(1), 12)
    state, size = game.state(), layout_of(variant, game.unwrapped.game.options).size
    assert game.state_space.contains(state)
    for seat, agent in enumerate(game.possible_agents):
        assert (state[seat * size : (seat + 1) * size] == game.observe(agent)["observation"]).all()


def test_the_mask_is_the_same_in_all_three_forms() -> None:
    game = raw_env("euchre")
    game.reset(seed=1)
    agent = game.agent_selection
    mask = game.observe(agent)["action_mask"]
    assert game.action_masks().dtype == np.bool_
    assert (game.action_masks() == mask).all()
    assert (game.infos[agent]["action_mask"] == mask).all()


def test_there_is_no_parallel_environment_and_the_error_says_why() -> None:
    with pytest.raises(NotImplementedError, match="seats decide one after another"):
        parallel_env("euchre")
    assert env().metadata["is_parallelizable"] is False


def test_a_step_after_the_end_is_refused() -> None:
    game = raw_env("two-handed", {"max_hands": 1})
    game.reset(seed=1)
    play(game, Random(1))
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        game.step(0)
    for _ in game.possible_agents:
        game.step(None)
    assert not game.agents


# Private questions


def jamboree() -> Game:
    """Return a game in which seat 0 holds the five highest spades, and the upcard is a spade."""
    rules = rules_of("lap-slam").rules()
    plan = rules.plans[3]
    hand = ("Js", "Jc", "As", "Ks", "Qs")
    assert plan.upcard is not None
    pack = dict(zip((*plan.hands[0](range(rules.pack.size)), plan.upcard), (*hand, "9s"), strict=True))
    rest = iter([code for code in rules.pack.codes if code not in pack.values()])
    whole = " ".join(pack.get(place) or next(rest) for place in range(rules.pack.size))
    return new_game("lap-slam", {"max_hands": 1}, first_dealer=3, packs=[[whole]])


def test_the_agent_selected_is_asked_in_private_too() -> None:
    """A Jamboree query: the agent is selected, and no other agent's observation tells that it is asked."""
    env = raw_env("lap-slam")
    env.reset(seed=1)
    tracker = env._table.tracker
    assert tracker is not None
    tracker.start(jamboree())
    env._select()
    numbers, stages = action_numbers("lap-slam"), layout_of("lap-slam")["stage"]
    env.step(numbers.of("order"))
    env.step(int(np.flatnonzero(env.observe("seat_3")["action_mask"])[0]))  # the dealer discards
    assert env.game.stage == "claim"
    assert env.agent_selection == "seat_0"
    assert env.observe("seat_0")["action_mask"].sum() == 2
    assert env.observe("seat_0")["observation"][: stages.length].any()
    for agent in ("seat_1", "seat_2", "seat_3"):
        assert not env.observe(agent)["observation"][: stages.length].any()
        assert not env.observe(agent)["action_mask"].any()


# Without the extra


@pytest.mark.usefixtures("processes")
def test_without_pettingzoo_the_sentence_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['pettingzoo'] = None; import bowerbird.envs.vector; import bowerbird.envs.pettingzoo"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=ROOT
    )
    assert done.returncode == 1
    assert "bowerbird.envs.pettingzoo needs PettingZoo and Gymnasium: pip install 'bowerbird[rl]'" in done.stderr
