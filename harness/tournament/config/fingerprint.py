"""The fingerprint of a bot: a hash of its files and arguments, equal on every machine (database.md)."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

EXCLUDED = frozenset({"node_modules", "__pycache__", "target"})
"""Folders that a build or a run creates. They are left out, as are all names with a leading dot."""

_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
"""The files that hold nothing to hash or to copy."""


def fingerprint(folder: Path, arguments: Sequence[str] = (), further: Sequence[Path] = ()) -> str:
    """Return "sha256:..." over the sorted relative paths and contents of a bot's files, then its arguments.

    Last come the contents of the `further` files and folders, in their order. Their paths are hashed as a part of the
    bot.toml. Modes, times and owners do not count. A symbolic link counts by the content of its target, a link to a
    folder by its text. Raises OSError if a file cannot be read, also for a named pipe, a socket or a device.
    """
    digest = hashlib.sha256()
    for relative in sorted(_files(folder)):
        path = folder / relative
        content = hashlib.sha256(os.readlink(path).encode()) if _is_bare_link(path) else _content(path)
        digest.update(f"{len(relative.encode())}:{relative}:{content.hexdigest()};".encode())
    for argument in arguments:
        digest.update(f"{len(argument.encode())}:{argument},".encode())
    for path in further:
        held = fingerprint(path) if path.is_dir() else f"sha256:{_content(path).hexdigest()}"
        digest.update(f"+{held};".encode())
    return f"sha256:{digest.hexdigest()}"


def counted_links(folder: Path) -> Iterator[str]:
    """Yield the relative paths of the links in a folder that are part of the fingerprint."""
    for relative in _files(folder):
        if (folder / relative).is_symlink():
            yield relative


def _files(folder: Path) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        folders[:] = [name for name in folders if _counts(name) and name not in links]
        for name in (*files, *links):
            if _counts(name):
                yield Path(parent, name).relative_to(folder).as_posix()


def _counts(name: str) -> bool:
    return name not in EXCLUDED and not name.startswith(".")


def _is_bare_link(path: Path) -> bool:
    return path.is_symlink() and not path.is_file()


def _content(path: Path) -> hashlib._Hash:
    if kind := _special_kind(path.stat().st_mode):  # reading one may never end
        raise OSError(errno.EINVAL, f"{kind}; only files, folders and links are allowed", str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")


def _special_kind(mode: int) -> str:
    """Return what a file of this mode is, with its article, if it is no file, folder or link; else ""."""
    return next((kind for test, kind in _SPECIAL if test(mode)), "")
