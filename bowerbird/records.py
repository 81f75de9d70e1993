"""Recorded runs and games: open a database or an archive, read records, replay and verify them.

>>> with open_database("bowerbird.db") as database:
...     run = database.run()
...     rows = database.seat_results()
...     record = database.record(rows[0].game)
>>> run.name, run.games, len(rows)
('match-euchre-greedy-random', 8, 32)
>>> rows[0].bot, rows[0].seat, rows[0].rank
('greedy', 0, 1)

`seat_results` has one row for each game and seat; pass them to `pandas.DataFrame(rows)` as they are. A record contains
every action. `replay` plays it again, and each step shows what every seat knew:

>>> step = next(replay(record))
>>> step.seat, step.token, step.before.view(step.seat).stage
(0, 'pass', 'order up')

Nothing here writes to a run. Databases and archives raise StoreError and records raise RecordError, each with a
one-sentence message; files that cannot be read raise OSError.
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

    `run` is a run's id, the beginning of its id, or its name, which selects the latest run of that name; None selects
    the latest run of all. `variant` is a variant that the run played, and `bot` is the name of one of its bots; None
    selects all of them. Every method raises StoreError if no run, variant or bot matches (the message names the nearest
    match), if the file cannot be read, or after the end of the `with` block. You can read a database while a tournament
    writes to it.
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
        """Return the games of a run in the order of their ids, limited to one variant or one bot if given."""
        found = self._played(run, variant)
        found.require_bot(bot)
        return found.games(variant=variant, bot=bot)

    def record(self, game: str) -> GameRecord:
        """Return a game's record, given its id or the beginning of it. Raises ReadError if the record is damaged."""
        return self._store.record(game)

    def notes(self, game: str) -> tuple[Note, ...]:
        """Return the bots' notes on their actions in a game, in order.

        `game` is its id or the beginning of its id. Bots can write anything: escape a note wherever you show it.
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
        """Return the faults of a run with their diagnostics, game by game in schedule order."""
        return self._store.run(run).faults()

    def standings(self, run: str | None = None, *, variant: str | None = None) -> list[Standing]:
        """Return the totals of each bot of a run, over all variants or in one: results, raw points, faults, times.

        The best incremental Elo comes first. For Elo with its interval and for `points/deal`, as `bowerbird standings`
        shows them, use `bowerbird.ratings.rating_list`.
        """
        return self._played(run, variant).standings(variant)

    def record_ratings(self, run: str | None = None) -> list[RecordRating]:
        """Return the ratings of record, stored when the run was completed, by scope and rank.

        `bowerbird standings` shows these ratings. Return [] if the run is incomplete, if its games have changed since
        then, or if its version of Bowerbird stored no ratings; `bowerbird.ratings.rating_list` can compute them at any
        time.
        """
        return list(self._store.run(run).record_ratings())

    def placements(self, run: str | None = None) -> list[Placement]:
        """Return the places in a complete knockout or Swiss run, best first; [] for other runs."""
        return self._store.run(run).placements()

    def matches(self, run: str | None = None) -> list[MatchResult]:
        """Return the matches of a complete knockout or Swiss run, round by round; [] for other runs."""
        return self._store.run(run).matches()

    def crosstable(self, run: str | None = None, *, variant: str | None = None) -> list[Pairing]:
        """Return each bot's results against each opponent, over all variants or in one."""
        return self._played(run, variant).crosstable(variant)

    def verify(self, run: str | None = None, *, processes: int = 1) -> list[Difference]:
        """Replay every game of a run. Return all differences; [] if the run is correct.

        processes: the number of processes that share the games. With more than one, guard the start of your program
            with `if __name__ == "__main__":`, because each process imports your program.
        """
        return verify_run(self._store.run(run), digest_of, examiner=PoolExaminer(processes))

    def _played(self, run: str | None, variant: str | None) -> StoredRun:
        """Return a run, and check that it played `variant`, unless that is None."""
        found = self._store.run(run)
        found.require_variant(variant)
        return found


@contextmanager
def open_database(path: str | os.PathLike[str]) -> Iterator[Database]:
    """Open an existing database for reading in a `with` block.

    A database written by an older version of Bowerbird is first upgraded to this version; its records do not change.
    Raises StoreError if the file does not exist, cannot be read, or is not a Bowerbird database.
    """
    with Store.open(Path(path)) as store:
        yield Database(store)


def open(path: str | os.PathLike[str]) -> AbstractContextManager[Database]:
    """Open an existing database for a `with` block: `open_database` under a shorter name.

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
        """Yield the records that count, in the order of their ids. You can iterate only once.

        Raises StoreError if the archive is damaged, and ReadError if a record is.
        """
        return (read(game.record) for game in self._archive.games if not game.correction)


@contextmanager
def open_archive(path: str | os.PathLike[str]) -> Iterator[Archive]:
    """Open an archive (`bowerbird export`) for a `with` block, without unpacking it to disk.

    Raises StoreError if the file is not an archive or is damaged, and OSError if it cannot be read.
    """
    with _archives.open_archive(Path(path)) as archive:
        yield Archive(archive.run, archive)


def read_record(path: str | os.PathLike[str]) -> GameRecord:
    """Return the record in a file. Raises RecordError, which names the file, and OSError if it cannot be read."""
    try:
        return read(read_record_file(Path(path)))
    except RecordError as error:
        raise RecordError(f"{os.fspath(path)}: {error}") from error


def parse_record(text: str | bytes) -> GameRecord:
    """Return the record of a game from its text (notation.md, Record of a game). Raises ReadError.

    The digest at its end must be correct. `replay` and `verify_record` check that the play follows the rules.
    """
    return read(text)


def record_text(record: GameRecord) -> str:
    """Return the text of a record, which is the same on every machine."""
    return canonical(record)


def game_result_of(record: GameRecord) -> GameResult:
    """Return the result of a game from its record. Raises ValueError for a malformed id."""
    return result_of_record(record)


def verify_record(record: GameRecord) -> list[Difference]:
    """Replay a record. Return the first difference, or [] if the record follows the rules."""
    return verify_text(canonical(record))


def verify_file(path: str | os.PathLike[str]) -> list[Difference]:
    """Replay everything in a file: one record, or the archive of a run. Return all differences; [] if there are none.

    Raises StoreError for a damaged archive, and OSError if the file cannot be read.
    """
    file = Path(path)
    if _archives.is_archive(file):
        return verify_archive(file, digest_of).differences
    return verify_text(read_record_file(file))
