"""The page scale.md and its tables."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.scale.page import PAGE
from benchmarks.scale.tables import TABLES, decision, disk, filled, fits, forecast, housing, task

FITS: list[dict[str, Any]] = [
    {"games": 1000, "bots": 10, "fit": 0.12, "rate": 0.05, "memory": 66 << 20},
    {"games": 100_000, "bots": 1000, "over": 120},
]
HOUSING = [
    {
        "bot": "python",
        "isolation": tier,
        "processes": 1.0,
        "threads": 9.0,
        "cpu": 0.36,
        "resident": 40 << 20,
        "private": 18 << 20,
        "referee": 1 << 19,
        "referee_threads": 3.8,
    }
    for tier in ("none", "sandbox")
]
LEFT_OUT = {"bot": "go", "isolation": "none", "left_out": "no go here"}
TASK = [{"sets": 64, "job": 724, "setup": 1982, "result": 525_247, "result_packed": 82_304}]
COST: dict[str, Any] = {"fits": FITS, "housing": HOUSING, "task": TASK}
MILLION: dict[str, Any] = {
    "decisions": 1_000_000,
    "games": 8_000,
    "sets": 4_000,
    "wall": 50.0,
    "peak_referee": 100 << 20,
    "growth": {"first": 80 << 20, "last": 84 << 20},
    "database": 70_000_000,
    "archive": 6_000_000,
    "rows": {"job": 4_000, "game": 8_000, "seat": 32_000},
    "standings": 8.0,
    "verify": 80.0,
}
BENCH: dict[str, Any] = {
    "figures": {
        key: {"label": key, "median": value}
        for key, value in {
            "compiled": 20_000.0,
            "compiled.own": 36.0,
            "compiled.bots": 14.0,
            "compiled.batch": 37.5,
            "compiled.jobs": 30_000.0,
            "python.bots": 36.0,
            "store.many": 400.0,
        }.items()
    }
}


def cells(lines: list[str], beginning: str) -> str:
    return next(line for line in lines if line.startswith(f"| {beginning}"))


def test_what_took_too_long_is_said_and_not_left_out() -> None:
    assert fits(FITS)[2:] == ["| 1,000 | 10 | 0.1 s | 50 µs | 66 MiB |", "| 100,000 | 1,000 | over 120 s | | |"]


def test_every_row_has_as_many_cells_as_its_head() -> None:
    tables = (fits(FITS), housing([*HOUSING, LEFT_OUT]), task(TASK), decision(BENCH), disk(MILLION), _forecast())
    for lines in tables:
        assert {line.count("|") for line in lines} == {lines[0].count("|")}, lines


def test_a_core_is_shared_by_referee_and_bots() -> None:
    assert decision(BENCH)[2:] == [
        "| compiled | 20,000 | 37.5 | 36 µs | 14 µs | 20,000 |",
        "| compiled.jobs | 30,000 | | | | |",
    ]


def test_the_forecast_is_in_proportion() -> None:
    lines = _forecast()
    assert cells(lines, "games, deal sets").endswith("| 8.0 million, 4.0 million |")
    assert cells(lines, "pairings").endswith("| 499,500, 8.0 |")
    assert cells(lines, "CPU of referees").endswith("| 10 core-hours |")
    assert cells(lines, "one referee").endswith("| 14 hours |")
    assert cells(lines, "database").endswith("| 70 GB |")
    assert cells(lines, "one writer").endswith("| 100,000 decisions/s, 2.8 hours |")
    assert cells(lines, "tasks").endswith("| 14 minutes of the scheduler |")


def test_a_table_goes_between_its_marks_and_nothing_else_changes() -> None:
    page = "before\n<!-- fits -->\nold\n<!-- /fits -->\nafter"
    assert filled(page, {"fits": ["new"]}) == "before\n<!-- fits -->\nnew\n<!-- /fits -->\nafter"
    with pytest.raises(ValueError, match="no place for disk"):
        filled(page, {"disk": []})


def test_the_page_has_a_place_for_every_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    names = [*TABLES, "machine", "decision", "disk", "forecast"]
    assert filled(page, {name: ["x"] for name in names}).count("\nx\n") == len(names)


def _forecast() -> list[str]:
    return forecast(BENCH, MILLION, COST)
