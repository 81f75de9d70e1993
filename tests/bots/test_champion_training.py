"""Champion's networks: what games give, what the passes compute, that a seed decides all, and what files keep."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bowerbird.bots.champion.network import (
    MOST_STEPS,
    NETWORKS,
    Array,
    Network,
    Networks,
    in_steps,
    made_of,
    networks_of,
    variants_with_networks,
)
from bowerbird.bots.champion.training import __main__ as command
from bowerbird.bots.champion.training import train
from bowerbird.bots.champion.training.games import SelfPlay
from bowerbird.bots.champion.training.learning import Layers
from bowerbird.bots.champion.training.rounding import rounded
from bowerbird.engine import rules_of, variant_names


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "GAMES", 6)
    monkeypatch.setattr(train, "STEPS", 8)
    monkeypatch.setattr(train, "HIDDEN", (16, 8))
    monkeypatch.setattr(train, "SEEING", (16, 8))


@pytest.mark.parametrize("variant", variant_names())
def test_every_question_has_a_choice_and_rewards_sum_to_zero(variant: str) -> None:
    play, rng = SelfPlay(variant, 6, 1), np.random.default_rng(1)
    rewards = []
    for _ in range(60):
        asked = play.questions
        assert (asked.masks.sum(axis=1) > 1).all()
        play.step((rng.random(asked.masks.shape) * asked.masks).argmax(axis=1))
        assert not play.rewards[~play.ended].any()
        rewards += play.rewards[play.ended].tolist()
    assert rewards
    assert np.array(rewards).sum(axis=1) == pytest.approx(0, abs=1e-4)


def test_advantages_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    values, rewards = (rng.normal(size=(steps, 3, 2)).astype(np.float32) for steps in (6, 5))
    ended = rng.random((5, 3)) < 0.3
    found = train.advantages(values, rewards, ended)
    for game in range(3):
        for step in range(5):
            expected, weight = np.zeros(2), 1.0
            for later in range(step, 5):
                after = rewards[later, game] if ended[later, game] else values[later + 1, game]
                expected += weight * (after - values[later, game])
                weight *= train.MEMORY
                if ended[later, game]:
                    break
            assert found[step, game] == pytest.approx(expected, abs=1e-5)


def test_a_step_goes_down_the_slope_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    layers = Layers((7, 5, 3), rng)
    inputs, aims = rng.normal(size=(20, 7)).astype(np.float32), rng.normal(size=(20, 3)).astype(np.float32)

    def loss() -> float:
        return float(((layers.forward(inputs)[-1] - aims) ** 2).sum()) / 2

    first = loss()
    for _ in range(300):
        found = layers.forward(inputs)
        layers.learn(found, found[-1] - aims, 0.01)
    assert loss() < first / 3


def test_an_input_that_was_always_0_weighs_nothing() -> None:
    rng = np.random.default_rng(1)
    layers = Layers((7, 5, 3), rng)
    inputs = rng.normal(size=(20, 7)).astype(np.float32)
    inputs[:, 2] = 0
    for _ in range(3):
        found = layers.forward(inputs)
        layers.learn(found, found[-1] - 1, 0.01)
    network = layers.network()
    assert [number for number, row in enumerate(network.weights[0]) if not row.any()] == [2]
    np.testing.assert_allclose(network.outputs(inputs), layers.forward(inputs)[-1], atol=1e-6)


def test_the_same_seed_gives_the_same_network_and_another_one_another() -> None:
    def weights(seed: int) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        training = train.Training("two-handed", seed)
        assert list(training.rounds(4)) == [1, 2, 3, 4]
        return list(training.networks().policy.weights)

    first, again, other = weights(1), weights(1), weights(2)
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_it_learns_to_decide_as_greedy_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "CLONING", 20)
    monkeypatch.setattr(train, "GAMES", 64)
    monkeypatch.setattr(train, "HIDDEN", (64, 32))
    monkeypatch.setattr(train, "MINIBATCH", 32)
    training = train.Training("two-handed", 1)

    def agreed() -> float:
        play = training._play
        found = training._scores(play.questions.observations, play.questions.masks).argmax(axis=1)
        return float((found == play.greedy()).mean())

    untrained, later = agreed(), [agreed() for _ in zip(range(20), training.rounds(80), strict=False)]
    assert np.mean(later[-5:]) > untrained + 0.25, f"{untrained} before, then {later}"


def test_the_command_writes_networks_that_can_be_read(tmp_path: Path) -> None:
    command.train("two-handed", 2, 1, tmp_path)
    file = tmp_path / "two-handed.npz"
    made, networks = made_of(file), Networks.read(file)
    assert (made["rounds"], made["decisions"], made["seed"]) == (2, 2 * 6 * 8, 1)
    for network in (networks.policy, networks.values):
        assert all(np.isfinite(each).all() for each in (*network.weights, *network.biases))
    assert networks.unit > 0


def untrained(inputs: Array) -> Network:
    """Return a network for such inputs with random weights, and biases that 16 bits hold."""
    weights = Layers((inputs.shape[1], 24, 16, 5), np.random.default_rng(1)).weights
    biases = (np.asarray(np.arange(len(each)) / 64, np.float32) for each in weights[1::2])
    return Network(tuple(weights[0::2]), tuple(biases))


def some_inputs(seed: int) -> Array:
    """Return ones and zeros of which many go together, as in observations."""
    rng = np.random.default_rng(seed)
    cards = rng.random((2000, 12)) < 0.4
    return np.hstack([cards, ~cards, cards & np.roll(cards, 1, axis=1)]).astype(np.float32)


def read_again(network: Network, folder: Path) -> Network:
    file = folder / "networks.npz"
    Networks(network, network, 1.0).write(file, {})
    return Networks.read(file).values


def test_a_file_keeps_weights_to_half_a_step_of_their_row(tmp_path: Path) -> None:
    network = untrained(some_inputs(1))
    found = read_again(network, tmp_path)
    for old, new in zip(network.weights[:-1], found.weights, strict=False):
        assert (abs(new - old) <= abs(old).max(axis=1, keepdims=True) / MOST_STEPS * 0.501).all()
    for old, new in zip((network.weights[-1], *network.biases), (found.weights[-1], *found.biases), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-3, atol=1e-7)


def test_rounded_weights_are_those_of_a_file(tmp_path: Path) -> None:
    network = rounded(untrained(some_inputs(1)), some_inputs(1))
    for old, new in zip(network.weights[:-1], read_again(network, tmp_path).weights, strict=False):
        assert np.array_equal(in_steps(old)[0], in_steps(new)[0])
        np.testing.assert_allclose(new, old, rtol=1e-5)


def test_rounding_for_decisions_changes_less_than_rounding_each_weight(tmp_path: Path) -> None:
    """Also of decisions that the rounding has not seen."""
    network = untrained(some_inputs(1))
    expected = network.outputs(some_inputs(2))

    def lost(network: Network) -> float:
        return float(abs(read_again(network, tmp_path).outputs(some_inputs(2)) - expected).mean())

    for_decisions, each_weight = lost(rounded(network, some_inputs(1))), lost(network)
    assert for_decisions < 0.7 * each_weight


FOREIGN = io.BytesIO()
np.savez(FOREIGN, policy=np.ones(3))


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(lambda good: good[:-1000], id="cut off"),
        pytest.param(lambda good: good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], id="one bit"),
        pytest.param(lambda good: good.replace(b"values biases 2", b"values biases 9"), id="another name"),
        pytest.param(lambda _: FOREIGN.getvalue(), id="of another program"),
        pytest.param(lambda _: b"# Networks\n", id="a text"),
        pytest.param(lambda _: b"", id="empty"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_with_what_to_do(
    damaged: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    file = tmp_path / "two-handed.npz"
    file.write_bytes(damaged((NETWORKS / file.name).read_bytes()))
    with pytest.raises(ValueError, match=r"two-handed\.npz is damaged.*training two-handed$"):
        Networks.read(file)


@pytest.mark.parametrize("variant", variants_with_networks())
def test_networks_say_how_they_were_made_and_fit_their_variant(variant: str) -> None:
    assert made_of(NETWORKS / f"{variant}.npz")["rounds"] >= 100
    assert networks_of(variant, rules_of(variant).rules().options) is not None
