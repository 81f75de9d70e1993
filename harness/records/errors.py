"""What can go wrong with the store, said in one sentence for people."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreError(Exception):
    """The store cannot do what was asked; `args[0]` is one sentence: what, where, what is allowed."""


@contextmanager
def sqlite_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn what SQLite or the system says while `doing` something ("writing deal set …") into a StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error} while {doing}; what was stored before is untouched") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{path}: {reason} while {doing}; what was stored before is untouched") from error
