"""The store of recorded runs: opens a database and answers queries (database.md). `Store.begin` starts writing."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from bowerbird.engine import did_you_mean, unknown
from bowerbird.harness.closing import Closing
from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.store import access, database
from bowerbird.harness.records.store.schema import view_of_run
from bowerbird.harness.records.store.schema_check import refuse_foreign_schema
from bowerbird.harness.records.store.sidecar import SeedFile
from bowerbird.harness.records.store.tables.conduct import machines_in
from bowerbird.harness.records.store.tables.corrections import corrections_in, voided_games_in
from bowerbird.harness.records.store.tables.games import TableRows, game_from, results_in, seat_result_from
from bowerbird.harness.records.store.tables.leagues import league_from, season_in
from bowerbird.harness.records.store.tables.outcomes import matches_in, placements_in
from bowerbird.harness.records.store.tables.ratings import (
    pairing_from,
    record_ratings_in,
    replace_record_ratings,
    results_digest_in,
    standing_from,
)
from bowerbird.harness.records.store.tables.runs import bots_in, header_in, origins_in, run_from
from bowerbird.harness.records.store.tables.sets import voids_in
from bowerbird.harness.records.store.tables.stories import fault_from, notes_in, stories_in
from bowerbird.harness.records.store.tables.table import GAME_ORDER, IN_SET, set_columns, set_key_from, value_of
from bowerbird.harness.records.store.tables.unpaired import unpaired_in
from bowerbird.harness.records.text.reader import ReadError, read
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.corrections import (
    Correction,
    VoidedGame,
    Withdrawal,
    annulled_sets,
    last_corrections,
    withdrawn_by_hand,
)
from bowerbird.harness.records.values.faults import RESIGNED, WITHDRAWN_DETAIL, Conduct, FaultStory, Incident
from bowerbird.harness.records.values.figures import FigureSum, summed
from bowerbird.harness.records.values.game_record import Conditions, GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.league import League, LeagueEvent, Season
from bowerbird.harness.records.values.machines import MachineTotal
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.placements import MatchResult, Placement
from bowerbird.harness.records.values.query_results import (
    CpuTime,
    FaultRow,
    GameRow,
    Pairing,
    RunRow,
    SeatResult,
    Standing,
)
from bowerbird.harness.records.values.run import (
    CpuTotal,
    Entrant,
    GameId,
    Origin,
    RecordRating,
    ResultsDigest,
    RunHeader,
    SetKey,
)
from bowerbird.harness.records.values.set_keys import Block
from bowerbird.harness.records.values.voids import VoidedSet

if TYPE_CHECKING:
    from bowerbird.harness.records.store.writer import RunWriter


Found = TypeVar("Found")
More = ParamSpec("More")

_RECORDS_TO_TRY = 20


class Store(Closing):
    """An open database of runs. Its connection only reads: it never waits for a writer and never blocks one.

    Every method raises StoreError if the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing database (see `open`)."""
        database.refuse_foreign(path)
        database.migrate(path)
        self._connect(path)

    def _connect(self, path: Path) -> None:
        self.path = path
        self._is_closed = False
        with sqlite_errors(path, "opening the database"):
            self._database, self._fixed = database.connect_to_read(path)
            try:
                self._database.execute("PRAGMA query_only = ON")
                refuse_foreign_schema(self._database, path)
            except BaseException:
                self._database.close()
                raise

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open an existing database.

        Raises StoreError, and leaves the file unchanged, if it is missing, unreadable, from another program or a newer
        version, or if its schema is not ours.
        """
        path = access.behind_links(path)
        access.refuse_unreadable(path)
        if not path.exists():
            raise StoreError(
                f"{path}: there is no database here; runs are recorded where they were played, --db FILE names another "
                "database, and bowerbird demo makes one"
            )
        return cls(path)

    @classmethod
    def create(cls, path: Path | str) -> Store:
        """Open a database for writing. Create it if there is none.

        Raises StoreError as `open` does, and if this user may not write it.
        """
        path = access.behind_links(path)
        access.refuse_unreadable(path)
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            database.create(path)
        elif path.is_file():
            access.refuse_unwritable(path)
        return cls(path)

    def another(self) -> Store:
        """Return another connection to this database, for another thread of this process.

        A process that has a database open must not `open` it again while somebody writes, because that reads the header
        of the file, and closing any descriptor of a file releases all locks of the process on it (POSIX).
        """
        other = object.__new__(Store)
        other._connect(self.path)
        return other

    def close(self) -> None:
        """Close the connection. Can be called again."""
        self._is_closed = True
        self._database.close()

    def begin(self, header: RunHeader, seed: bytes, folder: Path | None = None) -> RunWriter:
        """Begin or resume a run. Return its only writer, a context manager.

        `seed` is the run's seed of 32 bytes, to which `header.commitment` commits. `folder` is the folder to which
        paths in the config are relative; None if unknown. If the run is already stored, new bots are added and its
        config is replaced. Raises StoreError if another process writes this run, or if a bot of the run is entered
        again with another version or other files; ValueError if `seed` is not the committed one.
        """
        from bowerbird.harness.records.store.writer import RunWriter

        return RunWriter(self.path, header, seed, folder)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Keep all reads in the `with` block consistent: they see the database as it was at the first read."""
        with self.reading():
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")  # ends the read transaction

    # Runs

    def __getitem__(self, fingerprint: str) -> StoredRun:
        """Return the run with this complete fingerprint, stored or not."""
        return StoredRun(self, fingerprint)

    def runs(self) -> list[StoredRun]:
        """Return all runs, the latest first. Of runs that began in the same second, the one stored last comes first."""
        rows = self.query(
            """SELECT runs.* FROM runs JOIN run ON run.fingerprint = runs.fingerprint
            ORDER BY runs.started DESC, run.rowid DESC"""
        )
        return [StoredRun(self, row["fingerprint"], run_from(row)) for row in rows]

    def fault_counts(self) -> dict[str, int]:
        """Return the number of faults in each run's games, if not 0. Games that withdrawn bots missed don't count."""
        rows = self.query(
            f"""SELECT game.run, COUNT(*) AS faults FROM fault CROSS JOIN game ON game.id = fault.game
            WHERE game.ended <> '{WITHDRAWN}' GROUP BY game.run"""
        )
        return {row["run"]: row["faults"] for row in rows}

    def thinking_time(self, fingerprint: str) -> float | None:
        """Return the mean time of a decision, in ms, in the latest run with decisions of a bot with this fingerprint.

        Returns None if there is no such run.
        """
        rows = self.query(
            """SELECT SUM(seat.time_ms) * 1.0 / SUM(seat.decisions) AS ms
            FROM bot JOIN run ON run.fingerprint = bot.run JOIN seat ON seat.run = bot.run AND seat.bot = bot.name
            WHERE bot.fingerprint = ? GROUP BY bot.run HAVING SUM(seat.decisions) > 0
            ORDER BY MAX(run.started) DESC LIMIT 1""",
            [fingerprint],
        )
        return float(rows[0]["ms"]) if rows else None

    def run(self, ref: str | None = None) -> StoredRun:
        """Return the run named by `ref`: a fingerprint, a name (its latest run), or a unique prefix of a fingerprint.

        A fingerprint takes precedence over a name, so that a name cannot hide another run. None names the latest run.
        Raises StoreError, with the nearest match, if no run or more than one run matches.
        """
        runs = self.runs()
        if not runs:
            raise StoreError(f"{self.path}: no run is recorded here yet; play one with bowerbird demo or match")
        if ref is None:
            return runs[0]
        found = (
            [run for run in runs if ref == run.fingerprint]
            or [run for run in runs if ref == run.row.name][:1]
            or [run for run in runs if ref and run.fingerprint.startswith(ref)]
        )
        if len(found) == 1:
            return found[0]
        if found:
            raise StoreError(
                f"run {ref!r} could be {_listed([run.fingerprint for run in found])}; give more characters"
            )
        known = [name for run in runs for name in (run.fingerprint, run.row.name)]
        raise StoreError(f"{self.path}: no run {ref!r}{did_you_mean(ref, known)}; bowerbird runs lists them")

    # Games

    def record_text(self, ref: str) -> str:
        """Return the stored text of a record, of a run or single, by the game's id or a unique prefix of it.

        Raises StoreError, with the nearest match, if no game or more than one game matches.
        """
        for row in self.query(f"SELECT record FROM ({_ANY_RECORD}) WHERE id = ?", [ref]):
            return str(row["record"])
        found = self.query(
            f"SELECT id, record FROM ({_ANY_RECORD}) WHERE substr(id, 1, length(:ref)) = :ref LIMIT 4", {"ref": ref}
        )
        if len(found) == 1 and ref:
            return str(found[0]["record"])
        if found:
            raise StoreError(f"game {ref!r} could be {_listed([row['id'] for row in found])}; give more characters")
        if correction := self._voided_by(ref):
            key = GameId.parse(ref).set_key
            annulled = key in annulled_sets(self[ref.partition("/")[0]].corrections())
            why = "since its deal set is annulled" if annulled else "and has not been played again yet"
            raise StoreError(
                f"{self.path}: game {ref!r} no longer counts, {why}; "
                f"--voided {correction} selects the record that correction {correction} took out of the results"
            )
        known = self._games_like(ref)
        raise StoreError(f"{self.path}: no game {ref!r}{did_you_mean(ref, known)}; bowerbird matches lists them")

    def _voided_by(self, ref: str) -> int:
        """Return the last correction that took the game with this full id out of the results; 0 if none did."""
        try:
            game = GameId.parse(ref)
        except ValueError:
            return 0
        rows = self.query(
            f"SELECT MAX(correction) AS number FROM voided_game WHERE {IN_SET} AND rotation = :rotation",
            {**set_columns(game.run, game.set_key), "rotation": game.rotation},
        )
        return rows[0]["number"] or 0

    def _games_like(self, ref: str) -> list[str]:
        """Return at most `_COMPARED` ids that share the longest sequence of leading parts with `ref`."""
        parts = ref.split("/")
        for right in range(len(parts) - 1, -1, -1):
            sql = f"SELECT id FROM ({_ANY_RECORD}) WHERE substr(id, 1, length(:begun)) = :begun LIMIT {_COMPARED}"
            found = self.query(sql, {"begun": "".join(f"{part}/" for part in parts[:right])})
            if found:
                return [row["id"] for row in found]
        return []

    def singles(self) -> list[tuple[str, str]]:
        """Return the records imported without their run, as (id, text), in the order of ids."""
        return [(row["id"], row["record"]) for row in self.query("SELECT id, record FROM single ORDER BY id")]

    def record(self, ref: str) -> GameRecord:
        """Return the record of a game (see `record_text`). Raises ReadError if it is damaged."""
        return read(self.record_text(ref))

    # Verification

    def table_rows(self, game: str) -> TableRows:
        """Return the stored rows of a game, unconverted. Raises StoreError if it is not stored."""
        games = self.query("SELECT * FROM game WHERE id = ?", [game])
        if not games:
            raise StoreError(f"{self.path}: no game {game!r}")
        seats = self.query("SELECT * FROM seat WHERE game = ? ORDER BY seat", [game])
        faults = self.query("SELECT * FROM fault WHERE game = ? ORDER BY place", [game])
        return TableRows(dict(games[0]), tuple(map(dict, seats)), tuple(map(dict, faults)))

    def used_bytes(self) -> int:
        """Return the number of bytes in use. Space freed by deleted runs does not count."""
        sizes = {
            name: int(self.query(f"PRAGMA {name}")[0][0]) for name in ("page_count", "freelist_count", "page_size")
        }
        return (sizes["page_count"] - sizes["freelist_count"]) * sizes["page_size"]

    def damage(self) -> list[str]:
        """Return a line for each error that SQLite finds in the file: broken pages, rows that refer to missing rows."""
        broken = [row["integrity_check"] for row in self.query("PRAGMA integrity_check")]
        loose = [
            f"a row of {row['table']} refers to a row of {row['parent']} that is not there"
            for row in self.query("PRAGMA foreign_key_check")
        ]
        return [line for line in broken if line != "ok"] + loose

    def faults_of(self, game: str) -> list[FaultRow]:
        """Return the faults of a game, named by its complete id, in order of time; [] if it is not stored."""
        rows = self.query("SELECT * FROM faults WHERE game = ? ORDER BY place", [game])
        return [fault_from(row, self.path.parent) for row in rows]

    def stories(self, game: str) -> tuple[FaultStory, ...]:
        """Return the stored stories of the faults in a game, named by its complete id, in the order of seats."""
        with self.reading() as connection:
            return stories_in(connection, game)

    def notes(self, game: str) -> tuple[Note, ...]:
        """Return the stored notes of the bots in a game, named by its complete id, in the order of actions."""
        with self.reading() as connection:
            return notes_in(connection, game)

    # Leagues

    def leagues(self) -> list[League]:
        """Return the leagues, by name."""
        return [league_from(row) for row in self.query("SELECT * FROM league ORDER BY name")]

    def season(self, league: str, number: int | None = None) -> Season | None:
        """Return a season of a league, by default the current one; None if there is no such league.

        A season without bots and epochs never existed or has not begun.
        """
        with self.reading() as connection:
            return season_in(connection, league, number)

    def league_events(
        self, league: str, limit: int, *, season: int | None = None, bot: str | None = None
    ) -> list[LeagueEvent]:
        """Return the latest events of a league, the latest first; if given, only of a season or about an entrant."""
        sql = """SELECT * FROM league_event WHERE league = :league AND (:bot IS NULL OR bot = :bot)
            AND (:season IS NULL OR season = :season) ORDER BY number DESC LIMIT :limit"""
        rows = self.query(sql, {"league": league, "season": season, "bot": bot, "limit": limit})
        return [value_of(LeagueEvent, row) for row in rows]

    def epochs(self) -> dict[str, tuple[str, int, int]]:
        """Return, for each run that is an epoch of any league, its league, its season and the epoch's number."""
        rows = self.query("SELECT run, league, season, number FROM epoch")
        return {row["run"]: (row["league"], row["season"], row["number"]) for row in rows}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, for reading in the block.

        Raises StoreError, including if an unlocked file changed in the meantime.
        """
        if self._is_closed:
            raise StoreError(f"{self.path}: this database is closed; read from it inside its `with` block")
        try:
            with sqlite_errors(self.path, "reading the database"):
                yield self._database
        finally:
            if self._fixed is not None:
                self._fixed.check()

    def query(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        with self.reading() as connection:
            return list(connection.execute(sql, parameters))


class StoredRun:
    """A run of an open database: `Store.run` finds one, and `store[fingerprint]` is the run with this fingerprint.

    It need not be stored yet; until then it has no header and no other data. Every method raises StoreError if the file
    cannot be read.
    """

    def __init__(self, store: Store, fingerprint: str, row: RunRow | None = None) -> None:
        """Refer to a run of `store` by its full fingerprint (see `Store`)."""
        self.store = store
        self.fingerprint = fingerprint
        self._row = row

    @property
    def row(self) -> RunRow:
        """The run as it was when it was first looked up. Raises StoreError if it is not stored."""
        if self._row is None:
            self._row = self.store.run(self.fingerprint).row
        return self._row

    @property
    def is_published(self) -> bool:
        """True if its seed is published."""
        return bool(self._rows("SELECT 1 FROM run WHERE fingerprint = :run AND seed IS NOT NULL"))

    def header(self) -> RunHeader | None:
        """Return the header of a run; None if it is not stored."""
        return self._read(header_in)

    def bots(self) -> list[Entrant]:
        """Return the bots of a run, in the order of its tournament file."""
        return self._read(bots_in)

    def variants(self) -> list[str]:
        """Return the variants of a run's stored games, in alphabetical order."""
        rows = self._rows("SELECT DISTINCT variant FROM game WHERE run = :run ORDER BY variant")
        return [row["variant"] for row in rows]

    def require_variant(self, variant: str | None) -> None:
        """Raise StoreError, with the nearest match, if the run has no game of `variant`. None means every variant."""
        if variant is not None and variant not in (known := self.variants()):
            raise StoreError(f"run {self.fingerprint}: {unknown('variant', variant, known)}")

    def require_bot(self, bot: str | None) -> None:
        """Raise StoreError, with the nearest match, if `bot` is not in the run. None means any bot."""
        if bot is not None and bot not in (known := [each.name for each in self.bots()]):
            raise StoreError(f"run {self.fingerprint}: {unknown('bot', bot, known)}")

    def config_folder(self) -> Path | None:
        """Return the folder to which paths in a run's config are relative; None if it is unknown."""
        for row in self._rows("SELECT folder FROM run WHERE fingerprint = :run AND folder <> ''"):
            return Path(os.path.normpath(self.store.path.parent.resolve() / row["folder"]))
        return None

    def secret_seed(self) -> bytes:
        """Return the seed of a run, published or not, to resume it.

        Until a run ends, its seed is in a file beside the database. Raises StoreError if that file is lost.
        """
        run = self.store.run(self.fingerprint).row  # read it again, since it may have changed after the first lookup
        return run.seed or SeedFile(self.store.path, run.fingerprint).needed(run.commitment)

    def origins(self) -> tuple[Origin, ...]:
        """Return the signers of the archives that a run was imported from, unsigned first; () if it was played here."""
        return self._read(origins_in)

    def stored_sets(self) -> frozenset[SetKey]:
        """Return the complete deal sets of a run."""
        rows = self._rows("SELECT entry, lineup, set_number FROM job WHERE run = :run")
        return frozenset(set_key_from(row) for row in rows)

    def voids(self) -> tuple[VoidedSet, ...]:
        """Return the void attempts at deal sets of a run, by deal set and attempt."""
        return self._read(voids_in)

    def corrections(self) -> tuple[Correction, ...]:
        """Return the corrections of a run, in order."""
        return self._read(corrections_in)

    def voided_games(self, correction: int | None = None, key: SetKey | None = None) -> Iterator[VoidedGame]:
        """Yield the games that corrections took out of the results: all, or only those of one correction or deal set.

        They come in the order of corrections, then of the games' ids.
        """
        with self.store.reading() as connection:
            yield from voided_games_in(connection, self.fingerprint, correction, key)

    def secret_seeds(self) -> dict[int, bytes]:
        """Return the seeds of a run's corrections by their numbers, published or not, to resume the run.

        A correction does not need its seed if later ones name all of its deal sets again; it is left out if its file is
        lost. Raises StoreError if any other file is lost or contains another seed.
        """
        corrections = self.corrections()
        stored = self.stored_sets()
        last = last_corrections(corrections)
        due = {number for key, number in last.items() if key not in stored}
        seeds = {}
        for one in corrections:
            file = SeedFile(self.store.path, self.fingerprint, one.number)
            if one.commitment and (one.seed is not None or one.number in due or file.read() is not None):
                seeds[one.number] = one.seed or file.needed(one.commitment)
        return seeds

    def unpaired(self) -> dict[int, frozenset[str]]:
        """Return, for each round of a Swiss, from 1, the bots that were not paired because they had been withdrawn."""
        return self._read(unpaired_in)

    def annulled_records(self) -> Iterator[GameRecord]:
        """Yield the games of the currently annulled deal sets. Raises ReadError for a damaged record."""
        corrections = self.corrections()
        last = last_corrections(corrections)
        for key in sorted(annulled_sets(corrections)):
            games = [game for game in self.voided_games(key=key) if game.correction > last.get(key, 0)]
            yield from (read(game.record) for game in games)

    def played_ms(self) -> dict[SetKey, int]:
        """Return, for each deal set, the playing time of the run, in ms, when the set was stored (0 if unknown)."""
        rows = self._rows("SELECT entry, lineup, set_number, played_ms FROM job WHERE run = :run")
        return {set_key_from(row): row["played_ms"] for row in rows}

    def cpu_totals(self) -> tuple[CpuTotal, ...]:
        """Return the measured processor time of the local bots of a run, in order of their names."""
        rows = self._rows("SELECT bot, cpu_ms, processes FROM cpu WHERE run = :run ORDER BY bot")
        return tuple(CpuTotal(**row) for row in rows)

    def cpu_times(self) -> list[CpuTime]:
        """Return the processor time of the local bots of a run, in order of their names."""
        rows = self._rows("SELECT * FROM cpu_time WHERE run = :run ORDER BY bot")
        return [value_of(CpuTime, row) for row in rows]

    def machines(self) -> tuple[MachineTotal, ...]:
        """Return the machines that a run was played on, in order of their processors and speeds."""
        return self._read(machines_in)

    def conduct(self) -> Conduct:
        """Return the failures of a run's bots in its stored deal sets."""
        incidents = self._rows("SELECT * FROM incident WHERE run = :run AND correction = 0 ORDER BY rowid")
        withdrawn = self._rows(_WITHDRAWN_BOTS)
        appeared = self._rows(_APPEARED_BOTS)
        by_hand = {
            bot: (RESIGNED, f"{WITHDRAWN_DETAIL}by {one.by}: {one.why}")
            for bot, one in withdrawn_by_hand(self.corrections()).items()
        }
        return Conduct(
            tuple(value_of(Incident, row, games=()) for row in incidents),
            by_hand | {row["bot"]: (row["kind"], row["detail"]) for row in withdrawn},
            frozenset(row["name"] for row in appeared),
        )

    def withdrawals(self) -> list[Withdrawal]:
        """Return the bots that missed games of a run because they had been withdrawn, in the order of the file.

        Bots that an organiser took out are included even if they missed none.
        """
        found = {row["bot"]: value_of(Withdrawal, row, by="", why="", annulled=0) for row in self._rows(_WITHDRAWALS)}
        corrections = self.corrections()
        annulled = Counter(bot for bots in annulled_sets(corrections).values() for bot in bots)
        for bot, one in withdrawn_by_hand(corrections).items():
            known = found.get(bot, Withdrawal(bot, RESIGNED, 0, 0))
            found[bot] = replace(known, by=one.by, why=one.why, annulled=annulled[bot])
        return [found[bot.name] for bot in self.bots() if bot.name in found]

    def unplayed_games(self) -> int:
        """Return the number of stored games of a run that were not played because bots had been withdrawn."""
        (row,) = self._rows(f"SELECT COUNT(*) AS games FROM game WHERE run = :run AND ended = '{WITHDRAWN}'")
        return int(row["games"])

    def unplayed_sets(self) -> int:
        """Return the number of stored deal sets of a run without a played game, because of withdrawn bots."""
        of_a_set = (
            "SELECT 1 FROM game WHERE run = :run GROUP BY entry, lineup, set_number "
            f"HAVING MIN(ended = '{WITHDRAWN}') = 1"
        )
        (row,) = self._rows(f"SELECT COUNT(*) AS sets FROM ({of_a_set})")
        return int(row["sets"])

    def set_records(self, key: SetKey) -> tuple[GameRecord, ...]:
        """Return the records of a deal set by rotation; () if the set is not stored.

        Raises ReadError for a damaged record.
        """
        sql = f"SELECT record FROM game WHERE {IN_SET} ORDER BY rotation"
        rows = self.store.query(sql, set_columns(self.fingerprint, key))
        return tuple(read(row["record"]) for row in rows)

    def games(self, *, variant: str | None = None, bot: str | None = None) -> list[GameRow]:
        """Return the games in the order of their ids, for one variant or all, with one bot or any."""
        rows = self._rows(
            f"""SELECT * FROM matches WHERE run = :run AND (:variant IS NULL OR variant = :variant)
            AND (:bot IS NULL OR EXISTS (SELECT 1 FROM seat WHERE seat.game = matches.id AND seat.bot = :bot))
            ORDER BY {GAME_ORDER}""",
            variant=variant,
            bot=bot,
        )
        return [game_from(row) for row in rows]

    def record_texts(self) -> Iterator[tuple[str, str]]:
        """Yield the games of a run in the order of their ids, each as (id, text of its record)."""
        with self.store.reading() as connection:
            sql = f"SELECT id, record FROM game WHERE run = ? ORDER BY {GAME_ORDER}"
            for row in connection.execute(sql, [self.fingerprint]):
                yield row["id"], row["record"]

    def conditions(self) -> Conditions | None:
        """Return the conditions under which a run's games were played, which are the same for all.

        Reads the first undamaged record among the first `_RECORDS_TO_TRY`; returns None if there is none.
        """
        for row in self._rows("SELECT id FROM game WHERE run = :run LIMIT :most", most=_RECORDS_TO_TRY):
            with suppress(ReadError):  # `verify` reports it
                return self.store.record(row["id"]).conditions
        return None

    def results(self, block: Block | None = None, *, with_times: bool = False) -> list[GameResult]:
        """Return the results of a run, or of one `block` of it, in the order of the games' ids. Reads no record.

        with_times: also read `thinking_ms`, which takes time and memory.
        """
        return self._read(results_in, block, with_times=with_times)

    def seat_results(self) -> list[SeatResult]:
        """Return every seat of every game of a run, in the order of the games' ids. Reads no record."""
        rows = self._rows(
            f"""SELECT {", ".join(_SEAT_COLUMNS)} FROM game JOIN seat ON seat.game = game.id
            WHERE game.run = :run ORDER BY {", ".join(f"game.{part}" for part in GAME_ORDER.split(", "))}, seat.seat"""
        )
        return [seat_result_from(row) for row in rows]

    def longest_decisions(self, bot: str, limit: int) -> list[tuple[str, int]]:
        """Return the games of a run in which a bot took longest for a single decision, each with that time in ms."""
        rows = self._rows(
            """SELECT seat.game, MAX(CAST(time.key AS INTEGER)) AS ms FROM seat, json_each(seat.times) AS time
            WHERE seat.run = :run AND seat.bot = :bot
            GROUP BY seat.game, seat.seat ORDER BY ms DESC, seat.game LIMIT :most""",
            bot=bot,
            most=limit,
        )
        return [(row["game"], row["ms"]) for row in rows]

    def sets(self) -> list[tuple[SetKey, int]]:
        """Return the complete deal sets of a run in order, each with the number of its games when it was stored."""
        rows = self._rows("SELECT * FROM job WHERE run = :run ORDER BY entry, lineup, set_number")
        return [(set_key_from(row), row["games"]) for row in rows]

    def game_ids(self) -> list[str]:
        """Return the ids of a run's games, in order."""
        rows = self._rows(f"SELECT id FROM game WHERE run = :run ORDER BY {GAME_ORDER}")
        return [row["id"] for row in rows]

    def placements(self) -> list[Placement]:
        """Return the places of a run, best first; [] if the run is not complete or its format has none."""
        return list(self._read(placements_in))

    def matches(self) -> list[MatchResult]:
        """Return the matches of a run, round by round; [] if the run is not complete or its format has none."""
        return list(self._read(matches_in))

    def ratings(self) -> ResultsDigest | None:
        """Return the stored digest of a run's results; None if there is none, for example while it is being played."""
        return self._read(results_digest_in)

    def record_ratings(self) -> tuple[RecordRating, ...]:
        """Return the stored ratings of record of a run, by scope, rank and bot.

        () if there are none, or if they were computed from results other than those stored now.
        """
        return self._read(record_ratings_in)

    def results_digest(self) -> str:
        """Return the digest of a run's results that `save_record_ratings` needs; "" if nothing is stored."""
        rows = self._rows("SELECT rating_digest FROM run WHERE fingerprint = :run")
        return str(rows[0]["rating_digest"]) if rows else ""

    def save_record_ratings(self, ratings: Sequence[RecordRating], digest: str) -> bool:
        """Replace the ratings of record of a run, in one transaction.

        digest: `results_digest` at the time when the results for these ratings were read. Return False, and store
            nothing, if the run now has other results. Raises StoreError if writing fails, or this user may not write
            the database.
        """
        with database.writing(self.store.path, f"writing the ratings of run {self.fingerprint}") as writing:
            sql = "SELECT 1 FROM run WHERE fingerprint = ? AND rating_digest = ?"
            if writing.execute(sql, [self.fingerprint, digest]).fetchone() is None:
                return False
            replace_record_ratings(writing, self.fingerprint, ratings, digest)
            return True

    def standings(self, variant: str | None = None) -> list[Standing]:
        """Return the standings of a run, over all variants or for one: best rating first, then best score."""
        sql = f"{view_of_run('standings')} WHERE scope = :scope {_STANDINGS_ORDER}"
        return [standing_from(row) for row in self._rows(sql, scope=variant or "")]

    def crosstable(self, variant: str | None = None) -> list[Pairing]:
        """Return each bot's results against each opponent, over all variants or in one."""
        sql = f"{view_of_run('crosstable')} WHERE scope = :scope {_CROSSTABLE_ORDER}"
        return [pairing_from(row) for row in self._rows(sql, scope=variant or "")]

    def standings_by_scope(self) -> dict[str | None, list[Standing]]:
        """Return `standings` by variant, and over all variants under the key None, as fast as one call."""
        return self._by_scope(f"{view_of_run('standings')} {_STANDINGS_ORDER}", standing_from)

    def crosstables(self) -> dict[str | None, list[Pairing]]:
        """Return `crosstable` by variant, and over all variants under the key None, as fast as one call."""
        return self._by_scope(f"{view_of_run('crosstable')} {_CROSSTABLE_ORDER}", pairing_from)

    def _by_scope(self, sql: str, value_of: Callable[[sqlite3.Row], Found]) -> dict[str | None, list[Found]]:
        scopes: dict[str | None, list[Found]] = {}
        for row in self._rows(sql):
            scopes.setdefault(row["scope"] or None, []).append(value_of(row))
        return scopes

    def faults(self) -> list[FaultRow]:
        """Return all faults of a run: games in schedule order, the faults of a game in order of time."""
        rows = self._rows("SELECT * FROM faults WHERE run = :run ORDER BY game, place")
        return sorted(
            (fault_from(row, self.store.path.parent) for row in rows),
            key=lambda fault: GameId.parse(fault.game).position,
        )

    def games_with_stories(self) -> frozenset[str]:
        """Return the ids of the games of a run whose faults have stories."""
        return self._games_with("story")

    def games_with_notes(self) -> frozenset[str]:
        """Return the ids of the games of a run that have notes."""
        return self._games_with("note")

    def _games_with(self, table: str) -> frozenset[str]:
        sql = f"SELECT DISTINCT game FROM {table} JOIN game ON game.id = {table}.game WHERE game.run = :run"
        return frozenset(row["game"] for row in self._rows(sql))

    def story_count(self) -> int:
        """Return the number of stored stories of a run's faults, including games that no longer count."""
        return self._count("story")

    def note_count(self) -> int:
        """Return the number of stored notes of a run's bots, including games that no longer count."""
        return self._count("note")

    def figure_sums(self) -> list[FigureSum]:
        """Return the sums of the figures that the bots reported in a run's games, by bot and name in order."""
        rows = self._rows(
            """SELECT seat.bot, substr(note.text, 1, instr(note.text || char(10), char(10)) - 1) AS line
            FROM game JOIN note ON note.game = game.id JOIN seat ON seat.game = note.game AND seat.seat = note.seat
            WHERE game.run = :run AND note.text GLOB 'figures: *'"""
        )
        return summed((row["bot"], row["line"]) for row in rows)

    def _count(self, table: str) -> int:
        (row,) = self._rows(
            f"""SELECT (SELECT COUNT(*) FROM {table} JOIN game ON game.id = {table}.game WHERE game.run = :run)
            + (SELECT COALESCE(SUM({table}_count), 0) FROM voided_game WHERE run = :run) AS n"""
        )
        return int(row["n"])

    def _rows(self, sql: str, **more: object) -> list[sqlite3.Row]:
        """Return the rows of a query whose parameter `:run` is the run; `more` are its other parameters."""
        return self.store.query(sql, {"run": self.fingerprint, **more})

    def _read(
        self, query: Callable[Concatenate[sqlite3.Connection, str, More], Found], *more: More.args, **named: More.kwargs
    ) -> Found:
        with self.store.reading() as connection:
            return query(connection, self.fingerprint, *more, **named)


