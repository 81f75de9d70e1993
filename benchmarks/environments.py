"""Speed of the environments for learning agents compared with OpenSpiel's euchre: `make bench ARGS=envs`.

Measures steps per second of processor time (wall time if there are workers) with random play, including masks and
observations. All are measured in short rounds, one after another, so other load on the machine affects all of them. The
figures are medians of the rates, and of the ratios within a round. Environments that are not installed are left out.

    shimmy        OpenSpiel's euchre as a PettingZoo environment (Shimmy): hands cut off after seven decisions
    shimmy whole  the same, with hands played to the end: each step resets its count of moves, which includes the deal
    pettingzoo    `bowerbird.envs.pettingzoo.env`, with its wrappers
    pyspiel       OpenSpiel's euchre driven directly, with its information state tensor as a list
    pyspiel numpy the same, with the tensor and the mask as numpy arrays, as a network needs them
    vector        `VectorEnv` in this process
    vector 2      `VectorEnv` with two workers
    two apart     two independent programs with half the games each: the most that two cores can do

It then shows the parts of a step in microseconds, for a game that `VectorEnv` steps alone, and for playing a card on
arrays.

The figures are for people; no test asserts them. Aims: pettingzoo is five times shimmy whole, vector 1.6 times pyspiel
and 5 times pyspiel numpy, two workers 1.6 times one process.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from statistics import fmean, median
from typing import Any

import numpy as np

from bowerbird.engine import Action, Game, new_game, state_of
from bowerbird.envs.tracking import Observer, Tracker, arrays_of, observer_of
from bowerbird.envs.vector import VectorEnv
from bowerbird.harness.extras.envs.plain_play import PlainPlay

Steps = Iterator[int]
"""A generator of the number of steps since the last time."""

WORKERS = "vector 2"

APART = "two apart"

AT_ONCE = 500
"""The number of steps between two readings of the clock."""

APART_AT_ONCE = 20
"""The same number for all games of each of two programs."""


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
    """Step OpenSpiel's euchre through Shimmy; with `whole`, hands are played to the end."""
    game = import_module("pyspiel").load_game("euchre")

    def not_yet_at_the_limit(env: Any) -> None:
        if whole:
            env.game_length = 1

    return pettingzoo_steps(lambda: import_module("shimmy").OpenSpielCompatibilityV0(env=game), not_yet_at_the_limit)


def own(variant: str) -> Steps:
    """Step the PettingZoo environment of a variant."""
    return pettingzoo_steps(lambda: import_module("bowerbird.envs.pettingzoo").env(variant))


def pyspiel(*, arrays: bool) -> Steps:
    """Step OpenSpiel's euchre directly, hand after hand, without counting chance moves."""
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


