"""`make bench ARGS=scale-page`: writes the tables of docs/explanation/scale.md, docs/internals/benchmarks.md and
benchmarks/scale/README.md from what other parts found (results/).

It does not change the text around them. A table whose benchmark has not run yet stays empty.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.scale.tables import (
    TABLES,
    cluster,
    decision,
    disk,
    filled,
    forecast,
    forecast_costs,
    forecast_rows,
    machines,
)

RESULTS = ROOT / "results"
PAGES = {
    ROOT / "docs" / "explanation" / "scale.md": ("disk",),
    ROOT / "docs" / "internals" / "benchmarks.md": (
        "machine",
        "decision",
        "fits",
        "housing",
        "forecast",
        "cluster",
        "task",
    ),
    ROOT / "benchmarks" / "scale" / "README.md": ("simulation-costs", "simulation"),
}
"""The tables of each page."""

SOURCES = {"bench": "make bench", "million": "make bench ARGS=million", "cost": "make bench ARGS=cost"}
"""What the pages need, and what writes it."""

LATER = {"cluster": "make bench ARGS=cluster", "forecast": "make bench ARGS=forecast"}
"""What the pages do without."""


def tables_of(found: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return the lines of each table, by name; `found` contains the results of each benchmark that ran."""
    targets = {name: target for name, target in (SOURCES | LATER).items() if "machine" in found.get(name, {})}
    simulated = found.get("forecast")
    return {
        **{name: write(found["cost"][name]) for name, write in TABLES.items()},
        "machine": machines({target: found[name]["machine"] for name, target in targets.items()}),
        "decision": decision(found["bench"]),
        "disk": disk(found["million"]),
        "forecast": forecast(found["bench"], found["million"], found["cost"]),
        "cluster": cluster(found["cluster"]) if "cluster" in found else (),
        "simulation-costs": forecast_costs(simulated) if simulated is not None else (),
        "simulation": forecast_rows(simulated) if simulated is not None else (),
    }


def main() -> None:
    """Write the pages. Exit with code 2 if a required measurement is missing."""
    found: dict[str, Any] = {}
    for name, target in (SOURCES | LATER).items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text(encoding="utf-8"))
        elif name in SOURCES:
            sys.stderr.write(f"{path.relative_to(ROOT)} is missing: {target} writes it\n")
            sys.exit(2)
    tables = tables_of(found)
    for page, names in PAGES.items():
        text = filled(page.read_text(encoding="utf-8"), {name: tables[name] for name in names})
        page.write_text(text, encoding="utf-8")
        print(f"written: {page.relative_to(ROOT)}")
