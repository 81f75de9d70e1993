"""Writes a run: whole deal sets, each in one transaction (faults.md, Durability)."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bowerbird import engine
from bowerbird.harness.closing import Closing
from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.replay.note_check import note_contradictions
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.sidecar import RunLock, SeedFile, close_to_others
from bowerbird.harness.records.store.tables.conduct import add_cpu, insert_incidents
from bowerbird.harness.records.store.tables.corrections import corrections_in
from bowerbird.harness.records.store.tables.games import insert_game, rows_of_record
from bowerbird.harness.records.store.tables.outcomes import replace_outcome
from bowerbird.harness.records.store.tables.ratings import replace_results_digest
from bowerbird.harness.records.store.tables.runs import bots_in, header_in, insert_bots, insert_run
from bowerbird.harness.records.store.tables.sets import insert_job, insert_voids, set_size
from bowerbird.harness.records.store.tables.stories import insert_notes, insert_stories
from bowerbird.harness.records.store.tables.table import now
from bowerbird.harness.records.store.tables.unpaired import insert_unpaired
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.corrections import DealSources
from bowerbird.harness.records.values.faults import FaultStory, Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.placements import OPEN, Outcome
from bowerbird.harness.records.values.run import (
    CompletedSet,
    CpuTotal,
    Entrant,
    GameId,
    ResultsDigest,
    RunHeader,
    SetKey,
    commitment_of,
    is_whole_set,
    mismatch,
)
from bowerbird.harness.records.values.voids import VoidedSet


class RunWriter(Closing):
    """The writer of one run. It holds the run's lock from `Store.begin` until `close`.

    A set is durable when `save_set` or `save_sets` returns. The class is thread-safe: calls wait for each other.
    """

    def __init__(self, path: Path, header: RunHeader, seed: bytes, folder: Path | None = None) -> None:
        """Take the run's lock and store its header (see `Store.begin`)."""
        if commitment_of(seed) != header.commitment:
            raise ValueError(f"run {header.name!r}: its commitment does not match its seed")
        self.header = header
        self.fingerprint = header.fingerprint
        self._path = path
        self._folder = "" if folder is None else os.path.relpath(folder.resolve(), path.parent.resolve())
        self._seed = seed
        self._seed_file = SeedFile(path, self.fingerprint)
        self._sources = DealSources(header.commitment, None, ())
        self._turn = threading.Lock()
        self._bots = {bot.name: bot for bot in header.bots}
        with sqlite_errors(path, f"beginning run {self.fingerprint}"):
            self._lock = RunLock(path, self.fingerprint)
            try:
                close_to_others(path, self.fingerprint)
                self._database = database.connect(path, any_thread=True)
                try:
                    self._begin()
                except BaseException:
                    self._database.close()
                    raise
            except BaseException:
                self._lock.close()
                raise

    def _begin(self) -> None:
        stored = header_in(self._database, self.fingerprint)
        if stored is None or not self._is_published():
            self._seed_file.write(self._seed)  # before the run itself, so that a stored run can always be resumed
        with database.transaction(self._database):
            if stored is not None:
                self._check_same(stored)
                self._database.execute(
                    "UPDATE run SET config = ?, beacon = ?, folder = ?, digest = '' WHERE fingerprint = ?",
                    [self.header.config, self.header.beacon, self._folder, self.fingerprint],
                )
            else:
                insert_run(
                    self._database,
                    self.header,
                    engine=engine.ENGINE_VERSION,
                    rules=engine.RULES_VERSION,
                    started=now(),
                    folder=self._folder,
                )
            known = {bot.name: bot for bot in bots_in(self._database, self.fingerprint)}
            for bot in self.header.bots:
                if bot.name in known:
                    _check_same_bot(self.header.name, bot, known[bot.name])
            fresh = [bot for bot in self.header.bots if bot.name not in known]
            insert_bots(self._database, self.fingerprint, fresh, len(known))
            corrections = corrections_in(self._database, self.fingerprint)
            published = self._seed if self._is_published() else None
        self._sources = DealSources(self.header.commitment, published, corrections)

    def _is_published(self) -> bool:
        sql = "SELECT 1 FROM run WHERE fingerprint = ? AND seed IS NOT NULL"
        return self._database.execute(sql, [self.fingerprint]).fetchone() is not None

    def _check_same(self, stored: RunHeader) -> None:
        if (stored.name, stored.commitment) != (self.header.name, self.header.commitment):
            raise StoreError(
                f"{self._path}: run {self.header.name!r} has the fingerprint {self.fingerprint}, as does "
                f"run {stored.name!r}; begin it with another seed or in another database"
            )
        if stored.packs != self.header.packs:
            raise StoreError(
                f"{self._path}: run {self.fingerprint} was begun with packs = {stored.packs!r} and cannot be "
                f"resumed with packs = {self.header.packs!r}"
            )
        if stored.beacon and stored.beacon != self.header.beacon:
            raise StoreError(f"{self._path}: run {self.fingerprint} already has the beacon {stored.beacon!r}")

    def save_set(
        self, key: SetKey, games: Sequence[GameRecord], digest: ResultsDigest, stories: Sequence[FaultStory] = ()
    ) -> bool:
        """Store one complete deal set (see `save_sets`). Return False if it was already stored."""
        return self.save_sets([CompletedSet(key, tuple(games), tuple(stories))], digest) == 1

    def save_sets(
        self,
        sets: Sequence[CompletedSet],
        digest: ResultsDigest,
        played_ms: int = 0,
        incidents: Sequence[Incident] = (),
        voids: Sequence[VoidedSet] = (),
    ) -> int:
        """Store complete deal sets, their stories and notes, and the digest of all results, all in one transaction.

        `played_ms` is the run's total playing time so far, `incidents` are the bots' failures in these sets, `voids`
        the deal sets that are void. A set that is already stored stays unchanged. Return the number of new sets. Raises
        StoreError, and stores nothing, if writing fails; ValueError if the games are not a set of this run, each
        rotation in order, a story has no fault in its set, or a note contradicts its game.
        """
        for one in sets:
            self._check_set(one.key, one.games)
            _check_stories(one.games, one.stories)
            _check_notes(one.games, one.notes)
        texts = {game.id: canonical(game) for one in sets for game in one.games}
        named = ", ".join(str(key) for key in (*(one.key for one in sets), *(void.key for void in voids)))
        with self._turn, sqlite_errors(self._path, f"writing deal set {named}"):
            with database.transaction(self._database):
                fresh = [one for one in sets if set_size(self._database, self.fingerprint, one.key) is None]
                for one in fresh:
                    self._insert_set(one, texts, played_ms)
                insert_incidents(self._database, self.fingerprint, incidents)
                insert_voids(self._database, self.fingerprint, voids)
                if fresh or voids:
                    dealt_openly = sum(map(self._is_dealt_openly, fresh))
                    self._database.execute(
                        "UPDATE run SET ended = NULL, digest = '', "
                        "sets_after_seed = sets_after_seed + (seed IS NOT NULL) * ? WHERE fingerprint = ?",
                        [dealt_openly, self.fingerprint],
                    )
                    replace_outcome(self._database, self.fingerprint, OPEN)
                replace_results_digest(self._database, self.fingerprint, digest)
            return len(fresh)

    def add_cpu(self, used: Sequence[CpuTotal]) -> None:
        """Add processor time of bots, and their processes, to the stored totals. Raises StoreError."""
        doing = f"writing the processor time of run {self.fingerprint}"
        with self._turn, sqlite_errors(self._path, doing), database.transaction(self._database):
            add_cpu(self._database, self.fingerprint, used)

    def unpair(self, number: int, bots: Collection[str]) -> None:
        """Store the bots that are not paired in round `number`, from 1. Raises StoreError."""
        doing = f"writing the pairs of round {number} of run {self.fingerprint}"
        with self._turn, sqlite_errors(self._path, doing), database.transaction(self._database):
            insert_unpaired(self._database, self.fingerprint, number, bots)

    def _insert_set(self, one: CompletedSet, texts: Mapping[str, str], played_ms: int) -> None:
        insert_job(self._database, self.fingerprint, one.key, len(one.games), played_ms=played_ms, machine=one.machine)
        for game in one.games:
            insert_game(self._database, rows_of_record(game, texts[game.id]))
        insert_stories(self._database, one.stories, self._path.parent)
        insert_notes(self._database, one.notes)

    def end(self, outcome: Outcome = OPEN) -> None:
        """Mark the run as complete with this outcome and publish its seed. Raises StoreError if writing fails."""
        with self._turn, sqlite_errors(self._path, f"ending run {self.fingerprint}"):
            with database.transaction(self._database):
                self._database.execute(
                    "UPDATE run SET seed = ?, ended = ?, digest = '' WHERE fingerprint = ?",
                    [self._seed.hex(), now(), self.fingerprint],
                )
                replace_outcome(self._database, self.fingerprint, outcome)
                published = self._publish_corrections()
            for file in (self._seed_file, *published):
                file.remove()

    def _publish_corrections(self) -> list[SeedFile]:
        """Publish the seeds of corrections. Return their files. A lost seed was not needed for any game."""
        files = []
        for one in corrections_in(self._database, self.fingerprint):
            file = SeedFile(self._path, self.fingerprint, one.number)
            if one.commitment and one.seed is None and file.read() is not None:
                self._database.execute(
                    "UPDATE correction SET seed = ? WHERE run = ? AND number = ?",
                    [file.needed(one.commitment).hex(), self.fingerprint, one.number],
                )
                files.append(file)
        return files

    def close(self) -> None:
        """Release the run's lock. A run that has not ended can be resumed. Can be called again."""
        self._database.close()
        self._lock.close()

    def _is_dealt_openly(self, one: CompletedSet) -> bool:
        """Return True if the seed of a deal set was published before the set was played."""
        source = self._sources.find(one.key, one.games[0].commitment)
        return source is not None and source.seed is not None

    def _check_set(self, key: SetKey, games: Sequence[GameRecord]) -> None:
        ids = [str(GameId(self.fingerprint, key.entry, key.lineup, key.number, n)) for n in range(len(games))]
        if not games or [game.id for game in games] != ids:
            found = ", ".join(game.id for game in games) or "no game"
            raise ValueError(f"deal set {ids[0] if ids else key} was given {found}; it takes each rotation in order")
        sides = len(set(sides_of(games[0].variant, games[0].options)))
        if not is_whole_set(len(games), sides, self.header.config):
            raise ValueError(f"deal set {ids[0]} has {len(games)} rotations, not a multiple of its {sides} sides")
        for game in games:
            if self._sources.find(key, game.commitment) is None:
                raise ValueError(f"game {game.id}: its commitment is not that of its run, or of a correction")
            if why := mismatch(game, game.commitment, self._bots):
                raise ValueError(f"game {game.id}: {why}")


