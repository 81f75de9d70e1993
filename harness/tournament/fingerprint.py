"""The fingerprint of a bot: what its files and arguments are, equal on every machine (CLI.md, Store)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

EXCLUDED = frozenset({"node_modules", "__pycache__", "target"})
"""Folders that a build or a run makes; they say nothing about the bot. Names with a leading dot are left out, too."""


def fingerprint(folder: Path, arguments: Sequence[str] = (), further: Sequence[Path] = ()) -> str:
    """ "sha256:..." over the sorted relative paths and contents of a bot's files, then its arguments.

    Then come, in their order, `further` files and folders that it is made of, by their contents: where they are its
    bot.toml says, which is one of its files. Modes, times and owners do not count; a symbolic link counts by its
    target's content, a link to a folder by its text. Raises OSError where a file cannot be read.
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
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")