_ANY_RECORD = "SELECT id, record FROM game UNION ALL SELECT id, record FROM single"

_COMPARED = 1000
"""The most ids to compare with a wrong id. This takes a tenth of a second."""


_STANDINGS_ORDER = "ORDER BY rank IS NULL, rank, score DESC, bot"
_CROSSTABLE_ORDER = "ORDER BY bot, opponent"
_WITHDRAWN_BOTS = f"""
    SELECT seat.bot, fault.kind, fault.detail, MIN(game.rowid) FROM game
    JOIN fault ON fault.game = game.id JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
    WHERE game.run = :run AND game.ended = '{WITHDRAWN}' GROUP BY seat.bot
    """
"""SQLite takes kind and detail from the row with the smallest rowid, which is the game that was stored first."""

_WITHDRAWALS = f"""
    WITH missed AS (
        SELECT seat.bot, fault.kind, COUNT(DISTINCT game.id) AS unplayed, MIN(game.rowid) FROM game
        JOIN fault ON fault.game = game.id JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
        WHERE game.run = :run AND game.ended = '{WITHDRAWN}' GROUP BY seat.bot
    )
    SELECT bot.name AS bot, missed.kind, missed.unplayed,
        COALESCE(
            (SELECT NULLIF(COUNT(*), 0) FROM incident
                WHERE incident.run = :run AND incident.bot = bot.name AND incident.correction = 0),
            (SELECT COUNT(*) FROM fault JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
                JOIN game ON game.id = fault.game
                WHERE seat.run = :run AND seat.bot = bot.name AND game.ended <> '{WITHDRAWN}')
        ) AS faults
    FROM missed JOIN bot ON bot.run = :run AND bot.name = missed.bot ORDER BY bot.place
    """
"""Archives contain no incidents, so the faults in the games of an imported run are counted."""

_APPEARED_BOTS = """
    SELECT name FROM bot WHERE run = :run AND EXISTS (
        SELECT 1 FROM seat WHERE seat.run = bot.run AND seat.bot = bot.name AND seat.decisions > 0
    )
    """

_OF_GAME = frozenset({"entry", "variant", "lineup", "set_number", "rotation", "ended", "hands"})
_SEAT_COLUMNS = tuple(f"{'game' if name in _OF_GAME else 'seat'}.{name}" for name in SeatResult._fields)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
