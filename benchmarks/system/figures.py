"""Figures: medians over rounds, ratios within a round, aims, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Round = Mapping[str, float]
"""The values of one round, by the key of the figure. A part that was left out has no keys."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure. `part` is the letter of its part; `over` is the key of the figure that it is compared with.

    With `of` it is a detail of the figure with that key, shown in a separate table, in the column `label`.
    """

    key: str
    part: str
    label: str
    unit: str
    over: str = ""
    of: str = ""

    @property
    def column(self) -> str:
        """The heading of its column, if it is a detail."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Aim:
    """A limit for a figure, or for its ratio to the figure `over`: at least `limit` if `least`, otherwise at most."""

    text: str
    figure: str
    limit: float
    over: str = ""
    least: bool = True

    def reached(self, rounds: Sequence[Round]) -> float | None:
        """Return the median over the rounds; None if the figure was not measured."""
        return ratio(rounds, self.figure, self.over) if self.over else middle(rounds, self.figure)

    def is_met(self, value: float) -> bool:
        """Return whether `value` meets the aim."""
        return value >= self.limit if self.least else value <= self.limit


def values(rounds: Sequence[Round], key: str) -> list[float]:
    """Return the values of a figure, round by round."""
    return [one[key] for one in rounds if key in one]


def middle(rounds: Sequence[Round], key: str) -> float | None:
    """Return the median of a figure."""
    found = values(rounds, key)
    return median(found) if found else None


def ratio(rounds: Sequence[Round], key: str, over: str) -> float | None:
    """Return the median of the ratios of two figures within each round, so that slow rounds cancel out."""
    found = [one[key] / one[over] for one in rounds if key in one and one.get(over)]
    return median(found) if found else None


def number(value: float) -> str:
    """Format a number with about three significant digits."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int]) -> list[str]:
    """Return rows as lines with aligned columns; those in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    at_right = set(right)
    return [
        "  ".join(
            cell.rjust(width) if place in at_right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def figure_table(figures: Sequence[Figure], rounds: Sequence[Round]) -> list[str]:
    """Return a line for each measured figure: median, minimum, maximum, and the ratio to the figure `over`."""
    labels = {figure.key: figure.label for figure in figures}
    rows = [["", "", "median", "", "least", "most", "ratio"]]
    for figure in figures:
        found = values(rounds, figure.key)
        if not found or figure.of:
            continue
        beside = ratio(rounds, figure.key, figure.over) if figure.over else None
        compared = f"{number(beside)} of {labels[figure.over]}" if beside is not None else ""
        rows.append(
            [
                f"({figure.part})",
                figure.label,
                number(median(found)),
                figure.unit,
                number(min(found)),
                number(max(found)),
                compared,
            ]
        )
    return aligned(rows, right=(2, 4, 5))


def detail_table(figures: Sequence[Figure], rounds: Sequence[Round]) -> list[str]:
    """Return a line for each figure with details, and a column for each kind of detail; [] if there are none."""
    details = [figure for figure in figures if figure.of and values(rounds, figure.key)]
    if not details:
        return []
    columns = list(dict.fromkeys(figure.column for figure in details))
    shown = {figure.of: dict.fromkeys(columns, "") for figure in details}
    for figure in details:
        shown[figure.of][figure.column] = number(median(values(rounds, figure.key)))
    labels = {figure.key: (figure.part, figure.label) for figure in figures}
    rows = [["", "", *columns]]
    rows += [[f"({labels[key][0]})", labels[key][1], *cells.values()] for key, cells in shown.items()]
    return aligned(rows, right=range(2, 2 + len(columns)))


def aim_table(aims: Sequence[Aim], rounds: Sequence[Round]) -> list[str]:
    """Return a line for each aim: its text, the reached value, and whether it was met, MISSED or not measured."""
    rows = [["aim", "", "reached", ""]]
    for aim in aims:
        value = aim.reached(rounds)
        verdict = "not measured" if value is None else "met" if aim.is_met(value) else "MISSED"
        asked = f"{'at least' if aim.least else 'at most'} {number(aim.limit)}"
        rows.append([aim.text, asked, "" if value is None else number(value), verdict])
    return aligned(rows, right=(2,))


def report(
    figures: Sequence[Figure], aims: Sequence[Aim], rounds: Sequence[Round], **more: object
) -> dict[str, object]:
    """Return the report as data: each figure with its rounds, each aim with the value reached, and `more`."""
    return {
        **more,
        "figures": {
            figure.key: {
                "part": figure.part,
                "label": figure.label,
                "unit": figure.unit,
                "median": middle(rounds, figure.key),
                "rounds": values(rounds, figure.key),
            }
            for figure in figures
            if values(rounds, figure.key)
        },
        "aims": [
            {
                "text": aim.text,
                "least" if aim.least else "most": aim.limit,
                "reached": (value := aim.reached(rounds)),
                "met": None if value is None else aim.is_met(value),
            }
            for aim in aims
        ],
    }
