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

TABLES = 64
NETWORK = """
import numpy as np
from harness.sdk import Bot, run


class Network(Bot):
    \"\"\"Answers a whole message with one product of matrices, as a network would; it has learnt nothing.\"\"\"

    def prepare(self):
        self.weights = np.random.default_rng(1).normal(size=(64, 64))

    def act_batch(self, decisions):
        features = np.zeros((len(decisions), 64))
        for row, decision in enumerate(decisions):
            for card in decision.view.hand:
                features[row, hash(card) % 64] = 1.0
        scores = np.tanh(features @ self.weights)
        return [int(np.argmax(scores[row, : decision.choices])) for row, decision in enumerate(decisions)]


run(Network())
"""


def bench_run() -> None:
    """Play two random bots as processes, and print how many decisions a second the whole line made of it."""
    _measure("a run with processes", [find_bot("random")] * 2, {})


def bench_batches() -> None:
    """Play two bots that answer in batches at many tables at once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "network.py").write_text(NETWORK, encoding="utf-8")
        (folder / "bot.toml").write_text(
            f'name = "network"\ncommand = ["{{python}}", "network.py"]\ntables = {TABLES}\nmemory_mb = 1024\n',
            encoding="utf-8",
        )
        settings = {"tables": TABLES, "instances": "shared", "packs": "own"}
        _measure(f"batches from {TABLES} tables", [folder / "bot.toml"] * 2, settings)


def _measure(what: str, bots: list[Path], settings: dict[str, object]) -> None:
    match = quick_match(
        bots, {variant: {} for variant in VARIANTS}, sets=SETS, seed="bench", name="bench", settings=settings
    )
    plan = make_plan(match)
    times: list[float] = []

    def note(_: Event) -> None:
        times.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "bench.db") as store:
        play_tournament(plan, store, workspace=Path(folder) / "logs", progress=note)
        decisions = sum(game.decisions for game in store.games())
    seconds = times[-1] - times[0]
    print(
        f"{what}: {plan.extent.games} games, {decisions:,} decisions in {seconds:.1f} s, "
        f"{decisions / seconds:,.0f} a second; processes started, records stored, bots rated"
    )


if __name__ == "__main__":
    bench_run()
    bench_batches()
