"""Places and matches of a run: tables `placement` and `match_result`."""

from __future__ import annotations

import sqlite3

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.tables.table import Value, columns_of, insert, value_of
from bowerbird.harness.records.values.placements import MatchResult, Outcome, Placement


def placements_in(connection: sqlite3.Connection, run: str) -> tuple[Placement, ...]:
    """Return the places of a run, best first. Raises StoreError for impossible values."""
    rows = connection.execute("SELECT * FROM placement WHERE run = ? ORDER BY number", [run])
    return tuple(_checked(Placement, row) for row in rows)


def matches_in(connection: sqlite3.Connection, run: str) -> tuple[MatchResult, ...]:
    """Return the matches of a run, round by round. Raises StoreError for impossible values."""
    rows = connection.execute("SELECT * FROM match_result WHERE run = ? ORDER BY number", [run])
    return tuple(_checked(MatchResult, row, opponent=row["opponent"] or "", winner=row["winner"] or "") for row in rows)


def _checked(kind: type[Value], row: sqlite3.Row, **converted: object) -> Value:
    try:
        return value_of(kind, row, **converted)
    except ValueError as error:  # another program wrote it
        raise StoreError(f"run {row['run']} has a wrong outcome in the database: {error}") from error


def outcome_in(connection: sqlite3.Connection, run: str) -> Outcome:
    """Return the outcome of a run; an empty one if it is not stored."""
    row = connection.execute("SELECT stopped FROM run WHERE fingerprint = ?", [run]).fetchone()
    return Outcome(row["stopped"] if row else "", placements_in(connection, run), matches_in(connection, run))


def replace_outcome(connection: sqlite3.Connection, run: str, outcome: Outcome) -> None:
    """Replace the outcome of a run. An empty outcome removes it. A missing bot in a match becomes NULL."""
    connection.execute("UPDATE run SET stopped = ? WHERE fingerprint = ?", [outcome.reason, run])
    for table in ("placement", "match_result"):
        connection.execute(f"DELETE FROM {table} WHERE run = ?", [run])
    places = ({"run": run, "number": number, **columns_of(each)} for number, each in enumerate(outcome.places))
    insert(connection, "placement", places)
    matches = (
        {
            "run": run,
            "number": number,
            **columns_of(each),
            "opponent": each.opponent or None,
            "winner": each.winner or None,
        }
        for number, each in enumerate(outcome.matches)
    )
    insert(connection, "match_result", matches)
