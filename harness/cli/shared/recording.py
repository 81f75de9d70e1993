"""Opens the database for a command that records games.

It reports a folder that it creates, and leaves nothing behind on failure.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store


@contextmanager
def recording_store(db: Path, *, quiet: bool) -> Iterator[Store]:
    """Open the database `db` for the block.

    Create it if it does not exist, and its folder if the folder above exists. Report on stderr a folder that was
    created, unless `quiet`. If the block fails and a database created here is still empty, it is removed again
    (`removed_if_empty`). Raises InputError, and creates nothing, if more than one folder is missing, because the path
    is then probably mistyped.
    """
    from bowerbird.harness.records.store.store import Store

    folder = db.parent
    is_missing = not (folder.exists() or folder.is_symlink())
    if is_missing:
        nearest = next(each for each in folder.absolute().parents if each.exists())
        if nearest != folder.absolute().parent:
            raise InputError(
                f"{db}: there is no folder {folder}; the nearest existing one is {nearest}; make the folder first, or "
                "name another database with --db"
            )
    with removed_if_empty(db), Store.create(db) as store:
        if is_missing and not quiet:
            note(f"made the folder {folder}")
        yield store


@contextmanager
def removed_if_empty(db: Path) -> Iterator[None]:
    """If the block fails and the database is empty (no run or league has begun), remove what the block created: the
    database, the logs beside it, and its folder.

    Anything that existed before, or that another process has open, stays.
    """
    from bowerbird.harness.records.store.sidecar import LOGS

    paths = (db.parent / LOGS, db.parent)
    made = [path for path in paths if not path.exists()]
    was_there = db.exists()
    try:
        yield
    except BaseException:
        if not was_there and _remove_empty(db):
            for path in made:
                with suppress(OSError):  # the folder contains other files
                    shutil.rmtree(path) if path.name == LOGS else path.rmdir()
        raise


def _remove_empty(db: Path) -> bool:
    """Remove a database if it is empty and no other process has it open. Return True if it is gone."""
    with suppress(sqlite3.Error, OSError):  # it is in use or gone: nothing to remove
        if not db.is_file():
            return False
        with closing(sqlite3.connect(db, timeout=0, isolation_level=None)) as connection:
            if any(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in ("run", "league")):
                return False
            # Leaving WAL mode locks the database for this connection only, and removes the files beside it.
            if connection.execute("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
                return False
            connection.execute("BEGIN EXCLUSIVE")
            db.unlink()
        return True
    return False
