"""Reads games of two players from the files of other programs: PGN tags, or CSV with given columns.

Input: a string. Output: `OutsideGames`, the games in order with remarks on what is left out. Everything except a game
of two named players is refused with its line, or counted in a remark if it is common.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.records.quoting import shown

COLUMNS = ("white", "black", "result")
"""The default columns of a CSV file."""

SCORES = {
    "1-0": 1.0,
    "0-1": 0.0,
    "1/2-1/2": 0.5,
    "½-½": 0.5,
    "0.5-0.5": 0.5,
    "1": 1.0,
    "1.0": 1.0,
    "0": 0.0,
    "0.0": 0.0,
    "0.5": 0.5,
    "1/2": 0.5,
    "½": 0.5,
}
"""The score of the first player by the text of a result."""

UNFINISHED = ("*", "", "?")

_TAG = re.compile(r'^\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$')
_NAMED = 3


@dataclass(frozen=True, slots=True)
class OutsideGame:
    """A finished game: both players, and the score of the first one (1, 1/2 or 0)."""

    white: str
    black: str
    score: float


@dataclass(frozen=True, slots=True)
class OutsideGames:
    """The games of a file in order. `remarks` are sentences about what was left out or looks odd."""

    games: tuple[OutsideGame, ...]
    remarks: tuple[str, ...] = ()


def read_games(text: str, name: str, columns: Sequence[str] = COLUMNS) -> OutsideGames:
    """Return the games of a file: PGN if it begins with a tag, else CSV.

    text: the file's text. name: the file's name in messages.
    columns: the names of the CSV columns with the first player, the second one and the result.

    Raises RatingError with the wrong line, or if the file has no finished game.
    """
    is_pgn = text.lstrip("\ufeff \t\r\n").startswith("[")
    rows = _pgn_rows(text, name) if is_pgn else _csv_rows(text, name, columns)
    games: list[OutsideGame] = []
    unfinished = alone = 0
    for line, white, black, result in rows:
        if not white or not black:
            raise RatingError(f"{name}, line {line}: a player has no name")
        if result in UNFINISHED:
            unfinished += 1
        elif white == black:
            alone += 1
        elif result in SCORES:
            games.append(OutsideGame(white, black, SCORES[result]))
        else:
            raise RatingError(
                f"{name}, line {line}: {shown(result)!r} is not a result; must be 1-0, 0-1, 1/2-1/2 or * (or 1, 0, 0.5)"
            )
    if not games:
        raise RatingError(f"{name} has no finished game of two players")
    return OutsideGames(tuple(games), tuple(_remarks(games, unfinished, alone)))


def _pgn_rows(text: str, name: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line, players and result of each game. The moves are not read."""
    tags: dict[str, str] = {}
    begun = 0
    is_open = False
    for number, line in enumerate(text.splitlines(), 1):
        tag = _TAG.match(line.lstrip("\ufeff"))
        if tag is None:
            is_open = False
            continue
        if not is_open and tags:
            yield _game_of(tags, begun, name)
            tags = {}
        if not is_open:
            begun, is_open = number, True
        if line.strip() and tag[1] in tags:  # without a line between two games
            yield _game_of(tags, begun, name)
            tags, begun = {}, number
        tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
    if tags:
        yield _game_of(tags, begun, name)


def _game_of(tags: dict[str, str], line: int, name: str) -> tuple[int, str, str, str]:
    missing = [tag for tag in ("White", "Black", "Result") if tag not in tags]
    if missing:
        raise RatingError(f"{name}, line {line}: the game has no tag {' and no tag '.join(missing)}")
    return line, tags["White"], tags["Black"], tags["Result"].strip()


def _csv_rows(text: str, name: str, columns: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line, players and result of each row."""
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""))
    try:
        head = [cell.strip() for cell in next(reader, [])]
        missing = [column for column in columns if column not in head]
        if missing:
            there = ", ".join(shown(cell) for cell in head[:10]) or "none"
            raise RatingError(f"{name} has no column {missing[0]!r}; its columns are {there}")
        places = [head.index(column) for column in columns]
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(places):
                raise RatingError(
                    f"{name}, line {reader.line_num}: it has {counted(len(row), 'cell')}, not {len(head)}"
                )
            white, black, result = (row[place] for place in places)
            yield reader.line_num, white, black, result.strip()
    except csv.Error as error:
        raise RatingError(f"{name}, line {reader.line_num}: {error}") from None


def _remarks(games: Sequence[OutsideGame], unfinished: int, alone: int) -> Iterator[str]:
    if unfinished:
        yield f"{counted(unfinished, 'unfinished game')} left out"
    if alone:
        yield f"{counted(alone, 'game')} of a player with itself left out"
    yield from _odd_names(player for game in games for player in (game.white, game.black))


def _odd_names(players: Iterable[str]) -> Iterator[str]:
    """Yield a sentence about names that differ only in case or spaces, which count as different players."""
    alike: dict[str, list[str]] = {}
    for player in Counter(players):
        alike.setdefault(" ".join(player.split()).casefold(), []).append(player)
    same = [names for names in alike.values() if len(names) > 1]
    for names in same[:_NAMED]:
        yield f"{' and '.join(repr(shown(one)) for one in names)} are different players"
    if len(same) > _NAMED:
        yield f"{len(same) - _NAMED} more names differ only in case or spaces"
