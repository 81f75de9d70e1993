"""Our bots against OpenSpiel's information set search (its ISMCTSBot) at euchre, in mirrored deals.

    .venv/bin/python -m benchmarks ismcts champion:3 --deals 200 --simulations 3000 --seed "any text"

Each deal is played twice, with the sides exchanged. The hand is played in our engine; OpenSpiel's bot sees the same
hand as a state of OpenSpiel (`Twin`, which fails if the two differ), and resamples everything that it must not know.
Prints the points a deal by which our side wins, with a 95% interval. Our bot is named as in `duel`.

The same seed with the same versions gives the same deals and decisions on every machine, busy or not (`--decisions`
prints them; only the CPU times on stderr differ). For this reason the opponent is OpenSpiel's Python bot. The C++ bot
is five times as fast, but its games are not repeatable: it chooses among equally good actions by their place in a hash
table (absl::flat_hash_map), which depends on memory addresses.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot, ISMCTSFinalPolicyType

from benchmarks.strength.duel import Player, player_named
from benchmarks.strength.measured import add_options, add_result, mean_of, reach_of
from bowerbird.engine import Action, Game, new_game, rules_of
from tests.support.engine.openspiel import ALONE, FIRST_SUIT, PASS, SUITS, Twin, code_of

OPTIONS = {"stick_dealer": True, "max_hands": 1}
THEIRS = {"allow_lone_defender": False, "stick_the_dealer": True}
EXPLORATION = 2.0
"""UCT's constant in OpenSpiel's own examples; a hand is worth up to four points."""

Seat = Callable[[Game, Twin], Action]


@dataclass(frozen=True)
class Match:
    """The result: points a deal by which `bot` beats OpenSpiel's, half the 95% interval, and CPU times."""

    bot: str
    simulations: int
    deals: int
    gain: float
    reach: float
    our_seconds: float
    their_seconds: float


class Rollouts:
    """An evaluator that plays an OpenSpiel state to its end at random, like pyspiel.RandomRolloutEvaluator in C++."""

    def __init__(self, rng: random.Random) -> None:
        """Draw from `rng`."""
        self._rng = rng

    def evaluate(self, state: Any) -> Any:
        """Return the payoff of each player at the end; `state` is used up."""
        while not state.is_terminal():
            state.apply_action(self._rng.choice(state.legal_actions()))
        return state.returns()

    @staticmethod
    def prior(state: Any) -> list[tuple[int, float]]:
        """Return the same probability for every action, legal or not.

        UCT ignores priors, but an action without a prior cannot enter the tree. The legal actions of a node change,
        because an information state of OpenSpiel (2.0.2) does not contain the suit named in the second round. The C++
        search ignores this, and so does this one.
        """
        count = state.num_distinct_actions()
        return [(action, 1.0 / count) for action in range(count)]


def openspiel_bot(spiel: Any, simulations: int, rng: random.Random) -> Any:
    """Return OpenSpiel's search with its own settings; all random numbers come from `rng`."""
    bot = ISMCTSBot(
        spiel,
        Rollouts(random.Random(rng.getrandbits(64))),
        EXPLORATION,
        simulations,
        random_state=np.random.RandomState(rng.getrandbits(32)),
        final_policy_type=ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
    )
    worlds = pyspiel.UniformProbabilitySampler(rng.getrandbits(31), 0.0, 1.0)
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, worlds))
    return bot


def as_seat(bot: Any, rng: random.Random) -> Seat:
    """Return a seat at our table that OpenSpiel's bot plays."""

    def choose(game: Game, twin: Twin) -> Action:
        number = int(bot.step(twin.state))
        if number == PASS:
            return Action("pass")
        if number < PASS:
            kind = "discard" if game.stage == "discard" else "play"
            return Action(f"{kind} {code_of(number)}")
        alone = " alone" if _goes_alone(bot, twin, number, rng) else ""
        suit = SUITS[number - FIRST_SUIT]
        return Action(f"order{alone}" if game.stage == "order up" else f"call {suit}{alone}")

    return choose


