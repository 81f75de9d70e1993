"""Changes to a stored run as a whole: a new name, or its removal (database.md)."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.access import behind_links
from bowerbird.harness.records.store.file_header import read_header
from bowerbird.harness.records.store.sidecar import OnEndFile, RunLock, logs_of, seed_files

_OF_GAMES = ("note", "story", "fault")
_OF_RUN = (
    *("seat", "game", "job", "machine", "record_rating", "placement", "match_result", "incident", "cpu"),
    *("void", "voided_game", "corrected_set", "correction", "origin", "bot"),
)
"""All tables with rows that belong to a run or its games, children before parents."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """The outcome of a deletion.

    stored: True if the database contained the run; False if an interrupted deletion had left only its files.
    logs: the folder of logs that was removed; None if there was none or it was kept.
    kept_for: another database in the same folder that contains the run and needs its logs; None if there is none.
    free_bytes: the space in the database that later runs can reuse.
    """

    stored: bool
    logs: Path | None
    kept_for: Path | None
    free_bytes: int


def rename_run(path: Path, fingerprint: str, name: str) -> None:
    """Give a run another name. Its id, and so the ids of its games, stay the same.

    name: a name that `values.run.wrong_name` allows.

    Raises StoreError if the run is not stored or writing fails.
    """
    with database.writing(path, f"renaming run {fingerprint}") as connection:
        sql = "UPDATE run SET label = NULLIF(?, name) WHERE fingerprint = ?"
        if not connection.execute(sql, [name, fingerprint]).rowcount:
            raise _not_stored(path, fingerprint)


def delete_run(path: Path, fingerprint: str) -> Deleted:
    """Delete a run with its games, faults, stories, notes and ratings, in one transaction.

    Then delete its secret seed, its `on_end` command, and its logs.

    If the process ends in between, the run is either whole or gone. A second call then removes the remaining files.
    Logs are kept if another database in this folder contains the same run.

    Raises StoreError if another process writes the run, if there is nothing to delete, or if writing fails; OSError if
    the logs cannot be removed.
    """
    path = behind_links(path)
    logs = logs_of(path, fingerprint)
    with sqlite_errors(path, f"deleting run {fingerprint}"), RunLock(path, fingerprint):
        with closing(database.connect(path)) as connection:
            with database.transaction(connection):
                for table in _OF_GAMES:
                    sql = f"DELETE FROM {table} WHERE game IN (SELECT id FROM game WHERE run = ?)"
                    connection.execute(sql, [fingerprint])
                for table in _OF_RUN:
                    connection.execute(f"DELETE FROM {table} WHERE run = ?", [fingerprint])
                stored = connection.execute("DELETE FROM run WHERE fingerprint = ?", [fingerprint]).rowcount == 1
            free = _free_bytes(connection)
        seeds = seed_files(path, fingerprint)
        if not (stored or seeds or logs.is_dir()):
            raise _not_stored(path, fingerprint)
        for seed in seeds:
            seed.unlink(missing_ok=True)
        OnEndFile(path, fingerprint).remove()
        has_logs = logs.is_dir() and not logs.is_symlink()
        other = _other_database_with(path, fingerprint) if has_logs else None
        if has_logs and other is None:
            shutil.rmtree(logs)
    return Deleted(stored, logs if has_logs and other is None else None, other, free)


def vacuum(path: Path) -> int:
    """Rewrite the database without its free space. Return its size in bytes.

    Raises StoreError if another process keeps using the database, or if there is no room for a copy.
    """
    with sqlite_errors(path, "shrinking the database"), closing(database.connect(path)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def _not_stored(path: Path, fingerprint: str) -> StoreError:
    return StoreError(f"{path}: run {fingerprint} is no longer recorded here")


def _free_bytes(connection: sqlite3.Connection) -> int:
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    return int(pages) * int(size)


def _other_database_with(path: Path, fingerprint: str) -> Path | None:
    """Return another database in the folder that contains the run. An unreadable file counts as containing it."""
    for file in sorted(path.parent.iterdir()):
        try:
            if not file.is_file() or file.samefile(path):
                continue
            header = read_header(file)
            if header is not None and header.is_ours and _holds(file, fingerprint):
                return file
        except FileNotFoundError:
            continue  # removed since
        except (OSError, sqlite3.Error, StoreError):
            return file
    return None


def _holds(path: Path, fingerprint: str) -> bool:
    """Return True if a database contains a run. Raises the errors of reading."""
    connection, fixed = database.connect_to_read(path)
    with closing(connection):
        found = connection.execute("SELECT 1 FROM run WHERE fingerprint = ?", [fingerprint]).fetchone()
    if fixed is not None:
        fixed.check()
    return found is not None
