"""`make bench ARGS=profile`: where the time of a decision goes, for one table (b) or 64 (c).

Plays a tournament between two bots of one kind twice. The first run, without a profiler, shows the cost of a decision
by thread. The second runs under cProfile and shows the cost by function. It measures each Python thread of the referee
in its own CPU time, so waiting does not count. Its figures are shares, because the profiler slows down small functions
most. `--of bot` profiles the Python bot instead of the referee.

This needs only the standard library. If py-spy is allowed to trace processes, it shows the same without slowing them
down: `py-spy record -- .venv/bin/python -m benchmarks.system.tournament_process JSON FOLDER`.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.machine import ROOT, described, facts
from benchmarks.processes import PROC, stat_of
from benchmarks.system.decisions import GO_BOT, PYTHON_BOT, pair, ready
from benchmarks.system.figures import aligned, number
from benchmarks.system.part import LeftOutError, variant_option
from benchmarks.system.tournament_process import Match, Meter, Rates, play
from bowerbird.harness.tournament.events import TournamentEvent

LINES = 30
SECONDS = 5.0
BOTS = {"python": PYTHON_BOT, "go": GO_BOT}

PROFILED_BOT = """import cProfile
import os
import sys
import time

from bowerbird.bots.random.__main__ import RandomBot
from bowerbird.harness.sdk.client import serve

profile = cProfile.Profile(time.thread_time)
code = profile.runcall(serve, RandomBot(), os.environ)
profile.dump_stats(f"{folder}/{{os.getpid()}}.profile")
sys.exit(code)
"""
"""The random bot, profiled from start to end."""


@dataclass(frozen=True, slots=True)
class Threads:
    """The CPU seconds of this process's threads, by name. The threads of gRPC's core have no Python name."""

    cpu: Mapping[str, float]

    @classmethod
    def now(cls) -> Threads:
        """Return the CPU seconds so far."""
        names = {thread.native_id: thread.name.rstrip("0123456789_") for thread in threading.enumerate()}
        cpu: dict[str, float] = defaultdict(float)
        for path in (PROC / "self" / "task").iterdir():
            if (found := stat_of(path)) is not None:
                cpu[names.get(int(path.name), f"{found.name} (native)")] += found.cpu
        return cls(cpu)

    def since(self, earlier: Threads) -> dict[str, float]:
        """Return the CPU seconds since `earlier`, largest first, without threads that have ended."""
        spent = {name: cpu - earlier.cpu.get(name, 0.0) for name, cpu in self.cpu.items()}
        return dict(sorted(spent.items(), key=lambda item: -item[1]))


class ThreadMeter(Meter):
    """A meter that also measures threads."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.threads: list[Threads] = []

    def sampled(self) -> None:
        """Record the threads in each sample."""
        self.threads.append(Threads.now())


class Profiler:
    """A profiler of every Python thread in its own CPU time. It profiles the main thread from the first deal set on."""

    def __init__(self) -> None:
        self._main = cProfile.Profile(time.thread_time)
        self._others: list[cProfile.Profile] = []
        self._is_on = False

    def watch_threads(self) -> None:
        """Profile every thread that starts from now on."""
        run: Callable[[threading.Thread], None] = threading.Thread.run

        def profiled(thread: threading.Thread) -> None:
            profile = cProfile.Profile(time.thread_time)
            self._others.append(profile)
            profile.runcall(run, thread)

        setattr(threading.Thread, "run", profiled)  # noqa: B010  # threading.setprofile takes no cProfile

    def note(self, _: TournamentEvent) -> None:
        """Start profiling the main thread, which calls this for each stored deal set."""
        if not self._is_on:
            self._is_on = True
            self._main.enable()

    def stats(self) -> pstats.Stats:
        """Return the profile of all threads together."""
        self._main.disable()
        found = pstats.Stats(self._main)
        for profile in self._others:
            profile.disable()
            if profile.getstats():
                found.add(pstats.Stats(profile))
        return found


def measured(match: Match, place: Path) -> list[str]:
    """Play without a profiler. Return the cost of a decision."""
    meter = ThreadMeter(match.seconds)
    rates = play(match, meter, place)
    first, last = meter.threads
    return [*costs(rates), "", *thread_lines(last.since(first), rates.decisions * match.seconds)]


