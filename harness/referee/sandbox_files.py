"""Which files a bot in a sandbox can read, and where: arguments of bwrap (FAULTS.md, Isolation).

What is needed and no more: the system's programs and libraries, the bot's folder and working folder, its interpreter,
what its manifest names, and for a bot in our own Python the packages of this project. Everything is read-only, stands
where it stands outside, and nothing else of the folders around it can be seen.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from harness.referee.isolation import NoIsolationError
from harness.referee.spec import BotSpec

SYSTEM = "/usr"
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Part of /usr on most systems, folders of their own on some."""

_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime")
_SETTINGS_OF = ("java-*", "python3*")
PACKAGES = ("engine", "harness", "bots")
"""What a Python bot of this project imports, beside its libraries."""

_PROJECT = Path(__file__).parents[2]
_OPEN_FOLDER = stat.S_IROTH | stat.S_IXOTH


def system_arguments() -> Iterator[str]:
    """The system's programs, libraries and the few settings that interpreters read at their start."""
    yield from ("--ro-bind", SYSTEM, SYSTEM)
    for path in _LINKED:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    settings = [*_SETTINGS, *(str(path) for kind in _SETTINGS_OF for path in sorted(Path("/etc").glob(kind)))]
    for path in settings:
        if os.path.exists(path):
            yield from _opened(path)
            yield from ("--ro-bind", path, path)


def readable(bot: BotSpec, hidden: Iterable[Path], *, others: bool) -> list[str]:
    """The bot's own part of the file system. With `others` it is read by somebody who is not the files' owner.

    Raises NoIsolationError where the bot cannot be shown without what is hidden.
    """
    needed = [path for path in dict.fromkeys(map(os.path.abspath, _needed(bot))) if not is_of_system(path)]
    shown = [path for path in needed if not _is_within(path, needed, proper=True)]
    words: list[str] = []
    for path in sorted(shown):
        words += _opened(path)
        words += _exposed(path, others=others)
    for folder in _hidden_in([SYSTEM, *shown], hidden):
        inside = [path for path in needed if _is_within(path, [folder])]
        if inside:
            raise NoIsolationError(f"{inside[0]}, which it must read, is within {folder}, which is closed to bots")
        words += ["--perms", "0755", "--tmpfs", folder, "--remount-ro", folder]
    return words


def interpreter_files(program: str) -> list[str]:
    """What the program of a command needs besides /usr: its prefix, or itself where it has none of its own."""
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
        waiting += _home_of_venv(path)
    return [_prefix(path) or path for path in found if not is_of_system(path)]


def is_of_system(path: str) -> bool:
    """Whether every bot sees it, as a part of the system."""
    return _is_within(path, [SYSTEM, *_LINKED, *_SETTINGS])


def _needed(bot: BotSpec) -> Iterator[str]:
    source = bot.source if bot.source.is_dir() else bot.source.parent
    yield str(source)
    yield str(bot.cwd)
    yield from map(str, (*bot.files, *bot.read))
    program = bot.command[0]
    if os.path.isabs(program):
        yield from interpreter_files(program)
        if os.path.abspath(os.path.dirname(program)) == os.path.join(sys.prefix, "bin"):
            yield from (str(_PROJECT / name) for name in PACKAGES if (_PROJECT / name).is_dir())


def _home_of_venv(path: str) -> list[str]:
    """The interpreter from which a virtual environment was made."""
    settings = Path(path).parent.parent / "pyvenv.cfg"
    try:
        lines = settings.read_text(errors="replace").splitlines()
    except OSError:
        return []
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return [os.path.join(home, os.path.basename(os.path.realpath(path))) for home in homes]


def _prefix(program: str) -> str | None:
    """The folder in which a program is installed with all that is its own: PREFIX/bin/program beside PREFIX/lib."""
    folder, name = os.path.split(os.path.dirname(program))
    home = os.path.expanduser("~")
    if name != "bin" or folder == "/" or _is_within(home, [folder]) or folder == os.path.join(home, ".local"):
        return None
    return folder if any(os.path.exists(os.path.join(folder, mark)) for mark in ("lib", "pyvenv.cfg")) else None


def _hidden_in(shown: Sequence[str], hidden: Iterable[Path]) -> list[str]:
    """Where the hidden folders would be seen in what is shown, by whatever links either is named."""
    places = set()
    for folder in (os.path.realpath(path) for path in hidden if path.is_dir()):
        for path in shown:
            real = os.path.realpath(path)
            if _is_within(folder, [real]):
                places.add(os.path.normpath(os.path.join(path, os.path.relpath(folder, real))))
    return sorted(places)


def _exposed(path: str, *, others: bool) -> Iterator[str]:
    """Show a path; of a folder that only its owner may enter, what is in it."""
    if not others or os.path.islink(path) or not os.path.isdir(path) or _is_open(path):
        yield from ("--ro-bind", path, path)
        return
    yield from ("--perms", "0755", "--dir", path)
    for entry in sorted(os.listdir(path)):
        one = os.path.join(path, entry)
        if os.path.islink(one):
            yield from ("--symlink", os.readlink(one), one)
        elif os.path.isdir(one) or os.path.isfile(one):
            yield from _exposed(one, others=others)


def _is_open(folder: str) -> bool:
    return os.stat(folder).st_mode & _OPEN_FOLDER == _OPEN_FOLDER


def _opened(path: str) -> Iterator[str]:
    """The folders above a path: bwrap would make them for their owner alone."""
    for parent in reversed(Path(path).parents[:-1]):
        if str(parent) not in ("/tmp", "/dev", "/dev/shm", "/proc"):
            yield from ("--perms", "0755", "--dir", str(parent))


def _is_within(path: str, folders: Iterable[str], *, proper: bool = False) -> bool:
    """Whether the path is one of the folders or lies in one; with `proper` only the latter."""
    return any((path == folder and not proper) or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)
