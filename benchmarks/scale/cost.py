"""The cost model behind scale.md: `make bench ARGS=cost` measures it and prints its tables in Markdown.

    fits        the rating of record by games and bots, from made-up results, each in a separate process
    housing     memory, threads and processes of a bot, in Python, with numpy and compiled, with and without a
                sandbox, and the referee's memory for each
    task        bytes of a job, of an executor's input, and of a result, as sent over a network

`make bench` and `make bench ARGS=million` measure the time and disk space of a decision.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import trio

from benchmarks.machine import ROOT, described, facts
from benchmarks.processes import PROC, cpu_seconds, descendants, private_memory, stat_of
from benchmarks.ratings.generators import made_results
from benchmarks.scale.tables import TABLES
from benchmarks.system.decisions import GO_BOT, NETWORK_BOT, PYTHON_BOT, pair, ready
from benchmarks.system.part import LeftOutError
from benchmarks.system.storage import made_sets
from benchmarks.system.tournament_process import Match
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.records.values.game_record import Conditions, TimeControl
from bowerbird.harness.records.values.run import BLOCK_SETS
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import PlayChunk
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.preparation.build import prepare
from tests.support.records.played_games import header

FITS = ((1_000, 10), (10_000, 10), (100_000, 10), (10_000, 100), (100_000, 100), (100_000, 1000))
FIT_DEADLINE_S = 120
COPIES = 8
"""The number of processes started of each kind; figures are divided by it."""

BOTS = {"python": PYTHON_BOT, "network": NETWORK_BOT, "go": GO_BOT}
TIERS = ("none", "sandbox")
RESULT = ROOT / "results" / "cost.json"
KIB = 1 << 10


@dataclass(frozen=True, slots=True)
class Fitting:
    """The cost of rating `games` games between `bots` bots: seconds, and the peak memory of the process in bytes."""

    games: int
    bots: int
    fit: float
    memory: int


@dataclass(frozen=True, slots=True)
class Housing:
    """The cost of one bot process: its own, and its share of the referee.

    `cpu` is the CPU time until it was ready, in seconds; sizes are in bytes.
    """

    bot: str
    isolation: str
    processes: float
    cpu: float
    threads: float
    resident: float
    private: float
    referee: float
    referee_threads: float


@dataclass(frozen=True, slots=True)
class Task:
    """The size of one block of deal sets, to a worker and back, in pickled bytes; `result_packed` is compressed."""

    sets: int
    block: int
    setup: int
    result: int
    result_packed: int


def fitted(games: int, bots: int) -> Fitting:
    """Rate made-up results in this process. Return the cost."""
    results = list(made_results(games, bots))
    began = time.perf_counter()
    fit(results)
    ended = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    return Fitting(games, bots, ended - began, memory)


def measured_fit(games: int, bots: int) -> dict[str, object]:
    """Measure one fit in a separate process; without figures if it misses the deadline."""
    try:
        return one("--one-fit", str(games), str(bots))
    except subprocess.TimeoutExpired:
        return {"games": games, "bots": bots, "over": FIT_DEADLINE_S}


def one(*arguments: str) -> dict[str, object]:
    """Return one row, measured in a separate process. Raises TimeoutExpired after FIT_DEADLINE_S."""
    command = [sys.executable, "-m", "benchmarks", "cost", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=FIT_DEADLINE_S, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def setup_of(bot: str, isolation: str, folder: Path) -> RefereeSetup:
    """Return the setup of a referee for copies of a bot."""
    copies = (load_bot(BOTS[bot], f"copy-{number}") for number in range(COPIES))
    return RefereeSetup(
        bots=tuple(prepare(copy, lambda _: None) for copy in copies),
        conditions=Conditions(on_fault="forfeit", isolation=isolation, instances="seat", time=TimeControl()),
        workspace=folder / "logs",
        hidden=(),
        slots=os.cpu_count() or 1,
        tables=16,
        limits=FaultLimits(),
    )


async def _housed(bot: str, setup: RefereeSetup) -> Housing:
    own = PROC / "self"
    async with setup.referee(FaultLedger(setup.limits)) as referee:
        before, threads, others = stat_of(own), _threads(own), {one.pid for one in descendants(os.getpid())}
        absent = await referee.roll_call()
        after = stat_of(own)
        if absent or before is None or after is None:
            raise RuntimeError(f"{bot}: {len(absent)} of {COPIES} bots did not start")
        theirs = [one for one in descendants(os.getpid()) if one.pid not in others]
        return Housing(
            bot=bot,
            isolation=setup.conditions.isolation,
            processes=len(theirs) / COPIES,
            cpu=cpu_seconds(theirs) / COPIES,
            threads=sum(_threads(PROC / str(one.pid)) for one in theirs) / COPIES,
            resident=sum(one.memory for one in theirs) / COPIES,
            private=sum(private_memory(one.pid) for one in theirs) / COPIES,
            referee=(after.memory - before.memory) / COPIES,
            referee_threads=(_threads(own) - threads) / COPIES,
        )


def _threads(path: Path) -> int:
    try:
        return len(list((path / "task").iterdir()))
    except FileNotFoundError:
        return 0


def housed(name: str, isolation: str, folder: Path) -> Housing:
    """Start copies of a bot under a referee in this process and measure their cost."""
    return trio.run(partial(_housed, name, setup_of(name, isolation, folder)))


def measured_housing(name: str, isolation: str) -> dict[str, object]:
    """Measure one kind of bot in a separate process; without figures if the bot cannot run here."""
    try:
        ready(Match(pair(BOTS[name]), isolation=isolation))
    except LeftOutError as error:
        return {"bot": name, "isolation": isolation, "left_out": str(error)}
    return one("--one-bot", name, isolation)


def task(folder: Path) -> Task:
    """Return the size of a round-robin job as sent to a worker, and of the results of its deal sets."""
    plan = make_plan(quick_match([PYTHON_BOT, PYTHON_BOT], {"euchre": {}}, sets=64, seed="cost", name="cost"))
    job = replace(next(plan.rounds()).jobs[0], sets=tuple(range(BLOCK_SETS)))
    source = made_sets(["euchre"], header("cost"), {})
    sample = pickle.dumps([next(source) for _ in range(len(job.sets))])
    return Task(
        sets=len(job.sets),
        block=len(pickle.dumps(PlayChunk(job.tables()))),
        setup=len(pickle.dumps(setup_of("python", "none", folder))),
        result=len(sample),
        result_packed=len(zlib.compress(sample)),
    )


def main() -> None:
    """Measure and print. Hidden options are used by the processes that measure one row each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--only", choices=tuple(TABLES), help="one of the tables")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"output; by default {RESULT.name}, for all tables")
    parser.add_argument("--one-fit", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--one-bot", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--one-task", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one_fit or asked.one_bot or asked.one_task:
        print(json.dumps(asdict(_one(asked))))
        return
    known = facts()
    print(described(known))
    found: dict[str, object] = {"machine": known}
    for name, rows in measured(asked.only):
        found[name] = rows
        print("\n".join(["", *TABLES[name](rows)]), flush=True)
    file = asked.json or (RESULT if asked.only is None else None)
    if file is not None:
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten: {file}")


def _one(asked: argparse.Namespace) -> Fitting | Housing | Task:
    """Measure one row."""
    if asked.one_fit:
        return fitted(*asked.one_fit)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cost-", dir=build) as place:
        folder = Path(place)
        return housed(asked.one_bot[0], asked.one_bot[1], folder) if asked.one_bot else task(folder)


def measured(wanted: str | None) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield the name and rows of each requested table."""
    if wanted in (None, "fits"):
        yield "fits", [measured_fit(games, bots) for games, bots in FITS]
    if wanted in (None, "housing"):
        yield "housing", [measured_housing(name, tier) for name in BOTS for tier in TIERS]
    if wanted in (None, "task"):
        yield "task", [one("--one-task")]
