"""Creates, opens and migrates the store's SQLite file (database.md; faults.md, Durability).

sqlite-utils is imported only to migrate older files, because it loads numpy, which takes longer than everything else
that a command does before its first game.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.quoting import storable
from bowerbird.harness.records.store import access
from bowerbird.harness.records.store.atomic_file import fresh_beside, sync_folder
from bowerbird.harness.records.store.file_header import APPLICATION_ID, read_header
from bowerbird.harness.records.store.schema import MIGRATIONS, TABLES, VERSION, VIEWS
from bowerbird.harness.records.store.schema_check import refuse_foreign_schema

_Parameters = Mapping[str, Any] | Sequence[Any]
"""The parameters of a statement: by name, or in order."""

_BUSY_SECONDS = 30.0
_LONGEST_ROW = 1 << 25
"""The largest row to read, in bytes. An untrusted database could contain a row of a gigabyte."""

_ATTEMPTS = 3
"""The number of attempts to open a database for reading, because a writer may start or end at the same moment."""


class _Connection(sqlite3.Connection):
    """A connection that makes each string storable as UTF-8 before storing or comparing it (`quoting.storable`).

    A file name, a command's argument or a bot's words can contain characters that SQLite refuses.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a statement with storable parameters."""
        return super().execute(sql, _all_storable(parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Run a statement with each of these storable parameters."""
        return super().executemany(sql, map(_all_storable, parameters))


def _all_storable(parameters: _Parameters) -> _Parameters:
    if isinstance(parameters, Mapping):
        return {name: _storable(value) for name, value in parameters.items()}
    return [_storable(value) for value in parameters] if parameters else parameters


