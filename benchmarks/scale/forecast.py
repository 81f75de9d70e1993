"""`make bench ARGS=forecast`: a thousand bots and a billion decisions on 10 to 1,000 workers, simulated (`simulation`).

The tournament is a Swiss of 20 rounds, once with instant bots and once with bots that think. Only three rounds are
simulated, because all are alike. Costs come from the parts `system`, `million`, `cost` and `cluster`; unmeasured costs
are assumed and marked on the page. The figures do not depend on the machine that runs the simulation. It takes two
minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.scale.simulation import Costs, Losses, Simulated, simulate
from benchmarks.scale.tables import BOTS, DECISIONS, forecast_costs, forecast_rows
from benchmarks.system.decisions import PYTHON_BOT
from bowerbird.harness.records.values.run import commitment_of
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, quick_match
from bowerbird.harness.tournament.formats.catalogue import rounds_of_run
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.jobs.schedule import RunIdentity
from bowerbird.harness.tournament.lineups import TEAMS, MeetingRules, lineups
from bowerbird.harness.tournament.plan import seed_of

RESULTS = ROOT / "results"
RESULT = RESULTS / "forecast.json"
ROUNDS, SIMULATED = 20, 3
TABLES = 64
WORKERS = (10, 50, 200, 1000)
THINKING_MS = (0.0, 5.0)
"""The thinking times for a decision: an instant answer, and a search."""

LOSSES = Losses(a_worker_and_day=1.0, away=20.0)

ASSUMED_CALL_S = 0.005
ASSUMED_DELIVER_S = 0.0004
"""The figures to use instead of those of `make bench ARGS=cluster` until they are measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The input of the simulation: `costs`, database bytes for a deal set, and the names of assumed values."""

    costs: Costs
    stored: float
    assumed: tuple[str, ...]


def measured(
    bench: Mapping[str, Any], million: Mapping[str, Any], cost: Mapping[str, Any], cluster: Mapping[str, Any] | None
) -> Measured:
    """Return the costs from the benchmarks' results; `cluster` is None if `make bench ARGS=cluster` did not run.

    A worker is one core: half of what two referees on two cores play. The cost of a message is computed from the rates
    at one table and at 64 tables.
    """
    found = {key: figure["median"] for key, figure in bench["figures"].items()}
    one, many = 1 / found["one"], 2 / found["python.jobs"]
    message = (one - many) / (1 - 1 / TABLES)
    start = next(row["cpu"] for row in cost["housing"] if row["bot"] == "python" and row["isolation"] == "none")
    save = 1 / found["store.many"]
    return Measured(
        Costs(
            games=million["games"] // million["sets"],
            decisions=million["decisions"] / million["sets"],
            decision=one - message,
            message=message,
            start=start,
            call=cluster["call"]["median"] if cluster else ASSUMED_CALL_S,
            deliver=max(0.0, cluster["run_cpu_a_set"] - save) if cluster else ASSUMED_DELIVER_S,
            save=save,
        ),
        million["database"] / million["sets"],
        () if cluster else ("call", "deliver"),
    )


def swiss(bots: int, rounds: int, sets: int) -> TournamentFile:
    """Return a Swiss tournament of euchre between this many copies of a bot.

    It is built from a file with two bots, because reading a thousand with their fingerprints takes longer than
    simulating.
    """
    settings = {"format": "swiss", "rounds": 1, "tables": TABLES, "instances": "shared"}
    file = quick_match([PYTHON_BOT] * 2, {"euchre": {}}, sets=sets, seed="forecast", name="forecast", settings=settings)
    entered = tuple(replace(file.bots[0], name=f"bot-{number:04}") for number in range(bots))
    names = tuple(bot.name for bot in entered)
    (entry,) = file.variants
    seated = lineups(TEAMS, MeetingRules(names), entry.seats, entry.sides)
    return replace(
        file,
        bots=entered,
        terms=replace(file.terms, rounds=rounds, seeds=names),
        variants=(replace(entry, lineups=seated),),
    )


def jobs_of(file: TournamentFile) -> Iterator[tuple[Job, ...]]:
    """Yield the jobs of each round. All deal sets are left out, so all matches are tied; results don't affect time."""
    seed = seed_of(file.seed)
    for one in rounds_of_run(file, RunIdentity("forecast", commitment_of(seed), seed)):
        yield tuple(one.jobs)
        for key in one.keys:
            one.on_set_left_out(key)


def sets_of_a_match(million: Mapping[str, Any], bots: int, rounds: int) -> int:
    """Return the number of deal sets in each match that adds up to a billion decisions."""
    sets_a_decision = float(million["sets"]) / float(million["decisions"])
    return math.ceil(DECISIONS * sets_a_decision / (rounds * bots // 2))


def simulations(
    rounds: Sequence[Sequence[Job]], known: Measured, workers: Sequence[int], thinking_ms: Sequence[float]
) -> Iterator[tuple[float, Simulated]]:
    """Yield each simulation with the thinking time of its bots, in ms."""
    for thinking in thinking_ms:
        costs = replace(known.costs, decision=known.costs.decision + thinking / 1000)
        for count in workers:
            yield thinking, simulate(rounds, count, costs, LOSSES, tables=TABLES)


def read(name: str) -> dict[str, Any] | None:
    """Return the results of a benchmark; None if it did not run."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS, metavar="N", help="number of bots")
    parser.add_argument(
        "--thinking", type=float, nargs="+", default=THINKING_MS, metavar="MS", help="time for a decision"
    )
    parser.add_argument("--rounds", type=int, default=SIMULATED, help=f"rounds to simulate, of {ROUNDS} ({SIMULATED})")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"file to write; by default {RESULT.name}, for all")
    asked = parser.parse_args()
    bench, million, cost, cluster = map(read, ("bench", "million", "cost", "cluster"))
    if bench is None or million is None or cost is None:
        sys.exit("figures are missing in results/: run the parts system, million and cost of make bench")
    known = measured(bench, million, cost, cluster)
    sets = sets_of_a_match(million, BOTS, ROUNDS)
    began = time.perf_counter()
    rounds = list(jobs_of(swiss(BOTS, asked.rounds, sets)))
    print(f"{sum(map(len, rounds)):,} jobs in {time.perf_counter() - began:.0f} s", flush=True)
    rows: list[dict[str, Any]] = []
    for thinking, found in simulations(rounds, known, asked.workers, asked.thinking):
        rows.append({"thinking_ms": thinking, **asdict(found), "idle": found.idle, "busy": found.busy})
        print(f"{found.workers} workers: {time.perf_counter() - began:.0f} s", flush=True)
    result = {
        "bots": BOTS,
        "rounds": ROUNDS,
        "simulated": asked.rounds,
        "sets_a_match": sets,
        "costs": asdict(known.costs),
        "stored_a_set": known.stored,
        "assumed": known.assumed,
        "losses": asdict(LOSSES),
        "rows": rows,
    }
    print("\n".join(["", *forecast_costs(result), "", *forecast_rows(result)]))
    is_whole = (tuple(asked.workers), tuple(asked.thinking), asked.rounds) == (WORKERS, THINKING_MS, SIMULATED)
    file = asked.json or (RESULT if is_whole else None)
    if file is not None:
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten: {file}")
