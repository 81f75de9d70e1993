"""The address of a run's watch service: a Unix socket in a folder that only its user can open.

The folder is $XDG_RUNTIME_DIR/bowerbird, or bowerbird-UID in the folder for temporary files. No sandboxed bot can see
it. The name of a socket distinguishes runs of different databases. A socket's path can have 107 bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.quoting import utf8

LONGEST_PATH = 107
"""The longest path of a Unix socket, in bytes."""

_DATABASE_DIGITS = 8
_NAME = re.compile(rf"([0-9a-f]{{10}})-([0-9a-f]{{{_DATABASE_DIGITS}}})\.sock")
_CONNECT_S = 1.0


class WatchAddressError(Exception):
    """The error for a folder that cannot hold a socket; one sentence for people."""


@dataclass(frozen=True, slots=True)
class WatchAddress:
    """The socket of the run with this fingerprint, in a database with this hash."""

    path: Path
    run: str
    database: str

    @property
    def target(self) -> str:
        """The address in gRPC's form."""
        return f"unix:{self.path}"


def runtime_folder() -> Path:
    """Return this user's private folder of sockets. It may not exist."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_absolute() and Path(runtime).is_dir():
        return Path(runtime) / "bowerbird"
    return Path(tempfile.gettempdir()) / f"bowerbird-{os.getuid()}"


def watch_address(database: str | os.PathLike[str], fingerprint: str) -> WatchAddress:
    """Return the address for watching the run with this fingerprint in a database while it is being played."""
    digest = database_hash(database)
    return WatchAddress(runtime_folder() / f"{fingerprint}-{digest}.sock", fingerprint, digest)


def database_hash(database: str | os.PathLike[str]) -> str:
    """Return the hash of a database's path, with links resolved."""
    return hashlib.sha256(utf8(os.path.realpath(database))).hexdigest()[:_DATABASE_DIGITS]


def private_folder() -> Path:
    """Return the folder of sockets; create it if missing. Raises WatchAddressError unless it is private."""
    folder = runtime_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise WatchAddressError(f"{folder}: {error.strerror}") from error
    if (why := _not_private(found)) is not None:
        raise WatchAddressError(f"{folder}: {why}; remove it, or set XDG_RUNTIME_DIR to a folder of yours")
    return folder


def has_private_folder() -> bool:
    """Return whether the folder of sockets exists and is private to this user, so that nobody else can add a socket."""
    try:
        return _not_private(runtime_folder().lstat()) is None
    except OSError:
        return False


def _not_private(found: os.stat_result) -> str | None:
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if found.st_uid != os.getuid():
        return "belongs to another user"
    if stat.S_IMODE(found.st_mode) & 0o077:
        return "is open to other users"
    return None


def listening_path(address: WatchAddress) -> Path:
    """Return the path to listen on. Remove a socket that a killed process left there.

    Raises WatchAddressError if another process listens there, the path is too long, or the folder is not private.
    """
    private_folder()
    path = address.path
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise WatchAddressError(f"{path}: must have at most {LONGEST_PATH} bytes; make XDG_RUNTIME_DIR shorter")
    if is_listening(path):
        raise WatchAddressError(f"{path}: another process plays this run")
    with suppress(FileNotFoundError):
        path.unlink()
    return path


def is_listening(path: Path) -> bool:
    """Return whether a process listens at a socket."""
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(_CONNECT_S)
        try:
            one.connect(str(path))
        except OSError:
            return False
    return True


def running() -> list[WatchAddress]:
    """Return this user's runs that are being played, by id; none if the folder is not private."""
    folder = runtime_folder()
    if not has_private_folder():
        return []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = [(folder / name, match) for name in names if (match := _NAME.fullmatch(name))]
    return [WatchAddress(path, match[1], match[2]) for path, match in found if is_listening(path)]
