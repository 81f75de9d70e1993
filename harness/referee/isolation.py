"""Under what a bot's process runs: the tiers sandbox, limits and none (FAULTS.md, Isolation).

A tier turns a bot into a `Launch`: the words to exec and what the launcher is to keep an eye on. All that a tier does
to a process it does through programs in these words (prlimit, setpriv, bwrap), since code that runs between fork and
exec crashed children beside gRPC.
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

from harness.referee.spec import BotSpec

SANDBOX, LIMITS, NONE = "sandbox", "limits", "none"
TIERS = (SANDBOX, LIMITS, NONE)

CPU_S = 7 * 86400
"""Processor time of one process, over all its threads: far more than a tournament takes, and an end for a stray."""

FILES = 4096
FILE_BYTES = 1 << 30
PROCESSES = 512
"""Processes and threads of one bot process and all that it starts; Java on a large machine has about 150 threads."""

ADDRESS = "BOWERBIRD_ADDRESS"

_PR_SET_DUMPABLE = 4


@dataclass(frozen=True, slots=True)
class Launch:
    """One process of a bot as the launcher starts it.

    `argv` begins with an absolute path or a name on the PATH. `memory_mb` and `processes` bound the process and all
    its descendants together; 0 is no bound. `relays_signals` says that the program of `argv` stays as the parent and
    passes on a death by signal N as exit status 128 + N, as bwrap does. `handed` is what the program reads at the
    descriptor whose number takes the place of the word `handing.HANDED`.
    """

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    memory_mb: int = 0
    processes: int = 0
    relays_signals: bool = False
    handed: bytes = b""


class NoIsolationError(OSError):
    """A tier cannot be kept for a bot; `strerror` says why."""

    def __init__(self, why: str) -> None:
        """The reason, without the name of the bot."""
        super().__init__(errno.EPERM, why)


class Tier(Protocol):
    """One of the tiers."""

    @property
    def name(self) -> str:
        """As it stands in the conditions of a game."""

    @property
    def needs(self) -> str:
        """What has to be installed for it, as a part of a sentence."""

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """How a process of the bot is started; `seat` are the variables of the environment that name its seat.

        Raises NoIsolationError where the tier cannot be kept for this bot, OSError where its files cannot be looked at.
        """


class Unconfined:
    """Tier none, for bots that are trusted: a process group of its own and a clean environment."""

    name = NONE
    needs = "nothing"

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """The bot's own command."""
        return Launch(bot.command, bot.cwd, clean_environment(bot.environment, seat))


class Limited:
    """Tier limits: bounds on processor time, open files, file size and memory; no core file."""

    name = LIMITS
    needs = "prlimit (of util-linux)"

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """The bot's command behind prlimit."""
        return Launch(
            (*limiting(), *bot.command),
            bot.cwd,
            clean_environment(bot.environment, seat),
            memory_mb=bot.memory_mb,
            processes=PROCESSES,
        )


def limiting(*more: str) -> tuple[str, ...]:
    """The words before a command that bound it; never above what this process may have itself."""
    bounds = (
        ("core", resource.RLIMIT_CORE, 0),
        ("cpu", resource.RLIMIT_CPU, CPU_S),
        ("fsize", resource.RLIMIT_FSIZE, FILE_BYTES),
        ("nofile", resource.RLIMIT_NOFILE, FILES),
    )
    return ("prlimit", *(f"--{name}={_within(number, value)}" for name, number, value in bounds), *more, "--")


def clean_environment(own: Mapping[str, str], seat: Mapping[str, str]) -> dict[str, str]:
    """All that a bot sees of the world: where programs are, a UTF-8 locale, its own settings, and its seat."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **own, **seat}


def hide_memory() -> None:
    """Keep processes of the same user out of the memory and environment of this one (Linux; nothing elsewhere).

    A process that has all capabilities, as root's has, is not kept out.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot hide the referee's memory from other processes")


def which(program: str) -> str:
    """The absolute path of a program, or its name where it is not on the PATH: the launcher then says so."""
    return shutil.which(program) or program


def _within(limit: int, wanted: int) -> int:
    _, hard = resource.getrlimit(limit)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
