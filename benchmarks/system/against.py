"""`make bench ARGS="system --against PATH"`: this checkout and another, in turn, as ratios within each round.

PATH is a checkout of any commit that has `benchmarks/system`, with its own `.venv` and built bots. Each row is measured
in both checkouts, one right after the other, in an order that changes from round to round. A ratio is the figure of
this checkout divided by that of the other. A row that either checkout cannot measure is left out, with the reason.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.processes import PROC
from benchmarks.system.figures import aligned, number
from benchmarks.system.part import DEADLINE_S

GO, RANDOM, GREEDY = "bots/starters/go", "bots/random", "bots/greedy"
SETS = 20
"""The number of deal sets in the small run."""

STARTS = 5
"""The number of times a command is started in each round."""

FEWEST = 100
"""The minimum difference in messages between the two runs that count system calls."""

SAMPLE_S = 0.1
UNMEASURED_S = 0.5
"""The time before its end in which a process may already be shutting down."""

START = """
import json, sys, tempfile
from pathlib import Path
from benchmarks.system.part import Place
from benchmarks.system.startup import Start
part, place = Start(), Place(Path(tempfile.mkdtemp(dir=sys.argv[1])), 1.0, "euchre")
part.prepare(place)
print(json.dumps(part.measure(place)))
"""
"""A program that measures part (i) of the system in a checkout."""


class UnmeasuredError(Exception):
    """A checkout cannot measure a row; the message says why."""


@dataclass
class Checkout:
    """A checkout. `folder` is its place for databases, and each rate is measured for `seconds`.

    `played` contains the rates of the round by match, because several rows can show figures of the same match.
    """

    root: Path
    folder: Path
    seconds: float
    played: dict[str, dict[str, float]] = field(default_factory=dict)

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of its `bowerbird`."""
        return [str(self.root / ".venv" / "bin" / "bowerbird"), *arguments]

    def module(self, *arguments: str, before: Sequence[str] = ()) -> dict[str, float]:
        """Run its Python with these arguments. Return the JSON that it prints and its wake-ups per second."""
        command = [*before, str(self.root / ".venv" / "bin" / "python"), *arguments]
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
            process = subprocess.Popen(command, cwd=self.root, stdout=said, stderr=wrong, text=True)
            wakeups = self._wakeups(process)
            said.seek(0)
            wrong.seek(0)
            if process.returncode:
                raise UnmeasuredError((wrong.read().strip().splitlines() or [f"exit code {process.returncode}"])[-1])
            found: dict[str, float] = json.loads(said.read())
        return {**found, "wakeups": wakeups}

    def _wakeups(self, process: subprocess.Popen[str]) -> float:
        """Wait for a process. Return how often its threads woke up in each of the last `seconds` before its end."""
        began = time.monotonic()
        samples, known, total = [(began, 0)], wakeups(process.pid), 0
        while process.poll() is None:
            if time.monotonic() - began > DEADLINE_S:
                process.kill()
                raise UnmeasuredError(f"no result after {DEADLINE_S} s")
            time.sleep(SAMPLE_S)
            now = wakeups(process.pid)
            total += sum(times - known.get(thread, 0) for thread, times in now.items())
            known |= now
            samples.append((time.monotonic(), total))
        last = time.monotonic() - UNMEASURED_S
        inside = [one for one in samples if last - self.seconds + UNMEASURED_S < one[0] < last] or samples[:1]
        (since, before), (until, after) = inside[0], inside[-1]
        return (after - before) / (until - since) if until > since else 0.0

    def rates(self, **match: Any) -> dict[str, float]:
        """Play a match between two bots of one kind (`tournament_process`), once in a round. Return its rates."""
        key = json.dumps(match, sort_keys=True)
        if key not in self.played:
            bots = [str(self.root / match.get("bot", GO))] * 2
            given = {name: value for name, value in match.items() if name != "bot"}
            asked = {"bots": bots, "arguments": [], "seconds": self.seconds, **given}
            self.played[key] = self.module(
                "-m", "benchmarks.system.tournament_process", json.dumps(asked), str(self.folder)
            )
        return self.played[key]

    def system_calls(self, **match: Any) -> float:
        """Return the system calls per message, of referee and bots together, from two runs of different length."""
        if shutil.which("strace") is None:
            raise UnmeasuredError("strace is not installed")
        calls, messages = [], []
        for seconds in (self.seconds, 2 * self.seconds):
            bots = [str(self.root / GO)] * 2
            asked = json.dumps({"bots": bots, "arguments": [], **match, "seconds": seconds})
            summary = self.folder / "strace"
            found = self.module(
                *("-m", "benchmarks.system.tournament_process", asked, str(self.folder)),
                before=("strace", "-f", "-c", "-o", str(summary)),
            )
            total = next(line for line in summary.read_text().splitlines() if line.endswith(" total"))
            calls.append(int(total.split()[-3] if len(total.split()) == 6 else total.split()[-2]))
            messages.append(found["messages"] * seconds)
        if (more := messages[1] - messages[0]) < FEWEST:
            raise UnmeasuredError("too few messages while system calls are counted; give more --seconds")
        return (calls[1] - calls[0]) / more

    def spent(self, *arguments: str, repeats: int = STARTS) -> tuple[float, float]:
        """Return the median wall time and CPU time of a command, in milliseconds."""
        walls, cpus = [], []
        for _ in range(repeats):
            began, before = time.perf_counter(), _cpu_of_children()
            done = subprocess.run(
                self.command(*arguments), cwd=self.root, capture_output=True, text=True, timeout=DEADLINE_S, check=False
            )
            walls.append((time.perf_counter() - began) * 1000)
            cpus.append((_cpu_of_children() - before) * 1000)
            if done.returncode:
                raise UnmeasuredError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
        return median(walls), median(cpus)

    def database(self, bots: Sequence[str], sets: int) -> str:
        """Return a database of this checkout with a run of two bots, which is played when first needed."""
        path = self.folder / f"{Path(bots[0]).name}-{sets}.db"
        if not path.exists():
            seats = [str(self.root / bot) for bot in bots]
            chosen = ("--variant", "euchre", "--sets", str(sets), "--seed", "bench", "--db", str(path), "--quiet")
            self.spent("match", *seats, *chosen, repeats=1)
        return str(path)


