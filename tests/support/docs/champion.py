"""The generated parts of champion.md, champion-training.md and the README of `benchmarks.strength`.

`python -m tests.support.docs.champion` regenerates them (`parts`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bowerbird.bots.champion.levels import DEFAULT, LEVELS
from bowerbird.bots.champion.network import NETWORKS, made_of, variants_with_networks
from bowerbird.engine import variant_names
from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS, ROOT

PAGE = DOCS / "explanation" / "champion.md"
TRAINING_PAGE = DOCS / "internals" / "champion-training.md"
MEASURED_PAGE = ROOT / "benchmarks" / "strength" / "README.md"
MEASURED = ROOT / "results" / "champion"
"""JSON-lines files, as `--out` of a benchmark extends them. Of equal measurements the last one counts."""

PIMC, LEVEL_OF_DUELS = "pimc:40", f"champion:{DEFAULT}"
QUICK, QUICK_PIMC = "champion:2", "pimc:10"
PAIRS = (("champion:1", "pimc:1"), (QUICK, QUICK_PIMC), (LEVEL_OF_DUELS, PIMC), ("champion:4", "pimc:120"))
"""Levels of champion beside pimc with the number of worlds that makes it cost about as much, or more."""

ERRORS_IN_REACH = 1.96
"""Standard errors in half an interval of 95%, where there are many deals."""

MEASURED_AT = "euchre"
"""The variant in which levels and inference were measured."""

Row = Any  # of JSON


def measured(name: str, *keys: str) -> dict[tuple[Any, ...], Row]:
    """Return the lines of a file of results by the values of their keys."""
    rows = [json.loads(line) for line in (MEASURED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return {tuple(row[key] for key in keys): row for row in rows}


def found() -> dict[tuple[Any, ...], Row]:
    """Return the duels by variant and bots."""
    return measured("duels", "variant", "first", "second")


def networks() -> str:
    """Return a row for each network: how it was made."""
    rows = ["| variant | rounds | decisions | seed | seconds |", "|---|--:|--:|--:|--:|"]
    for variant in variants_with_networks():
        made = made_of(NETWORKS / f"{variant}.npz")
        rows.append(f"| {variant} | {made['rounds']} | {made['decisions']:,} | {made['seed']} | {made['seconds']} |")
    return "\n".join(rows)


def levels() -> str:
    """Return a row for each level: what it looks at, and what it cost and gained in euchre."""
    rows = [
        "| level | drawn | tried | actions | ms | a second | above greedy |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    duels = found()
    for number, level in LEVELS.items():
        row = duels.get((MEASURED_AT, f"champion:{number}", "greedy"))
        speed = "-" if row is None else f"{_rounded(1000 / row['first_ms'])}"
        rows.append(
            f"| {number} | {level.drawn} | {level.worlds} | {level.actions if level.worlds else '-'} "
            f"| {_ms(row, 'first_ms')} | {speed} | {_gain(row)} |"
        )
    return "\n".join(rows)


def duels() -> str:
    """Return a row for each variant: points a deal above greedy of each bot, on one scale."""
    rows = ["| variant | `pimc` | network alone | level 3 | all-seeing |", "|---|--:|--:|--:|--:|"]
    played = found()
    for variant in variant_names():
        bots = (PIMC, "champion:1", LEVEL_OF_DUELS, "all-seeing")
        rows.append(f"| {variant} | {' | '.join(_gain(played.get((variant, bot, 'greedy'))) for bot in bots)} |")
    return "\n".join(rows)


def against(level: str, other: str) -> str:
    """Return a row for each variant that was measured: points a deal by which a level beats pimc, and the cost of both.

    A sentence after it counts the variants.
    """
    played = found()
    rows = [row for variant in variant_names() if (row := played.get((variant, level, other))) is not None]
    lines = [
        f"| variant | level {level.partition(':')[2]} above `pimc` | ms | ms of `pimc` |",
        "|---|--:|--:|--:|",
        *(f"| {row['variant']} | {_gain(row)} | {_ms(row, 'first_ms')} | {_ms(row, 'second_ms')} |" for row in rows),
        "",
        _tally(rows),
    ]
    return "\n".join(lines)


def _tally(rows: Sequence[Row]) -> str:
    """Return in how many variants the first bot is clearly ahead or behind, and what all of them say together."""
    ahead, behind = (sum(sign * row["gain"] > row["reach"] for row in rows) for sign in (1, -1))
    together = sum(row["gain"] / row["reach"] for row in rows) * ERRORS_IN_REACH / math.sqrt(len(rows))
    return (
        f"Beyond doubt ahead in {ahead} of {len(rows)} variants, behind in {behind or 'none'}; all together "
        f"{together:.1f}\nstandard errors, each variant counted alike."
    )


def costs() -> str:
    """Return a row for each level that was measured against pimc at the same cost: points a deal above it."""
    rows = ["| level | worlds of `pimc` | ms | ms of `pimc` | above `pimc` |", "|--:|--:|--:|--:|--:|"]
    played = found()
    for level, other in PAIRS:
        row = played.get((MEASURED_AT, level, other))
        if row is not None:
            numbers = (name.partition(":")[2] for name in (level, other))
            spent = (_ms(row, "first_ms"), _ms(row, "second_ms"))
            rows.append(f"| {' | '.join((*numbers, *spent, _gain(row)))} |")
    return "\n".join(rows)


def others() -> str:
    """Return a row for each match with OpenSpiel's search: points a deal above it, and seconds of both for a deal."""
    rows = ["| bot | simulations | above `ISMCTSBot` | s | its s |", "|---|--:|--:|--:|--:|"]
    for row in measured("ismcts", "bot", "simulations").values():
        seconds = " | ".join(f"{row[side] / row['deals']:.1f}" for side in ("our_seconds", "their_seconds"))
        rows.append(f"| `{row['bot']}` | {row['simulations']:,} | {_gain(row)} | {seconds} |")
    return "\n".join(rows)


