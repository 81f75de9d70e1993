"""The file of figures beside a database: `bowerbird.analysis.db` beside `bowerbird.db`, a database of its own.

A database of runs has only the tables of its version (`records.store.schema_check`), and reading or verifying a run
does not need figures. Each game is stored whole, under its judge and the digest of its record. Figures of another
judge, or of a record that was played again, are separate.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from bowerbird.harness.closing import Closing
from bowerbird.harness.extras.analysis.game_analysis import Decision, GameAnalysis, SideHand
from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.store.database import transaction
from bowerbird.harness.records.text.bounded_json import load_json

APPLICATION_ID = 0x42575241
"""Marks a SQLite file as a file of figures: "BWRA"."""

VERSION = 1

AS_IMPORTED = ", as imported"
"""The suffix of a judge's name for figures that came with an archive and were not computed here."""

_BUSY_SECONDS = 30.0

_TABLES = (
    """
    CREATE TABLE game (                 -- a game that was analysed
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        game TEXT NOT NULL,
        record TEXT NOT NULL,           -- SHA-256 of the record
        judge TEXT NOT NULL,            -- version, networks and number of worlds of the judge
        UNIQUE (game, judge)
    ) STRICT
    """,
    """
    CREATE TABLE decision (             -- points in thousandths, as everywhere here
        game INTEGER NOT NULL REFERENCES game (number) ON DELETE CASCADE,
        hand INTEGER NOT NULL,
        step INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        stage TEXT NOT NULL,
        token TEXT NOT NULL,
        best TEXT NOT NULL,
        did TEXT NOT NULL,              -- the kinds of both
        better TEXT NOT NULL,
        loss INTEGER NOT NULL,
        error INTEGER NOT NULL,
        "values" TEXT NOT NULL,         -- JSON: [[action, worth], …]
        PRIMARY KEY (game, hand, step)
    ) STRICT
    """,
    """
    CREATE TABLE side_hand (            -- result = par - own + others + rest
        game INTEGER NOT NULL REFERENCES game (number) ON DELETE CASCADE,
        hand INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        side INTEGER NOT NULL,
        bot TEXT NOT NULL,
        result INTEGER NOT NULL,
        par INTEGER NOT NULL,
        own INTEGER NOT NULL,
        others INTEGER NOT NULL,
        rest INTEGER NOT NULL,
        PRIMARY KEY (game, hand, seat)
    ) STRICT
    """,
)


_DECISION = tuple(f'"{field.name}"' for field in fields(Decision))
_SIDE_HAND = tuple(f'"{field.name}"' for field in fields(SideHand))
"""The columns after `game` in the tables, in the order of the values' fields."""


def _decision(columns: dict[str, Any]) -> Decision:
    values = tuple((token, worth) for token, worth in load_json(columns.pop("values")))
    return Decision(**columns, values=values)


def _kind(judge: str) -> str:
    """Return the name of a judge without its networks."""
    return ", ".join(part for part in _own(judge).split(", ") if not part.startswith("networks "))


def _own(judge: str) -> str:
    """Return the name under which a judge's figures are stored when computed here."""
    return judge.removesuffix(AS_IMPORTED)


def _places(columns: Sequence[str], more: int) -> str:
    return ", ".join("?" * (len(columns) + more))


def analysis_path(database: Path) -> Path:
    """Return the path of the figures for a database's runs."""
    return database.with_name(f"{database.stem}.analysis.db")


def digest_of(record: str) -> str:
    """Return the digest of a record."""
    return sha256(utf8(record)).hexdigest()


