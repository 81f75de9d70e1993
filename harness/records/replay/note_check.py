"""Notes of bots beside a game: checks them against its record, and finds them in the steps of its replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, MOST_FIGURE_BYTES, MOST_NOTES, Note, kept_text
from bowerbird.harness.records.values.figures import figures_line, note_words
from bowerbird.harness.records.values.game_record import GameRecord


@dataclass(frozen=True, slots=True)
class NoteContradiction:
    """A contradiction between a note and its game: the note, the wrong field, and a sentence."""

    note: Note
    key: str
    reason: str


def note_contradictions(record: GameRecord, notes: Sequence[Note]) -> Iterator[NoteContradiction]:
    """Yield the contradictions between notes and their game: at most one for each note.

    A note belongs to an action that the bot at its seat chose: neither forced nor substituted. An action has one note.
    """
    noted: set[tuple[int, int]] = set()
    used: dict[int, int] = {}
    figures: dict[int, int] = {}
    for note in notes:
        line = len(figures_line(note.text))
        used[note.seat] = used.get(note.seat, 0) + len(note.text.encode("utf-8", "replace")) - line
        figures[note.seat] = figures.get(note.seat, 0) + line
        wrong = _wrong_place(record, note) or _wrong_text(record, note, used[note.seat], figures[note.seat])
        if not wrong and note.place in noted:
            wrong = "action", f"a second note of {_where(record, note)}"
        noted.add(note.place)
        if wrong:
            yield NoteContradiction(note, *wrong)


def _where(record: GameRecord, note: Note) -> str:
    return f"action {note.action} of hand {note.hand} in game {record.id}"


def _wrong_place(record: GameRecord, note: Note) -> tuple[str, str] | None:
    """Return the wrong field and a sentence if a note names an action that the bot at its seat did not choose."""
    hands = len(record.hands)
    if not 0 <= note.hand < hands:
        return "hand", f"game {record.id} has {counted(hands, 'hand')}; there is no hand {note.hand}"
    hand = record.hands[note.hand]
    actions = len(hand.actions)
    if not 0 <= note.action < actions:
        return (
            "action",
            f"hand {note.hand} of game {record.id} has {counted(actions, 'action')}; there is no action {note.action}",
        )
    made_by = hand.actions[note.action].partition(" ")[0]
    if made_by != str(note.seat):
        return "seat", f"{_where(record, note)} was made by seat {made_by}, not by seat {note.seat}"
    if note.action in hand.forced:
        return "action", f"the referee made {_where(record, note)}, the only legal one"
    if note.action in hand.substituted:
        return "action", f"the referee made {_where(record, note)}, instead of a bot at fault"
    return None


def _wrong_text(record: GameRecord, note: Note, used: int, figures: int) -> tuple[str, str] | None:
    """Return the wrong field and the reason if a note cannot have been kept.

    used, figures: the bytes of its seat's notes so far, without figures, and of the figures alone.
    """
    if not note.text or kept_text(note.text) != note.text:
        return "text", f"the note of {_where(record, note)} is not 1 to {LONGEST_NOTE} bytes without NUL"
    if used > MOST_NOTES:
        return "text", f"the notes of seat {note.seat} in game {record.id} have more than {MOST_NOTES} bytes"
    if figures > MOST_FIGURE_BYTES:
        return "text", f"the figures of seat {note.seat} in game {record.id} have more than {MOST_FIGURE_BYTES} bytes"
    return None


def places_of(
    record: GameRecord, frames: Iterable[Frame], seats: Container[int]
) -> Iterator[tuple[tuple[int, int], Frame]]:
    """Yield each frame with an action of these seats, and the hand and number of that action in the record.

    frames: the frames of the whole game, for a reader who sees every action of these seats.
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
    """Return the texts of notes, by hand and step of their frames.

    frames: the frames of the whole game, for a reader who sees every action of the seats that noted something.
    """
    if not notes:
        return {}
    texts = {note.place: note_words(note.text) for note in notes}
    found = places_of(record, frames, {note.seat for note in notes})
    return {(frame.hand, frame.step): texts[place] for place, frame in found if place in texts}
