"""The files that a bot in a sandbox can read: arguments of bwrap (faults.md, Isolation).

These are the system's programs and libraries, the bot's folder and working folder, its interpreter, the paths listed in
its bot.toml and, for a bot in our own Python, the packages of this project. After `pip install --user`, the latter are
all of the user's packages, since the bot needs their dependencies. Everything is read-only and has the same path as
outside. Other files of these folders are invisible.
"""

from __future__ import annotations

import os
import site
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bowerbird.harness.referee.isolation.launch import NoIsolationError
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import PACKAGE, source_folders

SYSTEM = "/usr"
_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Folders that are links into /usr on most systems and separate on some."""

_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
_SETTINGS_PATTERNS = ("java-*", "python3*")
_READABLE_FOLDER = stat.S_IROTH | stat.S_IXOTH


def system_mounts() -> Iterator[str]:
    """Yield arguments for the system's programs and libraries and the few settings that interpreters read."""
    yield from ("--ro-bind", SYSTEM, SYSTEM)
    for path in _SYSTEM_LINKS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    settings = [*_SETTINGS, *(str(path) for kind in _SETTINGS_PATTERNS for path in sorted(Path("/etc").glob(kind)))]
    for path in settings:
        if os.path.exists(path):
            yield from _make_parents(path)
            yield from ("--ro-bind", path, path)


def bot_mounts(bot: BotSpec, hidden: Iterable[Path], *, other_user: bool) -> list[str]:
    """Return arguments for the bot's own files and for the `hidden` folders, which appear empty.

    other_user: whether the bot runs as a user who does not own the files.
    Raises NoIsolationError if a file that the bot needs lies in a hidden folder.
    """
    needed = [path for path in dict.fromkeys(map(os.path.abspath, _needed_paths(bot))) if not is_system_path(path)]
    mounted = [path for path in needed if not _is_within(path, needed, proper=True)]
    words: list[str] = []
    for path in sorted(mounted):
        words += _make_parents(path)
        words += _bind(path, other_user=other_user)
    for folder in _hidden_within([SYSTEM, *mounted], hidden):
        inside = [path for path in needed if _is_within(path, [folder])]
        if inside:
            raise NoIsolationError(f"{inside[0]}, which it must read, is within {folder}, which is closed to bots")
        words += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    return words


def interpreter_files(program: str) -> list[str]:
    """Return the paths that a command's program needs besides /usr: its prefix, or itself if it has none.

    Follows links and virtual environments.
    """
    found: list[str] = []
    waiting = [program]
    while waiting:
        path = os.path.normpath(waiting.pop())
        if path in found:
            continue
        found.append(path)
        if os.path.islink(path):
            waiting.append(os.path.join(os.path.dirname(path), os.readlink(path)))
        waiting.append(os.path.realpath(path))
        waiting += _base_of_venv(path)
    return [_prefix(path) or path for path in found if not is_system_path(path)]


def is_system_path(path: str) -> bool:
    """Return whether every bot can see the path as part of the system."""
    return _is_within(path, [SYSTEM, *_SYSTEM_LINKS, *_SETTINGS])


def _needed_paths(bot: BotSpec) -> Iterator[str]:
    source = bot.source if bot.source.is_dir() else bot.source.parent
    yield str(source)
    yield str(bot.cwd)
    yield from map(str, (*bot.files, *bot.read))
    program = bot.command[0]
    if os.path.isabs(program):
        yield from interpreter_files(program)
        if _is_our_python(program):
            yield from map(str, source_folders())
            yield from user_packages(bot)[1:]


def user_packages(bot: BotSpec) -> tuple[str, ...]:
    """Return the user's base folder and site-packages if they contain this project and the bot runs in our own Python.

    Returns nothing for other installations, since Python finds all other site-packages without the user's home folder.
    """
    found = site.getusersitepackages()
    if not _is_our_python(bot.command[0]) or not PACKAGE.is_relative_to(os.path.realpath(found)):
        return ()
    return site.getuserbase(), found


def _is_our_python(program: str) -> bool:
    return os.path.isabs(program) and os.path.abspath(os.path.dirname(program)) == os.path.join(sys.prefix, "bin")


def _base_of_venv(path: str) -> list[str]:
    """Return the interpreter on which the virtual environment of `path` is based; [] if there is none."""
    settings = Path(path).parent.parent / "pyvenv.cfg"
    try:
        lines = settings.read_text(errors="replace").splitlines()
    except OSError:
        return []
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return [os.path.join(home, os.path.basename(os.path.realpath(path))) for home in homes]


def _prefix(program: str) -> str | None:
    """Return PREFIX for a program PREFIX/bin/program with PREFIX/lib or in a virtual environment; else None."""
    folder, name = os.path.split(os.path.dirname(program))
    home = os.path.expanduser("~")
    if name != "bin" or folder == "/" or _is_within(home, [folder]) or folder == os.path.join(home, ".local"):
        return None
    return folder if any(os.path.exists(os.path.join(folder, mark)) for mark in ("lib", "pyvenv.cfg")) else None


def _hidden_within(mounted: Sequence[str], hidden: Iterable[Path]) -> list[str]:
    """Return the paths, with links resolved, at which `hidden` folders would be visible in the mounted folders."""
    places = set()
    for folder in (os.path.realpath(path) for path in hidden if path.is_dir()):
        for path in mounted:
            real = os.path.realpath(path)
            if _is_within(folder, [real]):
                places.add(os.path.normpath(os.path.join(path, os.path.relpath(folder, real))))
    return sorted(places)


def _bind(path: str, *, other_user: bool) -> Iterator[str]:
    """Yield arguments that make a path visible. A folder that only its owner may enter is added entry by entry."""
    if not other_user or os.path.islink(path) or not os.path.isdir(path) or _is_readable_by_all(path):
        yield from ("--ro-bind", path, path)
        return
    yield from ("--perms", "0755", "--dir", path)
    for entry in sorted(os.listdir(path)):
        one = os.path.join(path, entry)
        if os.path.islink(one):
            yield from ("--symlink", os.readlink(one), one)
        elif os.path.isdir(one) or os.path.isfile(one):
            yield from _bind(one, other_user=other_user)


def _is_readable_by_all(folder: str) -> bool:
    return os.stat(folder).st_mode & _READABLE_FOLDER == _READABLE_FOLDER


def _make_parents(path: str) -> Iterator[str]:
    """Yield arguments that create the folders above a path. If bwrap created them, only their owner could enter."""
    for parent in reversed(Path(path).parents[:-1]):
        if str(parent) not in ("/tmp", "/dev", "/dev/shm", "/proc"):
            yield from ("--perms", "0755", "--dir", str(parent))


def _is_within(path: str, folders: Iterable[str], *, proper: bool = False) -> bool:
    """Return whether the path lies in one of the folders or, unless `proper`, is one of them."""
    return any((path == folder and not proper) or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)
