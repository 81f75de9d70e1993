"""The one writer of a run: whole deal sets with their ratings, each in one transaction (FAULTS.md, Durability)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import engine
from harness.records import database
from harness.records.canonical import canonical
from harness.records.errors import StoreError, sqlite_errors
from harness.records.game_rows import game_rows
from harness.records.incident import Incident
from harness.records.insertion import (
    insert,
    insert_bots,
    insert_game,
    insert_incidents,
    insert_job,
    insert_stories,
    misfit,
    now,
    replace_ratings,
    update_ratings,
)
from harness.records.record import GameRecord
from harness.records.result import sides_of
from harness.records.run import (
    Entrant,
    GameId,
    RatingRow,
    RatingTable,
    RunHeader,
    SetKey,
    SetResult,
    commitment_of,
)
from harness.records.sidecar import RunLock, SeedFile
from harness.records.story import FaultStory


class RunWriter:
    """Writes one run, from `Store.begin` until it is closed; the run's lock is held as long.

    A set is durable when `save_set` or `save_sets` returns. It may be used from any thread; calls wait for one another.
    """

    def __init__(self, path: Path, header: RunHeader, seed: bytes) -> None:
        """Take the run's lock and store its header (see `Store.begin`)."""
        if commitment_of(seed) != header.commitment:
            raise ValueError(f"run {header.name!r}: its commitment is not that of its seed")
        self.header = header
        self.fingerprint = header.fingerprint
        self._path = path
        self._seed = seed
        self._seed_file = SeedFile(path, self.fingerprint)
        self._turn = threading.Lock()
        self._bots = {bot.name: bot for bot in header.bots}
        self._rated: tuple[RatingRow, ...] | None = None
        """The ratings as they are stored, once this writer has stored them."""
        with sqlite_errors(path, f"beginning run {self.fingerprint}"):
            self._lock = RunLock(path, self.fingerprint)
            try:
                self._database = database.connect(path, any_thread=True)
                try:
                    self._begin()
                except BaseException:
                    self._database.close()
                    raise
            except BaseException:
                self._lock.release()
                raise

    def _begin(self) -> None:
        stored = self._rows("SELECT * FROM run WHERE fingerprint = ?")
        if not stored or stored[0]["seed"] is None:
            self._seed_file.write(self._seed)  # before the run itself: a run that is stored can always be gone on with
        with database.transaction(self._database):
            if stored:
                self._check_same(stored[0])
                self._database.execute(
                    "UPDATE run SET config = ?, beacon = ? WHERE fingerprint = ?",
                    [self.header.config, self.header.beacon, self.fingerprint],
                )
            else:
                insert(self._database, "run", [self._run_row()])
            known = {row["name"]: row for row in self._rows("SELECT * FROM bot WHERE run = ?")}
            for bot in self.header.bots:
                if bot.name in known:
                    _check_same_bot(self.header.name, bot, known[bot.name])
            fresh = [bot for bot in self.header.bots if bot.name not in known]
            insert_bots(self._database, self.fingerprint, fresh, len(known))

    def _check_same(self, stored: sqlite3.Row) -> None:
        if (stored["name"], stored["commitment"]) != (self.header.name, self.header.commitment):
            raise StoreError(
                f"{self._path}: run {self.header.name!r} has the fingerprint {self.fingerprint}, which run "
                f"{stored['name']!r} has already; begin it with another seed or in another database"
            )
        if stored["packs"] != self.header.packs:
            raise StoreError(
                f"{self._path}: run {self.fingerprint} was begun with packs = {stored['packs']!r} and cannot be gone "
                f"on with packs = {self.header.packs!r}"
            )

        if stored["beacon"] and stored["beacon"] != self.header.beacon:
            raise StoreError(f"{self._path}: run {self.fingerprint} has the beacon {stored['beacon']!r} already")

    def _run_row(self) -> dict[str, object]:
        return {
            "fingerprint": self.fingerprint,
            "name": self.header.name,
            "commitment": self.header.commitment,
            "practice": self.header.practice,
            "packs": self.header.packs,
            "beacon": self.header.beacon,
            "config": self.header.config,
            "engine": engine.ENGINE_VERSION,
            "rules": engine.RULES_VERSION,
            "started": now(),
        }

    def save_set(
        self, key: SetKey, games: Sequence[GameRecord], ratings: RatingTable, stories: Sequence[FaultStory] = ()
    ) -> bool:
        """Store one complete deal set: see `save_sets`. Returns False where it was stored before."""
        return self.save_sets([SetResult(key, tuple(games), tuple(stories))], ratings) == 1

    def save_sets(
        self, sets: Sequence[SetResult], ratings: RatingTable, played_ms: int = 0, incidents: Sequence[Incident] = ()
    ) -> int:
        """Store complete deal sets, the stories of their faults and the ratings after them, all in one transaction.

        With them goes how long the run has been played so far, and what its bots did wrong in these sets. Of a set
        that was stored before, the stored games stay as they are; returns how many were not. Raises
        StoreError where they cannot be written (nothing of them is stored then), ValueError where games are not their
        set of this run, each rotation in order, or a story is of no fault of theirs.
        """
        for one in sets:
            self._check_set(one.key, one.games)
            _check_stories(one.games, one.stories)
        texts = {game.id: canonical(game) for one in sets for game in one.games}
        named = ", ".join(str(one.key) for one in sets)
        with self._turn, sqlite_errors(self._path, f"writing deal set {named}"):
            with database.transaction(self._database):
                fresh = [one for one in sets if not self._is_stored(one.key)]
                for one in fresh:
                    self._insert_set(one, texts, played_ms)
                insert_incidents(self._database, self.fingerprint, incidents)
                if fresh:
                    self._database.execute(
                        "UPDATE run SET ended = NULL, sets_after_seed = sets_after_seed + (seed IS NOT NULL) * ? "
                        "WHERE fingerprint = ?",
                        [len(fresh), self.fingerprint],
                    )
                self._store_ratings(ratings)
            self._rated = ratings.rows
            return len(fresh)

    def _store_ratings(self, ratings: RatingTable) -> None:
        """Write the rows that are new, and all of them where it is not known which are stored."""
        stored, self._rated = self._rated, None  # until the transaction has held
        changed = None if stored is None else _changed(stored, ratings.rows)
        if changed is None:
            replace_ratings(self._database, self.fingerprint, ratings)
        else:
            update_ratings(self._database, self.fingerprint, ratings, changed)

    def _insert_set(self, one: SetResult, texts: Mapping[str, str], played_ms: int) -> None:
        insert_job(self._database, self.fingerprint, one.key, len(one.games), played_ms)
        for game in one.games:
            insert_game(self._database, game_rows(game, texts[game.id]))
        insert_stories(self._database, one.stories, self._path.parent)

    def end(self) -> None:
        """The run is complete: publish its seed."""
        with self._turn, sqlite_errors(self._path, f"ending run {self.fingerprint}"):
            with database.transaction(self._database):
                self._database.execute(
                    "UPDATE run SET seed = ?, ended = ? WHERE fingerprint = ?",
                    [self._seed.hex(), now(), self.fingerprint],
                )
            self._seed_file.remove()

    def close(self) -> None:
        """Give the run's lock back. A run that was not ended can be gone on with. Harmless when repeated."""
        self._database.close()
        self._lock.release()

    def __enter__(self) -> RunWriter:
        """The run is begun already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _check_set(self, key: SetKey, games: Sequence[GameRecord]) -> None:
        ids = [str(GameId(self.fingerprint, key.entry, key.lineup, key.number, n)) for n in range(len(games))]
        if not games or [game.id for game in games] != ids:
            found = ", ".join(game.id for game in games) or "no game"
            raise ValueError(f"deal set {ids[0] if ids else key} was given {found}; it takes each rotation in order")
        sides = len(set(sides_of(games[0].variant, games[0].options)))
        if len(games) % sides:
            raise ValueError(f"deal set {ids[0]} has {len(games)} rotations, not a multiple of its {sides} sides")
        for game in games:
            if why := misfit(game, self.header.commitment, self._bots):
                raise ValueError(f"game {game.id}: {why}")

    def _is_stored(self, key: SetKey) -> bool:
        rows = self._rows(
            "SELECT 1 FROM job WHERE run = ? AND entry = ? AND lineup = ? AND set_number = ?",
            key.entry,
            key.lineup,
            key.number,
        )
        return bool(rows)

    def _rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        return list(self._database.execute(sql, [self.fingerprint, *parameters]))


def _changed(stored: Sequence[RatingRow], rows: Sequence[RatingRow]) -> list[RatingRow] | None:
    """The rows that differ from the stored ones; None where they are not of the same scopes and bots."""
    if len(stored) != len(rows):
        return None
    pairs = [(old, row) for old, row in zip(stored, rows, strict=True) if old is not row]
    if any((old.scope, old.bot) != (row.scope, row.bot) for old, row in pairs):
        return None
    return [row for _, row in pairs]


def _check_stories(games: Sequence[GameRecord], stories: Sequence[FaultStory]) -> None:
    faults = {(game.id, fault.seat) for game in games for fault in game.faults}
    for story in stories:
        if (story.game, story.seat) not in faults:
            raise ValueError(f"the story of seat {story.seat} in game {story.game}: there is no such fault in its set")


def _check_same_bot(run: str, bot: Entrant, stored: sqlite3.Row) -> None:
    if bot.version != stored["version"]:
        raise StoreError(
            f"bot {bot.name!r}: version {bot.version} is not the version {stored['version']} that run {run!r} was "
            "begun with; enter it under another name or begin another run"
        )
    if bot.fingerprint != stored["fingerprint"]:
        raise StoreError(
            f"bot {bot.name!r}: version {bot.version} has other files than when run {run!r} was begun; "
            "give it another version and name, or begin another run"
        )
