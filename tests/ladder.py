"""`make ladder`: plays the reference bots over all variants and writes results/ladder/.

Interrupted, it goes on where it was. What is committed: README.md (the table), standings.json (the database, summed
up), records.tar.gz (every record, to be verified), report.html and the lists of games that it opens. The database
itself stays out of the repository.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from engine import variant_names
from harness.ratings.points import set_differences
from harness.records.rows import GameResult
from harness.records.store import Store

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "results" / "ladder"
DATABASE = FOLDER / "ladder.db"
BOWERBIRD = Path(sys.executable).with_name("bowerbird")
NAME = "ladder"
BASE = "greedy"
OTHERS = ("random", "pimc", "ismcts")
WIDE = 1.96
"""Standard errors on each side of a 95% interval."""


@dataclass(frozen=True, slots=True)
class Gap:
    """How many points a deal a bot makes more than greedy at the same tables, with half of the 95% interval."""

    mean: float
    half: float

    @property
    def is_settled(self) -> bool:
        """Whether the interval leaves out 0."""
        return abs(self.mean) > self.half

    def __str__(self) -> str:
        sign = "" if self.is_settled else " (open)"
        return f"{self.mean:+.2f} ± {self.half:.2f}{sign}"


def gap(results: Iterable[GameResult], bot: str) -> Gap | None:
    """The mean over deal sets, each one observation, since its games share their cards; None with fewer than two."""
    sets: dict[tuple[str, int], list[Fraction]] = {}
    for key, points in set_differences(results).items():
        if bot in points and BASE in points:
            sets.setdefault((key.entry, key.number), []).append(points[bot] - points[BASE])
    means = [float(sum(values, Fraction()) / len(values)) for values in sets.values()]
    if len(means) < 2:
        return None
    mean = sum(means) / len(means)
    variance = sum((value - mean) ** 2 for value in means) / (len(means) - 1)
    return Gap(mean, WIDE * math.sqrt(variance / len(means)))


def bowerbird(*arguments: str | Path) -> str:
    """Run the command; its standard output. Its progress goes to our stderr; ends with its exit code when it fails."""
    done = subprocess.run([BOWERBIRD, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def table(results: Sequence[GameResult]) -> list[str]:
    """The lines of the table, one for each variant."""
    lines = ["| variant | deals | random | pimc | ismcts |", "|---|--:|--:|--:|--:|"]
    for variant in variant_names():
        own = [result for result in results if result.variant == variant]
        gaps = [gap(own, bot) for bot in OTHERS]
        lines.append(f"| {variant} | {len(own)} | {' | '.join(map(str, gaps))} |")
    return lines


def note(results: Sequence[GameResult]) -> list[str]:
    """Where the order random < greedy < pimc is not shown, in words."""
    below, above = [], []
    for variant in variant_names():
        own = [result for result in results if result.variant == variant]
        low, high = gap(own, "random"), gap(own, "pimc")
        if low is None or low.mean + low.half >= 0:
            below.append(variant)
        if high is None or high.mean - high.half <= 0:
            above.append(variant)
    return [
        f"Random below greedy beyond doubt: {_but(below)}",
        f"Pimc above greedy beyond doubt: {_but(above)}",
    ]


def _but(open_: Sequence[str]) -> str:
    return "in every variant." if not open_ else f"in every variant but {', '.join(open_)}."


def main() -> None:
    """Play, then write what is committed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    bowerbird("tournament", ROOT / "tests" / "ladder.toml", "--db", DATABASE, "--jobs", "2", "--json")
    (FOLDER / "standings.json").write_text(bowerbird("standings", NAME, "--db", DATABASE, "--json"), encoding="utf-8")
    archive = FOLDER / "records.tar.gz"
    archive.unlink(missing_ok=True)
    bowerbird("export", NAME, "--db", DATABASE, "-o", archive)
    bowerbird("report", NAME, "--db", DATABASE, "-o", FOLDER / "report.html", "--replays", "0", "--quiet")
    with Store.open(DATABASE) as store:
        results = list(store.results(store.run(NAME).fingerprint))
    text = [
        "# The ladder",
        "",
        "What a new bot is measured against: the bundled bots in single deals of every variant, greedy at each table,",
        "the same cards for all. Points a deal more than greedy at the same tables, with a 95% interval; (open): it",
        "holds 0. For each decision pimc looks at 30 worlds and ismcts at 150, for 0.3 s at most. `make ladder` plays",
        "and writes this again; `bowerbird verify results/ladder/records.tar.gz` checks every record.",
        "",
        *table(results),
        "",
        *note(results),
        "",
    ]
    (FOLDER / "README.md").write_text("\n".join(text), encoding="utf-8")
    sys.stdout.write("\n".join(text))


if __name__ == "__main__":
    main()
