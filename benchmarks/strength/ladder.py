"""`make bench ARGS=ladder`: plays the bundled bots over all variants and writes results/ladder/.

A rung is a tournament (`rungs`, played by name): greedy against one other bot in single deals of some variants, until
the two can be distinguished. An interrupted ladder resumes where it stopped. The repository contains README.md (the
table), standings.json (all rungs together), and the records and the report of each rung. It does not contain the
database.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import ROOT
from benchmarks.strength.measured import mean_of
from bowerbird.engine import variant_names
from bowerbird.harness.ratings.points import set_differences
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_result import GameResult

RUNGS = Path(__file__).parent / "rungs"
FOLDER = ROOT / "results" / "ladder"
BOWERBIRD = Path(sys.executable).with_name("bowerbird")
BASE = "greedy"
OTHERS = ("random", "pimc", "champion", "ismcts")
INTERRUPTED = 130
INTRODUCTION = """\
# The ladder

What a new bot is measured against: the bundled bots in single deals of every variant, one of them (or one side) at a
table of greedy, in every rotation of the same cards. The table shows points a deal more than greedy, with a 95%
interval over the deals: one such interval in twenty misses the true value. "(open)" marks an interval that contains 0.
For each decision pimc searches 30 worlds and ismcts 150; champion plays at level 3. `make bench ARGS=ladder` plays all
of it again and writes this page; `bowerbird verify` and `bowerbird import` read the records of a rung, such as
`results/ladder/ladder-pimc.tar.gz`.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """The points a deal by which a bot beats greedy at the same tables, with its 95% interval over `sets` deal sets."""

    low: float
    high: float
    sets: int

    @property
    def is_settled(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        mean, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return f"{mean:+.2f} ± {half:.2f}{'' if self.is_settled else ' (open)'}"


def gap(results: Iterable[GameResult], bot: str) -> Gap | None:
    """Return the gap over deal sets; None with fewer than two.

    A deal set is one observation, because its games share their cards. The interval uses Student's t.
    """
    met = [result for result in results if bot in result.bots]
    means = [float(points[bot] - points[BASE]) for points in set_differences(met).values()]
    if len(means) < 2:
        return None
    return Gap(*mean_of(means).interval(), len(means))


def bowerbird(*arguments: str | Path) -> str:
    """Run the command and return its stdout; its progress goes to stderr. Exit with its exit code if it fails.

    Ctrl-C also reaches the command. Then wait for it to end, so that it stores its complete deal sets.
    """
    with subprocess.Popen([BOWERBIRD, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        try:
            written, _ = running.communicate()
        except KeyboardInterrupt:
            running.communicate()
            sys.exit(INTERRUPTED)
    if running.returncode:
        sys.exit(running.returncode)
    return written


def table(results: Sequence[GameResult]) -> list[str]:
    """Return the lines of the table, one for each variant played."""
    lines = [f"| variant | {' | deals | '.join(OTHERS)} | deals |", f"|---|{'--:|--:|' * len(OTHERS)}"]
    for variant in variant_names():
        own = [result for result in results if result.variant == variant]
        gaps = [gap(own, bot) for bot in OTHERS]
        cells = [f"{found} | {found.sets}" if found else " | 0" for found in gaps]
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return lines


def note(results: Sequence[GameResult]) -> list[str]:
    """Return sentences with the variants where a rung is not proven to be above the one below it."""
    below: list[str] = []
    above: dict[str, list[str]] = {"pimc": [], "champion": []}
    for variant in variant_names():
        own = [result for result in results if result.variant == variant]
        low = gap(own, "random")
        if low is None or low.high >= 0:
            below.append(variant)
        for bot, open_ in above.items():
            high = gap(own, bot)
            if high is None or high.low <= 0:
                open_.append(variant)
    return [
        f"Random below greedy beyond doubt: {_but(below)}",
        *(f"{bot.capitalize()} above greedy beyond doubt: {_but(open_)}" for bot, open_ in above.items()),
    ]


def _but(open_: Sequence[str]) -> str:
    return "in every variant." if not open_ else f"in every variant but {', '.join(open_)}."


def play(rung: Path, folder: Path, database: Path) -> str:
    """Play a rung, or the rest of it, and write its records and report. Return its name."""
    name: str = tomllib.loads(rung.read_text(encoding="utf-8"))["tournament"]["name"]
    bowerbird("tournament", rung, "--db", database, "--jobs", "2", "--json")
    archive = folder / f"{name}.tar.gz"
    archive.unlink(missing_ok=True)
    bowerbird("export", name, "--db", database, "-o", archive)
    bowerbird("report", name, "--db", database, "-o", folder / f"{name}.html", "--replays", "0", "--quiet")
    return name


def bring(rung: Path, folder: Path, database: Path) -> str:
    """Import the records of a rung from its archive, unless the database has them. Return its name."""
    name: str = tomllib.loads(rung.read_text(encoding="utf-8"))["tournament"]["name"]
    runs = json.loads(bowerbird("runs", "--db", database, "--json")) if database.exists() else []
    if name not in {run["name"] for run in runs}:
        bowerbird("import", folder / f"{name}.tar.gz", "--db", database)
    return name


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the ladder and write results/ladder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rungs", type=Path, default=RUNGS, help="the folder of the tournament files (%(default)s)")
    parser.add_argument(
        "--only",
        action="append",
        metavar="RUNG",
        help="play only this rung, such as 5-champion; import the records of the others from their archives",
    )
    parser.add_argument("--into", type=Path, default=FOLDER, help="the folder to write to (%(default)s)")
    asked = parser.parse_args(arguments)
    rungs = {rung.stem: rung for rung in sorted(asked.rungs.glob("*.toml"))}
    for name in asked.only or ():
        if name not in rungs:
            parser.error(f"there is no rung {name}, only {', '.join(rungs)}")
    folder: Path = asked.into
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "ladder.db"
    names = [
        (bring if asked.only and name not in asked.only else play)(rung, folder, database)
        for name, rung in rungs.items()
    ]
    (folder / "standings.json").write_text(bowerbird("standings", *names, "--db", database, "--json"), encoding="utf-8")
    with Store.open(database) as store:
        results = [result for name in names for result in store.run(name).results()]
    text = "\n".join([INTRODUCTION, *table(results), "", *note(results), ""])
    (folder / "README.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
