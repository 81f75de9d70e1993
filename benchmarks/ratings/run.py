"""`make bench ARGS=ratings`: coverage and error rates of the ratings, simulated, beside their targets.

The figures follow from the seed and the number of replications alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.machine import ROOT, facts
from benchmarks.ratings.designs import FAMILIES, Design, designs
from benchmarks.ratings.simulation import Figure, simulate
from benchmarks.ratings.table import TARGETS, failures, lines

RESULT = ROOT / "results" / "ratings.json"
REPLICATIONS = 1000


def positive(text: str) -> int:
    """Parse a number from 1. Raises ValueError."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def families(text: str) -> list[str]:
    """Parse names of families, separated by commas. Raises ArgumentTypeError for an unknown one."""
    names = text.split(",")
    if unknown := [name for name in names if name not in FAMILIES]:
        raise argparse.ArgumentTypeError(f"there is no family {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    return names


def asked() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--replications", type=positive, default=REPLICATIONS, help=f"a design ({REPLICATIONS})")
    parser.add_argument("--only", type=families, default=list(FAMILIES), help=f"of {','.join(FAMILIES)}")
    parser.add_argument("--design", default="", metavar="TEXT", help="only designs whose name contains this text")
    parser.add_argument("--jobs", type=positive, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=1, help="of all draws (1)")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help=f"written; by default {RESULT.name}, of all designs and replications"
    )
    return parser.parse_args()


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[Executor | None]:
    """Yield an executor of this many processes; None for one job, which needs no other process."""
    if jobs == 1:
        yield None
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def report(found: Sequence[tuple[Design, Mapping[str, Figure]]]) -> list[dict[str, object]]:
    """Return the rows of the JSON file."""
    return [
        {
            "family": design.family,
            "design": design.name,
            "figures": {key: _finite(one) for key, one in figures.items()},
            "targets": TARGETS[design.family],
            "missed": failures(design, figures),
        }
        for design, figures in found
    ]


def _finite(figure: Figure) -> dict[str, object]:
    """Return a figure as JSON: a measure without a value has no mean and no error."""
    return asdict(figure) if figure.replications else {"mean": None, "error": None, "replications": 0}


def main() -> None:
    """Simulate, print and write."""
    wanted = asked()
    chosen = [one for one in designs() if one.family in wanted.only and wanted.design in one.name]
    if not chosen:
        sys.exit(f"no design of {', '.join(wanted.only)} has {wanted.design!r} in its name")
    began = time.perf_counter()
    found: list[tuple[Design, dict[str, Figure]]] = []
    with workers(wanted.jobs) as executor:
        for design in chosen:
            figures = simulate(design, wanted.replications, seed=wanted.seed, executor=executor, jobs=wanted.jobs)
            found.append((design, figures))
            print(f"{time.perf_counter() - began:.0f} s: {design.family}, {design.name}", file=sys.stderr, flush=True)
    spent = round(time.perf_counter() - began)
    print("\n".join(lines(found)))
    print(f"{wanted.replications} replications a design, seed {wanted.seed}, {spent} s")
    is_whole = len(chosen) == len(designs()) and wanted.replications >= REPLICATIONS
    file = wanted.json or (RESULT if is_whole else None)
    if file is not None:
        known = {"machine": facts(), "seconds": spent, "replications": wanted.replications, "seed": wanted.seed}
        text = json.dumps({**known, "rows": report(found)}, indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")
        print(f"written: {file}")
