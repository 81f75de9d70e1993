"""What `make bench` measures beside the engine: a run with real processes, from the first start to the last rating.

The figure is for people to compare two states of the code on one quiet machine; no test asserts it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from harness.cli.bundled import find_bot
from harness.records.store import Store
from harness.tournament.config import quick_match
from harness.tournament.events import Event
from harness.tournament.plan import make_plan
from harness.tournament.runner import play_tournament

SETS = 20
VARIANTS = ("euchre", "buck")


def bench_run() -> None:
    """Play two random bots as processes, and print how many decisions a second the whole line made of it."""
    bots = [find_bot("random")] * 2
    plan = make_plan(quick_match(bots, {variant: {} for variant in VARIANTS}, sets=SETS, seed="bench", name="bench"))
    times: list[float] = []

    def note(_: Event) -> None:
        times.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "bench.db") as store:
        play_tournament(plan, store, workspace=Path(folder) / "logs", progress=note)
        decisions = sum(game.decisions for game in store.games())
    seconds = times[-1] - times[0]
    print(
        f"a run with processes: {plan.extent.games} games, {decisions:,} decisions in {seconds:.1f} s, "
        f"{decisions / seconds:,.0f} a second; processes started, records stored, bots rated"
    )


if __name__ == "__main__":
    bench_run()
