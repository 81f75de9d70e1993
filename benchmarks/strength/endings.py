"""The benefit of exact endings for champion: its judgement of the last tricks compared with open-card solutions.

    .venv/bin/python -m benchmarks endings --tricks 2 --deals 100 euchre buck

Champion's network plays hands in all seats. At each decision in the last tricks, where they can be solved
(`bots.champion.endings`), every action is solved with all cards open, its own side against the other. Prints the loss
of the action that champion's values would choose, which also see all cards; the loss of the network's own action, which
sees one hand; and how many positions are solved per second.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from benchmarks.strength.duel import OPTIONS
from benchmarks.strength.measured import add_options, add_result
from bowerbird.bots.champion.deciding import Decider, decider_of
from bowerbird.bots.champion.endings import Endings, fits, tricks_left
from bowerbird.bots.champion.network import variants_with_networks
from bowerbird.engine import EngineError, Game, Rules, new_game, rules_of
from bowerbird.envs.vector import hand_rewards

SHORTEST_S = 1e-3
"""The minimum processor time, because the clock may not measure less."""


@dataclass(frozen=True)
class Losses:
    """The average loss of decisions with at most `tricks` tricks to play, compared with the best action, in points."""

    variant: str
    tricks: int
    decisions: int
    by_values: float
    by_network: float
    a_second: int
    """The number of positions solved in a second of processor time."""


def _brought(seat: int, game: Game) -> float:
    return float(hand_rewards(game.rules, game.results[-1].points)[seat])


def positions(rules: Rules, decider: Decider, tricks: int, deals: int, seed: str) -> Iterator[Game]:
    """Yield the games where a card is to be chosen and at most `tricks` tricks are left, if they can be solved."""
    secret = hashlib.sha256(f"{seed} {rules.variant}".encode()).digest()
    for deal in range(deals):
        game = new_game(rules.variant, rules.options, seed=secret, set_number=deal)
        while game.actor is not None:
            if len(game.legal_actions()) > 1 and fits(game) and tricks_left(game) <= tricks:
                yield game
            game.apply(decider.choices([decider.follow(game)])[0])


def losses(variant: str, tricks: int, deals: int, seed: str) -> Losses:
    """Compare champion's judgement with the solutions.

    Raises ValueError for a variant without networks, or if its endings cannot be solved.
    """
    rules = rules_of(variant).rules(OPTIONS)
    decider = decider_of(variant, rules.options)
    if decider is None:
        raise ValueError(f"champion has no networks for {variant}")
    by_values, by_network, solved, seconds = [], [], 0, 0.0
    for game in positions(rules, decider, tricks, deals, seed):
        seat = game.actor
        assert seat is not None
        tried = [game.copy() for _ in game.legal_actions()]
        for each, action in zip(tried, game.legal_actions(), strict=True):
            each.apply(action)
        open_games = decider.play_on(
            [decider.follow(each) for each in tried], game.hand_number, lambda _place, _game: True
        )
        begun = time.process_time()
        ends = Endings(game, seat, tricks, partial(_brought, seat))
        solutions = {place: ends.worth(each.game) for place, each in open_games.items()}
        seconds += time.process_time() - begun
        solved += len(solutions)
        exact = [solutions[place] if place in solutions else _brought(seat, each) for place, each in enumerate(tried)]
        expected = decider.margins(list(open_games.values())) if open_games else ()
        values = {place: float(points[seat]) for place, points in zip(open_games, expected, strict=True)}
        judged = [values[place] if place in values else _brought(seat, each) for place, each in enumerate(tried)]
        chosen = decider.choices([decider.follow(game)])[0]
        by_values.append(max(exact) - exact[judged.index(max(judged))])
        by_network.append(max(exact) - exact[game.legal_actions().index(chosen)])
    if not by_values:
        raise ValueError(f"no ending of {variant} can be solved: more than two sides play, or cards lie on the table")
    lost, lost_by_network = (round(sum(each) / len(by_values), 4) for each in (by_values, by_network))
    return Losses(variant, tricks, len(by_values), lost, lost_by_network, round(solved / max(seconds, SHORTEST_S)))


def main() -> None:
    """Measure, and print a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", metavar="VARIANT", nargs="*", help="default: all with networks")
    parser.add_argument("--tricks", type=int, default=2, help="maximum number of tricks left (%(default)s)")
    add_options(parser, "endings")
    asked = parser.parse_intermixed_args()
    for variant in asked.variants or variants_with_networks():
        try:
            found = losses(variant, asked.tricks, asked.deals, asked.seed)
        except (EngineError, ValueError) as wrong:
            if asked.variants:
                parser.error(str(wrong))
            print(wrong, flush=True)
            continue
        print(
            f"{variant:<23}{found.decisions} decisions with {found.tricks} tricks left: lost by values "
            f"{found.by_values:.3f}, by the network {found.by_network:.3f} points; {found.a_second:,} solved a second",
            flush=True,
        )
        add_result(asked.out, found)
