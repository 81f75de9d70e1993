"""What was measured, as numbers: medians over rounds, ratios within a round, aims, and how they are shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Round = Mapping[str, float]
"""What one round measured, by the key of a figure. A part that was left out has no keys."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that is measured. `part` is its letter in issue 8; `over` the key of what a ratio is shown to.

    One with `of` is a detail of the figure with that key, shown in a table of its own, in the column `label`.
    """

    key: str
    part: str
    label: str
    unit: str
    over: str = ""
    of: str = ""

    @property
    def column(self) -> str:
        """What stands above its column, if it is a detail."""
        return f"{self.label}, {self.unit}" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure should reach, or its ratio to another: at least, or at most `limit`."""

    text: str
    figure: str
    limit: float
    over: str = ""
    least: bool = True

    def reached(self, rounds: Sequence[Round]) -> float | None:
        """The median over the rounds; None where it was not measured."""
        return ratio(rounds, self.figure, self.over) if self.over else middle(rounds, self.figure)

    def is_met(self, value: float) -> bool:
        """Whether this is enough."""
        return value >= self.limit if self.least else value <= self.limit


def values(rounds: Sequence[Round], key: str) -> list[float]:
    """The values of a figure, round by round."""
    return [one[key] for one in rounds if key in one]


def middle(rounds: Sequence[Round], key: str) -> float | None:
    """The median of a figure."""
    found = values(rounds, key)
    return median(found) if found else None


def ratio(rounds: Sequence[Round], key: str, over: str) -> float | None:
    """The median of the ratios of two figures in each round, so that what slowed a whole round cancels out."""
    found = [one[key] / one[over] for one in rounds if key in one and one.get(over)]
    return median(found) if found else None


def number(value: float) -> str:
    """A number with about three digits that mean something."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int]) -> list[str]:
    """Rows as lines with columns of equal width; columns in `right` are set against the right edge."""
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
    """A line for each figure that was measured: median, least and greatest, and the ratio to what it stands beside."""
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
    """A line for each figure that has details, and a column for each kind of them; empty without any."""
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
    """A line for each aim: what it asks, what was reached, met or MISSED; what was not measured says so."""
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
    """Everything for programs: each figure with its rounds, each aim with what was reached."""
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
