"""Speed of the engine: `python tests/engine/bench_engine.py [VARIANT ...]`.

Whole games with their seeded shuffles, playouts from a copy in mid-hand, `copy()`, `view`, and samples, each the best
of several rounds in CPU time of one core (the best, because other programs only ever make it slower).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from random import Random

from engine import Game, Sampler, new_game, variant_names

ROUNDS = 5
GAMES = 30
MAX_HANDS = 20


def best(work: Callable[[], int]) -> float:
    """The shortest time a unit, in seconds; `work` yields how many units it did."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        done = work()
        times.append((time.process_time() - began) / done)
    return min(times)


def playout(game: Game, random: Callable[[], float]) -> int:
    """Play a game to its end at random; how many decisions that took."""
    made = 0
    while game.actor is not None:
        legal = game.legal_actions()
        game.apply(legal[int(random() * len(legal))])
        made += 1
    return made


def whole_games(variant: str, hands: list[int]) -> int:
    random = Random(1).random
    made = hands[0] = 0
    for k in range(GAMES):
        game = new_game(variant, {"max_hands": MAX_HANDS}, seed=k.to_bytes(32, "big"))
        made += playout(game, random)
        hands[0] += len(game.results)
    return made


def middles(variant: str) -> list[Game]:
    """Positions in the midst of the first hand, where cards are played."""
    random = Random(2)
    found = []
    for k in range(20):
        game = new_game(variant, {"max_hands": 1}, seed=k.to_bytes(32, "big"))
        while game.actor is not None and (game.phase.stage != "play" or len(game.trick) < 2):
            game.apply(random.choice(game.legal_actions()))
        if game.actor is not None:
            found.append(game)
    return found


def measure(variant: str) -> str:
    hands = [0]
    decision = best(lambda: whole_games(variant, hands))
    made = whole_games(variant, hands)
    games = middles(variant)
    random = Random(3).random
    rest = best(lambda: sum(playout(game.copy(), random) for game in games for _ in range(40)))
    copy = best(lambda: sum(game.copy() is not game for game in games for _ in range(500)))
    view = best(lambda: sum(game.view(game.actor or 0) is not None for game in games for _ in range(200)))
    sampler = best(lambda: sum(Sampler(game.view(game.actor or 0)) is not None for game in games))
    samplers = [Sampler(game.view(game.actor or 0)) for game in games]
    draw = best(lambda: sum(sampler.draw(Random(5)) is not None for sampler in samplers for _ in range(20)))
    return (
        f"{variant:<24}{1 / decision:>11,.0f}{hands[0] / made / decision:>10,.0f}{1 / rest:>11,.0f}"
        f"{copy * 1e6:>9.2f}{view * 1e6:>9.2f}{sampler * 1e6:>9.0f}{draw * 1e6:>9.1f}"
    )


def main(variants: list[str]) -> None:
    heads = ("decisions/s", "hands/s", "playout/s", "copy us", "view us", "sampler", "draw us")
    print(" " * 24 + "".join(f"{head:>{width}}" for head, width in zip(heads, (11, 10, 11, 9, 9, 9, 9), strict=True)))
    for variant in variants or variant_names():
        print(measure(variant), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
