"""Trains a policy by self-play for `bot.py`, in a few minutes on two cores: `python train.py`.

All seats play with the same network. After each batch of decisions, actions that won more points than the network had
estimated become more likely, and the others less likely (PPO: proximal policy optimisation). The same seed gives the
same policy on the same machine.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # faster for small products, and the same on every machine

import numpy as np
from numpy.typing import NDArray
from policy import Array, Policy, scaled  # type: ignore[import-not-found]  # beside this file

from bowerbird.engine import EngineError, rules_of
from bowerbird.envs.vector import VectorEnv

HERE = Path(__file__).parent
GAMES, STEPS = 256, 64
"""The number of games stepped together, and the number of steps before the network learns."""

EPOCHS, MINIBATCH = 2, 2048
RATE = 1e-3
CLIP = 0.2
ENTROPY = 0.3
"""How often the network sees each decision and how many at once; learning rate, clip range and entropy bonus."""


@dataclass
class Decisions:
    """The decisions of all seats, one in each row, with the points that the seat won in the rest of the hand."""

    observations: Array
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    chances: Array
    points: Array


def play(env: VectorEnv, policy: Policy, rng: np.random.Generator) -> Decisions:
    """Play STEPS steps of every game with the policy, and return the decisions of the hands that ended."""
    seen, masks, actions, chances, actors, rewards, ended = [], [], [], [], [], [], []
    rows = np.arange(env.games)
    for _ in range(STEPS):
        observations = scaled(env.observations)
        odds = policy.chances(policy.hidden(observations), env.masks)
        chosen = (odds.cumsum(axis=1) > rng.random((env.games, 1)) * odds.sum(axis=1, keepdims=True)).argmax(axis=1)
        seen.append(observations)
        masks.append(env.masks.copy())
        actors.append(env.actors.copy())
        actions.append(chosen)
        chances.append(odds[rows, chosen])
        env.step(chosen)
        rewards.append(env.rewards.copy())
        ended.append(env.hand_ended.copy())
    points = np.zeros((STEPS, env.games), np.float32)
    known = np.zeros((STEPS, env.games), bool)
    to_come, is_known = np.zeros_like(env.rewards), np.zeros(env.games, bool)
    for step in reversed(range(STEPS)):  # each decision gets the points that its hand ended with
        to_come[ended[step]] = rewards[step][ended[step]]
        is_known |= ended[step]
        points[step], known[step] = to_come[rows, actors[step]], is_known
    return Decisions(
        np.stack(seen)[known], np.stack(masks)[known], np.stack(actions)[known], np.stack(chances)[known], points[known]
    )


def learn(policy: Policy, batch: Decisions, steps: Adam, rng: np.random.Generator, left: float) -> None:
    """Improve the policy with the decisions of a batch; `left` is the share of the training still to come."""
    for _ in range(EPOCHS):
        order = rng.permutation(len(batch.actions))
        for start in range(0, len(order), MINIBATCH):
            steps.take(
                policy.weights, gradient(policy, batch, order[start : start + MINIBATCH], ENTROPY * left), RATE * left
            )


def gradient(policy: Policy, batch: Decisions, rows: NDArray[np.int64], entropy: float) -> dict[str, Array]:
    """Return the gradient: the direction in which each weight makes the chosen rows of the batch worse."""
    w, count = policy.weights, len(rows)
    observations, actions, points = batch.observations[rows], batch.actions[rows], batch.points[rows]
    hidden = policy.hidden(observations)
    odds = policy.chances(hidden, batch.masks[rows])
    guess = (hidden @ w["value"] + w["value_bias"])[:, 0]
    advantage = points - guess
    advantage /= advantage.std() + 1e-6
    chance = odds[np.arange(count), actions]
    ratio = chance / batch.chances[rows]
    free = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    push = np.where(free, advantage * ratio, 0)[:, None]
    logs = np.log(np.maximum(odds, 1e-12))
    spread = -(odds * logs).sum(axis=1, keepdims=True)
    scores = push * odds + entropy * odds * (logs + spread)
    scores[np.arange(count), actions] -= push[:, 0]
    scores /= count
    error = ((guess - points) / count)[:, None]
    back = (scores @ w["action"].T + error @ w["value"].T) * (hidden > 0)
    found = {
        "hidden": observations.T @ back,
        "hidden_bias": back.sum(axis=0),
        "action": hidden.T @ scores,
        "action_bias": scores.sum(axis=0),
        "value": hidden.T @ error,
        "value_bias": error.sum(axis=0),
    }
    return {name: np.asarray(value, np.float32) for name, value in found.items()}


class Adam:
    """Gradient descent with a step size for each weight (Adam)."""

    def __init__(self) -> None:
        self._mean: dict[str, Array] = {}
        self._square: dict[str, Array] = {}
        self._taken = 0

    def take(self, weights: dict[str, Array], gradients: dict[str, Array], rate: float) -> None:
        """Move the weights one step."""
        self._taken += 1
        for name, slope in gradients.items():
            mean = self._mean[name] = 0.9 * self._mean.get(name, np.zeros_like(slope)) + 0.1 * slope
            square = self._square[name] = 0.999 * self._square.get(name, np.zeros_like(slope)) + 0.001 * slope**2
            level = np.sqrt(square / (1 - 0.999**self._taken)) + 1e-8
            weights[name] -= (rate * mean / (1 - 0.9**self._taken) / level).astype(np.float32)


def strength(policy: Policy, variant: str, seed: int, hands: int = 4000) -> tuple[float, float]:
    """Return the points a hand that the policy in seat 0 wins against random players, and their standard error."""
    rng = np.random.default_rng(seed)
    found: list[float] = []
    with VectorEnv(variant, games=GAMES) as env:
        env.reset(seed)
        while len(found) < hands:
            env.step(np.where(env.actors == 0, policy.best(env.observations, env.masks), env.random_actions(rng)))
            found += env.rewards[env.hand_ended, 0].tolist()
    return float(np.mean(found)), float(np.std(found) / len(found) ** 0.5)


def train(variant: str, rounds: int, seed: int, workers: int) -> Iterator[tuple[int, int, Policy]]:
    """Train a policy in place. Yield the rounds done, the decisions learnt from, and the policy.

    It yields once before the first round and once after each.
    """
    rng = np.random.default_rng(seed)
    with VectorEnv(variant, games=GAMES, workers=workers) as env:
        env.reset(seed)
        policy = Policy.fresh(env.layout.size, len(env.actions), rng)
        steps, decisions = Adam(), 0
        yield 0, 0, policy
        for done in range(rounds):
            batch = play(env, policy, rng)
            learn(policy, batch, steps, rng, 1 - done / rounds)
            decisions += len(batch.actions)
            yield done + 1, decisions, policy


def main() -> None:
    """Train a policy and save it. Now and then print how many points a hand it wins against random players."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="two-handed")
    parser.add_argument("--rounds", type=int, default=300, help="number of batches to learn from (default 300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="number of processes; it does not change the result")
    parser.add_argument("--looks", type=int, default=20, help="how often to measure the strength (default 20)")
    parser.add_argument("--out", type=Path, default=HERE / "weights.npz")
    parser.add_argument("--curve", type=Path, help="write a CSV file of decisions learnt from and strength")
    arguments = parser.parse_args()
    if min(arguments.rounds, arguments.looks) < 1 or arguments.workers < 0:
        parser.error("--rounds and --looks must be at least 1, --workers 0 or more")
    try:
        rules_of(arguments.variant)
    except EngineError as unknown:
        parser.error(str(unknown))
    start, rows = time.monotonic(), []
    every = max(1, arguments.rounds // arguments.looks)
    for done, decisions, policy in train(arguments.variant, arguments.rounds, arguments.seed, arguments.workers):
        if done % every == 0 or done == arguments.rounds:
            points, error = strength(policy, arguments.variant, arguments.seed)
            rows.append((decisions, round(points, 3), round(error, 3)))
            minutes = (time.monotonic() - start) / 60
            print(f"{minutes:4.1f} min {decisions:>10,} decisions  {points:+.2f} ± {2 * error:.2f} points a hand")
    policy.save(arguments.out)
    print(f"saved {arguments.out}")
    if arguments.curve:
        with arguments.curve.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("decisions", "points", "error"), *rows])


if __name__ == "__main__":
    main()
