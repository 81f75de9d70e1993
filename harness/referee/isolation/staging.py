"""The private files of a sandbox: copies of the bot's files, its /tmp, and frozen counters of /proc.

Two processes that can read the same file can communicate through the page cache: one evicts or loads a page, and the
other measures whether it is there (faults.md row 35). So each process gets a copy of the bot's folder and `files`. A
shell makes the copies in a file system in memory, in its own mount namespace, and mounts them over the originals. Then
it execs bwrap, which finds them there. The system removes everything with the process, however it ends.

bwrap can neither limit the number of files in a /tmp nor hide single files of /proc, so both are done here as well.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bowerbird.harness.referee.spec import BotSpec

COPY_BYTES = 64 << 20
COPY_FILES = 8192
"""Limits of the copies of one process. Anything larger is shared, since copies are kept in memory."""

SCRATCH_BYTES = 64 << 20
SCRATCH_FILES = 8192
"""The limits of /tmp and of /dev/shm. A file takes about 1 KiB of the kernel's memory besides its content."""

SCRATCH_FOLDERS = ("/tmp", "/dev/shm")

_STAGE = "/sys"
"""The folder where the copies are made. It exists on every Linux, and neither bwrap nor a bot needs its contents."""

_OWN = f"{_STAGE}/.own"
"""The stage's own part, without copies: folders for /tmp and /dev/shm, an empty folder, and the socket."""

STAGED_SOCKET = f"{_OWN}/socket"
"""The path at which bwrap finds the seat's socket. A copied folder around the sockets' folder hides the socket itself.
"""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_INODE_BYTES, _FOLDER_BYTES = 1024, 4096
"""The kernel's memory for a file, link or folder in memory besides its content; somewhat more than measured."""

_TRIAL_S = 10.0

_COUNTERS = (
    *("buddyinfo", "cgroups", "diskstats", "interrupts", "key-users", "keys", "loadavg", "locks", "meminfo"),
    *("schedstat", "softirqs", "stat", "swaps", "uptime", "vmstat", "zoneinfo"),
    *("pressure/cpu", "pressure/io", "pressure/irq", "pressure/memory"),
    *("sys/fs/aio-nr", "sys/fs/dentry-state", "sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/inode-state"),
    *("sys/kernel/pty/nr", "sys/kernel/random/entropy_avail"),
)
"""Files of /proc that count the activity of all processes of the machine. A bot sees them as they were when it started.
"""

_COUNTER_FOLDERS = ("/proc/fs", "/proc/irq", "/proc/driver")
"""Folders of /proc with such counters. A bot sees them empty."""

_CACHE_MARK = "CACHEDIR.TAG"
_CACHES = frozenset({"deps", "build", "incremental", ".fingerprint"})
"""Large folders that Cargo keeps in target/PROFILE beside the program. They are not needed to run and are left empty.
"""

_SCRIPT = r"""
fail() { echo "the files of the sandbox cannot be prepared: $1 failed" >&2; exit 125; }
stage=$1 options=$2 scratch=$3 socket=$4
shift 4
umask 022
cd / && mount -n -t tmpfs -o "$options" tmpfs "$stage" || fail mount
mkdir "$stage/.own" "$stage/.own/none" "$stage/.own/tmp" "$stage/.own/shm" || fail mkdir
mount -n -t tmpfs -o "$scratch" tmpfs "$stage/.own/tmp" && mount -n -t tmpfs -o "$scratch" tmpfs "$stage/.own/shm" ||
    fail mount
if [ -n "$socket" ]; then
    true >"$stage/.own/socket" && mount -n --bind -- "$socket" "$stage/.own/socket" || fail mount
fi
while [ "$1" != -- ]; do mkdir -p "$stage$1" || fail mkdir; shift; done
shift
count=0 there=
for path; do
    [ "$path" != -- ] || break
    count=$((count + 1))
    if [ -e "$path" ] || [ -L "$path" ]; then there="$there \"\${$count}\""; fi
done
[ -z "$there" ] || eval "cp -R -d --preserve=mode,timestamps --parents -- $there \"\$stage\"" || fail cp
shift "$((count + 1))"
while [ "$1" != -- ]; do mount -n --bind "$stage$1" "$1" || fail mount; shift; done
shift
exec "$@"
"""
"""A script that prepares the files and execs the command.

Its arguments are the stage, two lists of mount options, the socket or "", three lists that end with "--" (folders to
make, files and folders to copy, paths to mount over), and the command.

A file that has disappeared since the plan was made is not copied, since a bot that starts without it does not need it.
One `cp` copies all others, because starting a program costs more than a small copy. `eval` passes the numbers of the
arguments, never their text.
"""


