"""Copies folders of bots.

A copy for building keeps symbolic links, so that it is no larger than the folder and has the same fingerprint. A copy
of a starter has files in place of links, so that it can be moved anywhere.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from bowerbird.harness.tournament.config.bot_size import BotSize
from bowerbird.harness.tournament.config.fingerprint import counted_links


def refused_link(folder: Path, named: Collection[Path]) -> str:
    """Return, as the end of a sentence, a link that prevents copying a bot's folder; "" if none does.

    A link must lead to something in the folder by a relative path, to something in a `named` path, or nowhere. Links
    that the fingerprint leaves out are ignored.

    folder: absolute.
    named: the paths in `files` and `read` of the bot.toml.
    """
    real = os.path.realpath(folder)
    allowed = [os.path.realpath(path) for path in named]
    for relative in counted_links(folder):
        link = folder / relative
        text, target = os.readlink(link), os.path.realpath(link)
        if not os.path.exists(link) or any(_is_in(target, one) for one in allowed):
            continue
        leaves = os.path.normpath(os.path.join(os.path.dirname(relative), text)).split(os.sep)[0] == os.pardir
        if not _is_in(target, real):
            return f"the link {link} leads out of the bot's folder to {target}: list that in 'files' or 'read'"
        if leaves or os.path.isabs(text):
            return f"the link {link} leads through folders outside the bot's folder: make it relative to the link"
    return ""


def copy_bot_folder(source: Path, target: Path, ignored: Collection[str], cache: Path) -> None:
    """Copy a folder without the names in `ignored` and without the folder `cache`. The owner can write the whole copy.

    Links are copied as they are. Named pipes, sockets and devices are left out. Raises OSError, also for a folder that
    is too large (`bot_size`): names with a leading dot are part of the copy, though not of the fingerprint.
    """
    apart = os.path.realpath(cache)
    size = BotSize()
    waiting = [(source, target)]
    while waiting:
        folder, made = waiting.pop()
        made.mkdir(parents=True, exist_ok=True)
        for entry in _entries(folder):
            if entry.name in ignored:
                continue
            if entry.is_symlink():
                (made / entry.name).symlink_to(os.readlink(entry))
            elif entry.is_dir():
                if os.path.realpath(entry) != apart:
                    waiting.append((folder / entry.name, made / entry.name))
            elif entry.is_file():
                size.add(entry.path, entry.stat().st_size)
                copy_file(entry.path, str(made / entry.name))


def copy_folder(source: Path, target: Path, ignored: Collection[str]) -> None:
    """Copy a folder without the names in `ignored`. The owner can write the whole copy.

    Links are replaced by their targets; broken links are left out.

    Raises OSError, or shutil.Error with a list of (source, target, reason).
    """
    shutil.copytree(
        source,
        target,
        ignore=lambda folder, names: {
            name for name in names if name in ignored or not os.path.exists(os.path.join(folder, name))
        },
        copy_function=copy_file,
        dirs_exist_ok=True,
    )
    for folder, _, _ in os.walk(target):
        make_writable(folder)


def copy_file(source: str, target: str) -> str:
    """Copy a file with its mode, but make it writable by its owner; return `target`. Raises OSError."""
    shutil.copyfile(source, target)
    shutil.copymode(source, target)
    make_writable(target)
    return target


def make_writable(path: str) -> None:
    """Make a file or folder writable by its owner. Raises OSError."""
    os.chmod(path, os.stat(path).st_mode | stat.S_IWUSR)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from entries


def _is_in(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
