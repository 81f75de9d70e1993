"""The place where a bot is built: its own folder or, if that is not writable, a copy in the user's cache.

Bots that came with an installation are always built in a copy, so that nothing is added to site-packages. A copy may be
removed while no run uses it; the next run makes it again. Old copies are removed (`prune`).
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.store.atomic_file import is_at
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import is_installed
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED
from bowerbird.harness.tournament.preparation.bot_copy import copy_bot_folder

STAMP = ".bowerbird-build"
"""A file in the bot's folder with a hash of the files it was built from. The dot keeps it out of the fingerprint."""

USED = ".bowerbird-used"
"""A file in a copy, locked by each process that uses the copy (`hold`)."""

UNUSED_DAYS = 30
"""A copy is removed when it has not been used for this long."""

COPIES = 2
"""How many copies of one bot are kept, each for a different state of its files."""

_LONGEST_NAME = 40
"""How many characters of the folder's name are used in the name of its copy."""


def can_build_in_place(bot: BotSpec) -> bool:
    """Return whether the bot's own folder is writable and not part of an installation."""
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
    """A copy of a bot's folder in the cache, which may not exist yet (`fill`).

    place: the folder in the cache that holds the copy and the links.
    bot: the bot as it is in the copy.
    links: the files and folders outside the bot's folder that its bot.toml lists, by the path of the link to each.
    """

    original: Path
    place: Path
    bot: BotSpec
    links: Mapping[Path, Path]

    def fill(self) -> None:
        """Copy the bot's folder and link to the files outside, after removing any earlier copy.

        The caller holds the lock.

        Raises OSError.
        """
        for old in self.place.iterdir():
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            else:
                old.unlink()
        copy_bot_folder(self.original, self.bot.source.parent, {*EXCLUDED, STAMP, USED}, cache_folder())
        for link, target in self.links.items():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
        self.bot.cwd.mkdir(parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True)
class BotLayout:
    """The relative positions of a bot's folder, its working folder and the listed files outside them.

    folder: the bot's folder. root: the folder that holds all of them. apart: the paths named outside the bot's folder.
        outside: the same, without paths that lie inside another of these paths. All are absolute.
    """

    folder: Path
    root: Path
    apart: tuple[Path, ...]
    outside: tuple[Path, ...]

    @classmethod
    def of(cls, bot: BotSpec, named: Iterable[Path]) -> BotLayout:
        """Return the layout of a bot with the files and folders that it lists in `named`."""
        folder, cwd = _absolute(bot.source.parent), _absolute(bot.cwd)
        apart = [
            path
            for path in map(_absolute, named)
            if not path.is_relative_to(folder) and not folder.is_relative_to(path)
        ]
        outside = [path for path in apart if not any(other in path.parents for other in apart)]
        around = [cwd] if folder.is_relative_to(cwd) else []
        root = Path(os.path.commonpath([folder, *(path.parent for path in outside), *around]))
        return cls(folder, root, tuple(apart), tuple(outside))

    @property
    def name(self) -> str:
        """The common beginning of the names of this bot's places in the cache."""
        of_bot = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:8]
        return f"{self.folder.name.lstrip('.')[:_LONGEST_NAME]}-{of_bot}"

    def moved(self, path: Path, place: Path) -> Path:
        """Return a path as it is when the root has moved to `place`."""
        path = _absolute(path)
        return place / path.relative_to(self.root) if path in self.apart or path.is_relative_to(self.folder) else path

    def moved_bot(self, bot: BotSpec, place: Path) -> BotSpec:
        """Return the bot with the root moved to `place`, including its working folder if that is in the root."""
        cwd = _absolute(bot.cwd)
        return replace(
            bot,
            source=self.moved(bot.source, place),
            cwd=place / cwd.relative_to(self.root) if cwd.is_relative_to(self.root) else cwd,
            files=tuple(self.moved(path, place) for path in bot.files),
            read=tuple(self.moved(path, place) for path in bot.read),
        )


