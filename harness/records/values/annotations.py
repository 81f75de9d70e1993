"""Data beside the record of a game: stories of its faults, and notes of its bots. Pure values.

A record is the same, byte for byte, in every run with the same seed. A bot's notes on actions can differ between runs.
They are therefore stored beside the record, never in it, like the stories of faults (`values.faults`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.figures import figures_line

LONGEST_NOTE = 1024
"""Bytes in UTF-8 of the longest note (protocol.md, Limits)."""

MOST_NOTES = 1 << 16
"""Bytes in UTF-8 of all notes of one seat in one game, without their figures."""

MOST_FIGURE_BYTES = 1 << 16
"""Bytes of all figures of one seat in one game."""

REPLACEMENT = "\ufffd"
"""Replaces characters that a note must not contain: a NUL, which ends a string in C, or half a surrogate pair."""


@dataclass(frozen=True, slots=True)
class Note:
    """A bot's note on an action that it chose.

    `hand` and `action` are the place of the action in the record of `game`, each from 0. `seat` made it. `text` is a
    `kept_text`.
    """

    game: str
    seat: int
    hand: int
    action: int
    text: str

    @property
    def place(self) -> tuple[int, int]:
        """The hand and the number of the action in that hand, which identify the note in its game."""
        return self.hand, self.action


def kept_text(text: str) -> str:
    """Return the part of a note that is kept: at most LONGEST_NOTE bytes, cut between characters.

    A NUL and each half of a surrogate pair become U+FFFD. Applying the function to its result changes nothing.
    """
    clean = text.replace("\0", REPLACEMENT)
    try:
        encoded = clean.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        encoded = "".join(REPLACEMENT if "\ud800" <= sign <= "\udfff" else sign for sign in clean).encode()
    return encoded[:LONGEST_NOTE].decode("utf-8", "ignore")


class NoteBook:
    """The notes of one game during play. Each seat has room for MOST_NOTES bytes, plus its figures.

    The first note of a seat that does not fit is dropped, and so are all later ones, but their figures are kept, so
    that sums stay right.
    """

    __slots__ = ("_figures", "_full", "_notes", "_used")

    def __init__(self) -> None:
        """Begin without notes."""
        self._notes: list[Note] = []
        self._used: dict[int, int] = {}
        self._figures: dict[int, int] = {}
        self._full: set[int] = set()

    def add(self, note: Note) -> None:
        """Keep a note, or only its figures, if its seat has room."""
        line = figures_line(note.text)
        figures = self._figures.get(note.seat, 0) + len(line)
        used = self._used.get(note.seat, 0) + len(note.text.encode()) - len(line)
        if used > MOST_NOTES or figures > MOST_FIGURE_BYTES:
            self._full.add(note.seat)
        if note.seat in self._full:
            if not line or figures > MOST_FIGURE_BYTES:
                return
            note, used = replace(note, text=line), self._used.get(note.seat, 0)
        self._used[note.seat], self._figures[note.seat] = used, figures
        self._notes.append(note)

    def notes(self) -> tuple[Note, ...]:
        """Return the notes that were kept, in the order of their arrival."""
        return tuple(self._notes)


@dataclass(frozen=True, slots=True)
class Annotations:
    """The data beside a game: a story for each fault, and the notes of its bots in the order of the actions."""

    stories: tuple[FaultStory, ...] = ()
    notes: tuple[Note, ...] = ()

    def without_logs(self) -> Annotations:
        """Return these data for another machine than the one that played, where paths of logs are meaningless."""
        return replace(self, stories=tuple(replace(story, log="") for story in self.stories)) if self.stories else self


NO_ANNOTATIONS = Annotations()
"""The data beside a game without faults or notes."""