def _cpu_of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def wakeups(pid: int) -> dict[str, int]:
    """Return, for each thread of a process, how often it has woken up; empty if the process has ended."""
    found: dict[str, int] = {}
    for path in (PROC / str(pid) / "task").glob("*/status"):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for line in lines:
            if line.startswith("voluntary_ctxt_switches"):
                found[path.parent.name] = int(line.split()[1])
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: `measure` returns its value in a checkout. `aim` limits the ratio, from below if `least`."""

    label: str
    unit: str
    measure: Callable[[Checkout], float]
    aim: float | None = None
    least: bool = False

    def met(self, ratio: float) -> str:
        """Return whether a ratio meets the aim, as a word."""
        if self.aim is None:
            return ""
        return "met" if (ratio >= self.aim if self.least else ratio <= self.aim) else "MISSED"


def _verify(checkout: Checkout) -> float:
    database = checkout.database((RANDOM, RANDOM), 5 * SETS)
    _, whole = checkout.spent("verify", "--db", database, repeats=2)
    _, start = checkout.spent("runs", "--db", database, repeats=2)
    return (whole - start) / (10 * SETS)  # a deal set of two bots has two games


def _shown(*arguments: str) -> Callable[[Checkout], float]:
    def measure(checkout: Checkout) -> float:
        database = ("--db", checkout.database((GREEDY, RANDOM), SETS)) if arguments[0] != "--help" else ()
        return checkout.spent(*arguments, *database)[0]

    return measure


def _a_message(of: str, **match: Any) -> Callable[[Checkout], float]:
    def measure(checkout: Checkout) -> float:
        found = checkout.rates(**match)
        return found[of] / max(1.0, found["messages"])

    return measure


VIEWS, OWN, ONE = {"tables": 64}, {"tables": 64, "arguments": ["events_only"]}, {"tables": 1}

ROWS = (
    Row("64 tables, views: referee's CPU a decision", "µs", lambda one: one.rates(**VIEWS)["own_cpu"], 0.75),
    Row("64 tables, own state: referee's CPU a decision", "µs", lambda one: one.rates(**OWN)["own_cpu"], 0.55),
    Row("64 tables, own state: decisions/s", "", lambda one: one.rates(**OWN)["decisions"]),
    Row("64 tables, views: decisions/s", "", lambda one: one.rates(**VIEWS)["decisions"]),
    Row("one table: decisions/s", "", lambda one: one.rates(**ONE)["decisions"], 1.6, least=True),
    Row(
        "a process for each seat: decisions/s",
        "",
        lambda one: one.rates(**VIEWS, instances="seat")["decisions"],
        1.45,
        least=True,
    ),
    Row("two referees: decisions/s", "", lambda one: one.rates(**VIEWS, jobs=2)["decisions"], 1.35, least=True),
    Row("one table: wake-ups of the referee a message", "", _a_message("wakeups", **ONE)),
    Row("one table: system calls a message, with its bots", "", lambda one: one.system_calls(**ONE)),
    Row("start of a match of four bots", "s", lambda one: one.module("-c", START, str(one.folder))["start"], 0.6),
    Row("--help", "ms", _shown("--help"), 0.6),
    Row(f"standings of {2 * SETS} games", "ms", _shown("standings"), 0.6),
    Row(f"runs of {2 * SETS} games", "ms", _shown("runs"), 0.6),
    Row(f"matches of {2 * SETS} games", "ms", _shown("matches"), 0.6),
    Row("verify: CPU a game", "ms", _verify, 0.65),
)

Found = dict[str, list[tuple[float, float]]]
"""For each row's label, its values here and there in each round."""


