"""Imports records from other databases: whole runs from archives, and single records.

A game has the same id in every database, so runs can be merged. A game that is already stored must equal the imported
one byte for byte; new games are added. One archive is one transaction.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import NoReturn

from bowerbird.engine import EngineError, RecordError, counted
from bowerbird.harness.records.archive.archive import Archive, ArchivedGame, Progress, open_archive
from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.corrections import put_back, reopen, take_out
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.sidecar import RunLock, SeedFile
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.conduct import insert_machine, machines_in, raise_cpu
from bowerbird.harness.records.store.tables.corrections import (
    corrections_in,
    insert_correction,
    insert_voided_games,
    voided_games_in,
)
from bowerbird.harness.records.store.tables.games import (
    TableRows,
    insert_game,
    insert_single,
    results_in,
    rows_of_record,
)
from bowerbird.harness.records.store.tables.outcomes import outcome_in, replace_outcome
from bowerbird.harness.records.store.tables.ratings import replace_record_ratings, replace_results_digest
from bowerbird.harness.records.store.tables.runs import (
    bots_in,
    header_in,
    insert_bots,
    insert_origin,
    insert_run,
    origins_in,
)
from bowerbird.harness.records.store.tables.sets import insert_job, insert_voids, resize_job, set_size, voids_in
from bowerbird.harness.records.store.tables.stories import insert_notes, insert_stories, notes_in, stories_in
from bowerbird.harness.records.store.tables.table import IN_SET, now, set_columns
from bowerbird.harness.records.store.tables.unpaired import delete_unpaired, insert_unpaired
from bowerbird.harness.records.text.beside_text import read_notes, read_stories, without_foreign_log
from bowerbird.harness.records.text.bounded_file import read_record_file
from bowerbird.harness.records.text.canonical import differing_line
from bowerbird.harness.records.text.members import NOTES, RUN_FILE, STORIES
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.corrections import THE_RUN, Correction, DealSources, VoidedGame, annulled_sets
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.placements import OPEN
from bowerbird.harness.records.values.run import GameId, Origin, RecordRating, SetKey, is_whole_set, mismatch
from bowerbird.harness.records.values.voids import by_key
from bowerbird.harness.records.verify.examiner import Examiner, examine_here
from bowerbird.harness.records.verify.game_checks import Difference, check_in_run, check_single, difference_of
from bowerbird.harness.records.verify.run_rules import run_rules
from bowerbird.harness.records.verify.verification import DigestOf, PairingCheck, verify_run
from bowerbird.harness.records.vouching import Keys, SignatureError, no_keys

Examine = Callable[[GameRecord, int], None]
"""A function that checks a record before it is stored, and raises RecordError to refuse it.

The number is that of the correction that took it out of the results; 0 if it counts."""


RateOfRecord = Callable[[Sequence[GameResult], str], Iterable[RecordRating]]
"""A function that computes the ratings of record of a complete run from (its results, its config).

It is a parameter because the ratings package imports this one."""


class RefusedError(RecordError):
    """The error for a refused archive. `difference` states what is wrong, and in which game or deal set."""

    def __init__(self, archive: Path, difference: Difference) -> None:
        """Build the message from its parts."""
        self.difference = difference
        super().__init__(f"{archive}: {difference}; nothing was imported")


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of an import: counts of `new` games, of games already `known`, and of new `stories` and `notes`.

    `signed_by` is the key that signed the archive, in hex digits; "" for an unsigned archive, for one whose signature
    is not checked, and for a single record. `corrections` are the corrections that are new here, if the run was already
    stored.
    """

    run: str
    new: int
    known: int
    stories: int = 0
    signed_by: str = ""
    corrections: tuple[Correction, ...] = ()
    notes: int = 0


