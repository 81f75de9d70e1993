"""The cost of rating many bots, compared with a plain sparse scipy fit of the same games.

Each is measured in a separate process, in turn, so a busy machine slows all of them. Creating the games is not counted.
`fit` is only the fit, `list` is the whole rating list, and `plain` is what a statistician would write: Newton's method
without bias correction, and a sandwich estimator clustered by deal set.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv
from scipy.sparse import csr_array
from scipy.sparse.linalg import spsolve
from scipy.special import expit

from benchmarks.machine import ROOT
from benchmarks.ratings.generators import made_results
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.values.game_result import GameResult

Floats = NDArray[np.float64]

BOTS, GAMES = 1_000, 100_000
CLOSE = 1e-10
MEGABYTE = 1 << 20


def plain_fit(games: Sequence[GameResult]) -> tuple[Floats, Floats]:
    """Return each bot's strength in logits above the first bot by name, and their covariance clustered by deal set.

    At each table one bot plays against another, in seats 0 and 1. The last column is the advantage of seat 0.
    """
    bots = {bot: place for place, bot in enumerate(sorted({bot for game in games for bot in game.bots[:2]}))}
    sets: dict[object, int] = {}
    of_set = np.array([sets.setdefault((game.id.run, game.id.entry, game.id.set_number), len(sets)) for game in games])
    seats = np.array([[bots[game.bots[0]], bots[game.bots[1]]] for game in games])
    won = np.array([game.pair_outcome(0, 1) for game in games])
    rows = np.arange(len(games))
    columns = np.concatenate([seats[:, 0], seats[:, 1], np.full(len(games), len(bots))])
    signs = np.repeat([1.0, -1.0, 1.0], len(games))
    x = csr_array((signs, (np.tile(rows, 3), columns)), shape=(len(games), len(bots) + 1))[:, 1:]
    beta: Floats = np.zeros(x.shape[1])
    while True:
        chance = expit(x @ beta)
        information = x.T @ x.multiply((chance * (1 - chance))[:, None])
        step = spsolve(information.tocsc(), x.T @ (won - chance))
        beta = beta + step
        if np.abs(step).max() < CLOSE:
            break
    by_set = csr_array((np.ones(len(games)), (of_set, rows))) @ x.multiply((won - expit(x @ beta))[:, None]).tocsr()
    bread = inv(information.toarray())
    return beta, bread @ (by_set.T @ by_set).toarray() @ bread


SUBJECTS: Mapping[str, Callable[[Sequence[GameResult]], object]] = {"plain": plain_fit, "fit": fit, "list": rating_list}


def measured(subject: str, games: int, bots: int) -> dict[str, float]:
    """Return the seconds of CPU that one of SUBJECTS takes in this process, and its peak memory in MB."""
    run = SUBJECTS[subject]
    run(list(made_results(200, 4)))  # imports
    results = list(made_results(games, bots))
    began = time.process_time()
    run(results)
    cpu = time.process_time() - began
    return {"cpu": cpu, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE}


def compared(rounds: int, games: int = GAMES, bots: int = BOTS) -> dict[str, Any]:
    """Return the medians over the rounds. In each round, every subject runs in a separate process with one thread."""
    found: dict[str, list[dict[str, float]]] = {subject: [] for subject in SUBJECTS}
    for _ in range(rounds):
        for subject, runs in found.items():
            command = [sys.executable, "-m", __spec__.name, subject, str(games), str(bots)]
            one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            done = subprocess.run(
                command, cwd=ROOT, env={**os.environ, **one_thread}, stdout=subprocess.PIPE, text=True, check=True
            )
            runs.append(json.loads(done.stdout))
    medians = {
        subject: {key: round(median(run[key] for run in runs), 3) for key in ("cpu", "memory")}
        for subject, runs in found.items()
    }
    return {"games": games, "bots": bots, "rounds": rounds, **medians}


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
