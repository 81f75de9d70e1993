"""How well champion infers hidden cards: the weight that it gives to the true hands, by the number of tricks played.

    .venv/bin/python -m benchmarks inference greedy --deals 200 euchre buck

A bot plays hands in all seats. At each decision champion's inference weighs 32 worlds that look the same to the seat to
decide. One of them is the true world. With even weights its share would be 1/32. The gain is the mean of the logarithm
of its share minus that of 1/32, in nats (the reduction in log-loss). Above 0, the inference helps more than it
misleads.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.strength.duel import OPTIONS, Player, player_named, view_of
from benchmarks.strength.measured import add_options, add_result, mean_of, reach_of
from bowerbird.bots.champion.deciding import Decider, decider_of
from bowerbird.bots.champion.inference import log_weights
from bowerbird.bots.champion.network import variants_with_networks
from bowerbird.engine import EngineError, Rules, Sampler, new_game, rules_of

DRAWN = 31
"""The number of worlds drawn besides the true one."""


class Weighed(NamedTuple):
    """A decision: the number of tricks played (-1 before the first card) and the gain in nats."""

    tricks: int
    gain: float


@dataclass(frozen=True)
class Gain:
    """The gain from inference at the decisions after `tricks` tricks: mean and half the 95% interval, in nats."""

    variant: str
    bot: str
    tricks: int
    decisions: int
    gain: float
    reach: float


def weighed(rules: Rules, player: Player, decider: Decider, deals: int, seed: str) -> Iterator[list[Weighed]]:
    """Yield, for each deal, the decisions that follow a decision of another seat."""
    secret = hashlib.sha256(f"{seed} {rules.variant}".encode()).digest()
    for deal in range(deals):
        game, rng, found = new_game(rules.variant, rules.options, seed=secret, set_number=deal), random.Random(deal), []
        while game.actor is not None:
            view = view_of(game)
            if len(view.legal) > 1 and any(seat != view.seat for seat, _ in view.history):
                sampler = Sampler(view)
                worlds = [game.copy(), *(sampler.draw(rng) for _ in range(DRAWN))]
                weights = np.exp(log_weights(decider, view, worlds))
                has_begun = view.trick or view.tricks
                found.append(Weighed(len(view.tricks) if has_begun else -1, math.log(weights[0] / weights.mean())))
            game.apply(player(game, rng) if len(view.legal) > 1 else view.legal[0])
        yield found


def gains(variant: str, bot: str, deals: int, seed: str) -> list[Gain]:
    """Return the gains in a variant by tricks played. A deal is one observation, because its decisions share cards.

    Raises ValueError for a name that is not a bot's, or a variant without networks.
    """
    rules = rules_of(variant).rules(OPTIONS)
    decider = decider_of(variant, rules.options)
    if decider is None:
        raise ValueError(f"champion has no networks for {variant}, and infers nothing")
    found: dict[int, list[float]] = {}
    counts: dict[int, int] = {}
    for deal in weighed(rules, player_named(bot, rules), decider, deals, seed):
        for tricks in sorted({each.tricks for each in deal}):
            values = [each.gain for each in deal if each.tricks == tricks]
            found.setdefault(tricks, []).append(sum(values) / len(values))
            counts[tricks] = counts.get(tricks, 0) + len(values)
    return [_gain(variant, bot, tricks, counts[tricks], found[tricks]) for tricks in sorted(found)]


def _gain(variant: str, bot: str, tricks: int, decisions: int, values: list[float]) -> Gain:
    gain = mean_of(values)
    return Gain(variant, bot, tricks, decisions, round(gain.value, 3), round(reach_of(gain), 3))


def main() -> None:
    """Measure, and print a line for each variant and number of tricks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", metavar="BOT", help="the bot that plays, named as in duel")
    parser.add_argument("variants", metavar="VARIANT", nargs="*", help="default: all with networks")
    add_options(parser, "inference")
    asked = parser.parse_intermixed_args()
    for variant in asked.variants or variants_with_networks():
        try:
            found = gains(variant, asked.bot, asked.deals, asked.seed)
        except (EngineError, ValueError) as wrong:
            parser.error(str(wrong))
        for each in found:
            when = "before the play" if each.tricks < 0 else f"{each.tricks} tricks played"
            gain = f"{each.gain:+.3f} ± {each.reach:.3f} nats, {each.decisions} decisions"
            print(f"{variant:<23}{each.bot:<12}{when:<17}{gain}", flush=True)
            add_result(asked.out, each)
