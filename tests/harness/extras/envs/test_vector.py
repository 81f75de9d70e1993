"""The vector environment: the same games in one process and in several, and as the single environment plays them."""

from __future__ import annotations

import os
import signal
from random import Random

import numpy as np
import pytest

from bowerbird.engine import IllegalAction, InvalidOption, UnknownVariant, new_game, variant_names
from bowerbird.envs import observation
from bowerbird.envs.vector import RewardError, SeedError, VectorEnv, VectorError, WorkerError, secret_of
from bowerbird.harness.extras.envs import batch
from bowerbird.harness.extras.envs.plain_play import FROM_GAMES
from bowerbird.harness.extras.envs.workers import Workers
from tests.support.engine.random_options import random_options

SAMPLE = ("euchre", "cornish", "king-cut-throat", "two-handed-straw-men")


@pytest.mark.parametrize("variant", variant_names())
def test_rows_are_the_observations_of_the_games_of_the_seed(variant: str) -> None:
    """Row k is game k of the seed, then game k + games: observations, masks, actors, rewards and ends."""
    rng = Random(variant)
    options = {"max_hands": 1}
    with VectorEnv(variant, options, games=3) as env:
        env.reset(seed=4)
        playing = [new_game(variant, options, seed=secret_of(4), set_number=row) for row in range(3)]
        begun = 3
        numbers = [0, 1, 2]
        for _ in range(60):
            chosen = []
            for row, game in enumerate(playing):
                assert game.actor is not None
                view = game.view(game.actor)
                assert env.actors[row] == game.actor
                assert (env.observations[row] == observation(view)).all()
                assert (env.masks[row] == env.actions.mask(view.legal)).all()
                chosen.append(env.actions.of(rng.choice(view.legal)))
            env.step(chosen)
            for row, number in enumerate(chosen):
                playing[row].apply(env.actions[number])
                assert env.game_ended[row] == env.hand_ended[row] == playing[row].is_over
                assert env.rewards[row].any() <= playing[row].is_over
                if playing[row].is_over:
                    numbers[row] += 3
                    begun += 1
                    playing[row] = new_game(variant, options, seed=secret_of(4), set_number=numbers[row])
    assert begun > 3, "no game ended"


