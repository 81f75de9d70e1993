"""Limits on what one seat may be told of a fault (commands.md, `bowerbird replay`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bowerbird.harness.records.replay.visibility import PUBLIC, seen_fault, seen_notes, seen_story
from bowerbird.harness.records.values.game_record import INSTANCES, PER_SEAT, FaultRecord
from bowerbird.harness.records.values.query_results import FaultRow
from tests.support.records.played_games import game, notes_of

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


@pytest.mark.parametrize("instances", INSTANCES)
def test_seat_is_told_its_own_notes_if_its_process_knew_no_other_seat(instances: str) -> None:
    made = game("euchre", 1, options={"max_hands": 1})
    record = replace(made, conditions=replace(made.conditions, instances=instances))
    notes = notes_of(record)
    assert {note.seat for note in notes} == {0, 1, 2, 3}
    assert seen_notes(record, notes, None) == notes
    own = tuple(note for note in notes if note.seat == 1)
    assert seen_notes(record, notes, 1) == (own if instances == PER_SEAT else ())
    assert seen_notes(record, notes, PUBLIC) == ()
