"""Draws a learning curve as SVG from the output of `train.py --curve`: `python curve.py curve.csv curve.svg`."""

from __future__ import annotations

import csv
import sys
from math import ceil
from pathlib import Path

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 48, 28, 34, 46
STEPS = [digit * 10**power for power in range(3, 12) for digit in (1, 2, 5)]
MOST_STEPS = 6
"""The number of decisions between two labels of the axis: the first of STEPS that gives few enough labels."""

STYLE = """
  svg { background: #fff; color: #1f2723; font: 13px system-ui, sans-serif }
  .grid { stroke: #d5ddd8 } .line { fill: none; stroke: #18794e; stroke-width: 2.5 } .band { fill: #18794e33 }
  text { fill: currentColor }
  @media (prefers-color-scheme: dark) {
    svg { background: #14191a; color: #dfe7e2 } .grid { stroke: #39433f } .line { stroke: #5cc596 }
    .band { fill: #5cc59640 }
  }"""


def drawn(rows: list[tuple[int, float, float]]) -> str:
    """Return the picture. Each row has the number of decisions, the points a hand, and their standard error."""
    most = max(decisions for decisions, _, _ in rows) or 1
    high = ceil(max(points + 2 * error for _, points, error in rows) * 5) / 5
    low = min(0.0, *(points - 2 * error for _, points, error in rows))

    def x(decisions: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * decisions / most, 1)

    def y(points: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (points - low) / (high - low), 1)

    parts = []
    for step in range(round(high * 5) + 1):
        level = step / 5
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(level)}" y2="{y(level)}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(level) + 4}" text-anchor="end">{level:.1f}</text>')
    every = next(each for each in STEPS if most / each <= MOST_STEPS)
    for decisions in range(0, most + 1, every):
        label = f"{decisions / 1e6:g}"
        parts.append(f'<text x="{x(decisions)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{label}</text>')
    upper = [f"{x(decisions)},{y(points + 2 * error)}" for decisions, points, error in rows]
    lower = [f"{x(decisions)},{y(points - 2 * error)}" for decisions, points, error in reversed(rows)]
    parts.append(f'<polygon class="band" points="{" ".join([*upper, *lower])}"/>')
    line = " ".join(f"{x(decisions)},{y(points)}" for decisions, points, _ in rows)
    parts.append(f'<polyline class="line" points="{line}"/>')
    parts.append('<text x="4" y="16">points a hand against random play</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">decisions learnt from (millions)</text>'
    )
    title = "Points a hand of the policy against random play, by decisions learnt from"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
    return "\n".join([head, f"<style>{STYLE}\n</style>", *parts, "</svg>", ""])


def main() -> None:
    """Read the CSV file named by the first argument and write the SVG file named by the second."""
    source, target = map(Path, sys.argv[1:])
    with source.open(encoding="utf-8") as file:
        rows = [(int(row["decisions"]), float(row["points"]), float(row["error"])) for row in csv.DictReader(file)]
    target.write_text(drawn(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
