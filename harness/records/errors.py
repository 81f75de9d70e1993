"""The store's error, and the translation of SQLite and system errors into it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.records.quoting import bounded_sentence

_ROOM = 1 << 16
"""With fewer free bytes than this, SQLite can fail even to read, because the index of its log takes 32 KiB."""


class StoreError(Exception):
    """The store cannot do what was requested.

    `args[0]` is one sentence for users: what is wrong, where, and what is allowed.
    """

    def __init__(self, sentence: str = "", *further: object) -> None:
        """Store the message, with long quotations shortened."""
        super().__init__(bounded_sentence(sentence), *further)


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn errors of SQLite or the system while `doing` something ("writing deal set …") into StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        reason = f"{error}{_cause(error, path.parent)}"
        raise StoreError(f"{path}: {reason} while {doing}; what was stored before is untouched") from error
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: is damaged: it contains text that is not UTF-8 (found while {doing})") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{path}: {reason} while {doing}; what was stored before is untouched") from error


def _cause(error: sqlite3.Error, folder: Path) -> str:
    """Return a cause that SQLite does not name but the database's folder reveals; "" if there is none."""
    name = getattr(error, "sqlite_errorname", "")  # missing if Python itself raised the error
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) and not os.access(folder, os.W_OK):
        return f" ({folder} cannot be written to, where SQLite keeps files beside it)"
    if name.startswith("SQLITE_IOERR") and _room(folder) < _ROOM:
        return f" (there is no room left in {folder}, where SQLite keeps files beside it)"
    return ""


def _room(folder: Path) -> int:
    """Return the free bytes of the folder's disk."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
