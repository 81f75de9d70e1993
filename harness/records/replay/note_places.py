"""Finds the steps of a replay that have notes of bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.figures import note_words
from bowerbird.harness.records.values.game_record import GameRecord


def places_of(
    record: GameRecord, frames: Iterable[Frame], seats: Container[int]
) -> Iterator[tuple[tuple[int, int], Frame]]:
    """Yield each frame with an action of these seats, with the hand and the number of the action in the record.

    frames: those of the whole game, for a reader who sees every action of these seats.
    """
    actions = [
        [[place for place, said in enumerate(hand.actions) if said.startswith(f"{seat} ")] for hand in record.hands]
        for seat in range(len(record.seats))
    ]
    made: Counter[tuple[int, int]] = Counter()
    for frame in frames:
        if frame.kind == "action" and frame.seat is not None and frame.seat in seats:
            yield (frame.hand, actions[frame.seat][frame.hand][made[frame.hand, frame.seat]]), frame
            made[frame.hand, frame.seat] += 1


def notes_by_step(record: GameRecord, frames: Iterable[Frame], notes: Sequence[Note]) -> dict[tuple[int, int], str]:
    """Return the texts of notes by the hand and the step of their frames.

    frames: those of the whole game, for a reader who sees every action of the seats that noted something.
    """
    if not notes:
        return {}
    texts = {note.place: note_words(note.text) for note in notes}
    found = places_of(record, frames, {note.seat for note in notes})
    return {(frame.hand, frame.step): texts[place] for place, frame in found if place in texts}
