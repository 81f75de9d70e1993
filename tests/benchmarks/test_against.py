"""This checkout and another one: measured in turn, shown as ratios within a round."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.system import against
from benchmarks.system.against import Checkout, Row, UnmeasuredError, compare, table


def checkout(name: str) -> Checkout:
    return Checkout(Path(name), Path(name), 1.0)


def silent(line: str) -> None:
    """Say nothing."""


def test_both_are_measured_in_turn_and_the_order_changes() -> None:
    asked: list[str] = []

    def measure(one: Checkout) -> float:
        asked.append(one.root.name)
        return 2.0 if one.root.name == "here" else 4.0

    found, failed = compare([Row("row", "ms", measure)], checkout("here"), checkout("there"), 2, silent)
    assert asked == ["there", "here", "here", "there"]
    assert found == {"row": [(2.0, 4.0), (2.0, 4.0)]}
    assert failed == []


def test_a_row_that_one_checkout_cannot_measure_is_left_out_with_the_reason() -> None:
    def measure(one: Checkout) -> float:
        if one.root.name == "there":
            raise UnmeasuredError("no such command")
        return 1.0

    rows = [Row("row", "ms", measure), Row("other", "ms", lambda one: 1.0)]
    found, failed = compare(rows, checkout("here"), checkout("there"), 2, silent)
    assert (found["row"], found["other"]) == ([], [(1.0, 1.0), (1.0, 1.0)])
    assert failed == ["row: left out, there: no such command"]
    assert not any(line.startswith("row") for line in table(rows, found))


def test_a_line_has_medians_the_ratio_its_spread_and_the_aim() -> None:
    rows = [Row("fewer", "ms", lambda one: 0.0, 0.6), Row("more", "", lambda one: 0.0, 1.5, least=True)]
    found = {"fewer": [(1.0, 2.0), (3.0, 4.0), (2.0, 4.0)], "more": [(1.0, 1.0)]}
    _, fewer, more = table(rows, found)
    assert fewer.split() == ["fewer", "ms", "2.00", "4.00", "0.50", "0.50", "0.75", "at", "most", "0.60", "met"]
    assert more.split()[-4:] == ["at", "least", "1.50", "MISSED"]


def test_wake_ups_are_those_of_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against, "PROC", tmp_path)
    for thread, times in (("7", 30), ("8", 12)):
        folder = tmp_path / "7" / "task" / thread
        folder.mkdir(parents=True)
        (folder / "status").write_text(f"Name:\tx\nvoluntary_ctxt_switches:\t{times}\nnonvoluntary_ctxt_switches:\t5\n")
    assert against.wakeups(7) == {"7": 30, "8": 12}
    assert against.wakeups(9) == {}
