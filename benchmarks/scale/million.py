"""`make bench ARGS=million`: a tournament of 1,000,000 decisions, played by the command and measured from outside.

Four bots of one kind meet each other at 64 tables. This measures the wall time, the memory of the referee and its child
processes during the run, and the sizes of the database and of an archive, and checks that `bowerbird verify` finds no
difference. The referee's memory should grow by at most 10% from the first tenth of the run to the last.
"""

from __future__ import annotations

import argparse
import json
import math
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from benchmarks.machine import ROOT, described, facts
from benchmarks.processes import PROC, descendants, stat_of
from benchmarks.system.decisions import GO_BOT, PYTHON_BOT, pair, ready
from benchmarks.system.figures import aligned, number
from benchmarks.system.messages import conversation
from benchmarks.system.part import LeftOutError, variant_option
from benchmarks.system.tournament_process import Match

DECISIONS = 1_000_000
RESULT = ROOT / "results" / "million.json"
BOTS = 4
PAIRINGS = BOTS * (BOTS - 1) // 2
GAMES_SAMPLED = 50
TABLES = ("run", "bot", "job", "game", "seat", "fault", "rating")
STEADY = 0.10
"""The largest allowed growth of the referee's memory from the first tenth to the last, as a share."""

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: seconds since the start, deal sets stored, and bytes of resident memory."""

    at: float
    sets: int
    referee: int
    others: int


@dataclass(frozen=True, slots=True)
class Growth:
    """The referee's memory in the first and the last tenth of the deal sets, medians in bytes."""

    first: float
    last: float

    @property
    def share(self) -> float:
        """The growth as a share: 0.05 for five percent more at the end."""
        return self.last / self.first - 1


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome; sizes in bytes, times in seconds. `actions` counts all actions, including forced ones."""

    decisions: int
    actions: int
    games: int
    sets: int
    wall: float
    peak_referee: int
    peak_others: int
    tenths: tuple[float | None, ...]
    growth: Growth | None
    database: int
    records: int
    archive: int
    rows: dict[str, int]
    standings: float
    verify: float
    verified: bool


def tenths(samples: Sequence[Sample], sets: int) -> tuple[float | None, ...]:
    """Return the referee's median memory during each tenth of `sets`; None for a tenth without samples."""
    found: list[list[int]] = [[] for _ in range(10)]
    for sample in samples:
        if 0 < sample.sets < sets:
            found[sample.sets * 10 // sets].append(sample.referee)
    return tuple(median(memory) if memory else None for memory in found)


def growth(by_tenth: Sequence[float | None]) -> Growth | None:
    """Return the growth from the first tenth to the last; None if either has no samples."""
    first, last = by_tenth[0], by_tenth[-1]
    return Growth(first, last) if first is not None and last is not None else None


def sets_for(decisions: int, variant: str) -> int:
    """Return the deal sets of each pairing that add up to about `decisions` decisions of bots, with two games a set."""
    mean = fmean(len(conversation(variant, seed)) for seed in range(GAMES_SAMPLED))
    return math.ceil(decisions / (2 * PAIRINGS * mean))


def tournament(bot: Path, sets: int, variant: str, isolation: str) -> str:
    """Return the text of a tournament file: a round-robin of four copies of one bot."""
    bots = "".join(f'\n[[bot]]\npath = "{bot}"\nname = "{name}"\n' for name in "abcd"[:BOTS])
    return f"""[tournament]
name = "million"
seed = "million"
sets = {sets}
tables = 64
instances = "shared"
isolation = "{isolation}"

[[variant]]
name = "{variant}"
{bots}"""


def bowerbird(*arguments: str | Path) -> list[str]:
    """Return a command line for `bowerbird`."""
    return [str(Path(sys.executable).with_name("bowerbird")), *map(str, arguments)]


def watched(command: Sequence[str], database: Path, every: float) -> tuple[list[Sample], float]:
    """Run a tournament to its end and sample it every `every` seconds. Return the samples and the length in seconds.

    Raises RuntimeError if its exit code is not 0.
    """
    began = time.perf_counter()
    samples: list[Sample] = []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            samples.append(_sample(process.pid, database, time.perf_counter() - began))
            time.sleep(every)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return samples, time.perf_counter() - began


def _sample(pid: int, database: Path, at: float) -> Sample:
    own = stat_of(PROC / str(pid))
    others = sum(one.memory for one in descendants(pid))
    return Sample(at, _sets_stored(database), own.memory if own is not None else 0, others)


def _sets_stored(path: Path) -> int:
    if not path.exists():
        return 0
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute("SELECT COUNT(*) FROM job").fetchone()[0])
    finally:
        connection.close()


def timed(command: Sequence[str]) -> tuple[float, int]:
    """Run a command. Return its seconds and its exit code."""
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began, done.returncode


