"""`make bench ARGS=ratings`: simulated coverage and error rates of the ratings, with their targets.

The figures depend only on the seed and the number of replications. Each design is written as soon as it is done and
replaces its earlier figures; other designs in the file stay.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.ratings.designs import FAMILIES, Design, designs
from benchmarks.ratings.simulation import Figure, simulate
from benchmarks.ratings.size import BOTS, compared
from benchmarks.ratings.table import TARGETS, failures, lines, size_table, tables_of
from benchmarks.scale.tables import filled

RESULT = ROOT / "results" / "ratings.json"
PAGE = ROOT / "docs" / "internals" / "rating-checks.md"
REPLICATIONS = 1000


def positive(text: str) -> int:
    """Parse a whole number of at least 1. Raises ValueError."""
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
    parser.add_argument(
        "--replications", type=positive, default=REPLICATIONS, help=f"replications of each design ({REPLICATIONS})"
    )
    parser.add_argument(
        "--only", type=families, default=list(FAMILIES), help=f"families to simulate, of {','.join(FAMILIES)}"
    )
    parser.add_argument("--design", default="", metavar="TEXT", help="only designs whose name contains this text")
    parser.add_argument("--jobs", type=positive, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all draws (1)")
    parser.add_argument(
        "--size",
        type=positive,
        metavar="ROUNDS",
        help=f"instead, compare the cost of {BOTS:,} bots with a plain scipy fit; medians of this many rounds",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help=f"file to write; by default {RESULT.name}, with all replications"
    )
    return parser.parse_args()


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[Executor | None]:
    """Yield an executor with this many processes; None for one job, which runs in this process."""
    if jobs == 1:
        yield None
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def row_of(design: Design, figures: Mapping[str, Figure], *, replications: int, seed: int) -> dict[str, Any]:
    """Return a design's row for the JSON file."""
    return {
        "family": design.family,
        "design": design.name,
        "replications": replications,
        "seed": seed,
        "when": time.strftime("%Y-%m-%d", time.gmtime()),
        "figures": {key: _finite(one) for key, one in figures.items()},
        "targets": TARGETS[design.family],
        "missed": failures(design, figures),
    }


def _finite(figure: Figure) -> dict[str, object]:
    """Return a figure as JSON; without a value, it has neither a mean nor an error."""
    return asdict(figure) if figure.replications else {"mean": None, "error": None, "replications": 0}


def read(file: Path) -> dict[str, Any]:
    """Return the contents of the file: the `rows` of designs and, once measured, the `size`."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rows": []}
    return found


def write(file: Path, row: Mapping[str, Any]) -> None:
    """Write a design's row into the file, replacing an earlier one; for `RESULT`, also write the tables of the page."""
    known = read(file)
    order = {(one.family, one.name): place for place, one in enumerate(designs())}
    rows = {(one["family"], one["design"]): one for one in [*known["rows"], row]}
    save(file, {**known, "rows": [rows[key] for key in sorted(rows.keys() & order, key=order.__getitem__)]})


def save(file: Path, found: Mapping[str, Any]) -> None:
    """Write the file; for `RESULT`, also write the tables of the page."""
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if file == RESULT:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables_of(found)), encoding="utf-8")


def main() -> None:
    """Simulate, print and write."""
    wanted = asked()
    if wanted.size:
        size = compared(wanted.size)
        print("\n".join(size_table(size)))
        if wanted.json:
            save(wanted.json, {**read(wanted.json), "size": size})
        return
    chosen = [one for one in designs() if one.family in wanted.only and wanted.design in one.name]
    if not chosen:
        sys.exit(f"no design of {', '.join(wanted.only)} has {wanted.design!r} in its name")
    file = wanted.json or (RESULT if wanted.replications >= REPLICATIONS else None)
    began = time.perf_counter()
    found: list[tuple[Design, dict[str, Figure]]] = []
    with workers(wanted.jobs) as executor:
        for design in chosen:
            figures = simulate(design, wanted.replications, seed=wanted.seed, executor=executor, jobs=wanted.jobs)
            found.append((design, figures))
            if file is not None:
                write(file, row_of(design, figures, replications=wanted.replications, seed=wanted.seed))
            print(f"{time.perf_counter() - began:.0f} s: {design.family}, {design.name}", file=sys.stderr, flush=True)
    print("\n".join(lines(found)))
    print(f"{wanted.replications} replications a design, seed {wanted.seed}, {time.perf_counter() - began:.0f} s")
    if file is not None:
        print(f"written: {file}")
