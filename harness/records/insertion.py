"""Rows on their way into the store's tables, inside a transaction that is open: of a run's writer or of an import."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from harness.records.game_rows import GameRows
from harness.records.incident import Incident
from harness.records.record import GameRecord
from harness.records.run import Entrant, RatingRow, RatingTable, SetKey
from harness.records.story import FaultStory


def now() -> str:
    """This moment as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def misfit(record: GameRecord, commitment: str, entered: Mapping[str, Entrant]) -> str:
    """Why a record is no game of the run with this commitment and these bots by name; "" if it is one."""
    if record.commitment != commitment:
        return "its commitment is not that of its run"
    for number, seat in enumerate(record.seats):
        bot = entered.get(seat.bot)
        if bot is None or (bot.version, bot.fingerprint) != (seat.version, seat.fingerprint):
            return f"seat {number}: bot {seat.bot!r} is not as it was entered in the run"
    return ""


def insert(database: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, object]]) -> None:
    """Insert rows, if there are any, which all have the columns of the first."""
    listed = list(rows)
    if listed:
        columns = ", ".join(listed[0])
        places = ", ".join(f":{column}" for column in listed[0])
        database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", listed)


def insert_bots(database: sqlite3.Connection, run: str, bots: Iterable[Entrant], first_place: int) -> None:
    """Enter bots into a run, from this place in its order on."""
    insert(
        database,
        "bot",
        (
            {
                "run": run,
                "name": bot.name,
                "version": bot.version,
                "fingerprint": bot.fingerprint,
                "author": bot.author,
                "place": place,
            }
            for place, bot in enumerate(bots, first_place)
        ),
    )


def insert_job(database: sqlite3.Connection, run: str, key: SetKey, games: int, played_ms: int = 0) -> None:
    """Note that a deal set is stored, with so many games, when its run had been played for `played_ms`."""
    row = {
        "run": run,
        "entry": key.entry,
        "lineup": key.lineup,
        "set_number": key.number,
        "games": games,
        "saved": now(),
        "played_ms": played_ms,
    }
    insert(database, "job", [row])


def insert_incidents(database: sqlite3.Connection, run: str, incidents: Iterable[Incident]) -> None:
    """Insert incidents; one that is known is the same one."""
    database.executemany(
        "INSERT OR IGNORE INTO incident (run, bot, name, instance, kind, detail) VALUES (?, ?, ?, ?, ?, ?)",
        [(run, one.bot, one.name, one.instance, one.kind, one.detail) for one in incidents],
    )


def insert_game(database: sqlite3.Connection, rows: GameRows) -> None:
    """Insert a game with its seats and faults."""
    insert(database, "game", [rows.game])
    insert(database, "seat", rows.seats)
    insert(database, "fault", rows.faults)


def insert_stories(database: sqlite3.Connection, stories: Iterable[FaultStory], folder: Path) -> None:
    """Insert stories of faults; `folder` is the database's, to which the paths of logs below it become relative."""
    insert(
        database,
        "story",
        (
            {
                "game": story.game,
                "seat": story.seat,
                "legal": json.dumps(story.legal),
                "how_ended": story.how_ended,
                "stderr": story.stderr,
                "log": _relative(story.log, folder.absolute()),
            }
            for story in stories
        ),
    )


def _relative(log: str, folder: Path) -> str:
    return str(Path(log).relative_to(folder)) if log and Path(log).is_relative_to(folder) else log


def replace_ratings(database: sqlite3.Connection, run: str, ratings: RatingTable) -> None:
    """Put these ratings in the place of the run's."""
    database.execute("DELETE FROM rating WHERE run = ?", [run])
    update_ratings(database, run, ratings, ratings.rows)


def update_ratings(database: sqlite3.Connection, run: str, ratings: RatingTable, fresh: Iterable[RatingRow]) -> None:
    """Bring the run's ratings to these, of which only `fresh` are not stored."""
    database.executemany(
        "INSERT INTO rating (run, scope, bot, rating, games) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (run, scope, bot) DO UPDATE SET rating = excluded.rating, games = excluded.games",
        [(run, row.scope, row.bot, row.rating, row.games) for row in fresh],
    )
    database.execute(
        "UPDATE run SET rating_digest = ?, rating_sets = ? WHERE fingerprint = ?", [ratings.digest, ratings.sets, run]
    )
