"""The Gymnasium environment of every variant, tested with Gymnasium's own checks (environments.md)."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed; the extra rl adds it")

import gymnasium
from gymnasium.utils.env_checker import check_env

from bowerbird.bots.greedy.__main__ import GreedyBot
from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Action, IllegalAction, InvalidOption, SeatView, UnknownVariant, new_game, variant_names
from bowerbird.envs import observation
from bowerbird.envs.gymnasium import (
    OpponentError,
    OptionsError,
    OwnProcess,
    SeatEnv,
    SeedError,
    env_id,
    register,
    secret_of,
)
from bowerbird.harness.extras.envs.rewards import of_hand
from bowerbird.sdk import Bot, Capabilities, Decision, HandEnd, Table, TableEnd
from tests.support.deadline import DEADLINE_S
from tests.support.engine.random_options import random_options
from tests.support.paths import ROOT

ALL = pytest.mark.parametrize("variant", variant_names())


def first(view: SeatView) -> Action:
    return view.legal[0]


def legal(info: dict[str, Any], rng: Random) -> int:
    """Return a random legal action."""
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def finish(env: Any, info: dict[str, Any], rng: Random) -> float:
    """Play a game to its end with random legal actions; return the sum of the rewards."""
    total, over = 0.0, False
    while not over:
        _, reward, over, _, info = env.step(legal(info, rng))
        total += reward
    return total


@ALL
def test_gymnasiums_own_checks_pass(variant: str) -> None:
    for options in ({}, random_options(variant, Random(variant), 2)):
        env = gymnasium.make(f"bowerbird.envs.gymnasium:{env_id(variant)}", options=options)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=r".*(minimum|maximum) value is -?infinity")
            check_env(env.unwrapped)


def test_every_variant_is_registered_once() -> None:
    assert len(set(register())) == len(register()) == len(variant_names())
    assert set(register()) <= set(gymnasium.registry)


@ALL
def test_the_seat_sees_what_it_may_know_and_its_mask_in_three_forms(variant: str) -> None:
    env, rng = SeatEnv(variant, {"max_hands": 2}, seat=None), Random(variant)
    seen, info = env.reset(seed=2)
    over = False
    while not over:
        game, seat = env.game, info["seat"]
        assert game.actor == seat
        assert (seen["observation"] == observation(game.view(seat))).all()
        assert seen["action_mask"].sum() == len(game.legal_actions())
        assert (info["action_mask"] == seen["action_mask"]).all()
        assert (env.action_masks() == seen["action_mask"]).all()
        seen, _, over, _, info = env.step(legal(info, rng))
        assert env.observation_space.contains(seen)
    assert not env.action_masks().any()


@ALL
def test_the_rewards_of_a_game_are_those_of_its_hands(variant: str) -> None:
    env, rng = SeatEnv(variant, {"max_hands": 3}, seat=1), Random(variant)
    _, info = env.reset(seed=3)
    total = finish(env, info, rng)
    game = env.game
    assert total == pytest.approx(sum(of_hand(game.rules, result.points)[1] for result in game.results))


def test_games_of_a_seed_are_those_of_the_engine() -> None:
    env = SeatEnv("two-handed")
    for number in range(3):
        env.reset(seed=7 if number == 0 else None)
        twin = new_game("two-handed", {"max_hands": 100}, seed=secret_of(7), set_number=number)
        assert (env.game.packs, env.game.dealer) == (twin.packs, twin.dealer)


def test_a_seed_determines_seat_and_random_opponents() -> None:
    def course(env: SeatEnv) -> list[Any]:
        rng, found = Random(1), []
        for seed in (5, None, None):
            _, info = env.reset(seed=seed)
            found.append((info["seat"], finish(env, info, rng), env.game.results))
        return found

    env = SeatEnv("euchre", {"max_hands": 2}, seat=None)
    assert course(env) == course(env) == course(SeatEnv("euchre", {"max_hands": 2}, seat=None))


# Opponents


def a_few(env: SeatEnv) -> None:
    """Take a step in each of a few games: the opponent is asked in one of them."""
    for seed in range(5):
        _, info = env.reset(seed=seed)
        env.step(legal(info, Random(1)))


def test_each_opponent_decides_for_its_seat_clockwise_from_the_agent() -> None:
    asked: list[tuple[int, int]] = []

    def number(place: int) -> Any:
        def decide(view: SeatView) -> str:
            asked.append((place, view.seat))
            return str(view.legal[-1])

        return decide

    env = SeatEnv("euchre", {"max_hands": 1}, seat=2, opponents=[number(place) for place in range(3)])
    _, info = env.reset(seed=1)
    finish(env, info, Random(1))
    assert {(2 + 1 + place) % 4 for place, _ in asked} == {seat for _, seat in asked}
    assert all(seat == (3 + place) % 4 for place, seat in asked)


@pytest.mark.usefixtures("processes")
def test_an_opponent_in_its_own_process_decides_as_one_in_ours() -> None:
    found = []
    for opponents in (
        "greedy",
        choose,
        "bowerbird.bots.greedy.player:choose",
        OwnProcess("greedy"),
        [OwnProcess("greedy")] * 3,
    ):
        env = SeatEnv("euchre", {"max_hands": 3}, opponents=opponents)
        _, info = env.reset(seed=1)
        if opponents != "greedy":
            env = pickle.loads(pickle.dumps(env))
        finish(env, info, Random(1))
        found.append(env.game.results)
        env.close()
        env.close()
    assert all(results == found[0] for results in found)


class Noting(Bot):
    """A bot that draws from its table's seed, and notes what it is told."""

    capabilities = Capabilities(wants_events=True)

    def __init__(self) -> None:
        self.told: list[str] = []

    def prepare(self) -> None:
        self.told.append("prepare")

    def act(self, decision: Decision) -> int:
        decision.table.notes["decisions"] = int(str(decision.table.notes.get("decisions", 0))) + 1
        return decision.table.rng.randrange(decision.choices)

    def table_opened(self, table: Table) -> None:
        self.told.append(f"open {table.seat}")

    def hand_ended(self, table: Table, end: HandEnd) -> None:
        self.told.append(f"hand {table.seat}")

    def table_closed(self, table: Table, end: TableEnd) -> None:
        self.told.append(f"close {table.seat} {end.ended}")


