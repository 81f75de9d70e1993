"""Speed of the environments for learning agents beside OpenSpiel's euchre: `make bench ARGS=envs`.

Steps per second of processor time with random play, including masks and observations; by the clock if workers take
part. All are measured in short rounds, one after another, so that other load on the machine falls on all of them. The
figures are medians of the rates, and of the ratios within a round. What is not installed is left out.

    shimmy        OpenSpiel's euchre as a PettingZoo environment (Shimmy): hands cut off after seven decisions
    shimmy whole  the same, its hands played out: its count of moves, which includes the deal, is set back at each step
    pettingzoo    `bowerbird.envs.pettingzoo.env`, with its wrappers
    pyspiel       OpenSpiel's euchre driven directly, with its information state tensor as a list
    pyspiel numpy the same, the tensor and the mask as numpy arrays, as a network needs them
    vector        `VectorEnv` in this process
    vector 2      `VectorEnv` with two workers

Then come the parts of a step of `VectorEnv`, in microseconds a game.

The figures are for people; no test asserts them. Aims: pettingzoo is five times shimmy whole, vector 1.6 times pyspiel
and 5 times pyspiel numpy, two workers 1.6 times one process.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import fmean, median
from typing import Any

import numpy as np

from bowerbird.engine import Action, Game, new_game, state_of
from bowerbird.envs.tracking import Observer, Tracker, arrays_of, observer_of
from bowerbird.envs.vector import VectorEnv

Steps = Iterator[int]
"""Yields how many steps were made since the last time."""

WORKERS = "vector 2"

AT_ONCE = 500
"""Steps between two readings of the clock."""


def pettingzoo_steps(make: Callable[[], Any], before: Callable[[Any], None] = lambda env: None) -> Steps:
    """Step a PettingZoo environment with random legal actions; call `before` before each step."""
    env = make()
    rng = Random(1)
    seed = made = 0
    while True:
        env.reset(seed=seed)
        seed += 1
        for _ in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            before(env)
            env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            made += 1
            if made == AT_ONCE:
                yield made
                made = 0


def shimmy(*, whole: bool) -> Steps:
    """Step OpenSpiel's euchre through Shimmy; `whole`: hands are played out."""
    game = import_module("pyspiel").load_game("euchre")

    def not_yet_at_the_limit(env: Any) -> None:
        if whole:
            env.game_length = 1

    return pettingzoo_steps(lambda: import_module("shimmy").OpenSpielCompatibilityV0(env=game), not_yet_at_the_limit)


def own(variant: str) -> Steps:
    """Step the PettingZoo environment of a variant."""
    return pettingzoo_steps(lambda: import_module("bowerbird.envs.pettingzoo").env(variant))


def pyspiel(*, arrays: bool) -> Steps:
    """Step OpenSpiel's euchre directly, hand after hand, chance moves not counted."""
    game = import_module("pyspiel").load_game("euchre")
    rng = Random(1)
    made = 0
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            tensor = state.information_state_tensor()
            if arrays:
                np.array(tensor, dtype=np.float32)
                np.array(state.legal_actions_mask(), dtype=np.int8)
            state.apply_action(rng.choice(state.legal_actions()))
            made += 1
            if made == AT_ONCE:
                yield made
                made = 0


def vector(variant: str, games: int, workers: int) -> Steps:
    """Step a vector environment."""
    rng = np.random.default_rng(1)
    with VectorEnv(variant, games=games, workers=workers) as env:
        env.reset(seed=1)
        while True:
            env.step(env.random_actions(rng))
            yield games


@dataclass(frozen=True)
class Rate:
    """The steps of one round, per second of this process's own time and per second by the clock."""

    own: float
    clock: float


def rate(steps: Steps, seconds: float, lasts: Callable[[], float]) -> Rate:
    """Return the rates of one round of `seconds` by the clock `lasts`."""
    next(steps)
    start, own, made = time.perf_counter(), time.process_time(), 0
    end = lasts() + seconds
    while lasts() < end:
        made += next(steps)
    return Rate(made / (time.process_time() - own), made / (time.perf_counter() - start))