def _check_stories(games: Sequence[GameRecord], stories: Sequence[FaultStory]) -> None:
    faults = {(game.id, fault.seat) for game in games for fault in game.faults}
    for story in stories:
        if (story.game, story.seat) not in faults:
            raise ValueError(f"the story of seat {story.seat} in game {story.game}: its set has no such fault")


def _check_notes(games: Sequence[GameRecord], notes: Sequence[Note]) -> None:
    by_game: dict[str, list[Note]] = {game.id: [] for game in games}
    for note in notes:
        if note.game not in by_game:
            raise ValueError(f"the note of seat {note.seat} in game {note.game}: its set has no such game")
        by_game[note.game].append(note)
    for game in games:
        for contradiction in note_contradictions(game, by_game[game.id]):
            raise ValueError(f"a note of game {game.id}: {contradiction.reason}")


def _check_same_bot(run: str, bot: Entrant, stored: Entrant) -> None:
    if bot.version != stored.version:
        raise StoreError(
            f"bot {bot.name!r}: version {bot.version} is not the version {stored.version} that run {run!r} was "
            "begun with; enter it under another name or begin another run"
        )
    if bot.fingerprint != stored.fingerprint:
        raise StoreError(
            f"bot {bot.name!r}: version {bot.version} has different files from when run {run!r} was begun; "
            "give it another version and name, or begin another run"
        )
