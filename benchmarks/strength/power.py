"""Measures how much play deal sets save when distinguishing two bots (ratings.md, Deal sets).

Greedy plays against a copy of itself that makes a share of its decisions at random. There are three designs:
independent games, mirrored games and mirrored deals. For each design it plays a sample and measures the mean and
spread. From these it computes how many units are needed for the 95% interval of the difference to exclude 0, and their
cost in decisions and seconds. The two designs with games have the same true difference, which is estimated from both.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from statistics import fmean, pstdev

from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Game, new_game, rules_of
from bowerbird.harness.ratings.estimate import LEVEL, quantile
from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE, set_values
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import GameId

STEADY, SLIPPING = "greedy", "greedy-slips"


@dataclass(frozen=True, slots=True)
class Sample:
    """The deal sets of one design: the value x of each (ratings.md, Sequential test), and their cost."""

    values: tuple[float, ...]
    games: int
    decisions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Power:
    """The effort of a design: `games` in `sets` deal sets. `ratio`: decisions of independent games over `decisions`."""

    design: str
    mean: float
    spread: float
    sets: int
    games: int
    decisions: int
    seconds: float
    ratio: float = 1.0


def play(variant: str, options: dict[str, object], bots: list[str], seed: bytes, slips: float) -> tuple[Game, int]:
    """Play a game. Return it and its number of decisions. Random slips belong to the seat, as the cards do."""
    game = new_game(variant, options, first_dealer=seed[0] % len(bots), seed=seed)
    chance = [random.Random(seed + bytes([seat])) for seat in range(len(bots))]
    decisions = 0
    while (seat := game.actor) is not None:
        legal = game.legal_actions()
        if len(legal) == 1:
            game.apply(legal[0])
            continue
        decisions += 1
        slipped = chance[seat].random() < slips and bots[seat] == SLIPPING
        game.apply(chance[seat].choice(legal) if slipped else choose(game.view(seat)))
    return game, decisions


def seatings(variant: str) -> list[list[str]]:
    """Return the bots by seat in each rotation: two sides change places; otherwise every bot takes every seat."""
    teams = rules_of(variant).teams({})
    players = rules_of(variant).seats({})
    if teams is not None:
        first = [STEADY if seat in teams[0] else SLIPPING for seat in range(players)]
        return [first, [SLIPPING if bot == STEADY else STEADY for bot in first]]
    around = [(STEADY, SLIPPING)[seat % 2] for seat in range(players)]
    return [around[-turn:] + around[:-turn] for turn in range(players)]


def results(
    variant: str, options: dict[str, object], sets: int, slips: float, *, mirrored: bool
) -> Iterator[tuple[GameResult, int]]:
    """Play the games of `sets` deal sets; without `mirrored`, each game is its own set, with the seats in turn."""
    rotations = seatings(variant)
    for number in range(sets):
        turns = enumerate(rotations) if mirrored else [(0, rotations[number % len(rotations)])]
        for rotation, bots in turns:
            seed = random.Random(f"{variant}-{mirrored}-{number}").randbytes(32)
            game, decisions = play(variant, options, bots, seed, slips)
            identity = GameId("bench", f"{variant}-0", "power", number, rotation)
            sides = sides_of(variant, {})
            yield GameResult(identity, variant, tuple(bots), sides, game.ranks, game.scores, (), True), decisions


def sample(
    variant: str, options: dict[str, object], sets: int, slips: float, *, mirrored: bool, measure: str
) -> Sample:
    """Play a design and measure it."""
    began = time.perf_counter()
    played = list(results(variant, options, sets, slips, mirrored=mirrored))
    values = set_values([result for result, _ in played], STEADY, SLIPPING, measure)
    return Sample(
        tuple(float(one.value) for one in values),
        len(played) // sets,
        sum(decisions for _, decisions in played),
        time.perf_counter() - began,
    )


def power(design: str, found: Sample, mean: float) -> Power:
    """Return the effort of a design with this mean of its sets."""
    spread, number = pstdev(found.values), len(found.values)
    sets = math.ceil((quantile(LEVEL, None) * spread / mean) ** 2) if mean > 0 else 0
    return Power(
        design,
        mean,
        spread,
        sets,
        sets * found.games,
        round(sets * found.decisions / number),
        sets * found.seconds / number,
    )


def measure(variant: str, games: int, deals: int, slips: float) -> list[Power]:
    """Measure the three designs in a variant, with `games` sets of mirrored games and `deals` of mirrored deals."""
    rotations = len(seatings(variant))
    long, short = {"max_hands": 100}, {"max_hands": 1}
    single = sample(variant, dict(long), games * rotations, slips, mirrored=False, measure=SCORE)
    mirrored = sample(variant, dict(long), games, slips, mirrored=True, measure=SCORE)
    hands = sample(variant, dict(short), deals, slips, mirrored=True, measure=POINTS)
    mean = (fmean(single.values) + fmean(mirrored.values)) / 2
    needed = [
        power("independent games", single, mean),
        power("mirrored games", mirrored, mean),
        power("mirrored deals", hands, fmean(hands.values)),
    ]
    base = needed[0].decisions
    return [Power(**{**asdict(one), "ratio": base / one.decisions if one.decisions else math.nan}) for one in needed]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="*", default=["euchre", "buck"])
    parser.add_argument("--games", type=int, default=100, help="mirrored sets of whole games in each variant")
    parser.add_argument("--deals", type=int, default=1500, help="mirrored sets of single deals in each variant")
    parser.add_argument("--slips", type=float, default=0.05, help="share of the weaker bot's decisions that are random")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = {
        variant: measure(variant, arguments.games, arguments.deals, arguments.slips) for variant in arguments.variants
    }
    if arguments.json:
        print(json.dumps({variant: [asdict(one) for one in rows] for variant, rows in found.items()}, indent=2))
        return
    print(f"{STEADY} against {SLIPPING} ({arguments.slips:.0%} of its decisions at random): to tell them apart at 95%")
    for variant, rows in found.items():
        print(f"\n{variant}\n{'design':<18} {'sets':>7} {'games':>7} {'decisions':>10} {'seconds':>8} {'ratio':>6}")
        for one in rows:
            cost = f"{one.decisions:>10} {one.seconds:>8.1f} {one.ratio:>6.1f}"
            print(f"{one.design:<18} {one.sets:>7} {one.games:>7} {cost}")