class NotCopiedError(Exception):
    """A path is not copied, so all processes of the bot share it. The message is the reason."""


class _StageError(Exception):
    """Files cannot be prepared on this system. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Copies:
    """The files copied for each process of a bot.

    paths: files and folders that the copies replace, with links resolved.
    folders: made empty in the copies; their contents are left out or copied one by one.
    parts: the files and folders to copy.
    charged_bytes: the memory that they use. The system counts whole pages, plus an amount for each file and folder.
    shared: a sentence for each path that is not copied, with the reason.
    """

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    charged_bytes: int = 0
    shared: tuple[str, ...] = ()


@dataclass(slots=True)
class _Scan:
    """The files found below one path."""

    hidden: frozenset[str]
    free_bytes: int
    free_files: int
    charged_bytes: int = 0
    folders: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)


def plan_copies(bot: BotSpec, hidden: Iterable[Path]) -> Copies:
    """Return the files to copy for a process of `bot`: its folder, working folder and `files`, without `hidden`.

    Examines the files. A path that exceeds the limits or cannot be copied is shared instead.
    """
    source = bot.source if bot.source.is_dir() else bot.source.parent
    wanted = list(dict.fromkeys(os.path.realpath(path) for path in (source, *bot.files, bot.cwd)))
    outermost = [path for path in wanted if not any(path.startswith(f"{other}/") for other in wanted)]
    left_out = frozenset(os.path.realpath(folder) for folder in hidden)
    copied: list[str] = []
    shared: list[str] = []
    total = _Scan(left_out, COPY_BYTES, COPY_FILES)
    for path in outermost:
        scan = _Scan(left_out, total.free_bytes, total.free_files)
        try:
            if _is_in_use_by_system(path):
                raise NotCopiedError("belongs to the system")
            if _examine(path, scan):
                scan.parts = [path]
        except NotCopiedError as error:
            shared.append(f"{path} {error}")
        except OSError as error:
            shared.append(f"{path} cannot be copied ({error.strerror})")
        else:
            copied.append(path)
            total.folders += scan.folders
            total.parts += scan.parts
            total.free_bytes, total.free_files = scan.free_bytes, scan.free_files
            total.charged_bytes += scan.charged_bytes
    return Copies(tuple(copied), tuple(total.folders), tuple(total.parts), total.charged_bytes, tuple(shared))


class Stage:
    """The preparation of sandboxes' files on this system. Use `find_stage`."""

    def __init__(self, counters: Sequence[str]) -> None:
        """Freeze the files of /proc in `counters`, which must be readable."""
        self._counters = tuple(counters)

    def command(self, copies: Copies, socket: str = "") -> list[str]:
        """Return the prefix of a bwrap command that prepares its files, including `socket`. Use it with `mounts`.

        The new namespace belongs to this user. bwrap refuses to run with rights that it did not acquire itself, so they
        are dropped.
        """
        if os.geteuid() == 0:
            enter, drop_rights = ["unshare"], []
        else:
            enter = ["unshare", "--user", "--map-current-user", "--keep-caps"]
            drop_rights = ["setpriv", "--inh-caps=-all", "--ambient-caps=-all", "--"]
        options = f"size={2 * COPY_BYTES},mode=0755"
        scratch = f"size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES},mode=1777"
        return [
            *enter,
            *("--mount", "--propagation", "private", "--"),
            *("/bin/sh", "-c", _SCRIPT, "sh", _STAGE, options, scratch, socket),
            *(*copies.folders, "--", *self._counters, *copies.parts, "--", *copies.paths, "--"),
            *drop_rights,
        ]

    def mounts(self) -> Iterator[str]:
        """Yield arguments of bwrap for /tmp, /dev/shm and the counters, to follow the arguments for /proc and /dev."""
        for folder in SCRATCH_FOLDERS:
            yield from ("--bind", f"{_OWN}/{os.path.basename(folder)}", folder)
        for path in self._counters:
            yield from ("--ro-bind", f"{_STAGE}{path}", path)
        for folder in _COUNTER_FOLDERS:
            if os.path.isdir(folder):
                yield from ("--ro-bind", f"{_OWN}/none", folder)