def run(folder: Path, file: Path, every: float) -> Found:
    """Play the tournament, then measure its files on disk."""
    database = folder / "million.db"
    samples, wall = watched(bowerbird("tournament", file, "--db", database, "--quiet", "--json"), database, every)
    standings, _ = timed(bowerbird("standings", "--db", database))
    verify, code = timed(bowerbird("verify", "--db", database, "--quiet"))
    archive = folder / "million.tar.gz"
    subprocess.run(
        bowerbird("export", "million", "--db", database, "-o", archive), stdout=subprocess.DEVNULL, check=True
    )
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = {name: int(connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]) for name in TABLES}
        decisions, actions, records = (
            int(connection.execute(f"SELECT {what}").fetchone()[0])
            for what in (
                "SUM(decisions) FROM seat",
                "SUM(decisions) FROM game",
                "SUM(LENGTH(CAST(record AS BLOB))) FROM game",
            )
        )
    finally:
        connection.close()
    return Found(
        decisions=decisions,
        actions=actions,
        games=rows["game"],
        sets=rows["job"],
        wall=wall,
        peak_referee=max(one.referee for one in samples),
        peak_others=max(one.others for one in samples),
        tenths=(by_tenth := tenths(samples, rows["job"])),
        growth=growth(by_tenth),
        database=sum(path.stat().st_size for path in folder.glob("million.db*")),
        records=records,
        archive=archive.stat().st_size,
        rows=rows,
        standings=standings,
        verify=verify,
        verified=code == 0,
    )


def steadiness(grown: Growth | None) -> str:
    """Return a sentence about whether the referee's memory was steady."""
    if grown is None:
        return "the run was too short to tell"
    verdict = "met" if grown.last <= grown.first * (1 + STEADY) else "MISSED"
    sizes = f"{grown.first / MIB:.1f} MiB, {grown.last / MIB:.1f} MiB: {grown.share:+.1%}"
    return f"{sizes} (aim: within {STEADY:.0%}): {verdict}"


def lines(found: Found) -> list[str]:
    """Return the lines for people."""
    rows = [
        ["decisions of bots", f"{found.decisions:,} ({found.actions:,} with forced ones)"],
        ["games, deal sets", f"{found.games:,}, {found.sets:,}"],
        [
            "wall time",
            f"{found.wall:.1f} s, {found.decisions / found.wall:,.0f} decisions a second, start and end included",
        ],
        ["memory of the referee, at most", f"{found.peak_referee / MIB:.1f} MiB"],
        ["   in the first and the last tenth", steadiness(found.growth)],
        ["   tenth by tenth", ", ".join("-" if one is None else f"{one / MIB:.1f}" for one in found.tenths)],
        ["memory of bots and supervisor, at most", f"{found.peak_others / MIB:.1f} MiB"],
        ["database", f"{found.database / MIB:.1f} MiB, {found.database / found.decisions:.1f} bytes a decision"],
        [
            "   the records in it",
            f"{found.records / MIB:.1f} MiB, {found.records / found.decisions:.1f} bytes a decision",
        ],
        [
            "archive (export -o)",
            f"{found.archive / MIB:.1f} MiB, {found.archive / found.decisions:.1f} bytes a decision",
        ],
        ["rows", ", ".join(f"{name} {count:,}" for name, count in found.rows.items() if count)],
        ["rows a deal set", number(sum(found.rows.values()) / found.sets)],
        ["standings", f"{found.standings:.1f} s"],
        ["verify", f"{found.verify:.1f} s, {'no difference' if found.verified else 'DIFFERENCES FOUND'}"],
    ]
    return aligned(rows, right=())


def main() -> None:
    """Play, print and write. Exit with code 1 if `verify` finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else "")
    parser.add_argument(
        "--decisions", type=int, default=DECISIONS, help=f"play about this many (default {DECISIONS:,})"
    )
    parser.add_argument("--bot", choices=("go", "python"), default="go", help="compiled (default), or Python")
    parser.add_argument("--isolation", choices=("sandbox", "limits", "none"), default="none")
    variant_option(parser)
    parser.add_argument("--every", type=float, default=0.2, help="seconds between two samples of the memory")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help=f"file to write; by default {RESULT.name}, for a whole million"
    )
    asked = parser.parse_args()
    bot = {"go": GO_BOT, "python": PYTHON_BOT}[asked.bot]
    try:
        ready(Match(pair(bot), isolation=asked.isolation))
    except LeftOutError as error:
        sys.exit(str(error))
    known = facts()
    print(described(known), flush=True)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="million-", dir=build) as name:
        file = Path(name) / "million.toml"
        sets = sets_for(asked.decisions, asked.variant)
        file.write_text(tournament(bot, sets, asked.variant, asked.isolation), encoding="utf-8")
        found = run(Path(name), file, asked.every)
    print("\n".join(lines(found)))
    target = asked.json or (RESULT if asked.decisions >= DECISIONS else None)
    if target is not None:
        target.write_text(json.dumps({"machine": known, **asdict(found)}, indent=1) + "\n", encoding="utf-8")
        print(f"written: {target}")
    sys.exit(0 if found.verified else 1)
