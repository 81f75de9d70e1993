"""What can go wrong with the store, said in one sentence for people."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOM = 1 << 16
"""Bytes without which SQLite cannot even read: 32 KiB for the index of its log."""


class StoreError(Exception):
    """The store cannot do what was asked; `args[0]` is one sentence: what, where, what is allowed."""


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn what SQLite or the system says while `doing` something ("writing deal set …") into a StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        reason = f"{error}{_cause(error, path.parent)}"
        raise StoreError(f"{path}: {reason} while {doing}; what was stored before is untouched") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{path}: {reason} while {doing}; what was stored before is untouched") from error


def _cause(error: sqlite3.Error, folder: Path) -> str:
    """What the words of SQLite leave out, where the folder of the database shows it."""
    name = getattr(error, "sqlite_errorname", "")  # none where Python raised it
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) and not os.access(folder, os.W_OK):
        return f" ({folder} cannot be written to, where SQLite keeps files beside it)"
    if name.startswith("SQLITE_IOERR") and _room(folder) < _ROOM:
        return f" (there is no room left in {folder}, where SQLite keeps files beside it)"
    return ""


def _room(folder: Path) -> int:
    """How many bytes can still be written there."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