def parts() -> str:
    """Return a row for each mixture of bids and play in euchre."""
    rows = ["| bids of | play of | above greedy |", "|---|---|--:|"]
    for (variant, first, second), row in found().items():
        if variant == MEASURED_AT and "/" in first and second == "greedy":
            bids, play = first.split("/")
            rows.append(f"| `{bids}` | `{play}` | {_gain(row)} |")
    return "\n".join(rows)


def inference() -> str:
    """Return a row for each number of tricks played, and a column for each bot that played."""
    rows = measured("inference", "variant", "bot", "tricks")
    bots = list(dict.fromkeys(bot for _, bot, _ in rows))
    lines = [f"| tricks played | {' | '.join(f'`{bot}`' for bot in bots)} |", f"|---|{'--:|' * len(bots)}"]
    for tricks in sorted({tricks for _, _, tricks in rows}):
        cells = [rows.get((MEASURED_AT, bot, tricks)) for bot in bots]
        texts = ["-" if row is None else f"{row['gain']:+.2f} ± {row['reach']:.2f}" for row in cells]
        lines.append(f"| {'none, bids only' if tricks < 0 else tricks} | {' | '.join(texts)} |")
    return "\n".join(lines)


def endings() -> str:
    """Return a row for each variant and number of tricks: what champion's judgement loses against exact solutions."""
    rows = [
        "| variant | left | decisions | values lose | network loses | solved a second |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for (variant, tricks), row in sorted(measured("endings", "variant", "tricks").items(), key=_in_order):
        lost = f"{row['by_values']:.3f} | {row['by_network']:.3f}"
        rows.append(f"| {variant} | {tricks} | {row['decisions']} | {lost} | {_rounded(row['a_second'])} |")
    return "\n".join(rows)


def _in_order(item: tuple[tuple[Any, ...], Row]) -> tuple[int, int]:
    variant, tricks = item[0]
    return variant_names().index(variant), tricks


def _rounded(number: float) -> str:
    """Return a number with two significant digits."""
    digits = max(0, len(str(int(number))) - 2)
    return f"{round(number, -digits):,.0f}"


def _gain(row: Any) -> str:
    if row is None:
        return "-"
    is_open = "" if abs(row["gain"]) > row["reach"] else " (open)"
    return f"{row['gain']:+.2f} ± {row['reach']:.2f}{is_open}, {row['deals']}"


def _ms(row: Any, key: str) -> str:
    return "-" if row is None else f"{row[key]:.1f}"


TRAINING_PARTS: dict[str, Callable[[], str]] = {
    "duels": duels,
    "costs": costs,
    "others": others,
    "parts": parts,
    "inference": inference,
}
MEASURED_PARTS: dict[str, Callable[[], str]] = {
    "networks": networks,
    "pimc": partial(against, LEVEL_OF_DUELS, PIMC),
    "quick": partial(against, QUICK, QUICK_PIMC),
    "endings": endings,
}
"""The parts with the figures of each variant, which are beside the benchmarks."""

PARTS = {PAGE: {"levels": levels}, TRAINING_PAGE: TRAINING_PARTS, MEASURED_PAGE: MEASURED_PARTS}
"""The generated parts of each page, by name."""


def main() -> None:
    """Regenerate the parts."""
    write_parts(PARTS)


if __name__ == "__main__":
    main()