def apart(variant: str, games: int) -> Steps:
    """Step half the games in each of two separate programs, which only report their steps now and then.

    The programs end when this one does.
    """
    context = get_context("spawn")
    programs = []
    for _ in range(2):
        here, there = context.Pipe()
        context.Process(target=_step_apart, args=(variant, games // 2, there), daemon=True).start()
        there.close()
        programs.append(here)
    while True:
        for program in programs:
            program.send(APART_AT_ONCE)
        for program in programs:
            program.recv()
        yield 2 * APART_AT_ONCE * (games // 2)


def _step_apart(variant: str, games: int, asked: Connection) -> None:
    """Make as many steps as requested by `asked`, again and again."""
    steps = vector(variant, games, 0)
    with suppress(EOFError):  # the other end is closed
        while count := asked.recv():
            for _ in range(count):
                next(steps)
            asked.send(count)


@dataclass(frozen=True)
class Rate:
    """The steps of one round, per second of this process's processor time and per second of wall time."""

    own: float
    clock: float


def rate(steps: Steps, seconds: float, lasts: Callable[[], float]) -> Rate:
    """Return the rates of one round of `seconds`, measured by the clock `lasts`."""
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
    steps |= {"vector": vector(variant, games, 0), WORKERS: vector(variant, games, 2), APART: apart(variant, games)}
    found: dict[str, list[Rate]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, each in steps.items():
            clock = time.process_time if clock_of(name) == "own" else time.perf_counter
            found[name].append(rate(each, seconds, clock))
    return found


def by(clock: str, rates: Sequence[Rate]) -> list[float]:
    """Return the rates measured by one of the two clocks, `own` or `clock`."""
    return [getattr(rate, clock) for rate in rates]


def clock_of(*names: str) -> str:
    """Return the clock to measure these environments by: this process cannot see the processor time of others."""
    return "clock" if {WORKERS, APART} & {*names} else "own"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median ratio of the rounds: other load affects both sides of each ratio."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def parts(variant: str, games: int, rounds: int) -> dict[str, float]:
    """Return the microseconds of each part of a game's step: the mean over `rounds` steps of `games`.

    Games begin together, so only a few steps end hands, and a median would ignore those.

    engine: the rules. tracking: keeping observations up to date. observations, masks: the arrays.
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


def array_parts(variant: str, games: int, hands: int) -> dict[str, float]:
    """Return the microseconds to play a card on arrays, the mean over some hands; {} if this is not possible.

    plays: the rules, and keeping observations up to date. arrays: observations and masks.
    """
    rng, numpy_rng = Random(1), np.random.default_rng(1)
    observer = observer_of(variant, {"max_hands": 100})
    if not PlainPlay.fits(observer):
        return {}
    plays = PlainPlay(observer, games)
    actors = np.empty(games, np.int64)
    observations = np.empty((games, observer.layout.size), np.float32)
    masks = np.empty((games, len(observer.actions)), np.int8)
    found, made = {"plays": 0.0, "arrays": 0.0}, 0
    for number in range(hands):
        trackers = [_at_play(observer, variant, number * games + row, rng) for row in range(games)]
        plays.begin(range(games), trackers)
        while len(rows := np.flatnonzero(plays.hands.here)):
            found["arrays"] += _seconds(plays.write, actors, observations, masks) * len(rows) / games
            chosen = (masks * numpy_rng.random(masks.shape)).argmax(axis=1)
            found["plays"] += _seconds(plays.play, rows, chosen[rows])
            made += len(rows)
    return {name: seconds / made * 1e6 for name, seconds in found.items()}


def _at_play(observer: Observer, variant: str, number: int, rng: Random) -> Tracker:
    """Return a game at the lead to the first trick of a hand."""
    options = {"max_hands": 100}
    tracker = Tracker(observer, new_game(variant, options, seed=bytes(32), set_number=number))
    while not tracker.begins_plain_play:
        tracker.apply(rng.choice(tracker.game.legal_actions()))
    return tracker


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
    parser.add_argument("--games", type=int, default=512, help="number of games in a vector environment")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.4, help="seconds of one measurement")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rates = measured(arguments.variant, arguments.games, arguments.rounds, arguments.seconds)
    medians = {name: median(by(clock_of(name), each)) for name, each in rates.items()}
    if arguments.json:
        print(json.dumps(medians))
        return
    for name, steps in medians.items():
        print(f"{name:<14}{steps:>10,.0f} steps/s")
    pairs: tuple[tuple[str, str], ...]
    pairs = (("pettingzoo", "shimmy"), ("pettingzoo", "shimmy whole"), ("vector", "pyspiel"))
    pairs = (*pairs, ("vector", "pyspiel numpy"), (WORKERS, "vector"), (APART, "vector"), (WORKERS, APART))
    for ours, theirs in (*pairs, (WORKERS, "pyspiel")):
        if ours in rates and theirs in rates:
            clock = clock_of(ours, theirs)
            print(f"{ours} / {theirs}: {ratio(by(clock, rates[ours]), by(clock, rates[theirs])):.2f}")
    found = parts(arguments.variant, arguments.games, 60)
    for name, microseconds in {**found, **array_parts(arguments.variant, arguments.games, 3)}.items():
        print(f"{name:<14}{microseconds:>10.1f} µs")
