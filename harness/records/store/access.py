"""The access of this user to a database: opening a read-only one, and reasons why one cannot be read or written.

A database in WAL mode needs two files beside it, `-wal` and `-shm`, even for reading. A user who cannot write its
folder cannot create them. Such a database is opened anyway, but old data are never presented as new:

- If there is a log, SQLite reads database and log. It needs the `-shm` of a writer, or one left by a crash.
- If there is no log, the file is complete and is opened as immutable, without locks. `FixedFile` detects writes to it
  in the meantime.
"""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bowerbird.harness.records.errors import StoreError

IMMUTABLE = "immutable=1"
WITH_LOG = "mode=ro&readonly_shm=1"
READ_WRITE = "mode=rw"


@dataclass(frozen=True, slots=True)
class FixedFile:
    """The state of the file of a database that is opened as immutable.

    It does not include data that a writer adds to a log.
    """

    path: Path
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def now(cls, path: Path) -> FixedFile | None:
        """Return the current state; None if a log might contain newer data."""
        return None if has_log(path) else cls._of(path)

    @classmethod
    def _of(cls, path: Path) -> FixedFile:
        found = path.stat()
        return cls(path, found.st_ino, found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """Raise StoreError if the file has been written to since then, because the data read may mix old and new."""
        if self._of(self.path) != self:
            raise StoreError(f"{self.path}: was written to while it was being read; repeat the command")


def uri(path: Path, parameters: str) -> str:
    """Return the address of a database for SQLite."""
    return f"file:{quote(os.fsencode(path.absolute()))}?{parameters}"


def behind_links(path: Path | str) -> Path:
    """Return the path of the database itself, beside which are its lock, seed and logs. `path` can be a link to it."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


def log_of(path: Path) -> Path:
    """Return the path of the log of a database."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Return True if a log might contain newer data than the file, because it has data or a writer has it open."""
    log = log_of(path)
    try:
        return log.stat().st_size > 0 or _index_of(path).exists()
    except FileNotFoundError:
        return False


def _index_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-shm")


def may_write(path: Path) -> bool:
    """Return True if this user may write a database: the file itself, and files beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and not _is_read_only(path)


def _is_read_only(path: Path) -> bool:
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def refuse_unwritable(path: Path) -> None:
    """Raise StoreError if this user may not write the existing database at `path`."""
    if may_write(path):
        return
    if _is_read_only(path):
        reason = "it is on a read-only file system"
    elif os.access(path, os.W_OK):
        reason = f"you may not write to its folder {path.parent}, which belongs to {_owner(path.parent)}"
    else:
        reason = f"it belongs to {_owner(path)}"
    raise StoreError(f"{path}: cannot be written: {reason}; name another database with --db")


def refuse_new(path: Path) -> None:
    """Raise StoreError, naming the nearest existing folder, if no file can be created at `path`."""
    folder = path.parent
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise StoreError(f"{path}: no database can be made here: {folder} is not a folder; name another file with --db")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(
            f"{path}: no database can be made here: you may not write to {folder}, "
            f"which belongs to {_owner(folder)}; name another file with --db"
        )


def refuse_unreadable(path: Path) -> None:
    """Raise StoreError if this user may not read the file at `path` or look into its folder, or if it is not a file.

    Opening a pipe or a device could block forever.
    """
    try:
        mode = path.stat().st_mode
    except PermissionError:
        folder = _closed_folder(path)
        raise StoreError(
            f"{path}: you may not look into {folder}, which belongs to {_owner(folder)}; {_ask(folder, 'a+x')}"
        ) from None
    except OSError:
        return  # a missing file is not an unreadable file
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise StoreError(f"{path}: is not a file, so it is not a database; name a file")
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path}: you may not read it: it belongs to {_owner(path)}; {_ask(path, 'a+r')}")


def unreadable_log(path: Path) -> StoreError:
    """Return the error for a database with a log that cannot be opened, so that its newest data cannot be read."""
    log = log_of(path)
    if not os.access(log, os.R_OK):
        reason = f"you may not read it: it belongs to {_owner(log)}"
    elif not _index_of(path).exists():
        reason = f"{_index_of(path).name} is missing, and only a user who may write the database can create it"
    else:
        reason = f"{_index_of(path).name} cannot be used"
    return StoreError(
        f"{path}: its newest data are in {log.name}, which cannot be read ({reason}); "
        f"ask {_name(path)} to run `bowerbird runs` on it, which merges the log"
    )


def _ask(path: Path, mode: str) -> str:
    return (
        f"ask {_name(path)} for permission (chmod {mode}), "
        "or for a run as an archive (bowerbird export RUN -o run.tar.gz) to import"
    )


def _closed_folder(path: Path) -> Path:
    """Return the outermost folder on the path to `path` that this user may not enter."""
    for folder in reversed(path.absolute().parents):
        if not os.access(folder, os.X_OK):
            return folder
    return path.parent


def _owner(path: Path) -> str:
    """Return the owner and the mode of a file: "root (mode 0644)"."""
    return f"{_name(path)} (mode {stat.S_IMODE(path.stat().st_mode):04o})"


def _name(path: Path) -> str:
    owner = path.stat().st_uid
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return f"user {owner}"
