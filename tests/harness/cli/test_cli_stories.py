"""Stories of faults as lines for a terminal (bowerbird.harness.cli.display.faults); their text comes from strangers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.faults import latest_story_lines, stories, story_lines
from bowerbird.harness.records.values.faults import NO_LOG, STILL_RUNNING
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


def test_games_that_one_end_of_a_process_lost_have_one_story_and_a_line_each(tmp_path: Path) -> None:
    ended = replace(FAULT, stderr="IndexError: x", log="logs/r/bad-1-1.log")
    other = replace(ended, log="logs/r/bad-2-1.log")
    faults = [
        replace(one, game=f"r/euchre-0/a+b/{number}/0") for number, one in enumerate((ended, other, ended, ended))
    ]
    told = list(stories(faults, tmp_path))
    assert [lines[0] for lines in told] == [story_lines(fault, tmp_path)[0] for fault in faults[:2]]
    assert told[1] == story_lines(faults[1], tmp_path), "another process ended for itself"
    assert told[0][1] == "  the end of this process cost 3 games; one of them caused it"
    assert told[0][2:-2] == story_lines(faults[0], tmp_path)[1:]
    assert told[0][-2:] == [
        f"CRASHED of bad, seat 1, game {fault.game}: the same end of the process as in game {faults[0].game}"
        for fault in faults[2:]
    ]


def test_the_whole_story_is_that_of_a_game_in_which_the_bot_was_asked(tmp_path: Path) -> None:
    ended = replace(FAULT, log="logs/r/bad-1-1.log")
    idle = replace(ended, game="r/euchre-0/a+b/1/0", limit_ms=0, elapsed_ms=0)
    [lines] = stories([idle, ended], tmp_path)
    assert lines[0] == story_lines(ended, tmp_path)[0]
    assert lines[-1].endswith(f"game {idle.game}: the same end of the process as in game {ended.game}")


def test_faults_of_a_process_that_went_on_or_is_not_known_have_their_own_stories(tmp_path: Path) -> None:
    on = replace(FAULT, how_ended=STILL_RUNNING, log="logs/r/bad-1-1.log")
    for fault in (on, replace(FAULT, no_log=NO_LOG)):
        assert list(stories([fault, fault], tmp_path)) == [story_lines(fault, tmp_path)] * 2


def test_a_late_decision_says_what_its_limit_was_made_of(tmp_path: Path) -> None:
    late = replace(FAULT, kind="TIMEOUT", limit_ms=2018, elapsed_ms=2023)
    assert story_lines(late, tmp_path)[1] == (
        "  hand 0, action 4, after 2023 ms of 2018 ms (the time for a decision, the rest of the bank, and a grace)"
    )
    assert story_lines(FAULT, tmp_path)[1].endswith(f"after {FAULT.elapsed_ms} ms of {FAULT.limit_ms} ms")
