"""The first bytes of a database file, which identify Bowerbird and its version.

They are read without SQLite, because SQLite creates files beside a database that it opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

APPLICATION_ID = 0x42575242
"""Marks a SQLite file as a database of Bowerbird: "BWRB"."""

_MAGIC = b"SQLite format 3\0"
_SIZE = 100


@dataclass(frozen=True, slots=True)
class FileHeader:
    """The header of a SQLite file. A log beside the file may have a newer version."""

    application_id: int
    version: int

    @property
    def is_ours(self) -> bool:
        """True if the file is a Bowerbird database."""
        return self.application_id == APPLICATION_ID


def read_header(path: Path) -> FileHeader | None:
    """Return the header of a file; None if it is not an SQLite database. Raises OSError."""
    with path.open("rb") as file:
        header = file.read(_SIZE)
    if len(header) < _SIZE or not header.startswith(_MAGIC):
        return None
    return FileHeader(int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big"))
