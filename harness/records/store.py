"""The store: every question about recorded runs (CLI.md, Store). Writing is the writer's (`Store.begin`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from engine.wording import did_you_mean
from harness.records import database
from harness.records.answers import fault_row, game_row, pairing, run_row, standing
from harness.records.errors import StoreError, sqlite_errors
from harness.records.game_rows import GameRows
from harness.records.incident import Conduct, Incident
from harness.records.queries import GAME_ORDER, results_in, stories_in
from harness.records.reader import read
from harness.records.record import GameRecord
from harness.records.rows import FaultRow, GameResult, GameRow, Pairing, RunRow, Standing
from harness.records.run import Entrant, GameId, RatingRow, RatingTable, RunHeader, SetKey
from harness.records.set_keys import Block
from harness.records.sidecar import SeedFile
from harness.records.story import FaultStory

if TYPE_CHECKING:
    from harness.records.writer import RunWriter


class Store:
    """A database of runs, opened. Its own connection only reads; it never waits for a writer and never blocks one.

    Every method raises StoreError, one sentence, where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        """Open an existing database (see `open`)."""
        self.path = path
        database.refuse_foreign(path)
        database.migrate(path)
        with sqlite_errors(path, "opening the database"):
            self._database = database.connect(path)
            self._database.execute("PRAGMA query_only = ON")

    @classmethod
    def open(cls, path: Path | str) -> Store:
        """Open an existing database.

        Raises StoreError where the file is missing, unreadable, of another program or of a newer version; such a file
        is left as it is.
        """
        path = Path(path)
        if not path.exists():
            raise StoreError(
                f"{path}: there is no database here; play something first (bowerbird demo) or name one with --db"
            )
        return cls(path)

    @classmethod
    def create(cls, path: Path | str) -> Store:
        """Open a database, and make it first where there is none. Refuses what `open` refuses."""
        path = Path(path)
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            database.create(path)
        return cls(path)

    def close(self) -> None:
        """Close the connection. Harmless when repeated."""
        self._database.close()

    def __enter__(self) -> Store:
        """The store is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def begin(self, header: RunHeader, seed: bytes) -> RunWriter:
        """Begin a run or go on with it: the one writer that a run may have, as a context manager.

        `seed` is the run's seed of 32 bytes, to which `header.commitment` commits. A run that is stored already is
        continued: bots that are new are added, its config is replaced. Raises StoreError if another process writes
        this run, or if a bot of the run is entered again with another version or other files.
        """
        from harness.records.writer import RunWriter

        return RunWriter(self.path, header, seed)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Within it everything is read as it was when reading began, whatever a writer does meanwhile."""
        with sqlite_errors(self.path, "reading the database"):
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")  # nothing was written

    # Runs

    def runs(self) -> list[RunRow]:
        """All runs, the latest first."""
        return [run_row(row) for row in self._query("SELECT * FROM runs ORDER BY started DESC, fingerprint")]

    def run(self, ref: str | None = None) -> RunRow:
        """The run that `ref` means: a fingerprint or its beginning, or a name (the latest of it). None: the latest run.

        Raises StoreError where none or several match, with the nearest match.
        """
        runs = self.runs()
        if not runs:
            raise StoreError(f"{self.path}: no run is recorded here yet; play one with bowerbird demo or match")
        if ref is None:
            return runs[0]
        found = [run for run in runs if ref in (run.fingerprint, run.name)][:1] or [
            run for run in runs if ref and run.fingerprint.startswith(ref)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise StoreError(f"run {ref!r} could be {_listed([run.fingerprint for run in found])}; write more of it")
        known = [name for run in runs for name in (run.fingerprint, run.name)]
        raise StoreError(f"{self.path}: no run {ref!r}{did_you_mean(ref, known)}; bowerbird runs lists them")

    def header(self, fingerprint: str) -> RunHeader | None:
        """What identifies a run, as it was begun; None if it is not stored. `fingerprint` in full."""
        for row in self._query("SELECT * FROM run WHERE fingerprint = ?", [fingerprint]):
            return RunHeader(
                name=row["name"],
                commitment=row["commitment"],
                practice=bool(row["practice"]),
                config=row["config"],
                bots=tuple(self.bots(fingerprint)),
                packs=row["packs"],
                beacon=row["beacon"],
            )
        return None

    def bots(self, fingerprint: str) -> list[Entrant]:
        """The entrants of a run, in the order of its file."""
        rows = self._query("SELECT * FROM bot WHERE run = ? ORDER BY place", [fingerprint])
        return [Entrant(row["name"], row["version"], row["fingerprint"], row["author"]) for row in rows]

    def secret_seed(self, fingerprint: str) -> bytes:
        """The seed of a run, published or not, to go on with it.

        Until a run ends its seed is kept beside the database. Raises StoreError where it was lost.
        """
        run = self.run(fingerprint)
        seed = run.seed or SeedFile(self.path, run.fingerprint).read()
        if seed is None:
            place = SeedFile(self.path, run.fingerprint).path
            raise StoreError(
                f"{place}: the secret seed of run {run.fingerprint} is not there, so this run cannot be gone on with; "
                "its stored games are whole"
            )
        return seed

    # Games

    def stored_sets(self, fingerprint: str) -> frozenset[SetKey]:
        """The deal sets of a run that are complete."""
        rows = self._query("SELECT entry, lineup, set_number FROM job WHERE run = ?", [fingerprint])
        return frozenset(SetKey(row["entry"], row["lineup"], row["set_number"]) for row in rows)

    def played_ms(self, fingerprint: str) -> dict[SetKey, int]:
        """By deal set, how long the run had been played when it was stored (0 where that is not known)."""
        rows = self._query("SELECT entry, lineup, set_number, played_ms FROM job WHERE run = ?", [fingerprint])
        return {SetKey(row["entry"], row["lineup"], row["set_number"]): row["played_ms"] for row in rows}

    def conduct(self, fingerprint: str) -> Conduct:
        """How the bots of a run have behaved, as far as it follows from the deal sets that are stored."""
        incidents = self._query("SELECT * FROM incident WHERE run = ? ORDER BY rowid", [fingerprint])
        withdrawn = self._query(_WITHDRAWN, [fingerprint])
        appeared = self._query(_APPEARED, [fingerprint])
        return Conduct(
            tuple(Incident(row["name"], row["bot"], row["instance"], row["kind"], row["detail"]) for row in incidents),
            {row["bot"]: (row["kind"], row["detail"]) for row in withdrawn},
            frozenset(row["name"] for row in appeared),
        )

    def set_records(self, fingerprint: str, key: SetKey) -> tuple[GameRecord, ...]:
        """The records of a deal set, by rotation; empty if it is not stored. Raises ReadError if one is damaged."""
        rows = self._query(
            "SELECT record FROM game WHERE run = ? AND entry = ? AND lineup = ? AND set_number = ? ORDER BY rotation",
            [fingerprint, key.entry, key.lineup, key.number],
        )
        return tuple(read(row["record"]) for row in rows)

    def games(
        self, fingerprint: str | None = None, *, variant: str | None = None, bot: str | None = None
    ) -> list[GameRow]:
        """Games in the order of their ids, of one run or all, of one variant or all, with one bot or any."""
        rows = self._query(
            f"""SELECT * FROM matches WHERE (:run IS NULL OR run = :run) AND (:variant IS NULL OR variant = :variant)
            AND (:bot IS NULL OR EXISTS (SELECT 1 FROM seat WHERE seat.game = matches.id AND seat.bot = :bot))
            ORDER BY {GAME_ORDER}""",
            {"run": fingerprint, "variant": variant, "bot": bot},
        )
        return [game_row(row) for row in rows]

    def record_text(self, ref: str) -> str:
        """The stored text of a game, of a run or alone, by its id or by the beginning of it that no other game has.

        Raises StoreError where none or several match, with the nearest match.
        """
        for row in self._query(f"SELECT record FROM ({_ANY_RECORD}) WHERE id = ?", [ref]):
            return str(row["record"])
        found = self._query(
            f"SELECT id, record FROM ({_ANY_RECORD}) WHERE substr(id, 1, length(:ref)) = :ref LIMIT 4", {"ref": ref}
        )
        if len(found) == 1 and ref:
            return str(found[0]["record"])
        if found:
            raise StoreError(f"game {ref!r} could be {_listed([row['id'] for row in found])}; write more of it")
        known = self._games_like(ref)
        raise StoreError(f"{self.path}: no game {ref!r}{did_you_mean(ref, known)}; bowerbird matches lists them")

    def _games_like(self, ref: str) -> list[str]:
        """Ids that begin with as many parts of `ref` as any does; not all, since each is to be compared with it."""
        parts = ref.split("/")
        for right in range(len(parts) - 1, -1, -1):
            sql = f"SELECT id FROM ({_ANY_RECORD}) WHERE substr(id, 1, length(:begun)) = :begun LIMIT {_COMPARED}"
            found = self._query(sql, {"begun": "".join(f"{part}/" for part in parts[:right])})
            if found:
                return [row["id"] for row in found]
        return []

    def singles(self) -> list[tuple[str, str]]:
        """The records that were imported without their run, as (id, text), in the order of their ids."""
        return [(row["id"], row["record"]) for row in self._query("SELECT id, record FROM single ORDER BY id")]

    def record(self, ref: str) -> GameRecord:
        """The record of a game (see `record_text`). Raises ReadError if it is damaged."""
        return read(self.record_text(ref))

    def results(self, fingerprint: str, block: Block | None = None) -> list[GameResult]:
        """The results of a run for ratings, in the order of the games' ids; no record is read for it.

        With `block`, those of its deal sets alone.
        """
        with sqlite_errors(self.path, "reading the database"):
            return results_in(self._database, fingerprint, block)

    # What verification looks at

    def sets(self, fingerprint: str) -> list[tuple[SetKey, int]]:
        """The complete deal sets of a run in order, each with the number of games that it was stored with."""
        rows = self._query("SELECT * FROM job WHERE run = ? ORDER BY entry, lineup, set_number", [fingerprint])
        return [(SetKey(row["entry"], row["lineup"], row["set_number"]), row["games"]) for row in rows]

    def game_ids(self, fingerprint: str) -> list[str]:
        """The ids of a run's games, in their order."""
        rows = self._query(f"SELECT id FROM game WHERE run = ? ORDER BY {GAME_ORDER}", [fingerprint])
        return [row["id"] for row in rows]

    def game_rows(self, game: str) -> GameRows:
        """Everything that the tables hold of a game, as it stands there. Raises StoreError if it is not stored."""
        games = self._query("SELECT * FROM game WHERE id = ?", [game])
        if not games:
            raise StoreError(f"{self.path}: no game {game!r}")
        seats = self._query("SELECT * FROM seat WHERE game = ? ORDER BY seat", [game])
        faults = self._query("SELECT * FROM fault WHERE game = ? ORDER BY place", [game])
        return GameRows(dict(games[0]), tuple(map(dict, seats)), tuple(map(dict, faults)))

    def damage(self) -> list[str]:
        """What SQLite itself finds wrong with the file: broken pages, rows that refer to nothing. Empty if nothing."""
        broken = [row["integrity_check"] for row in self._query("PRAGMA integrity_check")]
        loose = [
            f"a row of {row['table']} refers to a row of {row['parent']} that is not there"
            for row in self._query("PRAGMA foreign_key_check")
        ]
        return [line for line in broken if line != "ok"] + loose

    # Standings

    def ratings(self, fingerprint: str) -> RatingTable | None:
        """The stored incremental Elo of a run, or None where none was stored."""
        for run in self._query("SELECT rating_digest, rating_sets FROM run WHERE fingerprint = ?", [fingerprint]):
            rows = self._query("SELECT * FROM rating WHERE run = ? ORDER BY scope, bot", [fingerprint])
            table = tuple(RatingRow(row["scope"], row["bot"], row["rating"], row["games"]) for row in rows)
            return RatingTable(run["rating_digest"], run["rating_sets"], table) if table else None
        return None

    def standings(self, fingerprint: str, variant: str | None = None) -> list[Standing]:
        """The standings of a run over all variants, or of one: best rating first, then best score."""
        rows = self._query(
            """SELECT * FROM standings WHERE run = ? AND scope = ?
            ORDER BY rating IS NULL, rating DESC, score DESC, bot""",
            [fingerprint, variant or ""],
        )
        return [standing(row) for row in rows]

    def crosstable(self, fingerprint: str, variant: str | None = None) -> list[Pairing]:
        """Each bot against each other that it met, over all variants or of one."""
        rows = self._query(
            "SELECT * FROM crosstable WHERE run = ? AND scope = ? ORDER BY bot, opponent", [fingerprint, variant or ""]
        )
        return [pairing(row) for row in rows]

    def standings_by_scope(self, fingerprint: str) -> dict[str | None, list[Standing]]:
        """`standings` of every variant, and under None of all together, at the cost of one of them."""
        sql = "SELECT * FROM standings WHERE run = ? ORDER BY rating IS NULL, rating DESC, score DESC, bot"
        return {scope: [standing(row) for row in rows] for scope, rows in self._by_scope(sql, fingerprint).items()}

    def crosstables(self, fingerprint: str) -> dict[str | None, list[Pairing]]:
        """`crosstable` of every variant, and under None of all together, at the cost of one of them."""
        sql = "SELECT * FROM crosstable WHERE run = ? ORDER BY bot, opponent"
        return {scope: [pairing(row) for row in rows] for scope, rows in self._by_scope(sql, fingerprint).items()}

    def _by_scope(self, sql: str, fingerprint: str) -> dict[str | None, list[sqlite3.Row]]:
        scopes: dict[str | None, list[sqlite3.Row]] = {}
        for row in self._query(sql, [fingerprint]):
            scopes.setdefault(row["scope"] or None, []).append(row)
        return scopes

    def faults(self, fingerprint: str) -> list[FaultRow]:
        """All faults of a run, in the order of its schedule and as they happened: the same in every database."""
        rows = self._query("SELECT * FROM faults WHERE run = ? ORDER BY game, place", [fingerprint])
        return sorted(
            (fault_row(row, self.path.parent) for row in rows), key=lambda fault: GameId.parse(fault.game).place
        )

    def faults_of(self, game: str) -> list[FaultRow]:
        """The faults of a game (its id in full) as they happened; empty for a game that is not stored."""
        rows = self._query("SELECT * FROM faults WHERE game = ? ORDER BY place", [game])
        return [fault_row(row, self.path.parent) for row in rows]

    def stories(self, game: str) -> tuple[FaultStory, ...]:
        """The stories that are known of a game's faults (its id in full), by seat."""
        with sqlite_errors(self.path, "reading the database"):
            return stories_in(self._database, game)

    def story_count(self, fingerprint: str) -> int:
        """How many stories are known of a run's faults."""
        sql = "SELECT COUNT(*) AS n FROM story JOIN game ON game.id = story.game WHERE game.run = ?"
        return int(self._query(sql, [fingerprint])[0]["n"])

    def _query(self, sql: str, parameters: Sequence[object] | dict[str, object] = ()) -> list[sqlite3.Row]:
        with sqlite_errors(self.path, "reading the database"):
            return list(self._database.execute(sql, parameters))


_ANY_RECORD = "SELECT id, record FROM game UNION ALL SELECT id, record FROM single"
_WITHDRAWN = """
    SELECT seat.bot, fault.kind, fault.detail, MIN(game.rowid) FROM game
    JOIN fault ON fault.game = game.id JOIN seat ON seat.game = fault.game AND seat.seat = fault.seat
    WHERE game.run = ? AND game.ended = 'withdrawn' GROUP BY seat.bot
    """
"""SQLite takes the kind and the detail from the row of the least rowid, which is the game that was stored first."""

_APPEARED = """
    SELECT name FROM bot WHERE run = ? AND EXISTS (
        SELECT 1 FROM seat WHERE seat.run = bot.run AND seat.bot = bot.name AND seat.decisions > 0
    )
    """

_COMPARED = 1000
"""How many ids are compared with one that is wrong: a tenth of a second's work."""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