def _storable(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


def refuse_foreign(path: Path) -> None:
    """Raise StoreError unless the file is a Bowerbird database with a known version."""
    access.refuse_unreadable(path)
    with sqlite_errors(path, "opening the database"):
        if path.is_dir():
            raise StoreError(f"{path}: is a folder, not a database; name a file")
        header = read_header(path)
    if header is None:
        raise StoreError(f"{path}: is not an SQLite database and was left untouched; name another file with --db")
    if not header.is_ours:
        raise StoreError(
            f"{path}: is a SQLite database of another program and was left untouched; name another file with --db"
        )
    _refuse_journal(path)
    _refuse_version(path, header.version)


def _refuse_journal(path: Path) -> None:
    """Raise StoreError if there is a journal beside a database, because SQLite would write its pages into the database.

    Bowerbird's databases have a log instead, so somebody else must have put the journal there.
    """
    journal = path.with_name(f"{path.name}-journal")
    if os.path.lexists(journal):
        raise StoreError(
            f"{path}: was left untouched, since a file beside it, {journal.name}, would change it, and Bowerbird never "
            "writes such a file; remove it if you do not need it"
        )


def _refuse_version(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreError(
            f"{path}: was written by a newer Bowerbird (store version {version}, this one reads up to {VERSION}) "
            "and was left untouched; update Bowerbird"
        )
    if version < 1:
        raise StoreError(f"{path}: has store version {version}, which no Bowerbird has written, and was left untouched")


def migrate(path: Path) -> None:
    """Migrate an older database to this version, in one transaction. Records stay unchanged.

    First copy the database to `backup_of`. Do nothing if it already has this version. Raises StoreError, and leaves the
    file unchanged, if it must be migrated but this user may not write it, there is no room for the copy, or Bowerbird
    did not write its schema.
    """
    header = read_header(path)
    if header is not None and header.version == VERSION:
        return
    if not access.may_write(path):
        _refuse_older(path)
        return
    with sqlite_errors(path, "bringing the database to this version"):
        access.refuse_unwritable(path)
        database = _connect(path, access.READ_WRITE)
        try:
            with transaction(database):
                found = database.execute("PRAGMA user_version").fetchone()[0]
                _refuse_version(path, found)  # the log may have a newer version than the file's first bytes
                if found < VERSION:
                    _back_up(path, backup_of(path, found))
                for version in range(found + 1, VERSION + 1):
                    for statement in MIGRATIONS[version]:
                        database.execute(statement)
                _replace_views(database)
                refuse_foreign_schema(database, path)
                database.execute(f"PRAGMA user_version = {VERSION}")
        finally:
            database.close()


def backup_of(path: Path, version: int) -> Path:
    """Return the path of the backup that a migration makes of a database of this version: `bowerbird.db-v6.backup`."""
    return path.with_name(f"{path.name}-v{version}.backup")


def _back_up(path: Path, backup: Path) -> None:
    """Copy a database, including its log, atomically. Replace an existing backup.

    Call this while no other process can write the database. Raises OSError, sqlite3.Error.
    """
    with fresh_beside(backup) as fresh:
        with (
            closing(_connect(path, access.READ_WRITE)) as source,
            closing(sqlite3.connect(fresh, isolation_level=None)) as copy,
        ):
            source.backup(copy)
        shutil.copymode(path, fresh)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(fresh, backup)
        sync_folder(backup.parent)


def _refuse_older(path: Path) -> None:
    """Raise StoreError unless a database that this user cannot write has this version, even if only in its log."""
    with sqlite_errors(path, "opening the database"), closing(connect_to_read(path)[0]) as database:
        found = database.execute("PRAGMA user_version").fetchone()[0]
    _refuse_version(path, found)
    if found < VERSION:
        raise StoreError(
            f"{path}: was written by an older Bowerbird (store version {found}, this one reads {VERSION}) and must be "
            "migrated, which you may not do here; copy it and its -wal, if there is one, to a folder of your own and "
            "name the copy with --db"
        )


def _replace_views(database: sqlite3.Connection) -> None:
    """Recreate all views of this version, and drop all others."""
    from sqlite_utils import Database

    schema = Database(database)
    for view in schema.views:
        if view.name not in VIEWS:
            view.drop()
    for name, select in VIEWS.items():
        schema.create_view(name, select, replace=True)


def create(path: Path) -> None:
    """Create an empty database atomically if there is no file at `path`, or an empty one. Raises StoreError."""
    access.refuse_new(path)
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
        return  # another process created it; opening it checks that it is a Bowerbird database


def _write_schema(path: Path) -> None:
    """Write an empty database to a file that nobody else has open. Flush it to disk once, when it is complete."""
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
    """Connect to an existing database for writing: WAL, synchronous FULL, foreign keys on, no implicit transactions.

    `isolation_level` is None, so that Python's sqlite3 never opens a transaction itself: a bare INSERT would leave one
    open, and its row would be lost (faults.md). `any_thread` lets other threads use the connection, one at a time. Rows
    are `sqlite3.Row`. Raises StoreError if this user may not write the database, or if its schema is not this
    version's.
    """
    access.refuse_unwritable(path)
    connection = _connect(path, access.READ_WRITE, any_thread=any_thread)
    try:
        refuse_foreign_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> tuple[sqlite3.Connection, access.FixedFile | None]:
    """Connect to an existing database for reading, even if this user cannot write there.

    Return the connection, and the state of the file if it was opened as immutable; call `FixedFile.check` after each
    read. The schema is not compared with ours. Raises StoreError if newer data are in a log that cannot be read.
    """
    if access.may_write(path):
        return _connect(path, access.READ_WRITE), None
    for _ in range(_ATTEMPTS):
        fixed = access.FixedFile.now(path)
        try:
            return _connect(path, access.WITH_LOG if fixed is None else access.IMMUTABLE), fixed
        except sqlite3.OperationalError as error:
            if not str(getattr(error, "sqlite_errorname", "")).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise
    raise access.unreadable_log(path)


def _connect(path: Path, parameters: str, *, any_thread: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        access.uri(path, parameters),
        uri=True,
        isolation_level=None,
        factory=_Connection,
        timeout=_BUSY_SECONDS,
        check_same_thread=not any_thread,
    )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA schema_version").fetchone()  # opens the files, which SQLite postpones until then
        connection.row_factory = sqlite3.Row
        return connection
    except BaseException:
        connection.close()
        raise


@contextmanager
def writing(path: Path, doing: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection for one transaction, which an exception in the block undoes.

    doing: its purpose, as a phrase: "writing the ratings of run 4f1c9a".

    Raises StoreError if this user may not write the database (see `connect`), or if writing fails.
    """
    with sqlite_errors(path, doing), closing(connect(path)) as connection, transaction(connection):
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the `with` block in one transaction that can write from the start.

    A transaction that starts with a read could fail at its first write if another run's writer intervened.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
