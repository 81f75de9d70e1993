"""The generated parts of champion.md: networks, levels, and the duels that `make bench-duel` played.

`python -m tests.support.docs.champion` writes them anew (`parts`).
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bots.champion.levels import DEFAULT, LEVELS
from bots.champion.network import NETWORKS, variants_with_network
from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS, ROOT

PAGE = DOCS / "explanation" / "champion.md"
DUELS = ROOT / "results" / "champion.jsonl"
"""A line for each duel, as `benchmarks.strength.duel --out` adds it. Of equal duels the last one counts."""

OPPONENT, LEVEL_OF_DUELS = "pimc:40", f"champion:{DEFAULT}"
MEASURED_AT = "euchre"
"""The variant in which the levels were measured against greedy."""


def found() -> dict[tuple[str, str, str], Any]:  # rows of JSON
    """Return the duels by variant and bots."""
    rows = [json.loads(line) for line in DUELS.read_text(encoding="utf-8").splitlines()]
    return {(row["variant"], row["first"], row["second"]): row for row in rows}


def networks() -> str:
    """Return a row for each network: how it was made."""
    rows = ["| variant | rounds | decisions | seed | seconds |", "|---|--:|--:|--:|--:|"]
    for variant in variants_with_network():
        with np.load(NETWORKS / f"{variant}.npz") as arrays:
            made = json.loads(str(arrays["made"]))
        rows.append(f"| {variant} | {made['rounds']} | {made['decisions']:,} | {made['seed']} | {made['seconds']} |")
    return "\n".join(rows)


def levels() -> str:
    """Return a row for each level: what it looks at, and what it cost and gained in euchre."""
    rows = [
        "| level | worlds drawn | worlds tried | actions tried | ms a decision | points a deal above greedy |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    duels = found()
    for number, level in LEVELS.items():
        row = duels[MEASURED_AT, f"champion:{number}", "greedy"]
        rows.append(
            f"| {number} | {level.drawn} | {level.worlds} | {level.actions if level.worlds else '-'} "
            f"| {row['first_ms']:.1f} | {row['gain']:+.2f} ± {row['reach']:.2f} ({row['deals']} deals) |"
        )
    return "\n".join(rows)


def duels() -> str:
    """Return a row for each variant with a network: points a deal above greedy, and above pimc."""
    rows = [
        "| variant | network alone | level 3 | ms | level 3 above `pimc` | ms | ms of `pimc` |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    played = found()
    for variant in variants_with_network():
        alone = played[variant, "champion:1", "greedy"]
        searching = played.get((variant, LEVEL_OF_DUELS, "greedy"))
        other = played.get((variant, LEVEL_OF_DUELS, OPPONENT))
        cells = [variant, _gain(alone), _gain(searching), _ms(searching, "first_ms")]
        cells += [_gain(other), _ms(other, "first_ms"), _ms(other, "second_ms")]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _gain(row: Any) -> str:
    if row is None:
        return "-"
    is_open = "" if abs(row["gain"]) > row["reach"] else " (open)"
    return f"{row['gain']:+.2f} ± {row['reach']:.2f}{is_open}, {row['deals']}"


def _ms(row: Any, key: str) -> str:
    return "-" if row is None else f"{row[key]:.1f}"


PARTS = {"networks": networks, "levels": levels, "duels": duels}


def main() -> None:
    """Write the parts anew."""
    write_parts({PAGE: PARTS})


if __name__ == "__main__":
    main()
