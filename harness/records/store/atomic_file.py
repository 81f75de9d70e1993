"""Writes files atomically: a file appears at its path whole or not at all.

Until it is complete, its writer keeps it locked in the same folder under a hidden name, `.NAME.HEX.new`. The system
always releases the lock when the process ends. An unlocked file is therefore left over from a kill or a power cut, and
the next writer to the same path removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_HEX_BYTES = 8
OF_SQLITE = ("-journal", "-wal", "-shm")
"""Suffixes of the files that SQLite creates beside a database."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` at the end of the `with` block; after an error, `path` is unchanged.

    If `path` is a symbolic link, its target is replaced. Anything but a regular file, such as /dev/stdout, is written
    directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    with fresh_beside(target) as fresh:
        with fresh.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
        sync_folder(target.parent)


@contextmanager
def fresh_beside(path: Path) -> Iterator[Path]:
    """Yield an empty, locked file beside `path`, to be filled and moved there. At the end, remove it if not moved."""
    _remove_left_behind(path)
    fresh, lock = _begin(path)
    try:
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)
        os.close(lock)


def sync_folder(folder: Path) -> None:
    """Flush a new or renamed entry of a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Return True if this open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _begin(path: Path) -> tuple[Path, int]:
    """Create a file beside `path`. Return its path and the descriptor with its lock."""
    while True:
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(_HEX_BYTES)}.new")
        try:
            descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error  # name the path that the caller asked for
        if _is_locked(descriptor, fresh):
            return fresh, descriptor
        os.close(descriptor)


def _is_locked(descriptor: int, fresh: Path) -> bool:
    """Lock a new file. Return False if another process, mistaking it for a leftover, locked it first."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # if this file system has no locks, no process removes leftovers either
    return is_at(descriptor, fresh)


def _remove_left_behind(path: Path) -> None:
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{2 * _HEX_BYTES}}}\.new")
    with os.scandir(path.parent) as entries:
        found = [entry.path for entry in entries if name.fullmatch(entry.name)]
    for fresh in found:
        _remove_unless_written(Path(fresh))


def _remove_unless_written(fresh: Path) -> None:
    try:
        descriptor = os.open(fresh, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return  # already moved to its path, or another user's
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # still being written, or the file system has no locks
    else:
        for kind in ("", *OF_SQLITE):
            fresh.with_name(fresh.name + kind).unlink(missing_ok=True)
    finally:
        os.close(descriptor)
