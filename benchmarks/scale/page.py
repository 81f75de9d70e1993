"""`make bench ARGS=scale-page`: writes the tables of scale.md and benchmarks/scale/README.md from other parts' results.

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
PAGE = ROOT / "docs" / "explanation" / "scale.md"
SIMULATED_PAGE = ROOT / "benchmarks" / "scale" / "README.md"
SIMULATED_TABLES = ("simulation-costs", "simulation")
"""The tables of `SIMULATED_PAGE`; all other tables are on the page."""

SOURCES = {"bench": "make bench", "million": "make bench ARGS=million", "cost": "make bench ARGS=cost"}
"""The results that the page needs, and the parts that write them."""

LATER = {"cluster": "make bench ARGS=cluster", "forecast": "make bench ARGS=forecast"}
"""The results that the page can do without."""


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
    """Write the page. Exit with code 2 if a required measurement is missing."""
    found: dict[str, Any] = {}
    for name, target in (SOURCES | LATER).items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text(encoding="utf-8"))
        elif name in SOURCES:
            sys.stderr.write(f"{path.relative_to(ROOT)} is missing: {target} writes it\n")
            sys.exit(2)
    tables = tables_of(found)
    for page, names in ((PAGE, tables.keys() - set(SIMULATED_TABLES)), (SIMULATED_PAGE, SIMULATED_TABLES)):
        text = filled(page.read_text(encoding="utf-8"), {name: tables[name] for name in names})
        page.write_text(text, encoding="utf-8")
        print(f"written: {page.relative_to(ROOT)}")
