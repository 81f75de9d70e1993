"""The tables of docs/internals/rating-checks.md, in Markdown, from the results of `make bench ARGS=pairing`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

METHODS = ("adaptive", "round-robin", "Swiss", "random")


def tables_of(found: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return the lines of each table, by name."""
    return {
        "pairing-sets": _sets(found["fields"]),
        "pairing-slow": _slow(found["slow"]),
        "pairing-newcomers": _newcomers(found["newcomers"]),
        "pairing-leaving": _leaving(found["leaving"]),
        "pairing-machine": _machine(found),
    }


def _sets(fields: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        f"| bots | variants | {' | '.join(METHODS)} | worlds |",
        f"|--:|--:|{'--:|' * len(METHODS)}--:|",
    ]
    for field in fields:
        cells = [
            f"more than {field['most']:,}" if sets is None else f"{sets:,.0f}"
            for sets in (field["sets"][method] for method in METHODS)
        ]
        lines.append(f"| {field['bots']} | {field['variants']} | {' | '.join(cells)} | {field['seeds']} |")
    return lines


def _slow(slow: Mapping[str, Mapping[str, float]]) -> list[str]:
    return [
        "| method | deal sets | hours of thinking | of which the slow bot |",
        "|---|--:|--:|--:|",
        *(
            f"| {method} | {one['sets']:,.0f} | {one['hours']:.2f} | {one['share']:.0%} |"
            for method, one in slow.items()
        ),
    ]


def _newcomers(seeds: Sequence[Mapping[str, float]]) -> list[str]:
    own, everything = (median(one[key] for one in seeds) for key in ("own_sets", "all_sets"))
    late = sum(one["late"] for one in seeds)
    return [
        "| its own deal sets | deal sets of all bots | newcomers that did not get there |",
        "|--:|--:|--:|",
        f"| {own:.0f} | {everything:.0f} | {late:.0f} |",
    ]


def _leaving(leaving: Mapping[str, Any]) -> list[str]:
    return [
        "| | deal sets until the others are in order |",
        "|---|--:|",
        f"| it leaves after {leaving['after']} | {leaving['left']:,.0f} |",
        f"| it stays | {leaving['stayed']:,.0f} |",
    ]


def _machine(found: Mapping[str, Any]) -> list[str]:
    machine = found["machine"]
    return [f"Simulated on {machine['when'][:10]} in {found['seconds']} s with {machine['python']}."]
