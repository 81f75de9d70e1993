"""Where a bot is built: in its own folder or, if that cannot be written, in a copy in the user's cache.

Bots that came with an installation are always built in a copy, so that nothing is added to site-packages. A copy may be
removed at any time; the next run makes it anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness.referee.spec import BotSpec
from harness.resources import is_installed
from harness.tournament.config.fingerprint import EXCLUDED

STAMP = ".bowerbird-build"
"""A file in the bot's folder with the hash of the files it was built from. The dot keeps it out of the fingerprint."""


def can_build_in_place(bot: BotSpec) -> bool:
    """Return whether the bot's own folder may be written and is no part of an installation."""
    folder = bot.source.parent
    return not is_installed(folder) and os.access(folder, os.W_OK | os.X_OK)


def cache_folder() -> Path:
    """Return the folder for copies: in $XDG_CACHE_HOME if that is an absolute path, else in ~/.cache.

    Raises RuntimeError if the user has no home folder.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "bowerbird" / "bots"


@dataclass(frozen=True, slots=True)
class CachedCopy:
    """A copy of a bot's folder in the cache, which may not be there yet (`fill`).

    bot: the bot as it is there.
    links: what the bot.toml names outside its folder, by the path of the link that leads there.
    """

    original: Path
    bot: BotSpec
    links: Mapping[Path, Path]

    def fill(self) -> None:
        """Copy the bot's folder, and link to the files outside. Raises OSError or shutil.Error."""
        copy_folder(self.original, self.bot.source.parent, {*EXCLUDED, STAMP})
        self.bot.cwd.mkdir(parents=True, exist_ok=True)
        for link, target in self.links.items():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(target)


def cached_copy(bot: BotSpec, state: str) -> CachedCopy:
    """Return the place of a bot's copy, at which relative paths to files outside its folder lead to the same files.

    state: the hash of everything the build depends on.
    Raises RuntimeError if the user has no home folder.
    """
    folder, cwd = _absolute(bot.source.parent), _absolute(bot.cwd)
    named = [_absolute(path) for path in (*bot.files, *bot.read)]
    outside = [path for path in named if not path.is_relative_to(folder) and not folder.is_relative_to(path)]
    around = [cwd] if folder.is_relative_to(cwd) else []
    root = Path(os.path.commonpath([folder, *(path.parent for path in outside), *around]))
    key = hashlib.sha256(f"{state}\0{folder.relative_to(root)}".encode()).hexdigest()[:16]
    place = cache_folder() / f"{bot.name}-{key}"

    def moved(path: Path) -> Path:
        return place / path.relative_to(root) if path in outside or path.is_relative_to(folder) else path

    copy = replace(
        bot,
        source=moved(_absolute(bot.source)),
        cwd=place / cwd.relative_to(root) if cwd.is_relative_to(root) else cwd,
        files=tuple(map(moved, named[: len(bot.files)])),
        read=tuple(dict.fromkeys([*map(moved, named), *named])),
    )
    return CachedCopy(folder, copy, {moved(path): path for path in outside})


def copy_folder(source: Path, target: Path, ignored: Collection[str]) -> None:
    """Copy a folder without the names in `ignored`; links become what they lead to, and the owner may write all.

    Raises OSError, or shutil.Error with a list of (source, target, reason).
    """
    shutil.copytree(
        source,
        target,
        ignore=lambda _folder, names: set(names) & set(ignored),
        copy_function=_copy_file,
        dirs_exist_ok=True,
    )
    for folder, _, _ in os.walk(target):
        _make_writable(folder)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that two commands do not build one bot at the same time. Raises OSError."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _copy_file(source: str, target: str) -> str:
    shutil.copyfile(source, target)
    shutil.copymode(source, target)
    _make_writable(target)
    return target


def _make_writable(path: str) -> None:
    os.chmod(path, os.stat(path).st_mode | stat.S_IWUSR)
