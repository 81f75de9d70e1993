"""`make scale-page`: writes the tables of results/scale.md anew from results/bench.json, million.json and cost.json.

The text around them is written by people and stays. It names the measurements and the machine of the figures.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks.machine import ROOT, described
from benchmarks.scale.tables import TABLES, decision, disk, filled, forecast

RESULTS = ROOT / "results"
PAGE = RESULTS / "scale.md"
SOURCES = {"bench": "make bench", "million": "make bench-million", "cost": "make bench-cost"}


def measured(machine: dict[str, Any]) -> str:
    """Return date and machine, and a warning if the machine was busy with other work."""
    line = described(machine)
    if machine["load"][0] > machine["cores"]:
        line += "; **busy with other work: rates are far too low, times of CPU somewhat too high**"
    return line


def main() -> None:
    """Write the page. Exit code 2 if a measurement is missing."""
    found: dict[str, Any] = {}
    for name, target in SOURCES.items():
        path = RESULTS / f"{name}.json"
        if not path.exists():
            sys.stderr.write(f"{path.relative_to(ROOT)} is missing: {target} writes it\n")
            sys.exit(2)
        found[name] = json.loads(path.read_text(encoding="utf-8"))
    tables = {name: write(found["cost"][name]) for name, write in TABLES.items()}
    tables["machine"] = ["", *(f"- `{SOURCES[name]}`: {measured(one['machine'])}" for name, one in found.items()), ""]
    tables["decision"] = decision(found["bench"])
    tables["disk"] = disk(found["million"])
    tables["forecast"] = forecast(found["bench"], found["million"], found["cost"])
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
