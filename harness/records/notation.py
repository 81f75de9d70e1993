"""Games in other programs' notations: the functions with which optional parts let commands write, keep and show them.

A part offers a module with the functions of `Notation` (`harness.extensions`, kind "notation"), and a module with the
functions of `MatchNotation` (kind "match") if its files can also contain several games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bowerbird.harness.records.values.game_record import GameRecord


class NotationError(ValueError):
    """The error for a file or a game that does not fit the notation. The text is one sentence."""


@dataclass(frozen=True, slots=True)
class ForeignGame:
    """A game that was read from a file of another program and checked.

    Attributes:
        id: the name of the notation, a slash and the name of the game.
        data: the bytes of its file.
        record: the game as a record; None if some cards are unknown.
        missing: the missing parts in words; "" if nothing is missing.
        deals: the number of its deals.
        remark: the origin of the game, for readers of its replay. unshown: other contents of its file, in words, with a
            count of each kind.
        lines: yields the game as lines for people, or only the deal with the given index.
    """

    id: str
    data: bytes
    record: GameRecord | None
    missing: str
    deals: int
    remark: str
    unshown: tuple[str, ...]
    lines: Callable[[int | None], Iterator[str]]


class Notation(Protocol):
    """The functions of a notation's module."""

    def written(self, record: GameRecord) -> str:
        """Return a game in the notation. Raises NotationError if the notation cannot express it."""

    def read_file(self, path: Path) -> ForeignGame:
        """Read and check a file. Raises NotationError with the path, StoreError if it is too long, OSError."""

    def begins(self, beginning: bytes) -> bool:
        """Return True if a file that begins with these bytes is in the notation."""

    def found(self, ref: str, db: Path) -> Path | None:
        """Return the file that `ref` names: a path, or the id of a file kept beside `db`; None if it is neither.

        Raises StoreError if the file with that id is missing.
        """

    def keep(self, game: ForeignGame, db: Path) -> bool:
        """Keep the file of a game beside the database. Return True if it is new. Raises OSError."""


class MatchNotation(Protocol):
    """The functions of a notation's module for files with several games."""

    def written(self, title: str, records: Iterable[GameRecord]) -> tuple[str, Counter[str]]:
        """Return games as one text, and the reasons why the notation cannot express others, with their numbers.

        The text is "" if it would contain no game. Raises NotationError for more games than allowed, RecordError.
        """

    def read_file(self, path: Path) -> list[ForeignGame]:
        """Read and check a file. Raises NotationError with the path, StoreError if it is too long, OSError."""

    def begins(self, beginning: bytes) -> bool:
        """Return True if a file that begins with these bytes is in the notation."""

    def keep(self, game: ForeignGame, db: Path) -> bool:
        """Keep one of the games beside the database. Return True if it is new. Raises OSError."""
