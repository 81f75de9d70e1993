"""The tables of scale.md, benchmarks.md and the README of benchmarks/scale."""

from __future__ import annotations

import re

import pytest

from benchmarks.scale.page import PAGES, tables_of
from benchmarks.scale.tables import (
    cluster,
    decision,
    disk,
    filled,
    fits,
    forecast,
    forecast_costs,
    forecast_rows,
    housing,
    machines,
    task,
)
from tests.support.scale_results import BENCH, CLUSTER, COST, FITS, HOUSING, LEFT_OUT, MACHINE, MILLION, SIMULATED, TASK


def cells(lines: list[str], beginning: str) -> str:
    return next(line for line in lines if line.startswith(f"| {beginning}"))


def test_what_took_too_long_is_said_and_not_left_out() -> None:
    assert fits(FITS)[2:] == ["| 1,000 | 10 | 0.1 s | 66 MiB |", "| 100,000 | 1,000 | over 120 s | |"]


def test_every_row_has_as_many_cells_as_its_head() -> None:
    tables = [fits(FITS), housing([*HOUSING, LEFT_OUT]), task(TASK), decision(BENCH), disk(MILLION), _forecast()]
    tables += (cluster(CLUSTER), forecast_costs(SIMULATED), forecast_rows(SIMULATED), machines({"make": MACHINE}))
    for lines in tables:
        for table in "\n".join(lines).split("\n\n"):
            assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_a_core_is_shared_by_referee_and_bots() -> None:
    assert decision(BENCH)[2:] == [
        "| compiled | 20,000 | 37.5 | 36 µs | 14 µs | 20,000 |",
        "| compiled.jobs | 30,000 | | | | |",
        "| python.jobs | 20,000 | | | | |",
    ]


def test_the_forecast_is_in_proportion() -> None:
    lines = _forecast()
    assert cells(lines, "games, deal sets").endswith("| 8.0 million, 4.0 million |")
    assert cells(lines, "pairings").endswith("| 499,500, 8.0 |")
    assert cells(lines, "CPU of referees").endswith("| 10 core-hours |")
    assert cells(lines, "one referee").endswith("| 14 hours |")
    assert cells(lines, "database").endswith("| 70 GB |")
    assert cells(lines, "one writer").endswith("| 100,000 decisions/s, 2.8 hours |")
    assert cells(lines, "results that come back").endswith("| 33 GB |")


def test_a_simulation_of_some_rounds_is_shown_as_long_as_all() -> None:
    assert forecast_rows(SIMULATED) == [
        "| bots answer at once; workers | 10 |",
        "|---|--:|",
        "| time | 5.0 h |",
        "| idle | 25% |",
        "| run busy | 50% |",
        "| blocks | 5,000 |",
        "| calls/s | 3 |",
        "| lost | 10 |",
        "| their time | 0.5 h |",
        "| waiting | 2,048 |",
        "| database | 2.0 MB/s |",
    ]


def test_an_assumed_cost_is_marked() -> None:
    lines = forecast_costs(SIMULATED)
    assert cells(lines, "round trip").endswith("| 5.0 ms (assumed) |")
    assert cells(lines, "to take a deal set in").endswith("| 400 µs |")


def test_the_machine_that_was_busy_is_named() -> None:
    calm = MACHINE | {"load": [1.0, 1.0]}
    assert "busy" in machines({"make bench": MACHINE})[-1]
    assert "busy" not in machines({"make bench": calm})[-1]


def test_a_cluster_is_compared_with_the_jobs_of_one_machine() -> None:
    lines = cluster(CLUSTER)
    assert cells(lines, "their ratio").endswith("| 0.95 |")
    assert cells(lines, "CPU of the scheduler, of a core").endswith("| 2.0% |")


def test_a_table_goes_between_its_marks_and_nothing_else_changes() -> None:
    page = "before\n<!-- fits -->\nold\n<!-- /fits -->\nafter"
    assert filled(page, {"fits": ["new"]}) == "before\n<!-- fits -->\nnew\n<!-- /fits -->\nafter"
    with pytest.raises(ValueError, match="no place for disk"):
        filled(page, {"disk": []})


def test_the_pages_have_a_place_for_every_table() -> None:
    tables = tables_of({"bench": BENCH, "million": MILLION, "cost": COST})
    assert sorted(tables) == sorted(name for names in PAGES.values() for name in names)
    for path, names in PAGES.items():
        page = path.read_text(encoding="utf-8")
        assert filled(page, {name: ["x"] for name in names}).count("\nx\n") == len(names)
        assert set(re.findall("<!-- /(.+) -->", page)) == set(names)


def test_a_table_without_its_benchmark_stays_empty() -> None:
    found = {"bench": BENCH, "million": MILLION, "cost": COST}
    assert [name for name, lines in tables_of(found).items() if not lines] == [
        "cluster",
        "simulation-costs",
        "simulation",
    ]
    assert all(tables_of(found | {"cluster": CLUSTER, "forecast": SIMULATED}).values())


def _forecast() -> list[str]:
    return forecast(BENCH, MILLION, COST)
