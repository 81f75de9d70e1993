"""`make bench ARGS=pairing`: simulates, and writes results/pairing.json and its tables in rating-checks.md.

This takes about ten minutes on one core. `--quick` simulates less and only prints the results.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Any

from benchmarks.machine import ROOT, facts
from benchmarks.pairing.studies import after_leaving, newcomer_every_epoch, sets_needed, slow_bot
from benchmarks.pairing.tables import tables_of
from benchmarks.scale.tables import filled

RESULT = ROOT / "results" / "pairing.json"
PAGE = ROOT / "docs" / "internals" / "rating-checks.md"

FIELDS = {
    (5, 1): (31, 2000),
    (5, 7): (31, 2000),
    (5, 21): (31, 2000),
    (20, 1): (25, 4000),
    (20, 7): (15, 4000),
    (20, 21): (9, 4000),
    (50, 1): (5, 6000),
    (50, 7): (3, 6000),
    (50, 21): (3, 6000),
}
"""(bots, variants): (seeds, maximum number of sets)."""

QUICK = {(5, 1): (5, 1000), (5, 7): (5, 1000)}
SLOW_FIELD = (12, 3)
SLOW_METHODS = ("adaptive", "round-robin", "Swiss", "random")


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="few seeds and bots; only print the results")
    asked = parser.parse_args()
    began = time.perf_counter()
    machine = facts()

    def tell(what: str) -> None:
        print(f"{time.perf_counter() - began:.0f} s: {what}", file=sys.stderr, flush=True)

    fields: list[dict[str, Any]] = []
    for (bots, variants), (seeds, most) in (QUICK if asked.quick else FIELDS).items():
        fields.append({"bots": bots, "variants": variants, "seeds": seeds, "most": most})
        fields[-1]["sets"] = sets_needed(bots, variants, seeds, most)
        tell(f"{bots} bots in {variants} variants: {fields[-1]['sets']}")
    seeds = 2 if asked.quick else 9
    slow = {method: asdict(slow_bot(*SLOW_FIELD, seeds, 4000, method)) for method in SLOW_METHODS}
    tell(f"a slow bot: {slow}")
    arrivals = [asdict(newcomer_every_epoch(20, 3, 3 if asked.quick else 8, seed)) for seed in range(seeds)]
    tell(f"newcomers: {arrivals}")
    left, stayed = after_leaving(*SLOW_FIELD, seeds, 100, 4000)
    tell(f"a bot leaves: {left} and {stayed} sets")
    result = {
        "machine": machine,
        "fields": fields,
        "slow_field": SLOW_FIELD,
        "slow": slow,
        "newcomers": arrivals,
        "leaving": {"left": left, "stayed": stayed, "after": 100, "field": SLOW_FIELD},
        "seconds": round(time.perf_counter() - began),
    }
    tables = tables_of(result)
    print("\n\n".join("\n".join(lines) for lines in tables.values()))
    if not asked.quick:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        print(f"\nwritten: {RESULT.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}")
