"""Taking records of other databases in: whole runs from their archives, and single records.

Ids are made of what a game is, so runs merge: what is here already must be the same to the byte, or is refused by
name; what is new is added. One archive is one transaction.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NoReturn

from engine import EngineError, RecordError
from harness.records import database
from harness.records.archive import Archive, ArchivedGame, Progress, open_archive
from harness.records.canonical import differing_line
from harness.records.errors import StoreError, sqlite_errors
from harness.records.examine import Difference, difference_of
from harness.records.game_rows import GameRows, game_rows
from harness.records.insertion import (
    insert,
    insert_bots,
    insert_game,
    insert_job,
    insert_stories,
    misfit,
    replace_ratings,
)
from harness.records.queries import results_in, stories_in
from harness.records.reader import read
from harness.records.record import GameRecord
from harness.records.replay import check
from harness.records.result import sides_of
from harness.records.run import GameId, RatingTable
from harness.records.sidecar import RunLock, SeedFile
from harness.records.store import Store
from harness.records.story import FaultStory
from harness.records.story_text import read_stories, travelling
from harness.records.verify import Rerate, verify_run

Examine = Callable[[GameRecord], None]
"""Looks at a record before it is taken in; raises RecordError to refuse it."""


class RefusedError(RecordError):
    """What an archive holds was refused: `difference` says what is wrong, and in which game or deal set."""

    def __init__(self, archive: Path, difference: Difference) -> None:
        """Build the one sentence for people from its parts."""
        self.difference = difference
        super().__init__(f"{archive}: {difference}; nothing of it was imported")


@dataclass(frozen=True, slots=True)
class Merged:
    """What an import did: games that are new here, and games that were here already, the same to the byte.

    `stories` counts those that are new, of faults in games old and new.
    """

    run: str
    new: int
    known: int
    stories: int = 0


def merge_run(
    store: Store,
    archive: Archive,
    rerate: Rerate,
    *,
    examine: Examine | None = None,
    progress: Progress | None = None,
) -> Merged:
    """Take in the run of an archive, whole or not at all.

    Every record is read strictly and, unless `examine` does something else, played with the run's seed; a story must
    belong to its record. Ratings are what `rerate` makes of all results then. Raises StoreError where the archive is
    damaged, the run is being played, or something differs from what is stored; RecordError (RefusedError, StoryError),
    with the archive's name, where a record, a deal set or a story is refused.
    """
    run = archive.run
    header, fingerprint = run.header, run.header.fingerprint
    examine = examine or (lambda record: check(record, run.seed, header.packs, header.beacon))
    with sqlite_errors(store.path, f"importing run {fingerprint}"), RunLock(store.path, fingerprint):
        writing = database.connect(store.path)
        try:
            with database.transaction(writing):
                merge = _Merge(writing, archive, store.path.parent, examine)
                merge.games(progress)
                merge.rate(rerate(results_in(writing, fingerprint), None))
            if merge.published:
                SeedFile(store.path, fingerprint).remove()
        finally:
            writing.close()
    return Merged(fingerprint, merge.new, merge.known, merge.stories)


def add_single(store: Store, file: Path) -> Merged:
    """Take in the one record that a file holds: to be replayed, verified and exported, but counted nowhere.

    A deal set is complete or it does not count, and a single record knows nothing of its run. Raises RecordError, with
    the file's name, where the record is refused, StoreError where another record of this id is here, OSError where the
    file cannot be read.
    """
    text = file.read_bytes()
    try:
        record = read(text)
        check(record)
    except RecordError as error:
        raise RefusedError(file, difference_of(error, "")) from error
    try:
        run = GameId.parse(record.id).run
    except ValueError as error:
        raise RefusedError(file, Difference("", "id", str(error))) from None
    with sqlite_errors(store.path, f"importing game {record.id}"):
        writing = database.connect(store.path)
        try:
            with database.transaction(writing):
                known = _known(writing, record.id, text.decode(), file)
                if not known:
                    insert(writing, "single", [{"id": record.id, "record": text.decode()}])
        finally:
            writing.close()
    return Merged(run, int(not known), int(known))


def verify_archive(
    path: Path, rerate: Rerate, progress: Progress | None = None, workers: int = 1
) -> tuple[int, list[Difference]]:
    """How many games an archive says it holds, and all that differs in it: as `verify_run` in a database of its own.

    Raises StoreError where the file is no archive, or its records are not at their places and as many as it says.
    """
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "archive.db") as store:
        with open_archive(path) as archive:
            run = archive.run
            try:
                merge_run(store, archive, rerate, examine=_leave_to_verification)
            except RefusedError as error:
                return run.games, [error.difference]
            except RecordError as error:
                return run.games, [difference_of(error, "")]
        return run.games, verify_run(store, run.header.fingerprint, rerate, progress, workers)


def _leave_to_verification(_record: GameRecord) -> None:
    """Every record is played by `verify_run`, once."""


class _Merge:
    """One archive on its way into a database, inside a transaction that is open."""

    def __init__(self, writing: sqlite3.Connection, archive: Archive, folder: Path, examine: Examine) -> None:
        self.writing = writing
        self.archive = archive
        self.folder = folder
        self.examine = examine
        self.fingerprint = archive.run.header.fingerprint
        self.published = archive.run.seed is not None
        self.new = 0
        self.known = 0
        self.stories = 0
        self.stories_read = 0
        self.bots = {bot.name: bot for bot in archive.run.header.bots}

    def games(self, progress: Progress | None) -> None:
        """The run, its bots and its games, set by set."""
        total = self.archive.run.games
        before = self._count("job")
        self._run()
        self._bots()
        archived = 0
        for _, games in groupby(self.archive.games, key=lambda one: one.id.set_key):
            self._set(list(games))
            archived += 1
            if progress is not None:
                progress(self.new + self.known, total)
        self.archive.check_stories(self.stories_read)
        self._settle(before, archived)

    def rate(self, ratings: RatingTable) -> None:
        """Replace the run's ratings."""
        replace_ratings(self.writing, self.fingerprint, ratings)

    def _run(self) -> None:
        run, header = self.archive.run, self.archive.run.header
        stored = self._rows("SELECT * FROM run WHERE fingerprint = ?", self.fingerprint)
        if not stored:
            insert(
                self.writing,
                "run",
                [
                    {
                        "fingerprint": self.fingerprint,
                        "name": header.name,
                        "commitment": header.commitment,
                        "practice": header.practice,
                        "packs": header.packs,
                        "beacon": header.beacon,
                        "sets_after_seed": run.sets_after_seed,
                        "config": header.config,
                        "engine": run.engine,
                        "rules": run.rules,
                        "started": run.started,
                    }
                ],
            )
            return
        self.writing.execute(
            "UPDATE run SET sets_after_seed = MAX(sets_after_seed, ?) WHERE fingerprint = ?",
            [run.sets_after_seed, self.fingerprint],
        )
        for column in ("name", "commitment", "practice", "packs", "beacon"):
            mine, theirs = stored[0][column], getattr(header, column)
            if mine != theirs:
                self._conflict(f"{column} of run {self.fingerprint} is {mine!r} here and {theirs!r} in it")

    def _bots(self) -> None:
        known = {row["name"]: row for row in self._rows("SELECT * FROM bot WHERE run = ?", self.fingerprint)}
        fresh = [bot for bot in self.bots.values() if bot.name not in known]
        for name in known.keys() & self.bots.keys():
            mine, theirs = known[name], self.bots[name]
            if (mine["version"], mine["fingerprint"]) != (theirs.version, theirs.fingerprint):
                self._conflict(f"bot {name!r} of run {self.fingerprint} has another version or other files here")
        insert_bots(self.writing, self.fingerprint, fresh, len(known))

    def _set(self, games: Sequence[ArchivedGame]) -> None:
        key = games[0].id.set_key
        place = f"deal set {self.fingerprint}/{key}"
        records = [self._record(game) for game in games]
        if [game.id.rotation for game in games] != list(range(len(games))) or len(games) % self._sides(records[0]):
            self._refuse(Difference("", place, "it is not complete"))
        stored = self._rows(
            "SELECT games FROM job WHERE run = ? AND entry = ? AND lineup = ? AND set_number = ?",
            *(self.fingerprint, key.entry, key.lineup, key.number),
        )
        if stored and stored[0]["games"] != len(games):
            self._conflict(f"{place} has other rotations here")
        if not stored:
            insert_job(self.writing, self.fingerprint, key, len(games))
        for game, record in zip(games, records, strict=True):
            self._game(game.record, record)
            if game.stories is not None:
                self._stories(record, read_stories(game.stories, record, game.place), game.place)

    def _record(self, game: ArchivedGame) -> GameRecord:
        name = str(game.id)
        try:
            record = read(game.record)
            if record.id != name:
                raise RecordError(f"the record at its place is that of game {record.id}")
            if why := misfit(record, self.archive.run.header.commitment, self.bots):
                raise RecordError(why)
            self.examine(record)
        except RecordError as error:
            self._refuse(difference_of(error, name))
        return record

    def _sides(self, record: GameRecord) -> int:
        try:
            return len(set(sides_of(record.variant, record.options)))
        except EngineError as error:
            self._refuse(Difference(record.id, "", str(error)))

    def _game(self, text: str, record: GameRecord) -> None:
        if _known(self.writing, record.id, text, self.archive.path) and not self._drop_single(record.id):
            self.known += 1
            return
        insert_game(self.writing, self._game_rows(record, text))
        self.new += 1

    def _stories(self, record: GameRecord, stories: Sequence[FaultStory], place: str) -> None:
        """Keep stories that are new; one that is known already must be the same."""
        here = {story.seat: story for story in stories_in(self.writing, record.id)}
        for story in stories:
            known = here.get(story.seat)
            if known is not None and travelling(known) != story:
                self._conflict(f"seat {story.seat}'s fault in game {record.id} has another story here than in {place}")
        fresh = [story for story in stories if story.seat not in here]
        insert_stories(self.writing, fresh, self.folder)
        self.stories += len(fresh)
        self.stories_read += len(stories)

    def _drop_single(self, game: str) -> bool:
        """Whether the game was here as a single record, which it is no longer."""
        return bool(self.writing.execute("DELETE FROM single WHERE id = ?", [game]).rowcount)

    def _game_rows(self, record: GameRecord, text: str) -> GameRows:
        try:
            return game_rows(record, text)
        except ValueError as error:  # an EngineError, or an id that is none
            self._refuse(Difference(record.id, "", str(error)))

    def _settle(self, before: int, archived: int) -> None:
        """Publish the seed, and say when the run ended if one of the two sides has all of it."""
        run, now = self.archive.run, self._count("job")
        if run.seed is not None:
            self.writing.execute("UPDATE run SET seed = ? WHERE fingerprint = ?", [run.seed.hex(), self.fingerprint])
        if archived == now:  # the archive has everything that is here
            self.writing.execute(
                "UPDATE run SET ended = ?, config = ?, started = ? WHERE fingerprint = ?",
                [run.ended, run.header.config, run.started, self.fingerprint],
            )
        elif before != now:  # each side has something that the other has not
            self.writing.execute("UPDATE run SET ended = NULL WHERE fingerprint = ?", [self.fingerprint])

    def _count(self, table: str) -> int:
        return int(self._rows(f"SELECT COUNT(*) AS n FROM {table} WHERE run = ?", self.fingerprint)[0]["n"])

    def _rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        return list(self.writing.execute(sql, parameters))

    def _refuse(self, difference: Difference) -> NoReturn:
        """The archive is wrong in itself."""
        raise RefusedError(self.archive.path, difference)

    def _conflict(self, sentence: str) -> NoReturn:
        """What the archive says is not what is stored here."""
        raise StoreError(f"{self.archive.path}: {sentence}; nothing of it was imported")


def _known(writing: sqlite3.Connection, game: str, text: str, file: Path) -> bool:
    """Whether this very record is here, of a run or single. Raises StoreError where another record of its id is.

    `file` is where the record comes from.
    """
    stored = [row["record"] for row in writing.execute("SELECT record FROM game WHERE id = ?", [game])] or [
        row["record"] for row in writing.execute("SELECT record FROM single WHERE id = ?", [game])
    ]
    if stored and stored[0] != text:
        line = differing_line(stored[0], text)
        raise StoreError(
            f"{file}: game {game} is recorded here otherwise (the records first differ in line {line}); "
            "nothing of it was imported"
        )
    return bool(stored)
