"""The fingerprint of a bot: a hash of its files and arguments, equal on every machine (database.md)."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from bowerbird.harness.records.quoting import shown, utf8
from bowerbird.harness.slow_reading import SlowReading
from bowerbird.harness.tournament.config.bot_size import BotSize

EXCLUDED = frozenset({"node_modules", "__pycache__", "target"})
"""Folders that a build or a run creates. They are skipped, as are all names with a leading dot."""

_BLOCK = 1 << 20

_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
"""Kinds of files that have no content to hash or copy."""


def fingerprint(folder: Path, arguments: Sequence[str] = (), further: Sequence[Path] = ()) -> str:
    """Return "sha256:..." over the sorted relative paths and contents of a bot's files, then its arguments.

    The contents of the `further` files and folders come last, in their order; their paths are hashed as part of the
    bot.toml. Modes, times and owners are ignored. A symbolic link to a file is hashed as the file's content, a link to
    a folder as the text of the link. Raises OSError if a file cannot be read or is a named pipe, a socket or a device,
    if the files are too large (`bot_size`), or if reading them takes too long (`slow_reading.within`).
    """
    reading = SlowReading(f"the files of the bot in {shown(str(folder))}")
    _refuse_large([folder, *further])
    return _fingerprint(folder, arguments, further, reading)


def _fingerprint(folder: Path, arguments: Sequence[str], further: Sequence[Path], reading: SlowReading) -> str:
    digest = hashlib.sha256()
    for relative in sorted(_files(folder)):
        path = folder / relative
        content = hashlib.sha256(utf8(os.readlink(path))) if _is_bare_link(path) else _content(path, reading)
        digest.update(utf8(f"{len(utf8(relative))}:{relative}:{content.hexdigest()};"))
    for argument in arguments:
        digest.update(utf8(f"{len(utf8(argument))}:{argument},"))
    for path in further:
        is_folder = path.is_dir()
        held = _fingerprint(path, (), (), reading) if is_folder else f"sha256:{_content(path, reading).hexdigest()}"
        digest.update(utf8(f"+{held};"))
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
    return path.is_symlink() and not os.path.isfile(path)  # unlike Path, it never raises


def _refuse_large(tops: Sequence[Path]) -> None:
    """Raise OSError if the total size of the files is too large (`bot_size`). Nothing is read."""
    size = BotSize()
    for top in tops:
        for path in (top / relative for relative in _files(top)) if top.is_dir() else [top]:
            size.add(str(path), 0 if _is_bare_link(path) else path.stat().st_size)


def _content(path: Path, reading: SlowReading) -> hashlib._Hash:
    if kind := _special_kind(path.stat().st_mode):  # reading one may never end
        raise OSError(errno.EINVAL, f"{kind}; only files, folders and links are allowed", str(path))
    digest = hashlib.sha256()
    size = BotSize()
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size.add(str(path), len(block))  # it may grow while it is being read, or be a system file without a size
            reading.go_on(str(path))
    return digest


def _special_kind(mode: int) -> str:
    """Return the kind of a file of this mode, such as "a socket"; "" for files, folders and links."""
    return next((kind for test, kind in _SPECIAL if test(mode)), "")
