"""Deal sets: tables `job` and `void`. A void is an attempt at a deal set that does not count."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from bowerbird.harness.records.store.tables.conduct import machine_id
from bowerbird.harness.records.store.tables.table import (
    IN_SET,
    insert,
    now,
    set_columns,
    set_key_from,
    tuple_from,
    value_of,
)
from bowerbird.harness.records.values.machines import Machine
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.values.voids import VoidedSet


def set_size(connection: sqlite3.Connection, run: str, key: SetKey) -> int | None:
    """Return the number of games of a stored deal set; None if it is not stored."""
    row = connection.execute(f"SELECT games FROM job WHERE {IN_SET}", set_columns(run, key)).fetchone()
    return None if row is None else int(row["games"])


def insert_job(
    connection: sqlite3.Connection,
    run: str,
    key: SetKey,
    games: int,
    *,
    played_ms: int = 0,
    machine: Machine | None = None,
) -> None:
    """Mark a deal set of `games` games as stored at the current time.

    played_ms: the total playing time of its run.
    machine: the machine that played it; None if unknown.
    """
    number = None if machine is None else machine_id(connection, run, machine)
    row = {**set_columns(run, key), "games": games, "saved": now(), "played_ms": played_ms, "machine": number}
    insert(connection, "job", [row])


def resize_job(connection: sqlite3.Connection, run: str, key: SetKey, games: int) -> None:
    """Set the number of games of a stored deal set."""
    connection.execute(f"UPDATE job SET games = :games WHERE {IN_SET}", {**set_columns(run, key), "games": games})


def delete_set(connection: sqlite3.Connection, run: str, key: SetKey) -> None:
    """Delete a stored deal set with its games, their stories and their notes."""
    columns = set_columns(run, key)
    games = f"(SELECT id FROM game WHERE {IN_SET})"
    for table in ("note", "story", "fault", "seat"):
        connection.execute(f"DELETE FROM {table} WHERE game IN {games}", columns)
    for table in ("game", "job"):
        connection.execute(f"DELETE FROM {table} WHERE {IN_SET}", columns)


def voids_in(connection: sqlite3.Connection, run: str) -> tuple[VoidedSet, ...]:
    """Return the voids of a run, by deal set and attempt."""
    sql = """
        SELECT void.*, EXISTS (
            SELECT 1 FROM dealt_again AS later WHERE later.run = void.run AND later.entry = void.entry
            AND later.lineup = void.lineup AND later.set_number = void.set_number
            AND later.correction > void.correction
        ) AS is_past
        FROM void WHERE run = ? ORDER BY entry, lineup, set_number, correction, attempt
        """
    return tuple(
        value_of(
            VoidedSet,
            row,
            key=set_key_from(row),
            bots=tuple(map(str, tuple_from(row["bots"]))),
            is_past=bool(row["is_past"]),
        )
        for row in connection.execute(sql, [run])
    )


def insert_voids(connection: sqlite3.Connection, run: str, voids: Iterable[VoidedSet]) -> None:
    """Insert voids, each with its own time or else the current time.

    If a void is already stored, replace its bots.
    """
    rows = [
        {
            **set_columns(run, void.key),
            "correction": void.correction,
            "attempt": void.attempt,
            "bots": json.dumps(void.bots),
            "why": void.why,
            "saved": void.saved or now(),
        }
        for void in voids
    ]
    insert(
        connection,
        "void",
        rows,
        "ON CONFLICT (run, entry, lineup, set_number, correction, attempt) DO UPDATE SET bots = excluded.bots",
    )
