"""The figures that `make bench` computes from its rounds (medians, ratios, aims, JSON)."""

from __future__ import annotations

import json

import pytest

from benchmarks.system.figures import Aim, Figure, aim_table, detail_table, figure_table, middle, number, ratio, report

BARE = Figure("bare", "a", "bare gRPC", "/s")
ONE = Figure("one", "b", "referee", "decisions/s", over="bare")
BATCH = Figure("one.batch", "b", "decisions a message", "", of="one")
ROUNDS = [
    {"bare": 3000.0, "one": 1800.0, "one.batch": 1.0},
    {"bare": 1000.0, "one": 700.0, "one.batch": 1.0},
    {"bare": 2000.0, "one": 1300.0, "one.batch": 1.0},
]


def test_the_median_is_over_rounds() -> None:
    assert middle(ROUNDS, "bare") == 2000


def test_a_ratio_is_taken_within_each_round() -> None:
    # A round on a busy machine slows both: 0.6, 0.7, 0.65, and not 1300 / 2000 of the medians by accident.
    assert ratio([*ROUNDS[:2], {"bare": 100.0, "one": 90.0}], "one", "bare") == pytest.approx(0.7)


def test_what_was_not_measured_has_neither_median_nor_ratio() -> None:
    assert middle(ROUNDS, "verify") is None
    assert ratio(ROUNDS, "one", "verify") is None
    assert Aim("help", "help", 1.5).reached(ROUNDS) is None


@pytest.mark.parametrize(
    ("limit", "least", "verdict"),
    [(0.65, True, "met"), (0.66, True, "MISSED"), (0.65, False, "met"), (0.6, False, "MISSED")],
)
def test_an_aim_is_met_or_missed_by_its_median(limit: float, least: bool, verdict: str) -> None:
    lines = aim_table([Aim("(b) of (a)", "one", limit, over="bare", least=least)], ROUNDS)
    assert lines[1].endswith(verdict), lines
    assert "0.65" in lines[1]


def test_an_aim_that_was_not_measured_is_not_called_met() -> None:
    lines = aim_table([Aim("start", "start", 0.3, least=False)], ROUNDS)
    assert lines[1].endswith("not measured"), lines


def test_the_table_shows_the_ratio_beside_the_median() -> None:
    _, bare, one = figure_table([BARE, ONE, BATCH], ROUNDS)
    assert bare.split() == ["(a)", "bare", "gRPC", "2,000", "/s", "1,000", "3,000"]
    assert one.endswith("0.65 of bare gRPC")


def test_details_stand_in_a_table_of_their_own() -> None:
    assert detail_table([BARE], ROUNDS) == []
    head, line = detail_table([BARE, ONE, BATCH], ROUNDS)
    assert head.strip() == "decisions a message"
    assert line.split() == ["(b)", "referee", "1.00"]


def test_a_part_that_was_left_out_has_no_line() -> None:
    assert len(figure_table([BARE, Figure("go", "c", "compiled", "/s")], ROUNDS)) == 2


def test_the_json_holds_every_round_and_every_aim() -> None:
    aims = [Aim("(b) of (a)", "one", 0.6, over="bare"), Aim("help", "help", 1.5, least=False)]
    found = json.loads(json.dumps(report([BARE, ONE], aims, ROUNDS, machine={"cores": 2})))
    assert found["machine"] == {"cores": 2}
    assert found["figures"]["one"]["rounds"] == [1800.0, 700.0, 1300.0]
    assert found["aims"][0] == {"text": "(b) of (a)", "least": 0.6, "reached": pytest.approx(0.65), "met": True}
    assert found["aims"][1] == {"text": "help", "most": 1.5, "reached": None, "met": None}


@pytest.mark.parametrize(
    ("value", "shown"), [(149_000.4, "149,000"), (99.99, "100"), (42.04, "42.0"), (9.999, "10.0"), (0.648, "0.65")]
)
def test_numbers_have_about_three_digits(value: float, shown: str) -> None:
    assert number(value) == shown