def cached_copy(bot: BotSpec, state: str) -> CachedCopy:
    """Return the place of a bot's copy. There, relative paths to files outside its folder lead to the same files.

    state: the hash of everything the build depends on.
    Raises RuntimeError if the user has no home folder.
    """
    named = [_absolute(path) for path in (*bot.files, *bot.read)]
    layout = BotLayout.of(bot, named)
    key = hashlib.sha256(utf8(f"{state}\0{layout.folder.relative_to(layout.root)}")).hexdigest()[:16]
    place = cache_folder() / f"{layout.name}-{key}"
    moved = layout.moved_bot(bot, place)
    copy = replace(moved, read=tuple(dict.fromkeys([*moved.files, *moved.read, *named])))
    return CachedCopy(layout.folder, place, copy, {layout.moved(path, place): path for path in layout.outside})


def make_cache(cache: Path) -> None:
    """Create the folder for copies, for this user only. Raises OSError, for example if it belongs to another user.

    Anyone who can write there can choose the program that a bot's command starts.
    """
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if cache.stat().st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(cache))


@contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Hold the lock of a folder, so that two commands do not build the same bot at once. Raises OSError.

    Yield the descriptor. A process that inherits it holds the lock, too.

    Create the folder if it is missing. On a file system that cannot lock folders, such as NFS, do without the lock.
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
            with suppress(OSError):  # this file system has no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            if is_at(lock, folder):
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)  # another command removed the folder while we waited


def hold(place: Path) -> int | None:
    """Keep a copy from being removed until `release` or the end of this process. The caller holds its lock.

    Return the argument for `release`; None where files cannot be locked.
    """
    try:
        used = os.open(place / USED, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    with suppress(OSError):
        fcntl.flock(used, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return used


def release(held: int | None) -> None:
    """Allow a copy to be removed again, unless others hold it too."""
    if held is not None:
        os.close(held)


def prune(cache: Path, now_s: float | None = None) -> None:
    """Remove the copies in `cache` that no run has used for `UNUSED_DAYS` days, and all but the newest `COPIES` of each
    bot.

    Copies in use (`hold`) or locked are kept. A place's modification time is its last use (`mark_used`). Its name up to
    the last "-" is the bot's.

    now_s: the current time in seconds since 1970; None reads the clock.
    """
    oldest_s = (time.time() if now_s is None else now_s) - UNUSED_DAYS * 86400
    newer: Counter[str] = Counter()
    for used_s, place in _by_last_use(cache):
        of_bot = place.name.rpartition("-")[0]
        if used_s < oldest_s or newer[of_bot] >= COPIES or place.name.startswith("."):  # ".": partly removed
            with suppress(OSError):  # in use, owned by another user, or not a folder
                _remove_unless_used(place, used_s)
        newer[of_bot] += 1


def remove(place: Path) -> None:
    """Remove a copy as far as possible. The caller holds its lock. Raises OSError."""
    removed = place.with_name(f".{place.name.lstrip('.')}")
    if removed != place:
        shutil.rmtree(removed, ignore_errors=True)
        place.rename(removed)  # first, so that a partly removed copy is not mistaken for a whole one
    shutil.rmtree(removed, ignore_errors=True)


def _by_last_use(cache: Path) -> list[tuple[float, Path]]:
    """Return the places in the cache with the times of their last use, newest first."""
    found = []
    with suppress(OSError):  # a cache that cannot be listed is not pruned
        for place in list(cache.iterdir()):
            with suppress(OSError):  # removed in the meantime
                found.append((place.lstat().st_mtime, place))
    return sorted(found, reverse=True)


def _remove_unless_used(place: Path, used_s: float) -> None:
    """Remove a copy, unless it is in use or was used after `used_s`. Raises OSError."""
    lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_mtime <= used_s and is_at(lock, place) and not _is_held(place):
            remove(place)
    finally:
        os.close(lock)


def _is_held(place: Path) -> bool:
    try:
        used = os.open(place / USED, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(used, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(used)
    return False


def mark_used(place: Path) -> None:
    """Set the time of a copy's last use to now. Raises OSError."""
    os.utime(place)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))
