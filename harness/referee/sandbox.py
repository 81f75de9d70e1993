"""Tier sandbox: a bot's process under bubblewrap (FAULTS.md, Isolation).

It sees no process, network, shared memory or socket but its own, the system's programs, and of the other files those
that it needs, read-only (`sandbox_files`). It may write to its own /tmp and /dev/shm.

Where we are root, bwrap runs as root, since only root can see a folder that is closed to others, and setpriv inside
gives everything up for a user of its own, so that even two processes of one bot are strangers, and a bound on the
number of processes counts theirs alone. Where we are not root, bwrap makes a user namespace.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.referee.handing import HANDED
from harness.referee.isolation import (
    ADDRESS,
    PROCESSES,
    SANDBOX,
    Launch,
    NoIsolationError,
    clean_environment,
    limiting,
    which,
)
from harness.referee.sandbox_files import is_of_system, readable, system_arguments
from harness.referee.sandbox_filter import quiet_calls
from harness.referee.spec import BotSpec

SOCKET = "/run/bowerbird.sock"
"""Where a bot finds its seat's socket."""

HOME = "/tmp"
SCRATCH_BYTES = 64 << 20
"""What a process may write to /tmp, and as much again to /dev/shm; both are memory and count as such."""

_IDS = range(0x42570000, 0x42580000)
"""Users and groups that nobody has."""

_FEW_IDS = range(20000, 60000)
"""The same where the system has only 65536 of them, as in some containers."""

_SEPARATE = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
_SEPARATE_WITH_USERS = ("--unshare-all",)
_TO_CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


class Sandbox:
    """A tier (`isolation.Tier`). `hidden` are folders that no bot may read: the store's, the sockets'."""

    name = SANDBOX
    needs = "bubblewrap 0.8 or newer and util-linux (on Debian and Ubuntu: apt-get install bubblewrap)"

    def __init__(self, hidden: Sequence[Path] = (), *, root: bool | None = None) -> None:
        """`root` says whether there are rights to give up inside; by default, whether we have them."""
        self._hidden = tuple(hidden)
        has_rights = os.geteuid() == 0 if root is None else root
        self._ids = next((ids for ids in (_IDS, _FEW_IDS) if has_rights and _is_mapped(ids)), None)

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """The bot's command inside bwrap. Its environment is ours to the program bwrap: no word of argv names a token.

        Raises NoIsolationError where the bot lies in a hidden folder, OSError where its files cannot be looked at.
        """
        kind, _, socket = seat.get(ADDRESS, "").partition(":")
        if socket and kind != "unix":
            raise NoIsolationError("there is no network in a sandbox, a seat there needs a Unix socket")
        return Launch(
            (*self._bwrap(bot, socket), *self._inside(), *bot.command),
            Path("/"),
            self._environment(bot, {**seat, ADDRESS: f"unix:{SOCKET}"}),
            memory_mb=bot.memory_mb,
            processes=PROCESSES,
            relays_signals=True,
            handed=quiet_calls(),
        )

    def _bwrap(self, bot: BotSpec, socket: str) -> list[str]:
        alone = _SEPARATE if self._ids is not None else _SEPARATE_WITH_USERS
        words = [which("bwrap"), *alone, "--hostname", "bot", "--die-with-parent", "--new-session"]
        if self._ids is not None:
            words += [word for capability in _TO_CHANGE_USER for word in ("--cap-add", capability)]
        words += [*system_arguments(), "--proc", "/proc", "--dev", "/dev"]
        for folder in ("/tmp", "/dev/shm"):
            words += ["--size", str(SCRATCH_BYTES), "--perms", "1777", "--tmpfs", folder]
        words += readable(bot, self._hidden, others=self._ids is not None)
        if socket:
            words += ["--perms", "0755", "--dir", os.path.dirname(SOCKET), "--ro-bind", socket, SOCKET]
        if quiet_calls():
            words += ["--seccomp", HANDED]
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(bot.cwd), "--"]

    def _inside(self) -> list[str]:
        """The words that give up every right and set the bounds."""
        dropping: list[str] = []
        if self._ids is not None:
            user = secrets.choice(self._ids)
            dropping = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]
            dropping += ["--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
        return [*dropping, *limiting(f"--nproc={PROCESSES}")]

    def _environment(self, bot: BotSpec, seat: Mapping[str, str]) -> dict[str, str]:
        programs = [folder for folder in os.environ.get("PATH", os.defpath).split(":") if is_of_system(folder)]
        own = {"PATH": ":".join(programs) or os.defpath, "HOME": HOME, "USER": "bot", "LOGNAME": "bot"}
        return clean_environment({**own, **bot.environment}, seat)


def _is_mapped(ids: range) -> bool:
    """Whether these users and groups exist in our user namespace."""
    return all(_covers(Path("/proc/self", file), ids) for file in ("uid_map", "gid_map"))


def _covers(file: Path, ids: range) -> bool:
    try:
        lines = [[int(number) for number in line.split()] for line in file.read_text().splitlines()]
    except OSError:
        return False
    return any(first <= ids[0] and ids[-1] < first + count for first, _, count in lines)