class AnalysisFile(Closing):
    """The open file of figures. A game is safely on disk when `save` returns.

    Every method raises StoreError if the file cannot be read or written.
    """

    def __init__(self, database: Path) -> None:
        """Open the file beside a database of runs, or create it.

        Raises StoreError if it cannot be opened, or belongs to another program or a newer version.
        """
        self.path = path = analysis_path(database)
        with sqlite_errors(path, "opening the figures of the analysis"):
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_SECONDS)
            try:
                self._connection.row_factory = sqlite3.Row
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        connection = self._connection
        if not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
            with transaction(connection):
                if not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                    for table in _TABLES:
                        connection.execute(table)
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {VERSION}")
        ours = (APPLICATION_ID, VERSION)
        found = tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if found != ours:
            raise StoreError(
                f"{self.path}: is not a file of figures of this version, and was left untouched; move it away to "
                "compute the figures again"
            )
        connection.execute("PRAGMA foreign_keys = ON")

    def stored(self, run: str, judge_of: Mapping[str, str]) -> dict[str, str]:
        """Return the digest of the record of each game of a run that its judge has analysed, here or elsewhere.

        judge_of: the name of the judge of each game.
        """
        with self._errors("reading"):
            rows = self._connection.execute("SELECT game, judge, record FROM game WHERE run = ?", [run]).fetchall()
        return {row["game"]: row["record"] for row in rows if judge_of.get(row["game"]) == _own(row["judge"])}

    def analysed_games(self, run: str) -> frozenset[str]:
        """Return the games of a run that were analysed here, by any judge."""
        with self._errors("reading"):
            rows = self._connection.execute("SELECT game, judge FROM game WHERE run = ?", [run]).fetchall()
        return frozenset(row["game"] for row in rows if row["judge"] == _own(row["judge"]))

    def imported_games(self, run: str, judge_of: Mapping[str, str]) -> int:
        """Return how many games of a run have imported figures of their judge."""
        with self._errors("reading"):
            rows = self._connection.execute("SELECT game, judge FROM game WHERE run = ?", [run]).fetchall()
        return sum(row["judge"] == f"{judge_of.get(row['game'])}{AS_IMPORTED}" for row in rows)

    def latest_judges(self, run: str, records: Mapping[str, str]) -> dict[str, str]:
        """Return the judges of the figures that `latest_of_run` returns, by game."""
        with self._errors("reading"):
            return {row["game"]: row["judge"] for row in self._latest_rows(run, records)}

    def save(self, run: str, game: str, record: str, judge: str, found: GameAnalysis) -> None:
        """Store a game in one transaction, replacing older figures of this judge; `record` is the record's digest."""
        with self._errors(f"writing the figures of game {game}"), transaction(self._connection):
            write = self._connection
            same = (_own(judge), f"{_own(judge)}{AS_IMPORTED}")
            write.execute("DELETE FROM game WHERE game = ? AND judge IN (?, ?)", [game, *same])
            number = write.execute(
                "INSERT INTO game (run, game, record, judge) VALUES (?, ?, ?, ?)", [run, game, record, judge]
            ).lastrowid
            decisions = [(number, *astuple(one)[:-1], json.dumps(one.values)) for one in found.decisions]
            write.executemany(f"INSERT INTO decision VALUES ({_places(_DECISION, 1)})", decisions)
            hands = [(number, *astuple(one)) for one in found.hands]
            write.executemany(f"INSERT INTO side_hand VALUES ({_places(_SIDE_HAND, 1)})", hands)

    def games(self, run: str, judge_of: Mapping[str, str]) -> Iterator[tuple[str, GameAnalysis]]:
        """Yield the figures of each stored game in `judge_of`, in the order in which they were stored."""
        with self._errors("reading"):
            rows = self._connection.execute("SELECT * FROM game WHERE run = ? ORDER BY number", [run]).fetchall()
            for row in rows:
                if judge_of.get(row["game"]) in (row["judge"], _own(row["judge"])):
                    yield row["game"], self._game(row["number"])

    def latest(self, game: str, record: str) -> GameAnalysis | None:
        """Return the figures of a game whose record has this digest, by the latest judge, or None."""
        with self._errors("reading"):
            sql = "SELECT number FROM game WHERE game = ? AND record = ? ORDER BY number DESC LIMIT 1"
            rows = self._connection.execute(sql, [game, record]).fetchall()
            return self._game(rows[0]["number"]) if rows else None

    def latest_of_run(self, run: str, records: Mapping[str, str]) -> dict[str, GameAnalysis]:
        """Return the figures of a run's games by one kind of judge: the kind of the latest analysed game.

        Judges of different variants have different networks. They are of the same kind if they use the same number of
        worlds.

        records: the digest of the record of each game.
        """
        with self._errors("reading"):
            return {row["game"]: self._game(row["number"]) for row in self._latest_rows(run, records)}

    def _latest_rows(self, run: str, records: Mapping[str, str]) -> list[sqlite3.Row]:
        rows = self._connection.execute(
            "SELECT number, game, record, judge FROM game WHERE run = ? ORDER BY number", [run]
        ).fetchall()
        kind = _kind(rows[-1]["judge"]) if rows else ""
        return [row for row in rows if records.get(row["game"]) == row["record"] and _kind(row["judge"]) == kind]

    def _game(self, number: int) -> GameAnalysis:
        decisions = self._connection.execute(
            f"SELECT {', '.join(_DECISION)} FROM decision WHERE game = ? ORDER BY hand, step", [number]
        )
        hands = self._connection.execute(
            f"SELECT {', '.join(_SIDE_HAND)} FROM side_hand WHERE game = ? ORDER BY hand, seat", [number]
        )
        return GameAnalysis(
            tuple(_decision(dict(row)) for row in decisions),
            tuple(SideHand(**dict(row)) for row in hands),
        )

    def _errors(self, doing: str) -> AbstractContextManager[None]:
        return sqlite_errors(self.path, doing)

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        self._connection.close()
