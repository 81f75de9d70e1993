"""Recorded runs and games: open a database or an archive, read records, replay and verify them.

>>> with open_database("bowerbird.db") as database:
...     run = database.run()
...     rows = database.seat_results()
...     record = database.record(rows[0].game)
>>> run.name, run.games, len(rows)
('match-euchre-greedy-random', 8, 32)
>>> rows[0].bot, rows[0].seat, rows[0].rank
('greedy', 0, 1)

`seat_results` has one row for each game and seat; `pandas.DataFrame(rows)` takes them as they are. A record holds every
action. `replay` plays it again, and each step knows what every seat knew:

>>> step = next(replay(record))
>>> step.seat, step.token, step.before.view(step.seat).stage
(0, 'pass', 'order up')

Everything here only reads. Errors are StoreError for databases and archives, RecordError for records, both with one
sentence for people, and OSError for files that cannot be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.engine import RecordError
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive import archive as _archives
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.replay.replay import ReplayError, Step, replay
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.store.tables.games import seat_results_of
from bowerbird.harness.records.text.bounded_file import read_record_file
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import ReadError, read
from bowerbird.harness.records.text.run_text import ArchivedRun
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.game_record import (
    Conditions,
    FaultRecord,
    GameRecord,
    HandRecord,
    ResultRecord,
    SeatRecord,
    TimeControl,
)
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import MatchResult, Outcome, Placement
from bowerbird.harness.records.values.query_results import (
    FaultRow,
    GameRow,
    Pairing,
    RunRow,
    SeatResult,
    Standing,
)
from bowerbird.harness.records.values.run import Entrant, GameId, RecordRating, RunHeader
from bowerbird.harness.records.verify.examiner import PoolExaminer
from bowerbird.harness.records.verify.game_checks import Difference, verify_text
from bowerbird.harness.records.verify.verification import verify_run

__all__ = [
    "Archive",
    "ArchivedRun",
    "Conditions",
    "Database",
    "Difference",
    "Entrant",
    "FaultRecord",
    "FaultRow",
    "GameId",
    "GameRecord",
    "GameResult",
    "GameRow",
    "HandRecord",
    "MatchResult",
    "Note",
    "Outcome",
    "Pairing",
    "Placement",
    "ReadError",
    "RecordError",
    "RecordRating",
    "ReplayError",
    "ResultRecord",
    "RunHeader",
    "RunRow",
    "SeatRecord",
    "SeatResult",
    "Standing",
    "Step",
    "StoreError",
    "TimeControl",
    "game_result_of",
    "open",
    "open_archive",
    "open_database",
    "parse_record",
    "read_record",
    "record_text",
    "replay",
    "seat_results_of",
    "verify_file",
    "verify_record",
]


class Database:
    """An open database of recorded runs, as `open_database` returns it.

    A parameter `run` is a run's id, the beginning of its id, or its name, which means the latest run of that name. None
    means the latest run of all. `variant` is a variant that the run played, `bot` the name of one of its bots; None
    means all of them. Every method raises StoreError if no run, variant or bot matches, with the nearest one, if the
    file cannot be read, or after the `with` block. A database may be read while a tournament writes to it.
    """

    def __init__(self, store: Store) -> None:
        """Read from `store` (see `open_database`)."""
        self._store = store

    def runs(self) -> list[RunRow]:
        """Return all runs, the latest first."""
        return [run.row for run in self._store.runs()]

    def run(self, run: str | None = None) -> RunRow:
        """Return a run. Its id is `fingerprint`."""
        return self._store.run(run).row

    def bots(self, run: str | None = None) -> list[Entrant]:
        """Return the bots of a run in the order of its tournament file."""
        return self._store.run(run).bots()

    def games(self, run: str | None = None, *, variant: str | None = None, bot: str | None = None) -> list[GameRow]:
        """Return the games of a run in the order of their ids; only of one variant, or with one bot, if given."""
        found = self._played(run, variant)
        found.require_bot(bot)
        return found.games(variant=variant, bot=bot)

    def record(self, game: str) -> GameRecord:
        """Return the record of a game, by its id or the beginning of it. Raises ReadError if it is damaged."""
        return self._store.record(game)

    def notes(self, game: str) -> tuple[Note, ...]:
        """Return what bots noted about their actions in a game, by its id or the beginning of it, in their order.

        The words are the bots' own: escape them wherever you show them.
        """
        return self._store.notes(self._store.record(game).id)

    def records(self, run: str | None = None) -> Iterator[GameRecord]:
        """Yield the records of a run in the order of their ids, one at a time."""
        for game in self._store.run(run).game_ids():
            yield self._store.record(game)

    def results(self, run: str | None = None) -> list[GameResult]:
        """Return the results of a run in the order of the games' ids: the input of `bowerbird.ratings`."""
        return self._store.run(run).results()

    def seat_results(self, run: str | None = None) -> list[SeatResult]:
        """Return one row for each game and seat of a run, in the order of the games' ids."""
        return self._store.run(run).seat_results()

    def faults(self, run: str | None = None) -> list[FaultRow]:
        """Return the faults of a run, game by game in schedule order, each with its diagnostics."""
        return self._store.run(run).faults()

    def standings(self, run: str | None = None, *, variant: str | None = None) -> list[Standing]:
        """Return what each bot of a run did, over all variants or in one: results, raw points, faults, times.

        Best incremental Elo first. These are sums; Elo with its interval and `points/deal`, as `bowerbird standings`
        shows them, come from `bowerbird.ratings.rating_list`.
        """
        return self._played(run, variant).standings(variant)

    def record_ratings(self, run: str | None = None) -> list[RecordRating]:
        """Return the ratings of record that were stored when a run was complete, by scope and rank.

        They are the ratings that `bowerbird standings` shows. [] if the run is not complete, has other games by now, or
        comes from a version that stored none; `bowerbird.ratings.rating_list` computes them at any time.
        """
        return list(self._store.run(run).record_ratings())

    def placements(self, run: str | None = None) -> list[Placement]:
        """Return the places of a complete knockout or Swiss, best first; [] for other runs."""
        return self._store.run(run).placements()

    def matches(self, run: str | None = None) -> list[MatchResult]:
        """Return the matches of a complete knockout or Swiss, round by round; [] for other runs."""
        return self._store.run(run).matches()

    def crosstable(self, run: str | None = None, *, variant: str | None = None) -> list[Pairing]:
        """Return each bot's results against each opponent, over all variants or in one."""
        return self._played(run, variant).crosstable(variant)

    def verify(self, run: str | None = None, *, processes: int = 1) -> list[Difference]:
        """Play every game of a run again. Return all differences; [] if the run is correct.

        processes: how many processes share the games. With more than one, a program must guard its own start with
            `if __name__ == "__main__":`, because each process imports it.
        """
        return verify_run(self._store.run(run), digest_of, examiner=PoolExaminer(processes))

    def _played(self, run: str | None, variant: str | None) -> StoredRun:
        """Return a run that played `variant`; None is any variant."""
        found = self._store.run(run)
        found.require_variant(variant)
        return found