def merge_run(
    store: Store,
    archive: Archive,
    digest_of: DigestOf,
    *,
    examine: Examine | None = None,
    progress: Progress | None = None,
    rate_of_record: RateOfRecord | None = None,
    keys: Keys | None = None,
    untrusted: bool = False,
) -> Merged:
    """Import the run of an archive, whole or not at all.

    Every record is read strictly and checked by `examine`, which by default plays it with the run's seed. Each story
    and each note must belong to its record. Then `digest_of` computes the digest of all results and, if the run is now
    complete, `rate_of_record` the ratings of record; None stores none. The signature must match, and its key must not
    be revoked in `keys`, by default `no_keys`. The signer is stored if the archive added anything.

    untrusted: let an archive that nobody vouches for add to a run that counts; the run then no longer counts.

    Raises StoreError if the archive is damaged, the run is being played, something differs from what is stored, or the
    archive may not change the run; RecordError (RefusedError, StoryError, NoteError), with the archive's name, if a
    record, a deal set, a story, a note or the signature is refused.
    """
    run = archive.run
    header, fingerprint = run.header, run.header.fingerprint
    sources = DealSources(header.commitment, run.seed, run.corrections, run.voids)
    rules = run_rules(header.config)

    def check_seeded(record: GameRecord, voided_by: int) -> None:
        key = GameId.parse(record.id).set_key
        source = sources.find(key, record.commitment, voided_by)
        assert source is not None, "the commitment is checked before"
        attempt = sources.attempt(key, source)
        check_in_run(record, source.seed, header.packs, header.beacon, attempt=attempt, rules=rules)

    examine = examine or check_seeded
    with (
        sqlite_errors(store.path, f"importing run {fingerprint}"),
        RunLock(store.path, fingerprint),
        closing(database.connect(store.path)) as writing,
    ):
        with database.transaction(writing):
            merge = _Merge(writing, archive, store.path.parent, examine, sources)
            key = merge.signed_games(progress, keys or no_keys(), untrusted=untrusted)
            merge.rate(results_in(writing, fingerprint), digest_of, rate_of_record)
        for number in merge.published:
            SeedFile(store.path, fingerprint, number).remove()
        store_run_digest(store[fingerprint])
    return Merged(fingerprint, merge.new, merge.known, merge.stories, key, merge.corrections, merge.notes)


def add_single(store: Store, file: Path) -> Merged:
    """Import the record in `file`, to replay, verify and export it, but not to count it in any standings.

    Only complete deal sets count, and a single record has no run. Raises RecordError, with the file's name, if the
    record is refused, StoreError if another record with its id is stored, OSError if the file cannot be read.
    """
    text = read_record_file(file)
    try:
        record = read(text)
        run = GameId.parse(record.id).run
        check_single(record)
    except RecordError as error:
        raise RefusedError(file, difference_of(error, "")) from error
    except ValueError as error:
        raise RefusedError(file, Difference("", "id", str(error))) from None
    with database.writing(store.path, f"importing game {record.id}") as writing:
        known = _known(writing, record.id, text.decode(), file)
        if not known:
            insert_single(writing, record.id, text.decode())
    return Merged(run, int(not known), int(known))


@dataclass(frozen=True, slots=True)
class VerifiedArchive:
    """A verified archive.

    games: the number of records that it claims to have.
    differences: everything that is wrong.
    digest: that of its run (`run_digest`); "" if the run is not complete or the archive is refused.
    """

    games: int
    differences: list[Difference]
    digest: str = ""


def verify_archive(
    path: Path,
    digest_of: DigestOf,
    progress: Progress | None = None,
    examiner: Examiner = examine_here,
    *,
    check_pairings: PairingCheck | None = None,
) -> VerifiedArchive:
    """Verify an archive with `verify_run` in a temporary database.

    `examiner` examines the games. Raises StoreError if the file is not an archive, a record is out of place, or the
    number of records is wrong.
    """
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "archive.db") as store:
        with open_archive(path) as archive:
            run = archive.run
            try:
                merge_run(store, archive, digest_of, examine=_leave_to_verification)
            except RefusedError as error:
                return VerifiedArchive(run.games, [error.difference])
            except RecordError as error:
                return VerifiedArchive(run.games, [difference_of(error, "")])
        stored = store.run(run.header.fingerprint)
        found = verify_run(stored, digest_of, progress, examiner, check_pairings=check_pairings)
        return VerifiedArchive(run.games, found, stored.row.digest)


def _leave_to_verification(_record: GameRecord, _voided_by: int) -> None:
    """Check nothing, because `verify_run` plays every record later."""


