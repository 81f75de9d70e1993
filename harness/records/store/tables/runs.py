"""Runs, their bots, and who vouches for them: tables `run`, `bot` and `origin`, view `runs`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from bowerbird.harness.records.store.tables.table import columns_of, insert, seed_from, value_of
from bowerbird.harness.records.values.query_results import RunRow
from bowerbird.harness.records.values.run import Entrant, Origin, RunHeader


def run_from(row: sqlite3.Row) -> RunRow:
    """Return the run of a row of `runs`."""
    return value_of(RunRow, row, seed=seed_from(row["seed"]), practice=bool(row["practice"]))


def header_in(connection: sqlite3.Connection, run: str) -> RunHeader | None:
    """Return the header of a run; None if it is not stored."""
    row = connection.execute("SELECT * FROM run WHERE fingerprint = ?", [run]).fetchone()
    if row is None:
        return None
    return value_of(RunHeader, row, practice=bool(row["practice"]), bots=tuple(bots_in(connection, run)))


def insert_run(
    connection: sqlite3.Connection,
    header: RunHeader,
    *,
    engine: str,
    rules: str,
    started: str,
    sets_after_seed: int = 0,
    label: str | None = None,
    folder: str = "",
) -> None:
    """Insert a run. Its `bots` have their own rows."""
    row = {
        "fingerprint": header.fingerprint,
        **columns_of(header, without=("bots",)),
        "engine": engine,
        "rules": rules,
        "started": started,
        "sets_after_seed": sets_after_seed,
        "label": label,
        "folder": folder,
    }
    insert(connection, "run", [row])


def bots_in(connection: sqlite3.Connection, run: str) -> list[Entrant]:
    """Return the bots of a run, in the order of its file."""
    rows = connection.execute("SELECT * FROM bot WHERE run = ? ORDER BY place", [run])
    return [value_of(Entrant, row) for row in rows]


def insert_bots(connection: sqlite3.Connection, run: str, bots: Iterable[Entrant], first_place: int) -> None:
    """Enter bots into a run, at places from `first_place` on. A place is an index in the tournament file."""
    rows = ({"run": run, **columns_of(bot), "place": place} for place, bot in enumerate(bots, first_place))
    insert(connection, "bot", rows)


def origins_in(connection: sqlite3.Connection, run: str) -> tuple[Origin, ...]:
    """Return the signers of the archives with a run, unsigned first; () if it was played here."""
    rows = connection.execute("SELECT * FROM origin WHERE run = ? ORDER BY key", [run])
    return tuple(value_of(Origin, row) for row in rows)


def insert_origin(connection: sqlite3.Connection, run: str, origin: Origin, *, alone: bool) -> None:
    """Insert the signer of an archive of a run. It replaces an older row with this key, or all others if `alone`."""
    others = "" if alone else "AND key = :key"
    connection.execute(f"DELETE FROM origin WHERE run = :run {others}", {"run": run, "key": origin.key})
    insert(connection, "origin", [{"run": run, **columns_of(origin)}])
