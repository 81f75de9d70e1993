"""The stories of one game's faults in an archive: one canonical TOML text beside the game's record.

They are never part of the record (`values.faults`). A log itself is not archived. Its path is archived only if the log
lies below the database's folder, since any other path is meaningless on another machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bowerbird.harness.records.quoting import quote, quote_all, shown
from bowerbird.harness.records.replay.story_check import contradictions
from bowerbird.harness.records.text.beside_reader import BesideError, BesideReader, with_digest
from bowerbird.harness.records.text.strict_reader import Fields, count, one_of, string
from bowerbird.harness.records.text.strict_reader import strings as read_strings
from bowerbird.harness.records.values.faults import STDERR_LENGTH, FaultStory
from bowerbird.harness.records.values.game_record import GameRecord

STORY_FORMAT = "bowerbird-stories/1"


class StoryError(BesideError):
    """The error for stories that were changed or contradict their game."""


def without_foreign_log(story: FaultStory) -> FaultStory:
    """Return the story for an archive: without the path of its log unless that lies below the database's folder."""
    return story if _is_below(story.log) else replace(story, log="")


def _is_below(log: str) -> bool:
    path = PurePosixPath(log)
    return not path.is_absolute() and ".." not in path.parts and shown(log) == log


def stories_text(game: str, stories: Sequence[FaultStory]) -> str:
    """Return the stories of a game's faults as TOML, in the order of their seats. Equal stories give equal text."""
    return with_digest(_lines(game, stories))


def _lines(game: str, stories: Sequence[FaultStory]) -> Iterator[str]:
    yield f"format = {quote(STORY_FORMAT)}"
    yield f"game = {quote(game)}"
    for story in sorted(map(without_foreign_log, stories), key=lambda story: story.seat):
        yield from ("", "[[story]]")
        yield f"seat = {story.seat}"
        yield f"bot = {quote(story.bot)}"
        yield f"legal = {quote_all(story.legal)}"
        yield f"how_ended = {quote(story.how_ended)}"
        yield f"stderr = {quote(story.stderr)}"
        yield f"log = {quote(story.log)}"


def read_stories(text: str, record: GameRecord, place: str) -> tuple[FaultStory, ...]:
    """Read the stories of this record's faults from text that `stories_text` wrote. `place` names the text for users.

    Raises StoryError, with the line, for anything else: a missing, unknown or wrong value, another order or spacing, a
    wrong digest; a story of another game, of a seat without a fault, with a bot other than the seat's, or with legal
    tokens other than the rules give.
    """
    return _Reader(text, "story", record, place).stories()


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


_HEAD: Fields = {"format": one_of(STORY_FORMAT), "game": string}
_STORY: Fields = {
    "seat": count,
    "bot": string,
    "legal": read_strings,
    "how_ended": string,
    "stderr": _last_words,
    "log": _place_of_log,
}


class _Reader(BesideReader):
    """The reader of the stories of one record's faults."""

    error = StoryError

    def stories(self) -> tuple[FaultStory, ...]:
        """Read the whole text."""
        game = self.fields(_HEAD)["game"]
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
