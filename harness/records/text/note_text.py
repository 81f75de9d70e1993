"""The notes of one game's bots in an archive: one canonical TOML text beside the game's record.

They are never part of the record (`values.annotations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import RecordError
from harness.records.quoting import quote, shown
from harness.records.replay.note_check import note_contradictions
from harness.records.text.canonical import INTEGRITY, digest
from harness.records.text.strict_reader import Fields, StrictReader, count, one_of, string
from harness.records.values.annotations import LONGEST_NOTE, Note, kept_text
from harness.records.values.game_record import GameRecord

NOTE_FORMAT = "bowerbird-notes/1"


class NoteError(RecordError):
    """The error for notes that were changed or contradict their game. `place` is their file, `line` counts from 1."""

    def __init__(self, game: str, place: str, line: int, reason: str) -> None:
        """Build the message from its parts."""
        self.game = game
        self.place = place
        self.line = line
        self.reason = reason
        super().__init__(f"{place}, line {line}: {reason}")


def notes_text(game: str, notes: Sequence[Note]) -> str:
    """Return the notes of a game's bots as TOML, in the order of the actions. Equal notes give equal text."""
    body = "\n".join(_lines(game, notes)) + "\n\n"
    return f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'


def _lines(game: str, notes: Sequence[Note]) -> Iterator[str]:
    yield f"format = {quote(NOTE_FORMAT)}"
    yield f"game = {quote(game)}"
    for note in sorted(notes, key=lambda note: note.place):
        yield from ("", "[[note]]")
        yield f"hand = {note.hand}"
        yield f"action = {note.action}"
        yield f"seat = {note.seat}"
        yield f"text = {quote(note.text)}"


def read_notes(text: str, record: GameRecord, place: str) -> tuple[Note, ...]:
    """Read the notes of this record's bots from text that `notes_text` wrote. `place` names the text for users.

    Raises NoteError, with the line, for anything else: a missing, unknown or wrong value, another order or spacing, a
    wrong digest; a note of another game, of an action that is not there or that the bot at its seat did not choose, a
    second one of an action, or more than are kept.
    """
    return _Reader(text, record, place).notes()


def _kept(text: str) -> str:
    noted = string(text)
    if not noted or kept_text(noted) != noted:
        raise ValueError(f"1 to {LONGEST_NOTE} bytes without NUL")
    return noted


_HEAD: Fields = {"format": one_of(NOTE_FORMAT), "game": string}
_NOTE: Fields = {"hand": count, "action": count, "seat": count, "text": _kept}


class _Reader(StrictReader):
    """The reader of the notes of one record's bots."""

    def __init__(self, text: str, record: GameRecord, place: str) -> None:
        super().__init__(text, "file of notes")
        self.record = record
        self.place = place

    def refusal(self, line: int, reason: str) -> NoteError:
        return NoteError(self.record.id, self.place, line, reason)

    def notes(self) -> tuple[Note, ...]:
        """Read the whole text."""
        game = self.fields(_HEAD)["game"]
        lines: dict[tuple[int, int], int] = {}
        found: list[Note] = []
        while self.next_is("[[note]]"):
            line = self.at + 3
            note = Note(game=game, **self.block("[[note]]", _NOTE))
            if lines.setdefault(note.place, line) != line:
                self.fail(f"a second note of action {note.action} of hand {note.hand}", line)
            found.append(note)
        self.check_whole(notes_text(game, found), self.end())
        if game != self.record.id:
            self.fail(f"it is about game {shown(game)}, but belongs to game {self.record.id}", 2)
        if not found:
            self.fail("it has no note", 1)
        for contradiction in note_contradictions(self.record, found):
            self.fail(contradiction.reason, lines[contradiction.note.place] + list(_NOTE).index(contradiction.key))
        return tuple(found)
