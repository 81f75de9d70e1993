"""Where a bot is built: in its own folder or, if that cannot be written, in a copy in the user's cache.

Bots that came with an installation are always built in a copy, so that nothing is added to site-packages. A copy may be
removed while no run uses it; the next run makes it anew. Copies that no run has used for a while are removed (`prune`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from harness.records.store.atomic_file import is_at
from harness.referee.spec import BotSpec
from harness.resources import is_installed
from harness.tournament.config.fingerprint import EXCLUDED

STAMP = ".bowerbird-build"
"""A file in the bot's folder with the hash of the files it was built from. The dot keeps it out of the fingerprint."""

UNUSED_DAYS = 30
"""Age of the last use at which a copy is removed."""

_LONGEST_NAME = 40
"""Characters of the folder's name that the name of its copy begins with."""


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

    place: the folder in the cache that holds the copy and the links.
    bot: the bot as it is there.
    links: the files and folders that the bot.toml names outside its folder, by the path of the link that leads there.
    """

    original: Path
    place: Path
    bot: BotSpec
    links: Mapping[Path, Path]

    def fill(self) -> None:
        """Copy the bot's folder, and link to the files outside; remove what was in the place. Hold its lock.

        Raises OSError or shutil.Error.
        """
        for old in self.place.iterdir():
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            else:
                old.unlink()
        copy_folder(self.original, self.bot.source.parent, {*EXCLUDED, STAMP})
        for link, target in self.links.items():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        self.bot.cwd.mkdir(parents=True, exist_ok=True)


def cached_copy(bot: BotSpec, state: str) -> CachedCopy:
    """Return the place of a bot's copy, at which relative paths to files outside its folder lead to the same files.

    state: the hash of everything the build depends on.
    Raises RuntimeError if the user has no home folder.
    """
    folder, cwd = _absolute(bot.source.parent), _absolute(bot.cwd)
    named = [_absolute(path) for path in (*bot.files, *bot.read)]
    apart = [path for path in named if not path.is_relative_to(folder) and not folder.is_relative_to(path)]
    outside = [path for path in apart if not any(other in path.parents for other in apart)]
    around = [cwd] if folder.is_relative_to(cwd) else []
    root = Path(os.path.commonpath([folder, *(path.parent for path in outside), *around]))
    key = hashlib.sha256(f"{state}\0{folder.relative_to(root)}".encode()).hexdigest()[:16]
    place = cache_folder() / f"{folder.name.lstrip('.')[:_LONGEST_NAME]}-{key}"

    def moved(path: Path) -> Path:
        return place / path.relative_to(root) if path in apart or path.is_relative_to(folder) else path

    copy = replace(
        bot,
        source=moved(_absolute(bot.source)),
        cwd=place / cwd.relative_to(root) if cwd.is_relative_to(root) else cwd,
        files=tuple(map(moved, named[: len(bot.files)])),
        read=tuple(dict.fromkeys([*map(moved, named), *named])),
    )
    return CachedCopy(folder, place, copy, {moved(path): path for path in outside})


def copy_folder(source: Path, target: Path, ignored: Collection[str]) -> None:
    """Copy a folder without the names in `ignored`; the owner may write the whole copy.

    Links become what they lead to. Those that lead nowhere are left out.

    Raises OSError, or shutil.Error with a list of (source, target, reason).
    """
    shutil.copytree(
        source,
        target,
        ignore=lambda folder, names: {
            name for name in names if name in ignored or not os.path.exists(os.path.join(folder, name))
        },
        copy_function=_copy_file,
        dirs_exist_ok=True,
    )
    for folder, _, _ in os.walk(target):
        _make_writable(folder)


@contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Hold the lock of a folder, so that two commands do not build one bot at the same time. Raises OSError.

    Yield the descriptor. A process that inherits it holds the lock, too.

    Create the folder if it is missing. Do without the lock on a file system that locks no folders, such as NFS.
    """
    lock = _locked(folder)
    try:
        yield lock
    finally:
        os.close(lock)


def _locked(folder: Path) -> int:
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another command has just removed it (`prune`)
            continue
        try:
            with suppress(OSError):  # no locks here
                fcntl.flock(lock, fcntl.LOCK_EX)
            if is_at(lock, folder):
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)  # another command removed the folder while we waited


def prune(cache: Path, now_s: float | None = None) -> None:
    """Remove the copies in `cache` that no run has used for `UNUSED_DAYS` days. Keep those that cannot be locked.

    The time of a place is the time of its last use (`mark_used`).

    now_s: the present, in seconds since 1970; None for the clock's.
    """
    oldest_s = (time.time() if now_s is None else now_s) - UNUSED_DAYS * 86400
    with suppress(OSError):  # a cache that cannot be listed is not pruned
        for place in list(cache.iterdir()):
            with suppress(OSError):  # in use, of another user, or no folder
                _remove_unless_used(place, oldest_s)


def _remove_unless_used(place: Path, oldest_s: float) -> None:
    lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_mtime >= oldest_s:
            return
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_mtime < oldest_s and is_at(lock, place):
            removed = place.with_name(f".{place.name.lstrip('.')}")
            place.rename(removed)  # first, so that what cannot be removed is not taken for a whole copy
            shutil.rmtree(removed, ignore_errors=True)
    finally:
        os.close(lock)


def mark_used(place: Path) -> None:
    """Set the time of the last use of a copy to the present. Raises OSError."""
    os.utime(place)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _copy_file(source: str, target: str) -> str:
    shutil.copyfile(source, target)
    shutil.copymode(source, target)
    _make_writable(target)
    return target


def _make_writable(path: str) -> None:
    os.chmod(path, os.stat(path).st_mode | stat.S_IWUSR)
