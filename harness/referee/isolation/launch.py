"""The interface of an isolation tier (`Tier`), and how it starts a bot (`Launch`).

A tier confines a process only through the programs in its command line (prlimit, setpriv, bwrap), never through code
that runs between fork and exec: such code crashed children of a process that uses gRPC (faults.md, Isolation).
The tiers themselves are in `tiers` (none, limits) and `sandbox`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bowerbird.harness.referee.spec import BotSpec

CPU_LIMIT_S = 7 * 86400
"""The processor time of one process, over all its threads. No tournament takes that long; it ends stray processes."""

OPEN_FILES_LIMIT = 4096
FILE_SIZE_LIMIT = 1 << 30
PROCESS_LIMIT = 512
"""The most processes and threads of one bot process and its descendants. Java can start about 150 threads."""

ADDRESS = "BOWERBIRD_ADDRESS"
"""The environment variable with the address that a bot dials."""

_PR_SET_DUMPABLE = 4

_ENV = "/usr/bin/env"
"""It is the same inside and outside a sandbox."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The way the supervisor starts one process of a bot.

    argv: the command; begins with an absolute path or a name on the PATH. `seccomp.FILTER_FD` in it stands for the
        number of a descriptor from which the program reads the system call filter.
    memory_mb, processes: limits for the process and its descendants together; 0 for no limit.
    copies_mb: memory beyond `memory_mb` for the copies of the bot's files (`staging`).
    scratch: folders in memory that only these processes can write. Their contents count towards `memory_mb`.
    relays_signals: whether the program of `argv` stays as the parent of the bot and reports the bot's death by signal N
        as exit status 128 + N, as bwrap does.
    """

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    memory_mb: int = 0
    copies_mb: int = 0
    processes: int = 0
    relays_signals: bool = False
    scratch: tuple[str, ...] = ()


class NoIsolationError(OSError):
    """A bot cannot be confined as its tier requires; `strerror` is the reason."""

    def __init__(self, why: str) -> None:
        """Store the reason, without the name of the bot."""
        super().__init__(errno.EPERM, why)


class Tier(Protocol):
    """An isolation tier."""

    @property
    def name(self) -> str:
        """The name in the conditions of a game: one of `ISOLATION_TIERS`."""

    @property
    def needs(self) -> str:
        """The software that must be installed for the tier, as part of a sentence."""

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """Return how to start a process of `bot`; `seat` contains the environment variables that identify its seat.

        Raises NoIsolationError if this bot cannot be confined, OSError if its files cannot be examined.
        """


def prlimit_command(*more: str) -> tuple[str, ...]:
    """Return a command prefix that limits resources; `more` are further options of prlimit.

    No limit exceeds this process's hard limit.
    """
    limits = (
        ("core", resource.RLIMIT_CORE, 0),
        ("cpu", resource.RLIMIT_CPU, CPU_LIMIT_S),
        ("fsize", resource.RLIMIT_FSIZE, FILE_SIZE_LIMIT),
        ("nofile", resource.RLIMIT_NOFILE, OPEN_FILES_LIMIT),
    )
    return (
        "prlimit",
        *(f"--{name}={_within_hard_limit(number, value)}" for name, number, value in limits),
        *more,
        "--",
    )


def clean_environment(own: Mapping[str, str], seat: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a whole command line: PATH, a UTF-8 locale, and the variables `own` and `seat`."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **own, **seat}


def own_variables(bot: BotSpec) -> tuple[str, ...]:
    """Return the prefix of a bot's command that sets its own variables. It comes last, right before the command.

    The programs before it have the referee's rights: in their environment LD_PRELOAD would run the bot's code with
    these rights, and PATH would choose the programs. The values are in the command line, which every user can read.
    """
    if not bot.environment:
        return ()
    # env mistakes a program with "=" in its path for a variable, so a shell runs it instead
    run = ("/bin/sh", "-c", 'exec "$@"', "sh") if "=" in bot.command[0] else ()
    return (_ENV, "--", *(f"{name}={value}" for name, value in bot.environment.items()), *run)


def hide_memory() -> None:
    """Deny other processes of this user access to the memory and environment of this one. Does nothing except on Linux.

    Root's processes, which have all capabilities, still have access. Raises OSError if the system refuses.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot hide the referee's memory from other processes")


def program_path(program: str) -> str:
    """Return the absolute path of a program, or its name if it is not on the PATH; its start then fails."""
    return shutil.which(program) or program


def _within_hard_limit(limit: int, wanted: int) -> int:
    _, hard = resource.getrlimit(limit)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
