"""Sends bots to workers: the run packs them, and each worker unpacks them into its cache (bot-file.md).

A bot consists of its folder and the outside files that its bot.toml lists in `files`, which keep their relative places.
Files listed only in `read`, and a working folder outside, must exist on the worker under the same path.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_size import BotSize
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.preparation import build_place
from bowerbird.harness.tournament.preparation.bot_copy import refused_link

_PYTHON = "{python}"
"""The placeholder for the interpreter in the command of a packed bot, as in a bot.toml."""

_LEFT_OUT = {*EXCLUDED, build_place.STAMP, build_place.USED, ".git", ".hg", ".svn"}
"""Folders that no worker needs. Other names with a dot are sent, since the build may read them."""


@dataclass(frozen=True, slots=True)
class PackedBot:
    """A bot that can be sent to another machine.

    spec: its description. Paths of files that are sent are relative to the folder where they are unpacked.
    digest: the digest of the archive; "" for a bundled bot, which every worker has.
    of_files: the fingerprint of its files without arguments.
    place: the name of its folder in the cache.
    """

    spec: BotSpec
    digest: str = ""
    of_files: str = ""
    place: str = ""


def pack_bot(bot: BotSpec) -> tuple[PackedBot, bytes]:
    """Return a bot and its archive: a compressed tar file, the same for the same files and modes.

    The archive of a bundled bot is empty. Raises MachinesError if a file cannot be read or sent.
    """
    packed = replace(bot, command=tuple(map(_without_interpreter, bot.command)))
    if _is_bundled(bot):
        return PackedBot(packed), b""
    layout = build_place.BotLayout.of(bot, bot.files)
    refused = f"{bot.source}: bot {bot.name!r} cannot be sent to a worker"
    if wrong := refused_link(layout.folder, (*bot.files, *bot.read)):
        raise MachinesError(f"{refused}: {wrong}")
    try:
        of_files = fingerprint(layout.folder, further=bot.files)
        archive = _archive(layout)
    except OSError as error:
        raise MachinesError(f"{refused}: {error.filename}: {error.strerror}") from None
    digest = hashlib.sha256(archive).hexdigest()
    return PackedBot(layout.moved_bot(packed, Path()), digest, of_files, f"{layout.name}-{digest[:16]}"), archive


def is_unpacked(packed: PackedBot) -> bool:
    """Return whether the bot is already here, and count that as a use.

    Raises MachinesError if this user has no home folder.
    """
    if not packed.digest:
        return True
    place = _place(packed)
    if not (place / build_place.USED).exists():
        return False
    with suppress(OSError):  # another user's, or just removed: `unpacked_bot` notices it
        build_place.mark_used(place)
    return True


def unpack_bot(packed: PackedBot, archive: bytes) -> None:
    """Put a bot into the cache. Raises MachinesError if it cannot be written or differs from what was packed."""
    place = _place(packed)
    try:
        build_place.make_cache(place.parent)
        with build_place.locked(place.parent):
            build_place.prune(place.parent)
            if not is_unpacked(packed):
                _fill(packed, archive, place)
    except OSError as error:
        raise MachinesError(
            f"bot {packed.spec.name!r} cannot be unpacked ({error.filename or place}: {error.strerror}); set "
            "XDG_CACHE_HOME to a writable folder there"
        ) from None


def unpacked_bot(packed: PackedBot, held: ExitStack) -> BotSpec:
    """Return the bot as it is on this machine. Raises MachinesError.

    held: until it is closed, the bot's folder is not removed.
    """
    spec = replace(packed.spec, command=tuple(word.replace(_PYTHON, sys.executable) for word in packed.spec.command))
    if not packed.digest:
        own = bundled_bots()[spec.source.parent.name]
        return replace(spec, source=own, cwd=own.parent)
    place = _place(packed)
    spec = replace(
        spec,
        source=place / spec.source,
        cwd=place / spec.cwd,
        files=tuple(place / path for path in spec.files),
        read=tuple(place / path for path in spec.read),
    )
    build_place.mark_used(place)
    held.callback(build_place.release, build_place.hold(place))
    if not spec.cwd.is_dir():
        raise MachinesError(f"bot {spec.name!r} needs the folder {spec.cwd} there, which is outside its own folder")
    if missing := next((path for path in spec.read if not path.exists()), None):
        raise MachinesError(f"bot {spec.name!r} needs {missing} there, which [sandbox] read in its bot.toml lists")
    return spec


def _without_interpreter(word: str) -> str:
    """Return a word of a command with `_PYTHON` in place of this interpreter's path, except within a longer path."""
    return re.sub(rf"(?<![\w.-]){re.escape(sys.executable)}(?![\w./-])", _PYTHON, word)


def _is_bundled(bot: BotSpec) -> bool:
    own = bundled_bots().get(bot.source.parent.name)
    return own is not None and own.samefile(bot.source)


def _place(packed: PackedBot) -> Path:
    try:
        return build_place.cache_folder() / packed.place
    except RuntimeError as error:
        raise MachinesError(f"{error}; set XDG_CACHE_HOME to a writable folder there") from None


def _archive(layout: build_place.BotLayout) -> bytes:
    buffer = io.BytesIO()
    size = BotSize()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path, name, followed in sorted(_members(layout)):
            member = _member(archive, path, name, followed=followed)
            if member is None:
                continue
            if member.isfile():
                size.add(path, member.size)
                with open(path, "rb") as file:
                    archive.addfile(member, file)
            else:
                archive.addfile(member)
    return buffer.getvalue()


def _members(layout: build_place.BotLayout) -> Iterator[tuple[str, str, bool]]:
    """Yield the files of a bot, each with its name in the archive and whether to follow links."""
    for top in (layout.folder, *layout.outside):
        moved = layout.moved(top, Path())
        yield str(top), str(moved), True
        for parent, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            for name in (*folders, *files):
                path = Path(parent, name)
                if name not in _LEFT_OUT:
                    yield str(path), str(moved / path.relative_to(top)), False


def _member(archive: tarfile.TarFile, path: str, name: str, *, followed: bool) -> tarfile.TarInfo | None:
    """Return the header of a file without times and owners, or None for a named pipe, a socket or a device."""
    archive.dereference = followed
    archive.inodes.clear()  # type: ignore[attr-defined]  # a hard link is sent as the file that it is
    member = archive.gettarinfo(path, name)
    if member is None or not (member.isfile() or member.isdir() or member.issym()):
        return None
    member.mtime = member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _fill(packed: PackedBot, archive: bytes, place: Path) -> None:
    """Unpack beside the folder, check the result, and move it there in one step. Hold the lock of the cache."""
    made = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=place.parent))
    try:
        with (
            build_place.locked(made),  # otherwise another process would think it was partly removed
            tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as members,
        ):
            members.extraction_filter = lambda member, _: member  # this worker trusts the run
            members.extractall(made)
        (made / packed.spec.cwd).mkdir(parents=True, exist_ok=True)
        source, files = made / packed.spec.source, [made / path for path in packed.spec.files]
        if fingerprint(source.parent, further=files) != packed.of_files:
            raise MachinesError(
                f"bot {packed.spec.name!r} has different files there from those in the run: they changed in transit"
            )
        made.chmod(0o755)
        (made / build_place.USED).touch()
        if is_unpacked(packed):  # by another machine, since a shared file system may have no locks
            return
        shutil.rmtree(place, ignore_errors=True)
        made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
