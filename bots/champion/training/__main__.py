"""Trains networks and writes them: `python -m bowerbird.bots.champion.training [--rounds N] [--seed S] [VARIANT …]`."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # faster for products this small, and the same on every machine

from bowerbird.bots.champion.network import NETWORKS
from bowerbird.bots.champion.training.train import Training
from bowerbird.engine import EngineError, rules_of, variant_names


def main() -> None:
    """Train the networks of the given variants, one after another."""
    parser = argparse.ArgumentParser(prog="python -m bowerbird.bots.champion.training", description=__doc__)
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="all if none is named")
    parser.add_argument("--rounds", type=int, default=400, help="rounds of 8,192 decisions (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=NETWORKS, help="folder to write to")
    asked = parser.parse_intermixed_args()
    if asked.rounds < 2:
        parser.error("--rounds must be 2 or more")
    try:
        for variant in asked.variants:
            rules_of(variant)
    except EngineError as unknown:
        parser.error(str(unknown))
    for variant in asked.variants or variant_names():
        train(variant, asked.rounds, asked.seed, asked.out)


def train(variant: str, rounds: int, seed: int, folder: Path) -> None:
    """Train the networks of a variant and write them to `folder`, with a description of how they were made."""
    started = time.process_time()
    training = Training(variant, seed)
    for done in training.rounds(rounds):
        if done % 50 == 0 or done == rounds:
            print(f"{variant}: {done} of {rounds} rounds, {time.process_time() - started:.0f} s", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "rounds": rounds,
        "decisions": rounds * training.decisions,
        "seed": seed,
        "seconds": round(time.process_time() - started),
    }
    training.networks().write(folder / f"{variant}.npz", made)
    print(f"{variant}: written to {folder / variant}.npz", flush=True)


if __name__ == "__main__":
    main()
