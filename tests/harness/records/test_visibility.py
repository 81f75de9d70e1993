"""Limits on what one seat may be told of a fault (commands.md, `bowerbird replay`)."""

from __future__ import annotations

from dataclasses import replace

from harness.records.replay.visibility import seen_fault, seen_story
from harness.records.values.game_record import FaultRecord
from harness.records.values.query_results import FaultRow

FAULT = FaultRecord(hand=0, action=3, seat=1, kind="ILLEGAL", limit_ms=6020, elapsed_ms=12, detail="action 'play Js'")
STORY = FaultRow(
    game="g",
    hand=0,
    action=3,
    seat=1,
    bot="bob",
    kind="ILLEGAL",
    limit_ms=6020,
    elapsed_ms=12,
    detail="action 'play Js'",
    legal=("play As", "play Kd"),
    how_ended="still running",
    stderr="at my other table I hold the Jc",
    log="logs/r/bob-1-1.log",
)


def test_everything_is_told_to_who_may_see_everything() -> None:
    assert seen_fault(FAULT, None) == FAULT
    assert seen_story(STORY, None) == STORY


def test_seat_is_told_of_its_own_fault_but_nothing_that_its_process_wrote() -> None:
    """A process may play other seats and other tables of the same deal."""
    assert seen_fault(FAULT, 1) == FAULT
    assert seen_story(STORY, 1) == replace(STORY, stderr="", log="")


def test_seat_is_told_kind_and_clock_of_a_fault_of_another_and_no_story() -> None:
    assert seen_fault(FAULT, 0) == replace(FAULT, detail="")
    assert seen_story(STORY, 0) is None
