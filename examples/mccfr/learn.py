"""Learns two-handed with OpenSpiel's MCCFR, and saves the solver: `python learn.py --iterations 300`.

An iteration takes about a second. If there is a saved solver, training continues from it.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import numpy as np
from solver import CoarseSolver  # type: ignore[import-not-found]  # beside this file

from bowerbird.envs.openspiel import load_game

SAVED = Path(__file__).with_name("solver.pkl")


def main() -> None:
    """Train the solver and save it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    solver = pickle.loads(SAVED.read_bytes()) if SAVED.exists() else CoarseSolver(load_game("two-handed"))
    np.random.seed([asked.seed, solver.done])  # after a restart the deals must differ
    for done in range(1, asked.iterations + 1):
        solver.iteration()
        if done % 20 == 0 or done == asked.iterations:
            SAVED.write_bytes(pickle.dumps(solver))
            print(f"{solver.done} iterations: {solver.size} information states, saved", flush=True)


if __name__ == "__main__":
    main()