class _Merge:
    """The import of an archive, inside an open transaction."""

    def __init__(
        self, writing: sqlite3.Connection, archive: Archive, folder: Path, examine: Examine, sources: DealSources
    ) -> None:
        self.writing = writing
        self.archive = archive
        self.folder = folder
        self.examine = examine
        self.sources = sources
        self.fingerprint = archive.run.header.fingerprint
        run = archive.run
        self.published = [
            *([THE_RUN] if run.seed is not None else []),
            *(one.number for one in run.corrections if one.seed is not None),
        ]
        """The numbers of the seeds that the archive publishes (`DealSource.correction`)."""
        self.new = 0
        self.known = 0
        self.stories = 0
        self.stories_read = 0
        self.notes = 0
        self.notes_read = 0
        self.is_stored = False
        """True if the run was already stored."""
        self.corrections: tuple[Correction, ...] = ()
        """The corrections that are new here, if the run was already stored."""
        self.has_all = False
        """True if the archive has every stored deal set and void; known after `games`."""
        self.bots = {bot.name: bot for bot in archive.run.header.bots}
        self.annulled = annulled_sets(archive.run.corrections)
        self.voids = by_key(archive.run.voids)
        self.voids_here = by_key(voids_in(writing, self.fingerprint))

    def signed_games(self, progress: Progress | None, keys: Keys, *, untrusted: bool) -> str:
        """Import the run with its games, check the signature, and store the signer. Return the key that signed."""
        origins = origins_in(self.writing, self.fingerprint)
        before = self._state()
        self.games(progress)
        key, signature = self._signature(keys)
        has_changed = not self.is_stored or bool(self.new or self.stories or self.notes) or self._state() != before
        if has_changed and self.is_stored and (self.corrections or not untrusted):
            self._check_right_to_change(origins, key, keys)
        is_better = bool(origins) and self.has_all and keys.vouches(key)
        if has_changed:
            self.writing.execute("UPDATE run SET digest = '' WHERE fingerprint = ?", [self.fingerprint])
        if has_changed or is_better:
            insert_origin(self.writing, self.fingerprint, Origin(key, signature, now()), alone=is_better)
        return key

    def _signature(self, keys: Keys) -> tuple[str, str]:
        """Return the key of the checked signature, and its text; both "" if it is missing or not checked."""
        try:
            signed = self.archive.check_signature(keys)
        except SignatureError as error:
            self._refuse(Difference("", error.member, error.sentence))
        if signed is None or not signed[0]:
            return "", ""
        if why := keys.why_refused(signed[0]):
            self._conflict(why)
        return signed

    def _check_right_to_change(self, origins: Sequence[Origin], key: str, keys: Keys) -> None:
        """Refuse changes to a run from anyone who does not vouch for it.

        Once the seed is known, anyone can invent games. Anyone may change a stored run that nobody vouches for, because
        it does not count.
        """
        vouched = not origins or all(keys.vouches(origin.key) for origin in origins)
        same = bool(origins) and all(origin.key == key for origin in origins)
        if not vouched or same or keys.vouches(key):
            return
        whose = "was played here" if not origins else "is vouched for by a key that you trust"
        signed = f"is {keys.in_words(key)}" if key else "is unsigned"
        what = self._what_is_new()
        how = "" if self.corrections else "; --untrusted imports it anyway, but the run then no longer counts"
        self._conflict(f"it adds {what} to run {self.fingerprint}, which {whose}, but it {signed}{how}")

    def _what_is_new(self) -> str:
        """Return, in words, what the archive adds to a run that was already stored."""
        if self.corrections:
            return counted(len(self.corrections), "correction")
        if self.new:
            return counted(self.new, "new game")
        if self.stories:
            return f"new stories of {counted(self.stories, 'fault')}"
        return counted(self.notes, "new note") if self.notes else "another state"

    def _state(self) -> list[list[tuple[object, ...]]]:
        """Return the parts of a stored run that an archive can change, besides games and their stories and notes."""
        return [
            [tuple(row) for row in self.writing.execute(sql, [self.fingerprint])]
            for sql in (
                "SELECT ended, sets_after_seed, config, started, stopped FROM run WHERE fingerprint = ?",
                "SELECT * FROM bot WHERE run = ? ORDER BY place",
                "SELECT * FROM void WHERE run = ? ORDER BY entry, lineup, set_number, attempt",
                "SELECT * FROM cpu WHERE run = ? ORDER BY bot",
                "SELECT * FROM machines WHERE run = ? ORDER BY cpu, speed",
                "SELECT * FROM placement WHERE run = ? ORDER BY number",
                "SELECT * FROM match_result WHERE run = ? ORDER BY number",
                "SELECT * FROM correction WHERE run = ? ORDER BY number",
                "SELECT * FROM unpaired WHERE run = ? ORDER BY round, bot",
                "SELECT correction, COUNT(*), SUM(story_count), SUM(note_count) FROM voided_game WHERE run = ?"
                " GROUP BY correction",
            )
        ]

    def games(self, progress: Progress | None) -> None:
        """Import the run, its bots and its games, set by set."""
        total = self.archive.run.games
        before = self._count("job")
        self.is_stored = header_in(self.writing, self.fingerprint) is not None
        self._run()
        self._bots()
        self._corrections()
        archived = 0
        for (voided_by, key), games in groupby(self.archive.games, key=lambda one: (one.correction, one.id.set_key)):
            if voided_by:
                self._voided_set(voided_by, key, games)
                continue
            self._set(key, games)
            archived += 1
            if progress is not None:
                progress(self.new + self.known, total)
        self.archive.check_beside(self.stories_read, self.notes_read)
        self._machines(archived, overlap=archived - (self._count("job") - before))
        self._unplayed_voids()
        self._settle(before, archived)

    def rate(self, results: Sequence[GameResult], digest_of: DigestOf, rate_of_record: RateOfRecord | None) -> None:
        """Replace the digest of the run's results, and its ratings by the ratings from all its results."""
        ratings = digest_of(results)
        replace_results_digest(self.writing, self.fingerprint, ratings)
        sql = "SELECT config FROM run WHERE fingerprint = ? AND ended IS NOT NULL"
        complete = self.writing.execute(sql, [self.fingerprint]).fetchone()
        if rate_of_record is not None and complete is not None:
            of_record = rate_of_record(results, complete["config"])
            replace_record_ratings(self.writing, self.fingerprint, of_record, ratings.digest)

    def _run(self) -> None:
        run, header = self.archive.run, self.archive.run.header
        stored = header_in(self.writing, self.fingerprint)
        if stored is None:
            insert_run(
                self.writing,
                header,
                engine=run.engine,
                rules=run.rules,
                started=run.started,
                sets_after_seed=run.sets_after_seed,
                label=run.label or None,
            )
            return
        self.writing.execute(
            "UPDATE run SET sets_after_seed = MAX(sets_after_seed, ?) WHERE fingerprint = ?",
            [run.sets_after_seed, self.fingerprint],
        )
        for column in ("name", "commitment", "practice", "packs", "beacon"):
            mine, theirs = getattr(stored, column), getattr(header, column)
            if mine != theirs:
                self._conflict(f"{column} of run {self.fingerprint} is {mine!r} here and {theirs!r} in the archive")

    def _bots(self) -> None:
        known = {bot.name: bot for bot in bots_in(self.writing, self.fingerprint)}
        fresh = [bot for bot in self.bots.values() if bot.name not in known]
        for name in known.keys() & self.bots.keys():
            mine, theirs = known[name], self.bots[name]
            if (mine.version, mine.fingerprint) != (theirs.version, theirs.fingerprint):
                self._conflict(f"bot {name!r} of run {self.fingerprint} has another version or other files here")
        insert_bots(self.writing, self.fingerprint, fresh, len(known))
        raise_cpu(self.writing, self.fingerprint, self.archive.run.cpu)

    def _corrections(self) -> None:
        """Adopt the corrections that are new here, so that their deal sets no longer count here either.

        Two copies of a run have the same corrections, except that the one exported later may have more at the
        end.
        """
        mine, theirs = corrections_in(self.writing, self.fingerprint), self.archive.run.corrections
        if len(theirs) < len(mine):
            self._conflict(
                f"run {self.fingerprint} has been corrected here since ({counted(len(mine), 'correction')} here, "
                f"{len(theirs)} in the archive)"
            )
        for one, other in zip(mine, theirs, strict=False):
            if replace(one, seed=None, games=0) != replace(other, seed=None, games=0):
                self._conflict(f"correction {one.number} of run {self.fingerprint} differs here")
        for number, one in enumerate(theirs[len(mine) :], len(mine)):
            insert_correction(self.writing, self.fingerprint, one)
            take_out(self.writing, self.fingerprint, one)
            put_back(self.writing, self.fingerprint, theirs[:number], one, self.folder)
        self.writing.executemany(
            "UPDATE correction SET seed = ? WHERE run = ? AND number = ? AND seed IS NULL",
            [(one.seed.hex(), self.fingerprint, one.number) for one in theirs if one.seed is not None],
        )
        if len(theirs) > len(mine) and self.is_stored:
            self.corrections = theirs[len(mine) :]
        if len(theirs) > len(mine):
            reopen(self.writing, self.fingerprint)
            # nobody knows how many of the removed sets each machine played
            self.writing.execute("UPDATE machine SET imported = 0 WHERE run = ?", [self.fingerprint])
            self.voids_here = by_key(voids_in(self.writing, self.fingerprint))
            self._unpaired(alone=True)  # a correction can change later pairings

    def _voided_set(self, correction: int, key: SetKey, games: Iterable[ArchivedGame]) -> None:
        """Import the games of a deal set that a correction took out of the results."""
        place = f"deal set {self.fingerprint}/{key}, voided by correction {correction}"
        if key not in self.archive.run.corrections[correction - 1].sets:
            self._refuse(Difference("", place, "the correction does not name it"))
        stored = {game.id: game for game in voided_games_in(self.writing, self.fingerprint, correction, key)}
        for game, record in self._whole_set(games, place):
            stories, notes = self._beside(game, record)
            voided = VoidedGame(
                correction=correction,
                id=str(game.id),
                record=game.record,
                stories=game.stories or "",
                story_count=len(stories),
                notes=game.notes or "",
                note_count=len(notes),
            )
            known = stored.pop(voided.id, None)
            if known is None:
                insert_voided_games(self.writing, [voided])
            elif known != voided:
                self._conflict(f"game {voided.id}, voided by correction {correction}, is stored here with other text")
        if stored:
            self._conflict(f"{place} has other rotations here")

    def _set(self, key: SetKey, games: Iterable[ArchivedGame]) -> None:
        """Import a deal set game by game, so that only one record at a time is in memory."""
        place = f"deal set {self.fingerprint}/{key}"
        if key in self.annulled:
            self._refuse(Difference("", place, "it is among the results, but a correction annuls it"))
        stored = set_size(self.writing, self.fingerprint, key)
        if stored is None:
            insert_job(self.writing, self.fingerprint, key, 0)  # games refer to it; its size is known only later
            self._replace_voids(key)
        elif self.voids.get(key, ()) != self.voids_here.get(key, ()):
            self._conflict(f"{place} has other voids here")
        size = 0
        for game, record in self._whole_set(games, place):
            size += 1
            self._game(game.record, record)
            stories, notes = self._beside(game, record)
            if stories:
                self._stories(record, stories, game.place(STORIES))
            if notes:
                self._notes(record, notes, game.place(NOTES))
        if stored is None:
            resize_job(self.writing, self.fingerprint, key, size)
        elif stored != size:
            self._conflict(f"{place} has other rotations here")

    def _whole_set(self, games: Iterable[ArchivedGame], place: str) -> Iterator[tuple[ArchivedGame, GameRecord]]:
        """Yield the games of a deal set with their records. Refuse an incomplete set; `place` names it."""
        size, sides = 0, 1
        for game in games:
            if game.id.rotation != size:
                self._refuse(Difference("", place, "it is not complete"))
            record = self._record(game)
            if not size:
                sides = self._sides(record)
            size += 1
            yield game, record
        if not is_whole_set(size, sides, self.archive.run.header.config):
            self._refuse(Difference("", place, "it is not complete"))

    def _machines(self, archived: int, overlap: int) -> None:
        """Adopt the number of deal sets that each machine played.

        The archive does not state which sets they are. The counts of two parts are therefore added if the parts do not
        overlap. Otherwise the greater count is used: it is right if one part contains the other; else it is too low,
        but never too high.

        archived: the number of deal sets in the archive.
        overlap: how many of them were already stored.
        """
        theirs = self.archive.run.machines
        if sum(total.sets for total in theirs) > archived:
            self._refuse(Difference("", RUN_FILE, f"its machines have played more deal sets than the {archived} in it"))
        here = {total.machine: total.sets for total in machines_in(self.writing, self.fingerprint)}
        for total in theirs:
            known = here.get(total.machine, 0)
            fresh = max(0, total.sets - known) if overlap else total.sets
            insert_machine(self.writing, self.fingerprint, total.machine, fresh)
        if sum(total.sets for total in machines_in(self.writing, self.fingerprint)) > self._count("job"):
            self._conflict(f"run {self.fingerprint} was played on other machines here")

    def _unplayed_voids(self) -> None:
        """Adopt the voids of deal sets without games, from the side that made more attempts at a set."""
        for key, voids in self.voids.items():
            is_stored = set_size(self.writing, self.fingerprint, key) is not None
            if not is_stored and len(voids) > len(self.voids_here.get(key, ())):
                self._replace_voids(key)

    def _replace_voids(self, key: SetKey) -> None:
        """Replace the voids of a deal set with those of the archive."""
        self.writing.execute(f"DELETE FROM void WHERE {IN_SET}", set_columns(self.fingerprint, key))
        insert_voids(self.writing, self.fingerprint, self.voids.get(key, ()))

    def _record(self, game: ArchivedGame) -> GameRecord:
        name = str(game.id)
        try:
            record = read(game.record)
            if record.id != name:
                raise RecordError(f"the record at its place is that of game {record.id}")
            if self.sources.find(game.id.set_key, record.commitment, game.correction) is None:
                raise RecordError("its commitment is not that of its run, or of a correction that deals its set")
            if why := mismatch(record, record.commitment, self.bots):
                raise RecordError(why)
            self.examine(record, game.correction)
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

    def _beside(self, game: ArchivedGame, record: GameRecord) -> tuple[tuple[FaultStory, ...], tuple[Note, ...]]:
        """Read the stories and notes of a game. Raises StoryError or NoteError."""
        stories = read_stories(game.stories, record, game.place(STORIES)) if game.stories is not None else ()
        notes = read_notes(game.notes, record, game.place(NOTES)) if game.notes is not None else ()
        self.stories_read += len(stories)
        self.notes_read += len(notes)
        return stories, notes

    def _stories(self, record: GameRecord, stories: Sequence[FaultStory], place: str) -> None:
        """Store new stories. Raises StoreError if a stored story differs."""
        here = {story.seat: story for story in stories_in(self.writing, record.id)}
        for story in stories:
            known = here.get(story.seat)
            if known is not None and without_foreign_log(known) != story:
                self._conflict(f"seat {story.seat}'s fault in game {record.id} has another story here than in {place}")
        fresh = [story for story in stories if story.seat not in here]
        insert_stories(self.writing, fresh, self.folder)
        self.stories += len(fresh)

    def _notes(self, record: GameRecord, notes: Sequence[Note], place: str) -> None:
        """Store the notes of a game that has none here. Raises StoreError if it has different notes."""
        here = notes_in(self.writing, record.id)
        if here and here != tuple(notes):
            self._conflict(f"game {record.id} has other notes here than in {place}")
        if not here:
            insert_notes(self.writing, notes)
            self.notes += len(notes)

    def _drop_single(self, game: str) -> bool:
        """Delete the game's single record. Return True if there was one."""
        return bool(self.writing.execute("DELETE FROM single WHERE id = ?", [game]).rowcount)

    def _game_rows(self, record: GameRecord, text: str) -> TableRows:
        try:
            return rows_of_record(record, text)
        except ValueError as error:  # an EngineError, or a malformed id
            self._refuse(Difference(record.id, "", str(error)))

    def _settle(self, before: int, archived: int) -> None:
        """Publish the seed and update the end of the run, which only an archive or database with every set can state.

        A void attempt counts like a set, because a run may have continued and stored only voids. An archive that adds
        neither deal sets nor the end of the run changes nothing else.
        """
        run, stored = self.archive.run, self._count("job")
        if run.seed is not None:
            self.writing.execute("UPDATE run SET seed = ? WHERE fingerprint = ?", [run.seed.hex(), self.fingerprint])
        self.has_all = archived == stored and not self._has_more_attempts()
        if self.has_all:
            # Without the folder, `runs resume` starts none of the programs that the archive's config names.
            changed = self.writing.execute(
                "UPDATE run SET ended = ?, config = ?, started = ?, folder = '' WHERE fingerprint = ?"
                " AND (? OR (ended IS NULL AND ? IS NOT NULL))",
                [run.ended, run.header.config, run.started, self.fingerprint, before != stored, run.ended],
            ).rowcount
            if changed:
                replace_outcome(self.writing, self.fingerprint, run.outcome)
                self._unpaired(alone=True)
            elif run.ended is not None:
                self._same_end()
        elif before != stored:  # archive and database each have sets that the other lacks
            self.writing.execute("UPDATE run SET ended = NULL WHERE fingerprint = ?", [self.fingerprint])
            replace_outcome(self.writing, self.fingerprint, OPEN)
            self._unpaired()

    def _unpaired(self, *, alone: bool = False) -> None:
        """Adopt the bots that were not paired in each round. `alone`: replace the stored ones."""
        if alone:
            delete_unpaired(self.writing, self.fingerprint)
        for number, bots in self.archive.run.unpaired.items():
            insert_unpaired(self.writing, self.fingerprint, number, bots)

    def _same_end(self) -> None:
        """Compare the outcomes of a run that is complete both here and in the archive.

        If none is stored, adopt the archive's: older versions did not store outcomes. With another tournament file, the
        run may have ended differently.
        """
        stored = header_in(self.writing, self.fingerprint)
        theirs, mine = self.archive.run.outcome, outcome_in(self.writing, self.fingerprint)
        if stored is None or stored.config != self.archive.run.header.config or theirs == OPEN:
            return
        if mine == OPEN:
            replace_outcome(self.writing, self.fingerprint, theirs)
        if mine in (OPEN, theirs):  # older versions did not store it
            self._unpaired()
        else:
            self._conflict(f"run {self.fingerprint} ended with other places or matches here")

    def _has_more_attempts(self) -> bool:
        """Return True if the database has attempts at a deal set without games that the archive lacks."""
        return any(
            len(voids) > len(self.voids.get(key, ())) and set_size(self.writing, self.fingerprint, key) is None
            for key, voids in self.voids_here.items()
        )

    def _count(self, table: str) -> int:
        sql = f"SELECT COUNT(*) AS n FROM {table} WHERE run = ?"
        return int(self.writing.execute(sql, [self.fingerprint]).fetchone()["n"])

    def _refuse(self, difference: Difference) -> NoReturn:
        """Raise RefusedError, because the archive itself is wrong."""
        raise RefusedError(self.archive.path, difference)

    def _conflict(self, sentence: str) -> NoReturn:
        """Raise StoreError, because the archive differs from the database."""
        raise StoreError(f"{self.archive.path}: {sentence}; nothing was imported")


def _known(writing: sqlite3.Connection, game: str, text: str, file: Path) -> bool:
    """Return True if this record is stored, in a run or as a single record.

    Raises StoreError if a different record with its id is stored.

    `file` is the source of the record.
    """
    stored = [row["record"] for row in writing.execute("SELECT record FROM game WHERE id = ?", [game])] or [
        row["record"] for row in writing.execute("SELECT record FROM single WHERE id = ?", [game])
    ]
    if stored and stored[0] != text:
        line = differing_line(stored[0], text)
        raise StoreError(
            f"{file}: game {game} is stored here with another record (first difference in line {line}); "
            "nothing was imported"
        )
    return bool(stored)
