"""Stories of faults as lines for a terminal (bowerbird.harness.cli.display.faults); their text comes from strangers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.faults import latest_story_lines, story_lines
from bowerbird.harness.records.values.faults import NO_LOG
from bowerbird.harness.records.values.query_results import FaultRow

FAULT = FaultRow(
    "r/euchre-0/a+b/0/0", 0, 4, 1, "bad", "CRASHED", 6020, 12, "exit status 3", "", ("pass",), "exit status 3"
)


def test_a_log_is_named_where_it_is_and_else_said_not_to_be_here(tmp_path: Path) -> None:
    here, gone = replace(FAULT, log="bad-1-1.log"), replace(FAULT, no_log=NO_LOG)
    assert story_lines(here, tmp_path)[-1] == f"  full log: {tmp_path / 'bad-1-1.log'}"
    assert story_lines(gone, tmp_path)[-1] == f"  full log: {NO_LOG}"
    assert not any("log" in line for line in story_lines(FAULT, tmp_path)), "nothing was written"


def test_the_latest_faults_are_the_last_of_the_schedule_whenever_they_were_stored(tmp_path: Path) -> None:
    """An import stores all sets again, in a different order."""
    faults = [
        replace(FAULT, game=f"r/euchre-0/a+b/{number}/0", detail=f"exit status {number}", saved=str(9 - number))
        for number in range(6)
    ]
    told = [line for line in latest_story_lines(faults, tmp_path / "x.db", "r") if line.startswith("CRASHED")]
    assert [line.rpartition(" ")[2] for line in told] == ["5", "4", "3"]


@pytest.mark.parametrize("evil", ["\x1b[2J", "a\x00b", "x" * 5000, "one\ntwo"])
def test_no_part_of_a_story_can_steer_a_terminal(tmp_path: Path, evil: str) -> None:
    fault = replace(FAULT, bot=evil, detail=evil, how_ended=evil, stderr=evil, log=evil)
    lines = story_lines(fault, tmp_path)
    assert all(line.isprintable() for line in lines)
