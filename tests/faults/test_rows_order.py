"""Answers that come twice, late, out of order or for a closed table: the same verdicts every time (rows 15, 26)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import Seen
from tests.support.referee.tables import HASTY, bot, conditions, play, running, table
from tests.support.referee.verdicts import without_times

TWICE = ("first", "second")


@pytest.mark.row(15)
@pytest.mark.parametrize(
    ("mode", "verdict"),
    [("repeats", []), ("parts", []), ("lingers", []), ("late", ["TIMEOUT: no answer in time"])],
    ids=["twice", "out of order", "for a closed table", "late"],
)
def test_answers_that_nobody_waits_for_are_ignored_and_late_ones_are_late_every_time(
    tmp_path: Path, seen: Seen, mode: str, verdict: list[str]
) -> None:
    """protocol.md, Batches and Bad messages. Tables are played in sequence: some are closed while others are played."""
    specs = [table(("a", "b", "a", "b"), n) for n in range(3)]
    bots = [bot("a", "last"), bot("b", mode, "1")]
    verdicts, records = [], []
    for folder in TWICE:
        played, _ = play(specs, bots, tmp_path / folder, made=conditions(time=HASTY), tables=1)
        assert not running(tmp_path / folder)
        verdicts.append([f"{fault.kind}: {fault.detail}" for record in played for fault in record.faults])
        records.append([without_times(record) for record in played])
    assert set(verdicts[0]) == set(verdict)
    assert verdicts[0] == verdicts[1]
    assert records[0] == records[1]
    seen(f"{mode}: {verdicts[0] or 'ignored'}, twice")


@pytest.mark.row(26)
@pytest.mark.parametrize("mode", ["exits", "illegal", "malformed", "resigns"])
def test_the_same_seed_and_the_same_faults_give_the_same_records_twice(tmp_path: Path, seen: Seen, mode: str) -> None:
    """The records are equal to the byte, except for times."""
    specs = [table(("a", "bad", "a", "c"), n, "buck") for n in range(3)]
    bots = [bot("a", "last"), bot("c", "honest"), bot("bad", mode, "4")]
    runs = []
    for folder in TWICE:
        records, _ = play(specs, bots, tmp_path / folder, made=conditions("substitute"), tables=1)
        assert any(record.faults for record in records)
        runs.append([without_times(record) for record in records])
    assert runs[0] == runs[1]
    seen(f"{mode}: the same records to the byte, times apart")