@contextmanager
def open_database(path: str | os.PathLike[str]) -> Iterator[Database]:
    """Open an existing database for the `with` block, to read it.

    A database of an older version of Bowerbird is first brought to this version, which leaves its records unchanged.
    Raises StoreError if the file does not exist, cannot be read, or is not a Bowerbird database.
    """
    with Store.open(Path(path)) as store:
        yield Database(store)


def open(path: str | os.PathLike[str]) -> AbstractContextManager[Database]:
    """Open an existing database for the `with` block: `open_database`, for programs that `import bowerbird.records`.

    >>> from bowerbird import records
    >>> with records.open("bowerbird.db") as database:
    ...     database.run().games
    8
    """
    return open_database(path)


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive of a run, as `open_archive` returns it. `run` describes the run."""

    run: ArchivedRun
    _archive: _archives.Archive = field(repr=False)

    def records(self) -> Iterator[GameRecord]:
        """Yield the records that count, in the order of their ids. An archive is read once, from beginning to end.

        Raises StoreError where the archive is damaged, ReadError where a record is.
        """
        return (read(game.record) for game in self._archive.games if not game.correction)


@contextmanager
def open_archive(path: str | os.PathLike[str]) -> Iterator[Archive]:
    """Open an archive (`bowerbird export`) for the `with` block, without unpacking it to disk.

    Raises StoreError if the file is not an archive or is damaged, OSError if it cannot be read.
    """
    with _archives.open_archive(Path(path)) as archive:
        yield Archive(archive.run, archive)


def read_record(path: str | os.PathLike[str]) -> GameRecord:
    """Return the record in a file. Raises RecordError, which names the file, OSError if it cannot be read."""
    try:
        return read(read_record_file(Path(path)))
    except RecordError as error:
        raise RecordError(f"{os.fspath(path)}: {error}") from error


def parse_record(text: str | bytes) -> GameRecord:
    """Return the record of a game from its text (notation.md, Record of a game). Raises ReadError.

    The digest at its end must be right. That the play follows the rules is checked by `replay` and `verify_record`.
    """
    return read(text)


def record_text(record: GameRecord) -> str:
    """Return the text of a record, the same on every machine."""
    return canonical(record)


def game_result_of(record: GameRecord) -> GameResult:
    """Return the result of a game from its record. Raises ValueError for a malformed id."""
    return result_of_record(record)


def verify_record(record: GameRecord) -> list[Difference]:
    """Play a record again. Return the first difference, or [] if it follows the rules."""
    return verify_text(canonical(record))


def verify_file(path: str | os.PathLike[str]) -> list[Difference]:
    """Play everything in a file again: one record, or the archive of a run. Return all differences; [] if it is right.

    Raises StoreError for a damaged archive, OSError if the file cannot be read.
    """
    file = Path(path)
    if _archives.is_archive(file):
        return verify_archive(file, digest_of).differences
    return verify_text(read_record_file(file))
