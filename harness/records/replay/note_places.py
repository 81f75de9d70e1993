"""Finds the steps of a replay at which notes of bots stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.figures import note_words
from bowerbird.harness.records.values.game_record import GameRecord


def notes_by_step(record: GameRecord, frames: Iterable[Frame], notes: Sequence[Note]) -> dict[tuple[int, int], str]:
    """Return the texts of notes by the hand and the step of their frames.

    frames: those of the whole game, for a reader who sees every action of the seats that noted something.
    """
    if not notes:
        return {}
    texts = {note.place: note_words(note.text) for note in notes}
    actions = [
        [[place for place, said in enumerate(hand.actions) if said.startswith(f"{seat} ")] for hand in record.hands]
        for seat in range(len(record.seats))
    ]
    seats = {note.seat for note in notes}
    made: Counter[tuple[int, int]] = Counter()
    found: dict[tuple[int, int], str] = {}
    for frame in frames:
        if frame.kind != "action" or frame.seat not in seats:
            continue
        place = (frame.hand, actions[frame.seat][frame.hand][made[frame.hand, frame.seat]])
        made[frame.hand, frame.seat] += 1
        if place in texts:
            found[frame.hand, frame.step] = texts[place]
    return found
