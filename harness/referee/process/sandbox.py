"""Tier sandbox: a bot's process under bubblewrap (faults.md, Isolation).

The process sees no other process, no network, and no shared memory or socket but its own. It can read the system's
programs and the files that it needs (`sandbox_mounts`), and write to a /tmp and /dev/shm of its own.

If the referee is root, bwrap runs as root too, since only root can open a folder that is closed to others. setpriv then
drops all rights inside, for a user that no other process has. So two processes of one bot cannot touch each other, and
a limit on the number of processes counts those of one bot process alone. Without root, bwrap makes a user namespace.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.records.values.game_record import SANDBOX
from harness.referee.process.isolation import (
    ADDRESS,
    PROCESS_LIMIT,
    Launch,
    NoIsolationError,
    clean_environment,
    prlimit_command,
    program_path,
)
from harness.referee.process.sandbox_mounts import bot_mounts, is_system_path, system_mounts, user_packages
from harness.referee.process.seccomp import FILTER_FD, has_filter
from harness.referee.spec import BotSpec

SOCKET = "/run/bowerbird.sock"
"""The path of the seat's socket inside the sandbox."""

HOME = "/tmp"
SCRATCH_BYTES = 64 << 20
"""Capacity of /tmp, and of /dev/shm. Both are in memory and count towards the bot's memory."""

_USER_IDS = range(0x42570000, 0x42580000)
"""User and group ids that no user of the system has."""

_LOW_USER_IDS = range(20000, 60000)
"""Used where the system has only 65536 ids, as in some containers."""

_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
_NAMESPACES_WITHOUT_ROOT = ("--unshare-all",)
_NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")
"""Used without root where there is no system call filter, which refuses them otherwise."""

_WITHOUT_ZERO = ("--dev-bind", "/dev/null", "/dev/zero")
"""A shared mapping of /dev/zero is memory that nobody counts where there is no control group."""

_CAPABILITIES_TO_CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


class Sandbox:
    """The tier (`isolation.Tier`). `hidden` are folders that no bot may read: those of the store and of the sockets."""

    name = SANDBOX
    needs = "bubblewrap 0.8 or newer and util-linux (on Debian and Ubuntu: apt-get install bubblewrap)"

    def __init__(self, hidden: Sequence[Path] = (), *, root: bool | None = None) -> None:
        """Hide `hidden`. `root` says whether bwrap runs as root; None for whether this process is root."""
        self._hidden = tuple(hidden)
        is_root = os.geteuid() == 0 if root is None else root
        self._user_ids = next((ids for ids in (_USER_IDS, _LOW_USER_IDS) if is_root and _is_mapped(ids)), None)

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """Return the bot's command inside bwrap.

        Passes variables in the environment of bwrap, not as its arguments: every user can read command lines, and one
        variable holds a token. Raises NoIsolationError if the bot lies in a hidden folder, OSError if its files cannot
        be examined.
        """
        kind, _, socket = seat.get(ADDRESS, "").partition(":")
        if socket and kind != "unix":
            raise NoIsolationError("a sandbox has no network: a seat in it needs a Unix socket")
        return Launch(
            (*self._bwrap_command(bot, socket), *self._command_inside(), *bot.command),
            Path("/"),
            self._environment(bot, {**seat, ADDRESS: f"unix:{SOCKET}"}),
            memory_mb=bot.memory_mb,
            processes=PROCESS_LIMIT,
            relays_signals=True,
        )

    def _bwrap_command(self, bot: BotSpec, socket: str) -> list[str]:
        is_root = self._user_ids is not None
        namespaces = _NAMESPACES if is_root else _NAMESPACES_WITHOUT_ROOT
        words = [program_path("bwrap"), *namespaces, "--hostname", "bot", "--die-with-parent", "--new-session"]
        if is_root:
            words += [word for capability in _CAPABILITIES_TO_CHANGE_USER for word in ("--cap-add", capability)]
        words += [*system_mounts(), "--proc", "/proc", "--dev", "/dev", *_WITHOUT_ZERO]
        for folder in ("/tmp", "/dev/shm"):
            words += ["--size", str(SCRATCH_BYTES), "--perms", "1777", "--tmpfs", folder]
        words += bot_mounts(bot, self._hidden, other_user=is_root)
        if socket:
            words += ["--perms", "0755", "--dir", os.path.dirname(SOCKET), "--ro-bind", socket, SOCKET]
        if has_filter():
            words += ["--seccomp", FILTER_FD]
        elif not is_root:
            words += _NO_MORE_NAMESPACES
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(bot.cwd), "--"]

    def _command_inside(self) -> list[str]:
        """Return the prefix of the bot's command that drops all rights and sets the limits."""
        drop_rights: list[str] = []
        if self._user_ids is not None:
            user = secrets.choice(self._user_ids)
            drop_rights = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]
            drop_rights += ["--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
        return [*drop_rights, *prlimit_command(f"--nproc={PROCESS_LIMIT}")]

    def _environment(self, bot: BotSpec, seat: Mapping[str, str]) -> dict[str, str]:
        programs = [folder for folder in os.environ.get("PATH", os.defpath).split(":") if is_system_path(folder)]
        own = {"PATH": ":".join(programs) or os.defpath, "HOME": HOME, "USER": "bot", "LOGNAME": "bot"}
        if packages := user_packages(bot):
            own["PYTHONUSERBASE"] = packages[0]  # by default it is in HOME
        return clean_environment({**own, **bot.environment}, seat)


def _is_mapped(ids: range) -> bool:
    """Return whether these users and groups exist in our user namespace."""
    return all(_covers(Path("/proc/self", file), ids) for file in ("uid_map", "gid_map"))


def _covers(file: Path, ids: range) -> bool:
    try:
        lines = [[int(number) for number in line.split()] for line in file.read_text().splitlines()]
    except OSError:
        return False
    return any(first <= ids[0] and ids[-1] < first + count for first, _, count in lines)