def compare(
    rows: Sequence[Row], here: Checkout, there: Checkout, repeats: int, say: Callable[[str], None]
) -> tuple[Found, list[str]]:
    """Measure each row in both checkouts, in turn. Return the results, and a line for each row that failed."""
    found: Found = {row.label: [] for row in rows}
    failed: dict[str, str] = {}
    for turn in range(repeats):
        here.played, there.played = {}, {}
        for row in rows:
            if row.label in failed:
                continue
            values: dict[Path, float] = {}
            for checkout in (here, there) if turn % 2 else (there, here):
                say(f"round {turn + 1} of {repeats}: {row.label}")
                try:
                    values[checkout.root] = row.measure(checkout)
                except (UnmeasuredError, subprocess.SubprocessError, OSError) as error:
                    failed[row.label] = f"{row.label}: left out, {checkout.root}: {error}"
                    break
            else:
                found[row.label].append((values[here.root], values[there.root]))
    say("")
    return found, list(failed.values())


def table(rows: Sequence[Row], found: Found) -> list[str]:
    """Return a line for each row: medians, the median ratio with the smallest and largest, and the aim."""
    shown = [["", "", "here", "there", "ratio", "least", "most", "aim", ""]]
    for row in rows:
        if not (pairs := found[row.label]):
            continue
        ratios = [here / there for here, there in pairs if there]
        if not ratios:
            continue
        aim = "" if row.aim is None else f"{'at least' if row.least else 'at most'} {number(row.aim)}"
        middles = [number(median(values)) for values in zip(*pairs, strict=True)]
        ratio = median(ratios)
        shown.append(
            [
                row.label,
                row.unit,
                *middles,
                number(ratio),
                number(min(ratios)),
                number(max(ratios)),
                aim,
                row.met(ratio),
            ]
        )
    return aligned(shown, right=(2, 3, 4, 5, 6))


def against(path: Path, seconds: float, repeats: int, say: Callable[[str], None]) -> list[str]:
    """Compare this checkout with the one at `path`. Return the lines of the table."""
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="against-", dir=folder) as name:
        places = [Path(name) / "here", Path(name) / "there"]
        for place in places:
            place.mkdir()
        here, there = (
            Checkout(root, place, seconds) for root, place in zip((ROOT, path.resolve()), places, strict=True)
        )
        found, failed = compare(ROWS, here, there, repeats, say)
    return [*table(ROWS, found), *failed, f"load at the end: {' '.join(f'{one:.1f}' for one in os.getloadavg())}"]
