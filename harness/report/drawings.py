"""Geometry of a run's tables and curves: shades of cells, marks of intervals, lines of curves. Pure functions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = Sequence[float | None]
"""A value and both ends of its 95% interval. None means an unknown value or an infinite end."""

HEAT_STEPS = 10
"""Number of shades on each side of 0.5."""

RANGE_WIDTH = 110
"""Width of a drawn interval, in pixels."""

_NUMBER = re.compile(r"[<>+]?(-?\d+(?:\.\d+)?)")
_BEYOND = 1_000_000.0


def heat(share: float) -> str:
    """Return the CSS class of a cell for its score from 0 to 1, such as "g3" above 0.5 or "r3" below."""
    return f"{'g' if share >= 0.5 else 'r'}{round(abs(share - 0.5) * 2 * HEAT_STEPS)}"


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"


def brief(text: str, limit: int = 16) -> str:
    """Return the string, cut to `limit` characters, with a final "…", if it is longer."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def sort_key(text: str, span: Span | None = None) -> str:
    """Return the sort key of a cell: its number, or "" for none. An infinite end sorts beyond all numbers.

    span: the estimate in the cell, if any.
    """
    if span is not None:
        value, low, high = span
        if value is not None:
            return str(value)
        return str(_BEYOND + low) if low is not None else str(high - _BEYOND) if high is not None else ""
    found = _NUMBER.match(text)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class RangeMarks:
    """An interval as a line from `left` to `right`, in pixels, with a dot at `dot`. Ends can be open.

    dot: None if there is no value.
    """

    left: float
    right: float
    dot: float | None
    is_open_left: bool
    is_open_right: bool
    label: str


def range_marks(span: Span | None, spans: Iterable[Span | None]) -> RangeMarks | None:
    """Return the marks of an interval, on the scale of its column's intervals; None if there is nothing to draw."""
    if span is None or (span[1] is None and span[2] is None):
        return None
    known = [end for one in spans if one is not None for end in one if end is not None]
    low, width = min(known), max(1.0, max(known) - min(known))

    def at(value: float) -> float:
        return round(5 + (RANGE_WIDTH - 10) * (value - low) / width, 1)

    return RangeMarks(
        left=at(low if span[1] is None else span[1]),
        right=at(max(known) if span[2] is None else span[2]),
        dot=None if span[0] is None else at(span[0]),
        is_open_left=span[1] is None,
        is_open_right=span[2] is None,
        label=f"95% interval {'open' if span[1] is None else span[1]} to {'open' if span[2] is None else span[2]}",
    )


def bar_percent(ms: float, most: float) -> float:
    """Return the length of a bar as a percentage, on a logarithmic scale."""
    return round(100 * math.log1p(ms) / max(math.log1p(most), 0.1), 1)


@dataclass(frozen=True, slots=True)
class CurveLine:
    """The line of a bot: its `points` as SVG expects them, its last value, and the height of its label."""

    bot: int
    points: str
    end: float
    label_y: float


@dataclass(frozen=True, slots=True)
class Curves:
    """A drawing of the rating curves. `grid` contains (height, value) for each line, `ticks` (place, deal sets)."""

    lines: tuple[CurveLine, ...]
    grid: tuple[tuple[float, int], ...]
    ticks: tuple[tuple[float, int], ...]
    height: float


CURVE_BOX = (1000, 340)
"""Width and minimum height of the plot, and its margins: left, right, top and bottom."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 170, 14, 50
_LABEL_HEIGHT = 15
MOST_TICKS = 6
"""The most steps on the deal-set axis."""


def curve_drawing(sets: Sequence[int], lines: Sequence[Sequence[float | None]], bots: Sequence[int]) -> Curves | None:
    """Return the curves of `bots`, with ratings after `sets`; None if there are fewer than two points.

    A bot's curve begins at its first rating. A bot without a rating at the end has no curve.
    """
    ends = {bot: end for bot in bots if lines[bot] and (end := lines[bot][-1]) is not None}
    if len(sets) < 2 or not ends:
        return None
    width, height = CURVE_BOX
    values = [value for bot in ends for value in lines[bot] if value is not None]
    low, high = math.floor((min(values) - 10) / 50) * 50, math.ceil((max(values) + 10) / 50) * 50

    def x(one: int) -> float:
        return _LEFT + (width - _LEFT - _RIGHT) * one / sets[-1]

    def y(one: float) -> float:
        return _TOP + (height - _TOP - _BOTTOM) * (high - one) / (high - low)

    step = max(50, math.ceil((high - low) / 300) * 50)
    grid = tuple((round(y(one), 1), one) for one in range(math.ceil(low / step) * step, high + 1, step))
    ticks = tuple((round(x(one), 1), one) for one in range(0, sets[-1] + 1, _round_step(sets[-1] / MOST_TICKS)))
    drawn: list[CurveLine] = []
    for bot, end in sorted(ends.items(), key=lambda one: y(one[1])):
        label = max(y(end), drawn[-1].label_y + _LABEL_HEIGHT) if drawn else y(end)
        known = ((at, value) for at, value in zip(sets, lines[bot], strict=True) if value is not None)
        points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in known)
        drawn.append(CurveLine(bot, points, end, round(label, 1)))
    return Curves(tuple(drawn), grid, ticks, max(height, drawn[-1].label_y + 20))


def _round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that is at least `least`."""
    power = 10 ** max(0, math.floor(math.log10(max(least, 1))))
    return next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= least)
