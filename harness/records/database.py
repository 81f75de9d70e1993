"""Opening the store's SQLite file: ours or refused, whole or not at all (CLI.md, Store; FAULTS.md, Durability).

sqlite-utils brings older files to this version, and is imported for that alone: it loads numpy, which would take longer
than all else that a command does before its first game.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from harness.records.errors import StoreError, sqlite_errors
from harness.records.fresh import fresh_beside, sync_folder
from harness.records.schema import APPLICATION_ID, MIGRATIONS, TABLES, VERSION, VIEWS

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_BUSY_SECONDS = 30.0


def refuse_foreign(path: Path) -> None:
    """Raise StoreError unless the file is a database of ours, of a version that is known.

    The file's first bytes are read, no more: SQLite itself would write beside a file that it opens.
    """
    with sqlite_errors(path, "opening the database"):
        if path.is_dir():
            raise StoreError(f"{path}: is a folder, not a database; name a file")
        with path.open("rb") as file:
            header = file.read(_HEADER)
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise StoreError(f"{path}: is not a SQLite database and was left untouched; name another file with --db")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreError(
            f"{path}: is a SQLite database of another program and was left untouched; name another file with --db"
        )
    _refuse_version(path, int.from_bytes(header[60:64], "big"))


def _refuse_version(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreError(
            f"{path}: was written by a newer Bowerbird (store version {version}, this one reads up to {VERSION}) "
            "and was left untouched; update Bowerbird"
        )
    if version < 1:
        raise StoreError(f"{path}: says store version {version}, which no Bowerbird wrote, and was left untouched")


def migrate(path: Path) -> None:
    """Bring a database of ours, of an older version, to this one, whole or not at all; its records stay as they are.

    Harmless where it is of this version already.
    """
    if _version(path) == VERSION:
        return
    with sqlite_errors(path, "bringing the database to this version"):
        database = connect(path)
        try:
            with transaction(database):
                found = database.execute("PRAGMA user_version").fetchone()[0]
                _refuse_version(path, found)  # what is in the log may be newer than what the file's first bytes say
                for version in range(found + 1, VERSION + 1):
                    for statement in MIGRATIONS[version]:
                        database.execute(statement)
                _replace_views(database)
                database.execute(f"PRAGMA user_version = {VERSION}")
        finally:
            database.close()


def _replace_views(database: sqlite3.Connection) -> None:
    """Make every view as it is in this version, and drop those that there are no more."""
    from sqlite_utils import Database

    schema = Database(database)
    for view in schema.views:
        if view.name not in VIEWS:
            view.drop()
    for name, select in VIEWS.items():
        schema.create_view(name, select, replace=True)


def _version(path: Path) -> int:
    with path.open("rb") as file:
        return int.from_bytes(file.read(_HEADER)[60:64], "big")


def create(path: Path) -> None:
    """Make an empty database where there is no file yet, or one without a byte; it appears whole or not at all."""
    with sqlite_errors(path, "making a new database"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh_beside(path) as fresh:
            _write_schema(fresh)
            if path.exists() and path.stat().st_size == 0:
                os.replace(fresh, path)
            else:
                _link(fresh, path)
            sync_folder(path.parent)


def _link(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        return  # somebody else made it in the meantime; opening it will tell whether it is ours


def _write_schema(path: Path) -> None:
    """Write a database that nobody sees yet; it is brought to the disk once, when it is whole."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        with transaction(connection):
            for table in TABLES:
                connection.execute(table)
            for name, select in VIEWS.items():
                connection.execute(f'CREATE VIEW "{name}" AS {select}')
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    with path.open("rb") as file:
        os.fsync(file.fileno())


def connect(path: Path, *, any_thread: bool = False) -> sqlite3.Connection:
    """A connection to an existing database of ours: WAL, synchronous FULL, foreign keys on, no implicit transactions.

    Without `isolation_level` Python's sqlite3 opens no transaction of its own, which a bare INSERT would leave open and
    lose (FAULTS.md). `any_thread` lets other threads use it, one at a time. Rows have their columns by name and place.
    On a file system that is read-only, where SQLite cannot keep its files beside it, it can be read all the same.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{'immutable=1' if _is_fixed(path) else 'mode=rw'}",
        uri=True,
        isolation_level=None,
        timeout=_BUSY_SECONDS,
        check_same_thread=not any_thread,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.row_factory = sqlite3.Row
        return connection
    except BaseException:
        connection.close()
        raise


def _is_fixed(path: Path) -> bool:
    """Whether the database cannot change, and has nothing in a log beside it."""
    log = path.with_name(f"{path.name}-wal")
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY) and not (log.exists() and log.stat().st_size)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction, all or nothing, that has the right to write from its first moment.

    A transaction that begins by reading may be refused when it wants to write and another run's writer came between.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
