"""What exact endings could add to champion: its judgement of the last tricks beside open-card solutions.

    .venv/bin/python -m benchmarks.strength.endings --tricks 2 --deals 100 euchre buck

Champion's network plays hands in all seats. At each decision in the last tricks every action is solved with all cards
open, the own side against all others (alpha-beta over the engine, so it holds for the rules of every variant). Prints
what the action loses that champion's values would take, which see all cards too, and what the network's own action
loses, which sees one hand.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.strength.duel import CARD_PLAY, OPTIONS
from benchmarks.strength.measured import add_options, add_result
from bots.champion.deciding import Decider, decider_of
from bots.champion.network import variants_with_networks
from bowerbird.envs.vector import hand_rewards
from engine import EngineError, Game, Rules, new_game, rules_of


@dataclass(frozen=True)
class Endings:
    """What decisions with at most `tricks` tricks to play lose on average beside the best action, in points."""

    variant: str
    tricks: int
    decisions: int
    by_values: float
    by_network: float
    seconds: float
    """Processor time of all solutions."""


def solved(game: Game, seat: int, low: float = -math.inf, high: float = math.inf) -> float:
    """Return what the hand brings to `seat` if its side and all others do their best with open cards; uses up `game`.

    `hand_rewards` says what a hand brings. Exact between `low` and `high`, else a bound on the right side of them.
    """
    hand = game.hand_number
    while game.actor is not None and game.hand_number == hand and len(legal := game.legal_actions()) == 1:
        game.apply(legal[0])
    if game.actor is None or game.hand_number != hand:
        return _brought(game, seat)
    sides = game.rules.sides
    is_own = sides[game.actor] == sides[seat]
    best = -math.inf if is_own else math.inf
    for action in game.legal_actions():
        tried = game.copy()
        tried.apply(action)
        if is_own:
            best = max(best, solved(tried, seat, low, high))
            low = max(low, best)
        else:
            best = min(best, solved(tried, seat, low, high))
            high = min(high, best)
        if low >= high:
            break
    return best


def has_two_sides(rules: Rules) -> bool:
    """Return whether what one side wins the other loses."""
    return len(set(rules.sides)) == 2


def _brought(game: Game, seat: int) -> float:
    return float(hand_rewards(game.rules, game.results[-1].points)[seat])


def positions(rules: Rules, decider: Decider, tricks: int, deals: int, seed: str) -> Iterator[Game]:
    """Yield the games in which a card is to be chosen and at most `tricks` tricks are left."""
    secret = hashlib.sha256(f"{seed} {rules.variant}".encode()).digest()
    for deal in range(deals):
        game = new_game(rules.variant, rules.options, seed=secret, set_number=deal)
        while game.actor is not None:
            legal = game.legal_actions()
            if len(legal) > 1 and legal[0].kind in CARD_PLAY and rules.most_tricks() - len(game.tricks) <= tricks:
                yield game
            game.apply(decider.choices([decider.follow(game)])[0])


def endings(variant: str, tricks: int, deals: int, seed: str) -> Endings:
    """Compare champion's judgement with the solutions.

    Raises ValueError for a variant without networks, or with more than two sides: there the others do not play as one.
    """
    rules = rules_of(variant).rules(OPTIONS)
    if not has_two_sides(rules):
        raise ValueError(f"{variant} has more than two sides, and the others do not play as one there")
    decider = decider_of(variant, rules.options)
    if decider is None:
        raise ValueError(f"champion has no networks for {variant}")
    by_values, by_network, seconds = [], [], 0.0
    for game in positions(rules, decider, tricks, deals, seed):
        seat = game.actor
        assert seat is not None
        tried = [game.copy() for _ in game.legal_actions()]
        for each, action in zip(tried, game.legal_actions(), strict=True):
            each.apply(action)
        begun = time.process_time()
        exact = [solved(each.copy(), seat) for each in tried]
        seconds += time.process_time() - begun
        open_games = decider.play_on(tried, lambda _: True)
        expected = decider.margins(list(open_games.values())) if open_games else ()
        values = {place: float(points[seat]) for place, points in zip(open_games, expected, strict=True)}
        judged = [values[place] if place in values else _brought(each, seat) for place, each in enumerate(tried)]
        chosen = decider.choices([decider.follow(game)])[0]
        by_values.append(max(exact) - exact[judged.index(max(judged))])
        by_network.append(max(exact) - exact[game.legal_actions().index(chosen)])
    count = max(1, len(by_values))
    lost, lost_by_network = (round(sum(each) / count, 4) for each in (by_values, by_network))
    return Endings(variant, tricks, len(by_values), lost, lost_by_network, round(seconds, 1))


def main() -> None:
    """Measure and print, a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "variants", metavar="VARIANT", nargs="*", help="all of two sides that have networks, if none is named"
    )
    parser.add_argument("--tricks", type=int, default=2, help="tricks that are left at most (%(default)s)")
    add_options(parser, "endings")
    asked = parser.parse_intermixed_args()
    two_sided = [each for each in variants_with_networks() if has_two_sides(rules_of(each).rules(OPTIONS))]
    for variant in asked.variants or two_sided:
        try:
            found = endings(variant, asked.tricks, asked.deals, asked.seed)
        except (EngineError, ValueError) as wrong:
            parser.error(str(wrong))
        print(
            f"{variant:<23}{found.decisions} decisions with {found.tricks} tricks left: lost by values "
            f"{found.by_values:.3f}, by the network {found.by_network:.3f} points; solved in {found.seconds} s",
            flush=True,
        )
        add_result(asked.out, found)


if __name__ == "__main__":
    main()
