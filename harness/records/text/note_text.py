"""The notes of one game's bots in an archive: one canonical TOML text beside the game's record.

They are never part of the record (`values.annotations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bowerbird.harness.records.quoting import quote
from bowerbird.harness.records.replay.note_check import note_contradictions
from bowerbird.harness.records.text.beside_reader import BesideError, BesideReader, with_digest
from bowerbird.harness.records.text.strict_reader import Fields, count, one_of, string
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, Note, kept_text
from bowerbird.harness.records.values.game_record import GameRecord

NOTE_FORMAT = "bowerbird-notes/1"


class NoteError(BesideError):
    """The error for notes that were changed or contradict their game."""


def notes_text(game: str, notes: Sequence[Note]) -> str:
    """Return the notes of a game's bots as TOML, in the order of the actions. Equal notes give equal text."""
    return with_digest(_lines(game, notes))


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
    wrong digest; a note of another game, of a missing action or one that the bot at its seat did not choose, a second
    note of an action, or more notes than are kept.
    """
    return _Reader(text, "file of notes", record, place).notes()


def _kept(text: str) -> str:
    noted = string(text)
    if not noted or kept_text(noted) != noted:
        raise ValueError(f"1 to {LONGEST_NOTE} bytes without NUL")
    return noted


_HEAD: Fields = {"format": one_of(NOTE_FORMAT), "game": string}
_NOTE: Fields = {"hand": count, "action": count, "seat": count, "text": _kept}


class _Reader(BesideReader):
    """The reader of the notes of one record's bots."""

    error = NoteError

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
        self.check_game(game, notes_text(game, found))
        if not found:
            self.fail("it has no note", 1)
        for contradiction in note_contradictions(self.record, found):
            self.fail(contradiction.reason, lines[contradiction.note.place] + list(_NOTE).index(contradiction.key))
        return tuple(found)