def find_stage() -> Stage | str:
    """Return the way to prepare files on this system, or the reason why that fails. Tries again until it works once."""
    try:
        return _tried_stage()
    except _StageError as error:
        return str(error)


@cache
def _tried_stage() -> Stage:
    """Return a working stage. Raises _StageError, which is not cached, since a busy machine may do better next time."""
    stage = Stage([path for path in (f"/proc/{name}" for name in _COUNTERS) if _can_be_read(path)])
    try:
        done = subprocess.run(
            [*stage.command(Copies()), "true"],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_S,
            check=False,
        )
    except OSError as error:
        raise _StageError(f"{error.filename or 'the operating system'}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise _StageError(f"it did not finish within {_TRIAL_S:g} s") from error
    if done.returncode == 0:
        return stage
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    raise _StageError(lines[0] if lines else f"exit status {done.returncode}")


def _can_be_read(counter: str) -> bool:
    """Return whether this system has a file of /proc that can be read. Some exist but cannot be read."""
    try:
        with open(counter, "rb") as file:
            file.read(1)
    except OSError:
        return False
    return True


def _is_in_use_by_system(path: str) -> bool:
    """Return whether a path is, contains or lies in a folder that the stage or bwrap needs unchanged."""
    needed = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", _STAGE)
    return path == "/" or any(path == one or path.startswith(f"{one}/") for one in needed)


def _examine(path: str, scan: _Scan) -> bool:
    """Add everything below `path` to `scan`. Return whether all of it is copied; if not, the parts are in `scan`.

    Raises NotCopiedError, OSError.
    """
    status = os.lstat(path)
    scan.free_files -= 1
    scan.charged_bytes += _FOLDER_BYTES if stat.S_ISDIR(status.st_mode) else _INODE_BYTES
    if stat.S_ISREG(status.st_mode):
        scan.free_bytes -= status.st_size
        scan.charged_bytes += -(-status.st_size // _PAGE) * _PAGE
    elif not stat.S_ISDIR(status.st_mode) and not stat.S_ISLNK(status.st_mode):
        raise NotCopiedError(f"holds something that is not a file, folder or link ({path})")
    if scan.free_bytes < 0 or scan.free_files < 0:
        raise NotCopiedError(f"is larger than {COPY_BYTES >> 20} MiB or holds more than {COPY_FILES} files")
    if not stat.S_ISDIR(status.st_mode):
        if not stat.S_ISLNK(status.st_mode) and not os.access(path, os.R_OK):
            raise NotCopiedError(f"holds a file that cannot be read ({path})")
        return True
    if path in scan.hidden:
        scan.folders.append(path)
        return False
    names = sorted(os.listdir(path))
    whole = []
    is_complete = True
    for name in names:
        entry = os.path.join(path, name)
        if name in _CACHES and os.path.exists(os.path.join(os.path.dirname(path), _CACHE_MARK)):
            scan.folders.append(entry)
            is_complete = False
        elif _examine(entry, scan):
            whole.append(entry)
        else:
            is_complete = False
    if not is_complete:
        scan.folders.append(path)
        scan.parts += whole
    return is_complete