def measured(variant: str, games: int, rounds: int, seconds: float) -> dict[str, list[Rate]]:
    """Return the rates of each environment that is installed, round by round."""
    steps: dict[str, Steps] = {}
    if find_spec("shimmy") and find_spec("pyspiel"):
        steps |= {"shimmy": shimmy(whole=False), "shimmy whole": shimmy(whole=True)}
    if find_spec("pettingzoo"):
        steps["pettingzoo"] = own(variant)
    if find_spec("pyspiel"):
        steps |= {"pyspiel": pyspiel(arrays=False), "pyspiel numpy": pyspiel(arrays=True)}
    steps |= {"vector": vector(variant, games, 0), WORKERS: vector(variant, games, 2)}
    found: dict[str, list[Rate]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, each in steps.items():
            found[name].append(rate(each, seconds, time.perf_counter if name == WORKERS else time.process_time))
    return found


def by(clock: str, rates: Sequence[Rate]) -> list[float]:
    """Return the rates by one of the two clocks, `own` or `clock`."""
    return [getattr(rate, clock) for rate in rates]


def clock_of(*names: str) -> str:
    """Return the clock that these are measured by: this process does not see the time of workers."""
    return "clock" if WORKERS in names else "own"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median ratio of rounds: other load falls on both sides of each."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def parts(variant: str, games: int, rounds: int) -> dict[str, float]:
    """Return the microseconds a game that each part of a step takes: the mean of `rounds` steps of as many games.

    Games begin together, so only a few steps end hands: a median would leave these out.

    engine: the rules. tracking: what keeps observations up to date. observations, masks: the arrays.
    """
    rng = Random(1)
    options = {"max_hands": 100}
    observer = observer_of(variant, options)

    def started() -> Tracker:
        return Tracker(observer, new_game(variant, options, seed=rng.randbytes(32)))

    trackers = [started() for _ in range(games)]
    found: dict[str, list[float]] = {"engine": [], "tracking": [], "observations": [], "masks": []}
    for _ in range(rounds):
        chosen = [rng.choice(tracker.game.legal_actions()) for tracker in trackers]
        copies = [tracker.game.copy() for tracker in trackers]
        engine = _seconds(_apply_all, copies, chosen)
        both = _seconds(_apply_all, trackers, chosen)
        trackers = [started() if tracker.game.is_over else tracker for tracker in trackers]
        masks = _seconds(_masks_alone, observer, trackers)
        arrays = _seconds(arrays_of, observer, trackers)
        for name, seconds in zip(found, (engine, both - engine, arrays - masks, masks), strict=True):
            found[name].append(seconds / games * 1e6)
    return {name: fmean(each) for name, each in found.items()}


def _apply_all(played: Sequence[Game | Tracker], actions: Sequence[Action]) -> None:
    """Make a legal action in each game, as `VectorEnv` does."""
    for each, action in zip(played, actions, strict=True):
        if isinstance(each, Tracker):
            each.apply_legal(action)
        else:
            state_of(each).move(action)


def _masks_alone(observer: Observer, trackers: Sequence[Tracker]) -> None:
    """Do what `arrays_of` does for the masks."""
    actions = observer.actions
    for tracker in trackers:
        state = state_of(tracker.game)
        first = actions.first_card.get(state.phase.card_kind)
        _ = actions.bits[state.legal_actions()] if first is None else state.phase.choices(state) << first


def _seconds(run: Callable[..., object], *arguments: object) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


def main() -> None:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="euchre", help="the variant of our own environments")
    parser.add_argument("--games", type=int, default=512, help="games of a vector environment")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.4, help="length of one measurement")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rates = measured(arguments.variant, arguments.games, arguments.rounds, arguments.seconds)
    medians = {name: median(by(clock_of(name), each)) for name, each in rates.items()}
    if arguments.json:
        print(json.dumps(medians))
        return
    for name, steps in medians.items():
        print(f"{name:<14}{steps:>10,.0f} steps/s")
    pairs = (("pettingzoo", "shimmy"), ("pettingzoo", "shimmy whole"), ("vector", "pyspiel"))
    for ours, theirs in (*pairs, ("vector", "pyspiel numpy"), (WORKERS, "vector"), (WORKERS, "pyspiel")):
        if ours in rates and theirs in rates:
            clock = clock_of(ours, theirs)
            print(f"{ours} / {theirs}: {ratio(by(clock, rates[ours]), by(clock, rates[theirs])):.2f}")
    for name, microseconds in parts(arguments.variant, arguments.games, 60).items():
        print(f"{name:<14}{microseconds:>10.1f} µs")
