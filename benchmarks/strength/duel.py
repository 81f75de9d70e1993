"""Mirrored single deals between two of our bots, in one process: points a deal, and the cost of a decision.

    .venv/bin/python -m benchmarks duel champion:3 pimc:40 --deals 200 euchre buck

Each deal is one hand, played twice: the first bot takes every other side, then the sides in between. The gain is how
many more points the first bot's seats won, on average, than the second bot's. A bot's name includes its budget for a
decision: `pimc:40` looks at 40 worlds, `champion:3` plays at level 3 (`bots.champion.levels`), and
`greedy:stay=1.1,order=1.7` is greedy with other thresholds (`bots.greedy.thresholds`). `all-seeing` is not an honest
bot: it knows all cards and greedy's choices, tries every action and lets greedy play on in all seats. Against greedy it
shows a lower bound of what there is to win. `champion:3/greedy` bids like the first and plays cards like the second.

There is no time limit, so the same seed produces the same games on every machine; only the CPU times differ.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from benchmarks.strength.measured import add_options, add_result, mean_of, reach_of
from bowerbird.bots.champion.levels import LEVELS
from bowerbird.bots.champion.player import player_of
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.bots.greedy.thresholds import Thresholds, thresholds_for
from bowerbird.bots.pimc.player import choose as pimc
from bowerbird.bots.search.budget import Budget
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import (
    Action,
    EngineError,
    Game,
    Rules,
    SeatView,
    did_you_mean,
    new_game,
    rules_of,
    variant_names,
)

OPTIONS = {"max_hands": 1}
PATIENT_MS = 10**9

CARD_PLAY = frozenset({"play", "dictate"})
"""The kinds of actions that are card play; all others come before it."""

Player = Callable[[Game, random.Random], Action]
"""A function that returns an action of the seat to decide. Honest players look only at the view of that seat."""


class Meter:
    """A player, with the number of its decisions and their processor time in seconds."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.decisions = 0
        self.seconds = 0.0

    def choose(self, game: Game, rng: random.Random) -> Action:
        """Return the action of the seat to decide, which has more than one legal action."""
        begun = time.process_time()
        action = self._player(game, rng)
        self.seconds += time.process_time() - begun
        self.decisions += 1
        return action

    @property
    def milliseconds(self) -> float:
        """The average processor time of a decision."""
        return 1000 * self.seconds / max(1, self.decisions)


@dataclass(frozen=True)
class Duel:
    """The result in one variant: points a deal by which the first bot beats the second, and half the 95% interval."""

    variant: str
    first: str
    second: str
    seed: str
    deals: int
    gain: float
    reach: float
    first_ms: float
    second_ms: float


def player_named(name: str, rules: Rules) -> Player:
    """Return the player for a name such as greedy, all-seeing, pimc:40 or champion:3/greedy. Raises ValueError."""
    bidding, is_mixed, playing = name.partition("/")
    if is_mixed:
        return _mixed(player_named(bidding, rules), player_named(playing, rules))
    bot, _, cost = name.partition(":")
    if name == "random":
        return lambda game, rng: rng.choice(game.legal_actions())
    if name == "greedy":
        return lambda game, rng: greedy(view_of(game))
    if bot == "greedy":
        changed = _changed(cost, rules.variant)
        return lambda game, rng: greedy(view_of(game), changed)
    if name == "all-seeing":
        return lambda game, rng: best_with_open_cards(game)
    if bot == "pimc" and cost.isdigit():
        policy, budget = RolloutPolicy(rules.variant, rules.options), Budget(math.inf, int(cost))
        return lambda game, rng: pimc(view_of(game), policy, budget.start(PATIENT_MS, lambda: 0.0), rng)
    if bot == "champion" and cost.isdigit() and int(cost) in LEVELS:
        player = player_of(rules.variant, rules.options, LEVELS[int(cost)])
        return lambda game, rng: player(view_of(game), rng, lambda: True)
    known = "random, greedy, greedy:NAME=NUMBER, all-seeing, pimc:WORLDS and champion:LEVEL"
    raise ValueError(f"{name!r} is none of {known}, with a level of 1 to 5, nor two of them with a / between")


def _changed(changes: str, variant: str) -> Thresholds:
    """Return a variant's thresholds with changes such as stay=1.1,order=1.7. Raises ValueError for unknown ones."""
    numbers = {field.name for field in fields(Thresholds) if field.type == "float"}
    found: dict[str, Any] = {}
    for change in changes.split(","):
        name, _, number = change.partition("=")
        if name not in numbers:
            raise ValueError(f"{name!r} is not a threshold of greedy{did_you_mean(name, numbers)}")
        found[name] = float(number)
    return replace(thresholds_for(variant), **found)


