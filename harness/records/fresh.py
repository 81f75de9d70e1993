"""Files that take their place when they are whole.

Until then a file stands beside its place under a hidden name, `.NAME.HEX.new`, and who writes it holds its lock. The
lock is the system's and ends with the process, in whatever way that ends; so a file whose lock can be had is one that a
kill -9 or a power cut left behind, and whoever writes to the same place next removes it.
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
_OF_SQLITE = ("-journal", "-wal", "-shm")
"""What SQLite sets beside a file that it writes."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when it has been written whole; if anything fails nothing has changed.

    A link stays, and what it leads to is replaced. What is no file, such as /dev/stdout, is written to as it is.
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
    """An empty file beside `path`, ours alone, to be filled and moved there; at the end it is gone from beside it."""
    _remove_left_behind(path)
    fresh, lock = _begin(path)
    try:
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)
        os.close(lock)


def sync_folder(folder: Path) -> None:
    """Bring a new or renamed entry of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether this open file is still the one that stands there."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _begin(path: Path) -> tuple[Path, int]:
    """A fresh file and the descriptor that holds its lock."""
    while True:
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(_HEX_BYTES)}.new")
        try:
            descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error  # the name that was asked for
        if _is_locked(descriptor, fresh):
            return fresh, descriptor
        os.close(descriptor)


def _is_locked(descriptor: int, fresh: Path) -> bool:
    """Lock a file that was made just now; False where one who removes what was left behind was quicker."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # the file system has no locks, so that nobody removes anything here either
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
        return  # it has taken its place by now, or is somebody else's: not ours to remove
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # it is being written, or its file system has no locks that could tell
    else:
        for kind in ("", *_OF_SQLITE):
            fresh.with_name(fresh.name + kind).unlink(missing_ok=True)
    finally:
        os.close(descriptor)