def costs(rates: Rates) -> list[str]:
    """Return the rates as lines."""
    rows = [
        ["decisions a second", number(rates.decisions)],
        ["messages a second", number(rates.messages)],
        ["decisions a message", number(rates.decisions / rates.messages)],
        ["actions per second, in stored games", number(rates.actions)],
        ["CPU of the referee a decision", f"{number(rates.own_cpu)} µs"],
        ["CPU of the bots a decision", f"{number(rates.other_cpu)} µs"],
    ]
    return aligned(rows, right=(1,))


def thread_lines(spent: Mapping[str, float], decisions: float) -> list[str]:
    """Return lines of CPU time by thread, in microseconds a decision, without threads below 1% of the total."""
    total = sum(spent.values())
    rows = [["thread of the referee", "share", "µs a decision"]]
    rows += [
        [name, f"{cpu / total:.0%}", number(cpu / decisions * 1e6)] for name, cpu in spent.items() if cpu >= total / 100
    ]
    return aligned(rows, right=(1, 2))


def function_lines(stats: pstats.Stats, sort: str, lines: int) -> list[str]:
    """Return lines for the most expensive functions: own and cumulative time, as a percentage of the total."""
    table: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = stats.stats  # type: ignore[attr-defined]  # not in the stubs
    total = sum(own for _, _, own, _, _ in table.values()) or 1.0
    place = 2 if sort == "own" else 3
    rows = [["own", "with callees", "calls", "function"]]
    for function, row in sorted(table.items(), key=lambda item: -float(item[1][place]))[:lines]:  # type: ignore[arg-type]  # both are floats
        _, calls, own, whole, _ = row
        rows.append([f"{own / total:.1%}", f"{whole / total:.1%}", f"{calls:,}", named(function)])
    return aligned(rows, right=(0, 1, 2))


def named(function: tuple[str, int, str]) -> str:
    """Return where a function is: a path in the project, a module of a library, or a built-in."""
    file, line, name = function
    if file == "~":
        return name
    path = Path(file)
    if path.is_relative_to(ROOT) and ".venv" not in path.parts:
        return f"{path.relative_to(ROOT)}:{line} {name}"
    return f"{'/'.join(path.parts[-2:])}:{line} {name}"


def profiled_referee(match: Match, place: Path) -> pstats.Stats:
    """Play with the referee under the profiler."""
    profiler = Profiler()
    profiler.watch_threads()
    meter = Meter(match.seconds, profiler.note)
    play(match, meter, place)
    return profiler.stats()


def profiled_bot(match: Match, place: Path) -> pstats.Stats:
    """Play with bots under the profiler: the random bot of the SDK."""
    folder = place / "profiled"
    folder.mkdir()
    (folder / "bot.py").write_text(PROFILED_BOT.format(folder=folder), encoding="utf-8")
    (folder / "bot.toml").write_text('name = "profiled"\ncommand = ["{python}", "bot.py"]\ntables = 64\n', "utf-8")
    play(replace(match, bots=pair(folder)), Meter(match.seconds), place)
    files = sorted(map(str, folder.glob("*.profile")))
    if not files:
        raise RuntimeError("no bot exited normally, so there is no profile")
    return pstats.Stats(*files)


def main() -> None:
    """Measure, profile, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else "")
    parser.add_argument("part", nargs="?", choices=("b", "c"), default="c", help="b: one table; c: 64 tables (default)")
    parser.add_argument("--bot", choices=tuple(BOTS), default="python", help="random bot, in Python or compiled")
    parser.add_argument("--of", choices=("referee", "bot"), default="referee", help="which side's functions to show")
    parser.add_argument("--sort", choices=("own", "callees"), default="own", help="order: own time, or with callees")
    parser.add_argument("--lines", type=int, default=LINES, help=f"number of functions to show (default {LINES})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"length of each run (default {SECONDS:g})")
    variant_option(parser)
    parser.add_argument("-o", type=Path, metavar="FILE", help="profile file, for snakeviz or python -m pstats")
    asked = parser.parse_args()
    match = Match(
        pair(BOTS[asked.bot]),
        variant=asked.variant,
        tables=1 if asked.part == "b" else 64,
        seconds=asked.seconds,
    )
    try:
        ready(match)
    except LeftOutError as error:
        sys.exit(str(error))
    print(described(facts()))
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="profile-", dir=build) as name:
        place = Path(name)
        print("\n".join(["", *measured(match, place)]), flush=True)
        stats = (profiled_bot if asked.of == "bot" else profiled_referee)(match, place)
    print("\n".join(["", f"functions of the {asked.of}", *function_lines(stats, asked.sort, asked.lines)]))
    if asked.o is not None:
        stats.dump_stats(os.fspath(asked.o))
        print(f"written: {asked.o}")
