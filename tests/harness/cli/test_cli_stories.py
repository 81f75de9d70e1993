"""Stories of faults as lines for a terminal (harness.cli.stories); what is in them came from strangers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.stories import ELSEWHERE, story_lines
from harness.records.rows import FaultRow

FAULT = FaultRow(
    "r/euchre-0/a+b/0/0", 0, 4, 1, "bad", "CRASHED", 6020, 12, "exit status 3", "", ("pass",), "exit status 3"
)


def test_a_log_that_is_not_beside_the_database_is_said_to_be_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "bad-1-1.log").write_text("x")
    for log, remark in (("bad-1-1.log", ""), ("gone.log", ELSEWHERE)):
        assert story_lines(replace(FAULT, log=log), tmp_path)[-1] == f"  full log: {tmp_path / log}{remark}"


@pytest.mark.parametrize("evil", ["\x1b[2J", "a\x00b", "x" * 5000, "one\ntwo"])
def test_no_part_of_a_story_can_steer_a_terminal(tmp_path: Path, evil: str) -> None:
    fault = replace(FAULT, bot=evil, detail=evil, how_ended=evil, stderr=evil, log=evil)
    lines = story_lines(fault, tmp_path)
    assert all(line.isprintable() for line in lines)
