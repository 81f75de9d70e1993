"""The targets of the figures, and a readable table of the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.ratings.designs import (
    BIAS,
    BRIDGES,
    CHOSEN,
    EQUAL,
    FAMILIES,
    GAPS,
    GIFTS,
    HONEST,
    NORMALISED,
    SEASONS,
    SEATS,
    SETS,
    SWEEPS,
    UNEQUAL,
    VERSIONS,
    Design,
)
from benchmarks.ratings.simulation import Figure

NAME_WIDTH = 35
FIGURE_WIDTH = 13
SHORT_WIDTH = 7

Target = tuple[float, float]

RIGHT: Target = (0.94, 0.96)
ENOUGH: Target = (0.94, 1.0)
SELDOM: Target = (0.0, 0.05)

TARGETS: Mapping[str, Mapping[str, Target]] = {
    SEATS: {"difference": RIGHT, "rating": RIGHT},
    SETS: {"difference": ENOUGH, "rating": ENOUGH},
    UNEQUAL: {"difference": RIGHT, "rating": RIGHT},
    BRIDGES: {"difference": ENOUGH, "rating": ENOUGH},
    SWEEPS: {"difference": ENOUGH, "rating": ENOUGH},
    VERSIONS: {"difference": ENOUGH, "rating": ENOUGH},
    NORMALISED: {"normalised": RIGHT},
    EQUAL: {"ranks": SELDOM},
    GAPS: {"gain": (0.0, 1.0), "false": SELDOM},
    BIAS: {"reduced": (0.9, 1.1)},
    CHOSEN: {"difference": ENOUGH, "false": SELDOM},
    SEASONS: {"difference": ENOUGH, "false": SELDOM, "retired": SELDOM},
    HONEST: {"flagged": SELDOM},
    GIFTS: {"flagged": SELDOM, "found": (0.0, 1.0)},
}
"""The interval that must contain a figure, by family and measure."""

COLUMNS: Mapping[str, str] = {
    "difference": "difference",
    "rating": "rating",
    "normalised": "nElo",
    "ranks": "ranks",
    "single": "one by one",
    "step_down": "told apart",
    "gain": "gain",
    "false": "false",
    "reduced": "reduced",
    "plain": "plain",
    "flagged": "false flag",
    "found": "found",
    "retired": "retired",
    "open": "open",
    "width": "width",
}
"""The titles of the printed measures, in order."""

NOTE = (
    "±: 95% Monte Carlo error. !: outside the target by more than that.",
    "open: intervals with an infinite end. width: half of the others, median.",
)


def lines(found: Sequence[tuple[Design, Mapping[str, Figure]]]) -> list[str]:
    """Return the table, at most 80 columns wide, with a part for each family and its targets."""
    text: list[str] = []
    for family, title in FAMILIES.items():
        rows = [(design, figures) for design, figures in found if design.family == family]
        if not rows:
            continue
        keys = [key for key in COLUMNS if key in rows[0][1]]
        text += [title, _row("", (COLUMNS[key].rjust(_width(key) - 1) + " " for key in keys))]
        text += [_row("target", (_target_cell(family, key) for key in keys))]
        text += [_row(design.name, (_cell(family, key, figures[key]) for key in keys)) for design, figures in rows]
        text.append("")
    return [*text, *NOTE]


def tables_of(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the tables of rating-checks.md by name, in Markdown, from the JSON file."""
    rows = found["rows"]
    chosen = [_page_row(row, "step_down") for row in rows if row["family"] == CHOSEN]
    seasons = [_page_row(row, "retired") for row in rows if row["family"] == SEASONS]
    return {
        "ratings-chosen": _page_table("pairs told apart", chosen),
        "ratings-seasons": _page_table("seasons in which an equal version retired", seasons),
        "ratings-size": size_table(found["size"]) if "size" in found else ["Not measured yet."],
    }


def size_table(size: Mapping[str, Any]) -> list[str]:
    """Return the table of the cost of many bots, in Markdown."""
    subjects = {"plain": "a plain fit with scipy", "fit": "`fit`", "list": "the whole list"}
    plain = size["plain"]["cpu"]
    return [
        f"| {size['bots']:,} bots, {size['games']:,} games | CPU | of the plain fit's | peak memory |",
        "|---|--:|--:|--:|",
        *(
            f"| {name} | {size[key]['cpu']:.2f} s | {size[key]['cpu'] / plain:.2f} | {size[key]['memory']:.0f} MB |"
            for key, name in subjects.items()
        ),
    ]


def _page_table(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return ["Not measured yet."]
    head = f"| design | runs | coverage of 95% intervals | tables with a wrongly settled pair | {title} |"
    return [head, "|---|--:|--:|--:|--:|", *lines]


def _page_row(row: Mapping[str, Any], key: str) -> str:
    cells = [_page_cell(row["figures"].get(one)) for one in ("difference", "false", key)]
    return f"| {row['design']} | {row['replications']:,} | {' | '.join(cells)} |"


def _page_cell(figure: Mapping[str, Any] | None) -> str:
    """Return text such as `.948 ± .004`, or "" for a measure without a value."""
    if figure is None or figure["mean"] is None:
        return ""
    return f"{figure['mean']:.3f} ± {figure['error']:.3f}".replace("0.", ".")


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:{NAME_WIDTH}}{''.join(cells)}".rstrip()


def failures(design: Design, figures: Mapping[str, Figure]) -> list[str]:
    """Return the measures that miss their target by more than the Monte Carlo error."""
    return [key for key, target in TARGETS[design.family].items() if not figures[key].meets(*target)]


def _width(key: str) -> int:
    return SHORT_WIDTH if key in ("open", "width") else FIGURE_WIDTH


def _target_cell(family: str, key: str) -> str:
    low, high = TARGETS[family].get(key, (0.0, math.inf))
    text = "" if (low, high) == (0.0, math.inf) else f"{low:g} to {high:g}"
    return text.rjust(_width(key) - 1) + " "


def _cell(family: str, key: str, figure: Figure) -> str:
    if key == "open":
        return f"{figure.mean:.0%}".rjust(SHORT_WIDTH - 1) + " "
    if key == "width":
        return ("-" if math.isnan(figure.mean) else f"{figure.mean:.0f}").rjust(SHORT_WIDTH - 1) + " "
    if math.isnan(figure.mean):
        return "-".rjust(FIGURE_WIDTH - 1) + " "
    target = TARGETS[family].get(key)
    mark = "!" if target is not None and not figure.meets(*target) else " "
    return f"{figure.mean:.3f} ±{figure.error:.3f}{mark}".rjust(FIGURE_WIDTH)