def _mixed(bidding: Player, playing: Player) -> Player:
    """Return a player that plays cards like `playing` and decides everything else like `bidding`."""

    def choose(game: Game, rng: random.Random) -> Action:
        return (playing if game.legal_actions()[0].kind in CARD_PLAY else bidding)(game, rng)

    return choose


def view_of(game: Game) -> SeatView:
    """Return the view of the seat to decide."""
    assert game.actor is not None
    return game.view(game.actor)


def best_with_open_cards(game: Game) -> Action:
    """Return the action that is best for the seat's side if greedy plays on in all seats."""
    seat, rules = game.actor, game.rules
    assert seat is not None
    own = frozenset(each for each in rules.seats if rules.sides[each] == rules.sides[seat])

    def worth(action: Action) -> float:
        tried = game.copy()
        tried.apply(action)
        while not tried.results:
            tried.apply(greedy(view_of(tried)))
        return gain_of(rules, tried.results[-1].points, own)

    return max(game.legal_actions(), key=worth)


def gain_of(rules: Rules, points: Sequence[int], own: frozenset[int]) -> float:
    """Return how many more points the seats in `own` win than the others, on average per hand."""
    ours, theirs = ([each for seat, each in enumerate(points) if (seat in own) is is_own] for is_own in (True, False))
    return (sum(ours) / len(ours) - sum(theirs) / len(theirs)) * (1 if rules.better == "high" else -1)


def play(rules: Rules, secret: bytes, deal: int, own: frozenset[int], seats: tuple[Meter, Meter]) -> float:
    """Play a hand with the first bot in the seats `own`; return how many more points they win than the others."""
    game = new_game(rules.variant, rules.options, seed=secret, set_number=deal)
    rng = random.Random(f"{secret.hex()} {deal} {sorted(own)}")
    while game.actor is not None:
        legal = game.legal_actions()
        if len(legal) == 1:
            game.apply(legal[0])
        else:
            game.apply(seats[game.actor not in own].choose(game, rng))
    return gain_of(rules, game.results[-1].points, own)


def every_other_side(rules: Rules) -> tuple[frozenset[int], frozenset[int]]:
    """Return the seats of every other side, and the seats of the sides in between."""
    order = sorted(set(rules.sides))
    first = frozenset(seat for seat in rules.seats if order.index(rules.sides[seat]) % 2 == 0)
    return first, frozenset(rules.seats) - first


def gains(rules: Rules, seats: tuple[Meter, Meter], deals: int, seed: str) -> Iterator[float]:
    """Yield the gain of each deal, played both ways."""
    secret = hashlib.sha256(f"{seed} {rules.variant}".encode()).digest()
    for deal in range(deals):
        yield sum(play(rules, secret, deal, own, seats) for own in every_other_side(rules)) / 2


def duel(variant: str, first: str, second: str, deals: int, seed: str) -> Duel:
    """Play the deals of a variant. Raises ValueError for a name that is not a bot's."""
    rules = rules_of(variant).rules(OPTIONS)
    seats = Meter(player_named(first, rules)), Meter(player_named(second, rules))
    found = list(gains(rules, seats, deals, seed))
    gain = mean_of(found)
    costs = [round(seat.milliseconds, 2) for seat in seats]
    return Duel(variant, first, second, seed, deals, round(gain.value, 4), round(reach_of(gain), 4), *costs)


def main() -> None:
    """Play, and print a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", metavar="BOT")
    parser.add_argument("second", metavar="BOT")
    parser.add_argument("variants", metavar="VARIANT", nargs="*", help="default: all variants")
    add_options(parser, "duel")
    asked = parser.parse_intermixed_args()
    if asked.deals < 2:
        parser.error("--deals must be 2 or more")
    try:
        rules = [rules_of(variant).rules(OPTIONS) for variant in asked.variants or variant_names()]
        for name in (asked.first, asked.second):
            player_named(name, rules[0])
    except (EngineError, ValueError) as wrong:
        parser.error(str(wrong))
    for each in rules:
        found = duel(each.variant, asked.first, asked.second, asked.deals, asked.seed)
        gain = f"{found.gain:+.3f} ± {found.reach:.3f} points a deal above {found.second}, {found.deals} deals"
        cost = f"CPU a decision {found.first_ms:.1f} and {found.second_ms:.1f} ms"
        print(f"{found.variant:<23}{found.first} {gain}; {cost}", flush=True)
        add_result(asked.out, found)
