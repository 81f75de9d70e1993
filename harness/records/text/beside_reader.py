"""What the files beside a game's record share: stories of faults (`story_text`) and notes (`note_text`)."""

from __future__ import annotations

from collections.abc import Iterable

from bowerbird.engine import RecordError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.canonical import INTEGRITY, digest
from bowerbird.harness.records.text.strict_reader import StrictReader
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
        """Fail unless the whole text equals `text`, the canonical form of what was read, and is about the record's
        game.
        """
        self.check_whole(text, self.end())
        if game != self.record.id:
            self.fail(f"it is about game {shown(game)}, but belongs to game {self.record.id}", 2)


def with_digest(lines: Iterable[str]) -> str:
    """Return lines as a text that ends with the digest over them."""
    body = "\n".join(lines) + "\n\n"
    return f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'