def test_a_bot_of_the_sdk_sits_at_a_table_in_each_game_and_is_prepared_once() -> None:
    bot = Noting()
    env = SeatEnv("two-handed", {"max_hands": 2}, seat=1, opponents=bot)
    _, info = env.reset(seed=1)
    finish(env, info, Random(1))
    game = ["open 0", "hand 0", "hand 0", "close 0 limit"]
    assert bot.told == ["prepare", *game]
    _, info = env.reset()
    env.reset()
    env.close()
    assert bot.told == ["prepare", *game, "open 0", "close 0 abandoned", "open 0", "close 0 abandoned"]


def test_a_seed_determines_what_bots_draw_and_pickle_keeps_their_tables() -> None:
    found = []
    for _ in range(2):
        env = SeatEnv("euchre", {"max_hands": 3}, seat=None, opponents=[Noting(), "random", GreedyBot()])
        _, info = env.reset(seed=4)
        _, _, _, _, info = env.step(legal(info, Random(1)))
        twin = pickle.loads(pickle.dumps(env))
        finish(twin, info, Random(2))
        finish(env, info, Random(2))
        found += [env.game.results, twin.game.results]
    assert all(results == found[0] for results in found)


@pytest.mark.usefixtures("processes")
def test_an_opponent_whose_process_ends_is_reported() -> None:
    env = SeatEnv("two-handed", opponents=OwnProcess("os:_exit"))
    with pytest.raises(OpponentError, match="the process of os:_exit has ended; its messages are on standard error"):
        a_few(env)


def test_an_illegal_action_of_an_opponent_names_the_legal_ones() -> None:
    env = SeatEnv("two-handed", opponents=lambda _: "play As")
    with pytest.raises(IllegalAction, match='cannot do "play As"'):
        a_few(env)


# Wrong input


