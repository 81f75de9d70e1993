"""Reads files that a stranger may have written, using limited memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown

MAX_RECORD = 1 << 22
"""The largest record to read, in bytes: about 7,000 hands."""


def read_record_file(path: Path) -> bytes:
    """Return the bytes of the file of one record. Raises the errors of `read_bounded`."""
    return read_bounded(path, MAX_RECORD, "record")


def read_bounded(path: Path, limit: int, what: str) -> bytes:
    """Return the bytes of a file, at most `limit`. `what` is the expected content, for errors.

    Raises StoreError if the file is longer or not a regular file (a pipe or a device might have no end), OSError if it
    cannot be read.
    """
    with open_regular(path, what) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise StoreError(f"{shown(str(path))}: is too long; a {what} must have at most {limit:,} bytes")
    return data


def open_regular(path: Path, what: str) -> BinaryIO:
    """Open a regular file for reading. Raises the errors of `read_bounded`."""
    # A pipe without a writer would block without O_NONBLOCK, which changes nothing for a regular file.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISREG(mode):
        return file
    file.close()
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise StoreError(f"{shown(str(path))}: is not a regular file, which a {what} must be")