def _goes_alone(bot: Any, twin: Twin, call: int, rng: random.Random) -> bool:
    """Return whether the bot goes alone. OpenSpiel asks it after the dealer's discard, our engine with the call.

    The dealer's discard is any card here: the bot does not see it.
    """
    state = twin.state.clone()
    caller = state.current_player()
    state.apply_action(call)
    while ALONE not in state.legal_actions():
        state.apply_action(rng.choice(state.legal_actions()))
    assert state.current_player() == caller
    return bool(bot.step(state) == ALONE)


def our_seat(player: Player, rng: random.Random) -> Seat:
    """Return a seat that one of our bots plays, without a time limit; its random numbers come from `rng`."""
    return lambda game, _: player(game, rng)


def played(spiel: Any, secret: bytes, own: tuple[int, ...], ours: Seat, theirs: Seat) -> tuple[int, list[Action]]:
    """Play one hand. Return the points of the seats `own` minus the points of the others, and the decisions."""
    game = new_game("euchre", OPTIONS, seed=secret)
    twin = Twin(spiel, game)
    made = []
    while game.actor is not None:
        twin.before(game)
        action = (ours if game.actor in own else theirs)(game, twin)
        game.apply(action)
        twin.made(action)
        made.append(action)
    twin.finished(game.results[0], (0,) * 4)
    return game.scores[own[0]] - game.scores[1 - own[0]], made


class Watch:
    """A meter of the processor time of a seat's decisions, in seconds."""

    def __init__(self) -> None:
        """Start at 0."""
        self.seconds = 0.0

    def on(self, seat: Seat) -> Seat:
        """Return the seat with its decisions timed."""

        def choose(game: Game, twin: Twin) -> Action:
            began = time.process_time()
            action = seat(game, twin)
            self.seconds += time.process_time() - began
            return action

        return choose


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", metavar="BOT", help="our bot, such as pimc:60, champion:3 or greedy")
    parser.add_argument("--simulations", type=int, default=3000, help="simulations for each decision of its bot")
    add_options(parser, "openspiel")
    parser.add_argument("--decisions", action="store_true", help="print the decisions of each hand, too")
    asked = parser.parse_args()
    spiel = pyspiel.load_game("euchre", THEIRS)
    try:
        player = player_named(asked.bot, rules_of("euchre").rules(OPTIONS))
    except ValueError as wrong:
        parser.error(str(wrong))
    our_time, their_time = Watch(), Watch()
    gains = []
    for deal in range(asked.deals):
        pair = []
        for own in ((0, 2), (1, 3)):
            rng = random.Random(f"{asked.seed} {deal} {own}")  # no hand depends on earlier ones
            ours = our_time.on(our_seat(player, rng))
            theirs = their_time.on(as_seat(openspiel_bot(spiel, asked.simulations, rng), rng))
            won, made = played(spiel, hashlib.sha256(f"{asked.seed} {deal}".encode()).digest(), own, ours, theirs)
            pair.append(won)
            if asked.decisions:
                print(f"{deal} {own[0]}: {', '.join(map(str, made))}: {won:+d}")
        gains.append(sum(pair) / 2)
    gain = mean_of(gains)
    print(
        f"{asked.bot} {gain.value:+.3f} ± {reach_of(gain):.3f} points a deal against ISMCTSBot({asked.simulations}), "
        f"{asked.deals} mirrored deals"
    )
    costs = our_time.seconds, their_time.seconds
    print(f"CPU {costs[0]:.0f} s and {costs[1]:.0f} s", file=sys.stderr)
    shown = round(gain.value, 4), round(reach_of(gain), 4), *(round(cost, 1) for cost in costs)
    add_result(asked.out, Match(asked.bot, asked.simulations, asked.deals, *shown))