def test_an_illegal_action_ends_the_game_with_a_penalty() -> None:
    env = SeatEnv("two-handed")
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    seen, reward, over, truncated, info = env.step(illegal)
    assert (reward, over, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert not seen["action_mask"].any()
    with pytest.raises(OptionsError, match="call reset before step"):
        env.step(0)
    _, info = env.reset()
    assert not info["illegal"]


def test_bad_arguments_are_refused_in_one_sentence() -> None:
    with pytest.raises(UnknownVariant, match="did you mean 'euchre'"):
        SeatEnv("euchr")
    with pytest.raises(InvalidOption, match="unknown option 'targt' of euchre, did you mean 'target'"):
        SeatEnv("euchre", {"targt": 5})
    for seat in (4, -1, True, 1.5):
        with pytest.raises(OptionsError, match="seat must be a whole number from 0 to 3, or None, not"):
            SeatEnv(seat=seat)  # type: ignore[arg-type]  # the error is what is tested
    with pytest.raises(OpponentError, match="unknown opponent 'gredy', did you mean 'greedy'"):
        SeatEnv(opponents="gredy")
    with pytest.raises(OpponentError, match="opponents must be one bot or a list of 3, not a list of 2"):
        SeatEnv(opponents=["random", first])
    with pytest.raises(OpponentError, match=r"opponent bowerbird\.bots\.greedy:nothing cannot be loaded"):
        SeatEnv(opponents="bowerbird.bots.greedy:nothing")
    with pytest.raises(OpponentError, match="an opponent must be a name, a function of a view, or a Bot, not 3"):
        SeatEnv(opponents=["random", "greedy", 3])  # type: ignore[list-item]  # the error is what is tested
    env = SeatEnv("two-handed")
    with pytest.raises(OptionsError, match="call reset before step"):
        env.step(0)
    with pytest.raises(SeedError, match="seed must be a whole number of at least 0"):
        env.reset(seed=-1)
    with pytest.raises(OptionsError, match="unknown key 'target_score' in the options of reset"):
        env.reset(options={"target_score": 3})
    env.reset(seed=1)
    for wrong in (1.9, "pass", None, True, 70, -1):
        with pytest.raises(OptionsError, match="an action must be a whole number from 0 to 69, not"):
            env.step(wrong)  # type: ignore[arg-type]  # the error is what is tested


@pytest.mark.usefixtures("processes")
def test_without_gymnasium_the_sentence_names_the_extra() -> None:
    program = "import sys; sys.modules['gymnasium'] = None; import bowerbird.envs.gymnasium"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=ROOT
    )
    assert done.returncode == 1
    assert "bowerbird.envs.gymnasium needs Gymnasium: pip install 'bowerbird[rl]'" in done.stderr


# What Gymnasium's vectors do with it


@ALL
def test_every_key_of_info_has_one_type_everywhere(variant: str) -> None:
    """A vector takes the type of the first environment and silently casts the others."""
    env, rng = SeatEnv(variant, {"max_hands": 1}), Random(variant)
    kinds = set()
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            kinds.add(tuple((name, type(value), getattr(value, "dtype", None)) for name, value in info.items()))
            number = legal(info, rng) if rng.random() < 0.97 else int(np.flatnonzero(info["action_mask"] == 0)[0])
            _, _, over, _, info = env.step(number)
        kinds.add(tuple((name, type(value), getattr(value, "dtype", None)) for name, value in info.items()))
        assert 0 <= info["seat"] < 2**63
    assert len(kinds) == 1


def test_gymnasiums_vector_plays_the_games_of_its_seeds() -> None:
    vector = gymnasium.make_vec("bowerbird.envs.gymnasium:bowerbird/TwoHanded-v0", 3, vectorization_mode="sync")
    alone = [SeatEnv("two-handed") for _ in range(3)]
    _, infos = vector.reset(seed=5)
    each = [env.reset(seed=5 + place)[1] for place, env in enumerate(alone)]
    rng = Random(1)
    for _ in range(20):
        assert [row.tolist() for row in infos["action_mask"]] == [info["action_mask"].tolist() for info in each]
        chosen = [legal(info, rng) for info in each]
        _, rewards, ended, _, infos = vector.step(np.array(chosen))
        steps = [env.step(number) for env, number in zip(alone, chosen, strict=True)]
        assert (rewards.tolist(), ended.tolist()) == ([step[1] for step in steps], [step[2] for step in steps])
        each = [step[4] for step in steps]
        if ended.any():
            break
    vector.close()


@ALL
def test_an_environment_survives_pickle(variant: str) -> None:
    env, rng = SeatEnv(variant, random_options(variant, Random(variant), 2), opponents=first), Random(variant)
    _, info = env.reset(seed=1)
    for _ in range(4):
        _, _, over, _, info = env.step(legal(info, rng))
        if over:
            _, info = env.reset()
    twin = pickle.loads(pickle.dumps(env))
    assert (twin.action_masks() == env.action_masks()).all()
    assert finish(twin, info, Random(2)) == finish(env, info, Random(2))
    assert twin.game.results == env.game.results
