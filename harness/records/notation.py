"""Games in the notation of another program: what an optional part offers so that commands can write, keep and show
them.

A part offers a module that has the functions of `Notation` (`harness.extensions`, kind "notation"), and a module that
has the functions of `MatchNotation` (kind "match") if its files may also hold several games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bowerbird.harness.records.values.game_record import GameRecord


class NotationError(ValueError):
    """A file or a game that does not fit the notation. The text is one sentence."""


@dataclass(frozen=True, slots=True)
class ForeignGame:
    """A game that was read from a file of another program and checked.

    Attributes:
        id: the name of the notation, a slash and its own name.
        data: the bytes of its file.
        record: the game as a record; None if some cards are unknown.
        missing: in words, what is missing; "" if nothing is.
        deals: how many deals it has.
        remark: where it comes from, for readers of its replay. unshown: what else its file holds, with a count of each
            kind, in words.
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
        """Return a game in the notation. Raises NotationError if it cannot hold the game."""

    def read_file(self, path: Path) -> ForeignGame:
        """Read and check a file. Raises NotationError with the path, StoreError if it is too long, OSError."""

    def begins(self, beginning: bytes) -> bool:
        """Return whether a file that begins with these bytes is in the notation."""

    def found(self, ref: str, db: Path) -> Path | None:
        """Return the file that `ref` names: a path, or the id of a file that is kept beside `db`; None if it is
        neither.

        Raises StoreError if the file of an id is missing.
        """

    def keep(self, game: ForeignGame, db: Path) -> bool:
        """Keep the file of a game beside the database. Return whether it is new. Raises OSError."""


class MatchNotation(Protocol):
    """What a module of a notation has for files that hold several games."""

    def written(self, title: str, records: Iterable[GameRecord]) -> tuple[str, Counter[str]]:
        """Return games as one text, and why the notation cannot hold the others, with how many they are.

        The text is "" if it would hold no game. Raises NotationError for more games than it may hold, RecordError.
        """

    def read_file(self, path: Path) -> list[ForeignGame]:
        """Read and check a file. Raises NotationError with the path, StoreError if it is too long, OSError."""

    def begins(self, beginning: bytes) -> bool:
        """Return whether a file that begins with these bytes is in the notation."""

    def keep(self, game: ForeignGame, db: Path) -> bool:
        """Keep one of the games beside the database. Return whether it is new. Raises OSError."""