@pytest.mark.parametrize("variant", variant_names())
def test_games_played_on_arrays_are_those_played_one_after_the_other(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many games play their plain tricks on arrays (`plain_play`), under any options and from hand to hand."""
    for options in ({}, random_options(variant, Random(variant), 2)):
        with VectorEnv(variant, options, games=FROM_GAMES) as on_arrays, monkeypatch.context() as patch:
            patch.setattr(batch, "FROM_GAMES", FROM_GAMES + 1)
            with VectorEnv(variant, options, games=FROM_GAMES) as one_by_one:
                check_same(on_arrays, one_by_one, 150)


def check_same(one: VectorEnv, other: VectorEnv, steps: int) -> None:
    """Play the same games in both, and compare all they show; hands must end."""
    hands = 0
    for env in (one, other):
        env.reset(seed=b"s" * 32)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        for name in ("observations", "masks", "actors", "rewards", "hand_ended", "game_ended"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
        chosen = one.random_actions(rng)
        for env in (one, other):
            env.step(chosen)
        hands += int(one.hand_ended.sum())
    assert hands, "no hand ended"


def test_plain_play_is_played_on_arrays() -> None:
    with VectorEnv("euchre", games=FROM_GAMES) as env:
        env.reset(seed=1)
        plays = env._stepper._plays  # type: ignore[attr-defined]  # it is a batch
        rng = np.random.default_rng(1)
        most = 0
        for _ in range(20):
            env.step(env.random_actions(rng))
            most = max(most, int(plays.hands.here.sum()))
        assert most > FROM_GAMES / 2


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("games", [7, 3 * FROM_GAMES])
@pytest.mark.parametrize("variant", SAMPLE)
def test_workers_play_the_same_games(variant: str, games: int) -> None:
    with VectorEnv(variant, games=games) as alone, VectorEnv(variant, games=games, workers=3) as shared:
        check_same(alone, shared, 80)


def test_an_illegal_action_names_its_game_and_changes_none() -> None:
    with VectorEnv("two-handed", games=3) as env:
        env.reset(seed=1)
        before = env.observations.copy()
        chosen = env.random_actions(np.random.default_rng(1))
        for wrong in (env.actions.of("play As"), 70, -1):
            chosen[1] = wrong
            with pytest.raises(IllegalAction, match=r"game 1: seat . cannot do action|there is no action"):
                env.step(chosen)
        assert (env.observations == before).all()


def test_bad_arguments_are_refused_in_one_sentence() -> None:
    with pytest.raises(UnknownVariant, match="did you mean"):
        VectorEnv("bukc")
    with pytest.raises(InvalidOption, match="unknown option"):
        VectorEnv("buck", {"strat": 1})
    with pytest.raises(VectorError, match="games must be a whole number from 1 up, not 0"):
        VectorEnv(games=0)
    with pytest.raises(VectorError, match="workers must be from 0 to the number of games, 4, not 5"):
        VectorEnv(games=4, workers=5)
    with pytest.raises(RewardError, match="unknown reward"):
        VectorEnv(reward="points")  # type: ignore[arg-type]  # the error is what is tested
    with VectorEnv("buck", games=2) as env:
        with pytest.raises(VectorError, match="call reset before step"):
            env.step([0, 0])
        with pytest.raises(SeedError, match="seed must be"):
            env.reset(seed=-3)
        env.reset(seed=0)
        with pytest.raises(VectorError, match="step needs a whole number for each of 2 games, not shape"):
            env.step([0])
        with pytest.raises(VectorError, match="of float64"):
            env.step([0.0, 1.0])


def test_spaces_and_sizes_have_the_names_of_gymnasium() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed; the extra rl adds it")
    rng = np.random.default_rng(1)
    with VectorEnv("two-handed", games=3) as env:
        env.reset(seed=1)
        for _ in range(30):
            chosen = env.random_actions(rng)
            assert env.observation_space.contains(env.observations)
            assert all(env.single_observation_space.contains(row) for row in env.observations)
            assert env.action_space.contains(chosen)
            assert env.single_action_space.contains(chosen[0])
            env.step(chosen)
        assert env.num_envs == 3
        assert repr(env) == "<VectorEnv of two-handed: 3 games in this process; 433 numbers seen, 70 actions>"


@pytest.mark.usefixtures("processes")
def test_a_worker_that_dies_is_reported_and_the_rest_ends() -> None:
    with VectorEnv("two-handed", games=4, workers=2) as env:
        env.reset(seed=1)
        processes = list(env._workers._processes)  # type: ignore[union-attr]  # it has workers
        os.kill(processes[1].pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="worker 1 ended with exit status -9"):
            env.step(env.random_actions(np.random.default_rng(1)))
    assert [process.returncode for process in processes] == [0, -9]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("workers", [0, 2])
def test_after_an_interrupted_step_only_reset_helps(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in a step leaves games half moved; no answer of a worker is taken for that to the next message."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    def play(env: VectorEnv) -> None:
        for _ in range(200):
            env.step(env.random_actions(np.random.default_rng(1)))

    with VectorEnv("euchre", games=FROM_GAMES, workers=workers) as env, VectorEnv("euchre", games=FROM_GAMES) as other:
        env.reset(seed=2)
        with monkeypatch.context() as patch:
            if workers:
                patch.setattr(Workers, "_read", interrupted)
            else:
                patch.setattr(batch.Batch, "_end_hand", interrupted)
            with pytest.raises(KeyboardInterrupt):
                play(env)
        with pytest.raises(VectorError, match="again after an interrupted step"):
            env.step([0] * FROM_GAMES)
        check_same(env, other, 40)


@pytest.mark.usefixtures("processes")
def test_a_closed_environment_is_refused() -> None:
    env = VectorEnv("two-handed", games=2, workers=1)
    env.reset(seed=1)
    env.close()
    env.close()
    with pytest.raises(WorkerError, match="the environment is closed"):
        env.step(env.random_actions(np.random.default_rng(1)))
