"""The ratings of a run: table `record_rating`, views `standings` and `crosstable`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from bowerbird.harness.records.store.tables.table import columns_of, insert, value_of
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.query_results import Pairing, Standing
from bowerbird.harness.records.values.run import RecordRating, ResultsDigest


def standing_from(row: sqlite3.Row) -> Standing:
    """Return the line of a row of `standings`."""
    return value_of(Standing, row, faults={kind: row[kind.lower()] for kind in FAULT_KINDS})


def pairing_from(row: sqlite3.Row) -> Pairing:
    """Return the cell of a row of `crosstable`."""
    return value_of(Pairing, row)


def results_digest_in(connection: sqlite3.Connection, run: str) -> ResultsDigest | None:
    """Return the stored digest of the results of a run; None if there is none."""
    of = connection.execute("SELECT rating_digest, rating_sets FROM run WHERE fingerprint = ?", [run]).fetchone()
    return ResultsDigest(of["rating_digest"], of["rating_sets"]) if of and of["rating_digest"] else None


def replace_results_digest(connection: sqlite3.Connection, run: str, digest: ResultsDigest) -> None:
    """Replace the digest of the results of a run."""
    connection.execute(
        "UPDATE run SET rating_digest = ?, rating_sets = ? WHERE fingerprint = ?", [digest.digest, digest.sets, run]
    )


def record_ratings_in(connection: sqlite3.Connection, run: str) -> tuple[RecordRating, ...]:
    """Return the stored ratings of record of a run, by scope, rank and bot, if they belong to its current results."""
    rows = connection.execute(
        """SELECT record_rating.* FROM record_rating JOIN run ON run.fingerprint = record_rating.run
        WHERE run.fingerprint = ? AND record_rating.digest = run.rating_digest
        ORDER BY scope, rank, elo DESC, bot""",
        [run],
    )
    return tuple(value_of(RecordRating, row) for row in rows)


def replace_record_ratings(
    connection: sqlite3.Connection, run: str, ratings: Iterable[RecordRating], digest: str
) -> None:
    """Replace the ratings of record of a run. `digest` is that of the results behind them."""
    connection.execute("DELETE FROM record_rating WHERE run = ?", [run])
    insert(connection, "record_rating", ({"run": run, **columns_of(each), "digest": digest} for each in ratings))
