"""The cost model behind results/scale.md: `make bench-cost` measures it and prints its tables in Markdown.

    fit         the rating of record against games and bots, over made-up results, each in a process of its own
    processes   memory, threads and processes of a bot, in Python, with numpy and compiled, free and in a sandbox, and
                what the referee holds for each
    tasks       bytes of a job, of what an executor is given, and of a result, as they would go over a network

What a decision costs in time and on disk comes from `make bench` and `make bench-million`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import trio
from played_games import header

from bench.machine import ROOT, described, facts
from bench.network import write_bot
from bench.part import LeftOutError
from bench.play import Match
from bench.playing import GO_BOT, PYTHON_BOT, pair, ready
from bench.processes import PROC, descendants, private_memory, stat_of
from bench.storing import made_sets
from harness.ratings.fit import fit
from harness.ratings.ladder import rate
from harness.records.record import Conditions, TimeControl
from harness.records.rows import GameResult
from harness.records.run import GameId
from harness.referee.spec import BotSpec, FaultLimits
from harness.tournament.bot_file import load_bot
from harness.tournament.build import prepare
from harness.tournament.config import quick_match
from harness.tournament.executors.contract import Setup
from harness.tournament.plan import make_plan

FITS = ((1_000, 10), (10_000, 10), (100_000, 10), (10_000, 100), (100_000, 100), (100_000, 1000))
FIT_DEADLINE_S = 120
COPIES = 8
"""So many processes of each kind are started, to be divided by."""

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True, slots=True)
class Fitting:
    """What rating so many games between so many bots took: seconds, and the peak memory of the process in bytes."""

    games: int
    bots: int
    fit: float
    rate: float
    memory: int


@dataclass(frozen=True, slots=True)
class Housing:
    """One process of a bot: what it takes, and what it takes of the referee. Bytes, but for `processes`, `threads`."""

    kind: str
    processes: float
    threads: float
    resident: float
    private: float
    referee: float
    referee_threads: float


@dataclass(frozen=True, slots=True)
class Task:
    """Bytes of one block of deal sets on its way to a worker and back, pickled."""

    sets: int
    job: int
    setup: int
    result: int
    result_packed: int


def made_results(games: int, bots: int) -> Iterator[GameResult]:
    """Games of pairs in sets of two. Strengths are spread so that nobody wins everything."""
    chance = random.Random(1)
    strength = [chance.gauss(0, 1) for _ in range(bots)]
    names = [f"bot-{number:04}" for number in range(bots)]
    for number in range(games // 2):
        one = number % bots
        other = (one + 1 + chance.randrange(bots - 1)) % bots
        for rotation, (here, there) in enumerate(((one, other), (other, one))):
            wins = chance.random() < 1 / (1 + math.exp(strength[there] - strength[here]))
            yield GameResult(
                id=GameId("bench", "euchre-0", "+".join(sorted((names[one], names[other]))), number, rotation),
                variant="euchre",
                bots=(names[here], names[there]) * 2,
                sides=(0, 1, 0, 1),
                ranks=(1, 2, 1, 2) if wins else (2, 1, 2, 1),
                scores=(0, 0, 0, 0),
                offenders=(),
                rated=True,
                decisions=120,
            )


def fitted(games: int, bots: int) -> Fitting:
    """Rate results that were made up, in this process."""
    results = list(made_results(games, bots))
    began = time.perf_counter()
    fit(results)
    between = time.perf_counter()
    rate(results)
    ended = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    return Fitting(games, bots, between - began, ended - between, memory)


def fit_line(games: int, bots: int) -> str:
    """The line of one fit, measured in a process of its own."""
    command = [sys.executable, "-m", "bench.cost", "--one-fit", str(games), str(bots)]
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=FIT_DEADLINE_S, check=True)
    except subprocess.TimeoutExpired:
        return f"| {games:,} | {bots:,} | over {FIT_DEADLINE_S} s | | |"
    found = Fitting(**json.loads(done.stdout))
    each = found.rate / games * 1e6
    return f"| {games:,} | {bots:,} | {found.fit:.1f} s | {each:.0f} µs | {found.memory / MIB:.0f} MiB |"


def bot_named(name: str, folder: Path) -> BotSpec:
    """A bot of a kind, ready to start."""
    path = {"python": PYTHON_BOT, "network": folder / "network", "go": GO_BOT}[name]
    return prepare(load_bot(path), lambda _: None)


def setup_of(bot: BotSpec, isolation: str, folder: Path) -> Setup:
    """A referee for copies of a bot."""
    copies = tuple(load_bot(bot.source, f"copy-{number}") for number in range(COPIES))
    return Setup(
        bots=tuple(prepare(copy, lambda _: None) for copy in copies),
        conditions=Conditions(on_fault="forfeit", isolation=isolation, instances="seat", time=TimeControl()),
        workspace=folder / "logs",
        hidden=(),
        slots=os.cpu_count() or 1,
        tables=16,
        limits=FaultLimits(),
    )


async def _housed(kind: str, setup: Setup) -> Housing:
    own = PROC / "self"
    async with setup.referee() as referee:
        before, threads, others = stat_of(own), _threads(own), {one.pid for one in descendants(os.getpid())}
        absent = await referee.roll_call()
        after = stat_of(own)
        if absent or before is None or after is None:
            raise RuntimeError(f"{kind}: {len(absent)} of {COPIES} bots did not start")
        theirs = [one for one in descendants(os.getpid()) if one.pid not in others]
        return Housing(
            kind=kind,
            processes=len(theirs) / COPIES,
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
    """Start copies of a bot under a referee in this process, and look at what that took."""
    kind = f"{name}, {isolation}"
    return trio.run(partial(_housed, kind, setup_of(bot_named(name, folder), isolation, folder)))


def housing_line(name: str, isolation: str) -> str:
    """The line of one kind of bot, measured in a process of its own."""
    try:
        ready(Match(pair(GO_BOT if name == "go" else PYTHON_BOT), isolation=isolation))
    except LeftOutError as error:
        return f"| {name}, {isolation} | left out: {error} | | | | |"
    command = [sys.executable, "-m", "bench.cost", "--one-bot", name, isolation]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found = Housing(**json.loads(done.stdout))
    cells = (found.resident / MIB, found.private / MIB, found.referee / MIB)
    sizes = " | ".join(f"{cell:.1f} MiB" for cell in cells)
    return f"| {found.kind} | {found.processes:.1f} | {found.threads:.1f} | {sizes} | {found.referee_threads:.1f} |"


def task(folder: Path) -> Task:
    """One job of a round-robin, as an executor gets it, and the results of its deal sets."""
    plan = make_plan(quick_match([PYTHON_BOT, PYTHON_BOT], {"euchre": {}}, sets=64, seed="cost", name="cost"))
    job = next(plan.rounds()).jobs[0]
    source = made_sets(["euchre"], header("cost"), {})
    sample = pickle.dumps([next(source) for _ in range(len(job.sets))])
    return Task(
        sets=len(job.sets),
        job=len(pickle.dumps(job)),
        setup=len(pickle.dumps(setup_of(bot_named("python", folder), "none", folder))),
        result=len(sample),
        result_packed=len(zlib.compress(sample)),
    )


def task_lines(found: Task) -> list[str]:
    """The table of a task."""
    return [
        "| | bytes |",
        "|---|--:|",
        f"| a job of {found.sets} deal sets, pickled | {found.job:,} |",
        f"| what makes a referee for {COPIES} bots, pickled | {found.setup:,} |",
        f"| its result, {2 * found.sets} games of euchre, pickled | {found.result:,} |",
        f"| the same, compressed | {found.result_packed:,} |",
        f"| a deal set of it, compressed | {found.result_packed / found.sets:,.0f} |",
    ]


def main() -> None:
    """Measure and print; the hidden options are what the processes of single lines are told."""
    parser = argparse.ArgumentParser(prog="make bench-cost", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--only", choices=("fit", "processes", "tasks"), help="one of the tables")
    parser.add_argument("--one-fit", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--one-bot", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cost-", dir=build) as place:
        folder = Path(place)
        write_bot(folder / "network")
        if asked.one_fit:
            print(json.dumps(asdict(fitted(*asked.one_fit))))
        elif asked.one_bot:
            name, isolation = asked.one_bot
            print(json.dumps(asdict(housed(name, isolation, folder))))
        else:
            print(described(facts()))
            for line in _tables(asked.only, folder):
                print(line, flush=True)


def _tables(only: str | None, folder: Path) -> Iterator[str]:
    if only in (None, "fit"):
        yield from (
            "",
            "| games | bots | rating of record | incremental, a game | peak memory |",
            "|--:|--:|--:|--:|--:|",
        )
        yield from (fit_line(games, bots) for games, bots in FITS)
    if only in (None, "processes"):
        yield from ("", "| bot | processes | threads | resident | private | referee | its threads |")
        yield "|---|--:|--:|--:|--:|--:|--:|"
        for name in ("python", "network", "go"):
            yield from (housing_line(name, isolation) for isolation in ("none", "sandbox"))
    if only in (None, "tasks"):
        yield from ("", *task_lines(task(folder)))


if __name__ == "__main__":
    main()
