"""Texts beside the record of a game in an archive: stories of its faults, and notes of its bots.

Each is one canonical TOML text, never part of the record (`values.faults`, `values.annotations`). The log itself is not
archived. Its path is archived only if the log is below the database's folder, because any other path is meaningless on
another machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bowerbird.engine import RecordError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.note_check import note_contradictions
from bowerbird.harness.records.replay.story_check import contradictions
from bowerbird.harness.records.text.canonical import with_digest
from bowerbird.harness.records.text.strict_reader import Fields, StrictReader, count, one_of, string
from bowerbird.harness.records.text.strict_reader import strings as read_strings
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, Note, kept_text
from bowerbird.harness.records.values.faults import STDERR_LENGTH, FaultStory
from bowerbird.harness.records.values.game_record import GameRecord


class BesideError(RecordError):
    """The error for a file that was changed or contradicts its game. `place` names the file, `line` counts from 1."""

    def __init__(self, game: str, place: str, line: int, reason: str) -> None:
        """Build the message from its parts."""
        self.game = game
        self.place = place
        self.line = line
        self.reason = reason
        super().__init__(f"{place}, line {line}: {reason}")


class BesideReader(StrictReader):
    """A reader of one record's file. `error` is the class of its errors."""

    error: type[BesideError]

    def __init__(self, text: str, what: str, record: GameRecord, place: str) -> None:
        """Read `text`, which belongs to `record`. Messages call it `what`, and `place` names it for users."""
        super().__init__(text, what)
        self.record = record
        self.place = place

    def refusal(self, line: int, reason: str) -> BesideError:
        """Return the error for a line."""
        return self.error(self.record.id, self.place, line, reason)

    def check_game(self, game: str, text: str) -> None:
        """Fail unless the text equals `text`, the canonical form of its values, and is about the record's game."""
        self.check_whole(text, self.end())
        if game != self.record.id:
            self.fail(f"it is about game {shown(game)}, but belongs to game {self.record.id}", 2)


NOTE_FORMAT = "bowerbird-notes/1"


class NoteError(BesideError):
    """The error for notes that were changed or contradict their game."""


def notes_text(game: str, notes: Sequence[Note]) -> str:
    """Return the notes of a game's bots as TOML, in the order of the actions. Equal notes have equal text."""
    tables = [{key: getattr(note, key) for key in _NOTE} for note in sorted(notes, key=lambda note: note.place)]
    return with_digest({"format": NOTE_FORMAT, "game": game, "note": tables})


def read_notes(text: str, record: GameRecord, place: str) -> tuple[Note, ...]:
    """Read the notes of this record's bots from text that `notes_text` wrote. `place` names the text for users.

    Raises NoteError, with the line, for anything else: a missing, unknown or wrong value, another order or spacing, a
    wrong digest; a note of another game, of a missing action or one that the bot at its seat did not choose, a second
    note of an action, or more notes than are kept.
    """
    return _NoteReader(text, "file of notes", record, place).notes()


def _kept(text: str) -> str:
    noted = string(text)
    if not noted or kept_text(noted) != noted:
        raise ValueError(f"1 to {LONGEST_NOTE} bytes without NUL")
    return noted


_NOTES_HEAD: Fields = {"format": one_of(NOTE_FORMAT), "game": string}
_NOTE: Fields = {"hand": count, "action": count, "seat": count, "text": _kept}


class _NoteReader(BesideReader):
    """The reader of the notes of one record's bots."""

    error = NoteError

    def notes(self) -> tuple[Note, ...]:
        """Read the whole text."""
        game = self.fields(_NOTES_HEAD)["game"]
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


STORY_FORMAT = "bowerbird-stories/1"


class StoryError(BesideError):
    """The error for stories that were changed or contradict their game."""


def without_foreign_log(story: FaultStory) -> FaultStory:
    """Return the story for an archive. Leave out the path of its log unless it is below the database's folder."""
    return story if _is_below(story.log) else replace(story, log="")


def _is_below(log: str) -> bool:
    path = PurePosixPath(log)
    return not path.is_absolute() and ".." not in path.parts and shown(log) == log


def stories_text(game: str, stories: Sequence[FaultStory]) -> str:
    """Return the stories of a game's faults as TOML, in the order of their seats. Equal stories have equal text."""
    archived = sorted(map(without_foreign_log, stories), key=lambda story: story.seat)
    tables = [{key: getattr(story, key) for key in _STORY} for story in archived]
    return with_digest({"format": STORY_FORMAT, "game": game, "story": tables})


def read_stories(text: str, record: GameRecord, place: str) -> tuple[FaultStory, ...]:
    """Read the stories of this record's faults from text that `stories_text` wrote. `place` names the text for users.

    Raises StoryError, with the line, for anything else: a missing, unknown or wrong value, another order or spacing, a
    wrong digest; a story of another game, of a seat without a fault, with a bot other than the seat's, or with legal
    tokens that differ from the rules.
    """
    return _StoryReader(text, "story", record, place).stories()


def _place_of_log(text: str) -> str:
    log = string(text)
    if not _is_below(log):
        raise ValueError("a path below the database's folder")
    return log


def _last_words(text: str) -> str:
    words = string(text)
    if len(words) > STDERR_LENGTH:
        raise ValueError(f"at most the last {STDERR_LENGTH} characters")
    return words


_STORIES_HEAD: Fields = {"format": one_of(STORY_FORMAT), "game": string}
_STORY: Fields = {
    "seat": count,
    "bot": string,
    "legal": read_strings,
    "how_ended": string,
    "stderr": _last_words,
    "log": _place_of_log,
}


class _StoryReader(BesideReader):
    """The reader of the stories of one record's faults."""

    error = StoryError

    def stories(self) -> tuple[FaultStory, ...]:
        """Read the whole text."""
        game = self.fields(_STORIES_HEAD)["game"]
        first: dict[int, int] = {}
        found = []
        while self.next_is("[[story]]"):
            line = self.at + 3
            found.append(FaultStory(game=game, **self.block("[[story]]", _STORY)))
            if first.setdefault(found[-1].seat, line) != line:
                self.fail(f"a second story of seat {found[-1].seat}, which fails once", line)
        self.check_game(game, stories_text(game, found))
        for contradiction in contradictions(self.record, found):
            self.fail(contradiction.reason, first[contradiction.seat] + list(_STORY).index(contradiction.key))
        return tuple(found)
