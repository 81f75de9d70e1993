"""pimc against OpenSpiel's information set search (ISMCTSBot, C++, by other people) at euchre, in mirrored deals.

    .venv/bin/python tests/engine/openspiel/match.py --deals 200 --worlds 60 --simulations 3000 --seed "any text"

Each deal is played twice, with the sides exchanged. The hand is played in our engine; OpenSpiel's bot sees the same
hand as a state of OpenSpiel's own (`oracle.Twin`, which fails where the two differ), and resamples from it what it must
not know. Cards and chances follow from the seed: another text, other deals. Prints points a deal of pimc's side above
the other's, with a 95% interval.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel
from oracle import ALONE, FIRST_SUIT, PASS, SUITS, Twin, code_of

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bots.greedy.player import choose as greedy
from bots.pimc.player import choose as pimc
from bots.search.habits import Habits
from bots.search.thought import Thought
from engine import Action, Game, new_game
from harness.ratings.estimate import Estimate

OPTIONS = {"stick_dealer": True, "max_hands": 1}
PATIENT = 3600.0
EXPLORATION = 2.0
"""UCT's constant in OpenSpiel's own examples; a hand is worth up to four points."""

Seat = Callable[[Game, Twin], Action]


def openspiel_bot(simulations: int, seed: int) -> Any:
    """OpenSpiel's search, as it makes one."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.ISMCTSBot(
        seed,
        evaluator,
        EXPLORATION,
        simulations,
        -1,
        pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        False,
        False,
    )


def as_seat(bot: Any, rng: random.Random) -> Seat:
    """OpenSpiel's bot at our table."""

    def choose(game: Game, twin: Twin) -> Action:
        number = bot.step(twin.state)
        if number == PASS:
            return Action("pass")
        if number < PASS:
            kind = "discard" if game.phase.stage == "discard" else "play"
            return Action(f"{kind} {code_of(number)}")
        alone = " alone" if _goes_alone(bot, twin, number, rng) else ""
        suit = SUITS[number - FIRST_SUIT]
        return Action(f"order{alone}" if game.phase.stage == "order up" else f"call {suit}{alone}")

    return choose


def _goes_alone(bot: Any, twin: Twin, call: int, rng: random.Random) -> bool:
    """What the bot says there when it is asked, after the dealer's discard; ours is asked at once.

    The dealer's discard is any card here: the bot does not see it.
    """
    state = twin.state.clone()
    caller = state.current_player()
    state.apply_action(call)
    while ALONE not in state.legal_actions():
        state.apply_action(rng.choice(state.legal_actions()))
    assert state.current_player() == caller
    return bool(bot.step(state) == ALONE)


def played(secret: bytes, own: tuple[int, ...], ours: Seat, theirs: Seat) -> int:
    """Points of the seats `own` above the others in one hand."""
    game = new_game("euchre", OPTIONS, seed=secret)
    twin = Twin(pyspiel.load_game("euchre", {"allow_lone_defender": False, "stick_the_dealer": True}), game)
    while game.actor is not None:
        twin.before(game)
        action = (ours if game.actor in own else theirs)(game, twin)
        game.apply(action)
        twin.made(action)
    twin.finished(game.results[0], (0,) * 4)
    return game.scores[own[0]] - game.scores[1 - own[0]]


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bot", choices=("pimc", "greedy"), default="pimc", help="our side")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=60, help="for each decision of pimc")
    parser.add_argument("--simulations", type=int, default=3000, help="for each decision of OpenSpiel's bot")
    parser.add_argument("--seed", default="openspiel", help="a text from which the deals follow (%(default)s)")
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    habits = Habits("euchre", new_game("euchre", OPTIONS, seed=bytes(32)).options)
    thought = Thought(PATIENT, asked.worlds)
    theirs = as_seat(openspiel_bot(asked.simulations, rng.getrandbits(31)), rng)
    spent = {True: 0.0, False: 0.0}

    def ours(game: Game, twin: Twin) -> Action:
        assert game.actor is not None
        view = game.view(game.actor)
        return greedy(view) if asked.bot == "greedy" else pimc(view, habits, thought.begin(10**9), rng)

    def timed(seat: Seat, mine: bool) -> Seat:
        def choose(game: Game, twin: Twin) -> Action:
            began = time.process_time()
            action = seat(game, twin)
            spent[mine] += time.process_time() - began
            return action

        return choose

    gains = []
    for deal in range(asked.deals):
        secret = hashlib.sha256(f"{asked.seed} {deal}".encode()).digest()
        pair = [played(secret, own, timed(ours, True), timed(theirs, False)) for own in ((0, 2), (1, 3))]
        gains.append(sum(pair) / 2)
    mean = sum(gains) / len(gains)
    error = math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))
    low, high = Estimate(mean, error, len(gains) - 1).interval()
    print(
        f"{asked.bot} {mean:+.3f} ± {(high - low) / 2:.3f} points a deal against ISMCTSBot({asked.simulations}), "
        f"{asked.deals} mirrored deals; CPU {spent[True]:.0f} s and {spent[False]:.0f} s"
    )


if __name__ == "__main__":
    main()
