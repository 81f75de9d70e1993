"""What `make bench` measures on this machine: the engine, variant by variant, and a run with real processes.

The figures are for people to compare two states of the code on one quiet machine; no test asserts them.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine import Game, new_game, variant_names
from harness.cli.bundled import find_bot
from harness.records.store import Store
from harness.tournament.config import quick_match
from harness.tournament.events import Event
from harness.tournament.plan import make_plan
from harness.tournament.runner import play_tournament

ENGINE_SECONDS = 1.0
VIEWS = 2000
RUN_SETS = 20
MAX_HANDS = 100


def playouts(variant: str, seconds: float) -> tuple[int, int, float]:
    """Play random games of a variant for so long; decisions, hands and CPU seconds."""
    draw = random.Random(0).random
    decisions = hands = number = 0
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        game = new_game(variant, {"max_hands": MAX_HANDS}, seed=bytes(32), entry="bench", set_number=number)
        number += 1
        while game.actor is not None:
            legal = game.legal_actions()
            game.apply(legal[int(draw() * len(legal))])
            decisions += 1
        hands += len(game.results)
    return decisions, hands, spent


def positions(variant: str, count: int) -> Iterator[Game]:
    """Copies of positions of random games, one for each decision."""
    rng, number = random.Random(0), 0
    while count > 0:
        game = new_game(variant, {"max_hands": MAX_HANDS}, seed=bytes(32), entry="bench", set_number=number)
        number += 1
        while game.actor is not None and count > 0:
            yield game.copy()
            count -= 1
            game.apply(rng.choice(game.legal_actions()))


def microseconds(call: Callable[[Game], object], games: list[Game]) -> float:
    """The mean CPU time of a call."""
    begin = time.process_time()
    for game in games:
        call(game)
    return (time.process_time() - begin) / len(games) * 1e6


def bench_engine() -> None:
    """Print a line for each variant."""
    print(f"{'variant':22}{'decisions/s':>12}{'hands/s':>10}{'copy µs':>10}{'view µs':>10}")
    for variant in variant_names():
        decisions, hands, spent = playouts(variant, ENGINE_SECONDS)
        games = list(positions(variant, VIEWS))
        copying = microseconds(Game.copy, games)
        viewing = microseconds(lambda game: game.view(game.actor or 0), games)
        print(f"{variant:22}{decisions / spent:12,.0f}{hands / spent:10,.0f}{copying:10.2f}{viewing:10.2f}")


def bench_run() -> None:
    """Play two random bots as processes, and print how many decisions a second the whole line made of it."""
    bots = [find_bot("random")] * 2
    plan = make_plan(quick_match(bots, {"euchre": {}, "buck": {}}, sets=RUN_SETS, seed="bench", name="bench"))
    ticks: list[float] = []

    def note(_: Event) -> None:
        ticks.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "bench.db") as store:
        play_tournament(plan, store, workspace=Path(folder) / "logs", progress=note)
        decisions = sum(game.decisions for game in store.games())
    seconds = ticks[-1] - ticks[0]
    print(f"a run with processes: {plan.games} games, {decisions:,} decisions in {seconds:.1f} s: ", end="")
    print(f"{decisions / seconds:,.0f} decisions/s, processes started, records stored and rated")


if __name__ == "__main__":
    bench_engine()
    bench_run()
