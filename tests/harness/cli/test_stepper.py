"""The pictures of `bowerbird replay --step`. Its keys are tested on a terminal in tests/e2e."""

from __future__ import annotations

import click
import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.cli.display.stepper import frame_lines
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.frames import frames
from bowerbird.harness.records.replay.note_check import notes_by_step
from bowerbird.harness.records.replay.render import NO_STORIES
from tests.support.records.played_games import after, game, notes_of


@pytest.mark.parametrize("variant", variant_names())
def test_every_step_of_every_variant_has_a_picture(variant: str) -> None:
    """Also steps that call or bid suits, which are written as signs."""
    record = game(variant, 3, options={"max_hands": 2})
    for seat in (None, 1):
        pictures = list(frames(record, seat))
        for at, frame in enumerate(pictures):
            lines = [click.unstyle(line) for line in frame_lines(record, pictures, at, seat, NO_STORIES)]
            assert f"hand {frame.hand} · step {frame.step}" in lines[1]
            choices = next((line for line in lines if "could choose" in line), "")
            assert choices.count(",") == max(0, len(frame.legal) - 1)
            assert not any(choices.endswith(f" {suit}") for suit in "shdc")


def test_story_stands_with_its_fault_and_nowhere_else() -> None:
    record = game("euchre", 1, misbehave=after(5, None, "CRASHED"), options={"max_hands": 2})
    [fault] = record.faults
    pictures = list(frames(record))
    told = {fault.seat: ["process: exit status 3", "stderr ended:", "  no queen"]}
    for at, frame in enumerate(pictures):
        lines = frame_lines(record, pictures, at, None, told)
        assert (lines[-6:-3] == ["    process: exit status 3", "    stderr ended:", "      no queen"]) == (
            frame.kind == "fault"
        )


@pytest.mark.parametrize("variant", variant_names())
def test_a_note_stands_with_its_action_and_cannot_steer_the_terminal(variant: str) -> None:
    record = game(variant, 3, options={"max_hands": 2})
    notes = notes_of(record)
    pictures = list(frames(record))
    noted = notes_by_step(record, pictures, notes)
    assert len(noted) == len(notes) > 0
    found = []
    for at, frame in enumerate(pictures):
        lines = [click.unstyle(line) for line in frame_lines(record, pictures, at, None, noted=noted)]
        said = [line for line in lines if line.startswith("    note: ")]
        assert all(line.isprintable() for line in said)
        found += [(frame.hand, frame.token, line.removeprefix("    note: ")) for line in said]
    actions = [(note.hand, record.hands[note.hand].actions[note.action].partition(" ")[2]) for note in notes]
    assert found == [(*action, shown(note.text)) for action, note in zip(actions, notes, strict=True)]
