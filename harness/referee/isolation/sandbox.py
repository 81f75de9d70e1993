"""Tier sandbox: a bot's process under bubblewrap (faults.md, Isolation).

The process sees no other process, no network, and no shared memory or socket except its own. It can read the system's
programs and the files that it needs (`sandbox_mounts`), and write to its own /tmp and /dev/shm.

If the referee is root, bwrap runs as root too, since only root can open a folder that is closed to others. Inside,
setpriv then drops all rights and switches to a user that no other process has. So two processes of one bot cannot
affect each other, and a limit on the number of processes applies to a single bot process and its descendants. Without
root, bwrap makes a user namespace.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bowerbird.harness.records.values.game_record import SANDBOX
from bowerbird.harness.referee.isolation import launch
from bowerbird.harness.referee.isolation.own_user import UserIds, become_user_command, unused_user_ids
from bowerbird.harness.referee.isolation.sandbox_mounts import bot_mounts, is_system_path, system_mounts, user_packages
from bowerbird.harness.referee.isolation.seccomp import FILTER_FD, has_filter
from bowerbird.harness.referee.isolation.staging import (
    SCRATCH_BYTES,
    SCRATCH_FOLDERS,
    STAGED_SOCKET,
    Copies,
    Stage,
    find_stage,
    plan_copies,
)
from bowerbird.harness.referee.spec import BotSpec

SOCKET = "/run/bowerbird.sock"
"""The path of the seat's socket inside the sandbox."""

HOME = "/tmp"
_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
_NAMESPACES_WITHOUT_ROOT = ("--unshare-all",)
_NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")
"""Used without root if there is no system call filter, which would refuse them."""

_WITHOUT_ZERO = ("--dev-bind", "/dev/null", "/dev/zero")
"""A shared mapping of /dev/zero is memory that is not counted without a control group."""

_CAPABILITIES_TO_CHANGE_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


class Sandbox:
    """The tier (`launch.Tier`).

    `hidden` are folders that no bot may read: the folders of the store and of the sockets.
    """

    name = SANDBOX
    needs = "bubblewrap 0.8 or newer and util-linux (on Debian and Ubuntu: apt-get install bubblewrap)"

    def __init__(self, hidden: Sequence[Path] = (), *, root: bool | None = None) -> None:
        """Hide `hidden`. `root` says whether bwrap runs as root; None for whether this process is root."""
        self._hidden = tuple(hidden)
        self._user_ids = UserIds(unused_user_ids(is_root=root))
        self._stage: Stage | str = ""
        self._copies: dict[str, Copies] = {}

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> launch.Launch:
        """Return the bot's command inside bwrap.

        Passes the variables of the seat in the environment of bwrap, not as arguments, since every user can read
        command lines and one variable contains a token. Raises NoIsolationError if the bot lies in a hidden folder,
        OSError if its files cannot be examined.
        """
        kind, _, socket = seat.get(launch.ADDRESS, "").partition(":")
        if socket and kind != "unix":
            raise launch.NoIsolationError("a sandbox has no network: a seat in it needs a Unix socket")
        stage, copies = self._find_stage(), self._copies_for(bot)
        prepare = stage.command(copies, socket) if isinstance(stage, Stage) else []
        return launch.Launch(
            (
                *prepare,
                *self._bwrap_command(bot, socket),
                *self._command_inside(),
                *launch.own_variables(bot),
                *bot.command,
            ),
            Path("/"),
            self._environment(bot, {**seat, launch.ADDRESS: f"unix:{SOCKET}"}),
            memory_mb=bot.memory_mb,
            copies_mb=-(-copies.charged_bytes >> 20),
            processes=launch.PROCESS_LIMIT,
            relays_signals=True,
            scratch=SCRATCH_FOLDERS,
        )

    def shared_files(self, bot: BotSpec) -> tuple[str, ...]:
        """Return a sentence for each of the bot's paths that its processes share, with the reason."""
        stage = self._find_stage()
        if isinstance(stage, str):
            return (f"its files cannot be copied for each process here: {stage}",)
        return self._copies_for(bot).shared

    def _find_stage(self) -> Stage | str:
        self._stage = self._stage or find_stage()
        return self._stage

    def _copies_for(self, bot: BotSpec) -> Copies:
        """Return the files to copy for each process of a bot, examined only once; none if copying is impossible."""
        if isinstance(self._find_stage(), str):
            return Copies()
        if bot.name not in self._copies:
            self._copies[bot.name] = plan_copies(bot, self._hidden)
        return self._copies[bot.name]

    def _bwrap_command(self, bot: BotSpec, socket: str) -> list[str]:
        is_root = bool(self._user_ids)
        namespaces = _NAMESPACES if is_root else _NAMESPACES_WITHOUT_ROOT
        words = [launch.program_path("bwrap"), *namespaces, "--hostname", "bot", "--die-with-parent", "--new-session"]
        if is_root:
            words += [word for capability in _CAPABILITIES_TO_CHANGE_USER for word in ("--cap-add", capability)]
        words += [*system_mounts(), "--proc", "/proc", "--dev", "/dev", *_WITHOUT_ZERO]
        stage = self._find_stage()
        if isinstance(stage, Stage):
            words += stage.mounts()
        else:
            for folder in SCRATCH_FOLDERS:
                words += ["--size", str(SCRATCH_BYTES), "--perms", "1777", "--tmpfs", folder]
        words += bot_mounts(bot, self._hidden, other_user=is_root)
        if socket:
            words += ["--perms", "0755", "--dir", os.path.dirname(SOCKET)]
            words += ["--ro-bind", STAGED_SOCKET if isinstance(stage, Stage) else socket, SOCKET]
        if has_filter():
            words += ["--seccomp", FILTER_FD]
        elif not is_root:
            words += _NO_MORE_NAMESPACES
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(bot.cwd), "--"]

    def _command_inside(self) -> list[str]:
        """Return the command prefix that drops all rights and sets the limits."""
        drop_rights = become_user_command(self._user_ids.choose()) if self._user_ids else ()
        return [*drop_rights, *launch.prlimit_command(f"--nproc={launch.PROCESS_LIMIT}")]

    def _environment(self, bot: BotSpec, seat: Mapping[str, str]) -> dict[str, str]:
        programs = [folder for folder in os.environ.get("PATH", os.defpath).split(":") if is_system_path(folder)]
        own = {"PATH": ":".join(programs) or os.defpath, "HOME": HOME, "USER": "bot", "LOGNAME": "bot"}
        if packages := user_packages(bot):
            own["PYTHONUSERBASE"] = packages[0]  # its default is in HOME
        return launch.clean_environment(own, seat)
