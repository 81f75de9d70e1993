"""How a command ends: exit codes (CLI.md, Commands), and the sentence for whatever was raised."""

from __future__ import annotations

import errno
import sys
from enum import IntEnum

import click


class Ending(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    DIFFERS = 1
    """A verification differs, or a bot failed its check."""
    USAGE = 2
    """Wrong usage, file or option; nothing that was recorded has changed."""
    DEFECT = 3
    """Our own fault."""
    INTERRUPTED = 130


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A disk, or whatever stdout goes to, has no room left, or the file may not grow further."""


class InputError(Exception):
    """What was asked for cannot be done and the user can mend it; `args[0]` is one sentence."""


USER_ERRORS = (
    ("engine", ("UnknownVariant", "InvalidOption", "RecordError")),
    ("harness.records.errors", ("StoreError",)),
    ("harness.tournament.errors", ("TournamentError",)),
)
"""Errors of other parts that are the user's to mend, by module: found without importing what was not in use."""


def _is_users(error: BaseException) -> bool:
    if isinstance(error, InputError):
        return True
    for module, names in USER_ERRORS:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(error, tuple(getattr(loaded, name) for name in names)):
            return True
    return False


def bare(error: BaseException) -> BaseException:
    """The error itself, out of groups of one (trio's nurseries make them)."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _sentence(error: BaseException) -> str:
    return str(error.args[0]) if error.args else str(error)


def ending_of(error: BaseException) -> tuple[Ending, str]:
    """The exit code for what was raised, and the sentence to print ("" where enough has been said)."""
    error = bare(error)
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return Ending.INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        return Ending.USAGE, error.format_message()
    if _is_users(error):
        return Ending.USAGE, _sentence(error)
    if isinstance(error, OSError) and error.filename is not None:
        return Ending.USAGE, f"{error.filename}: {error.strerror or error}"
    if isinstance(error, OSError) and error.errno in FULL:
        return Ending.USAGE, f"there is no room for what is to be written: {error.strerror}"
    described = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return (
        Ending.DEFECT,
        f"a defect of Bowerbird, not of your input ({' '.join(described.split())}); "
        "the same command with --debug shows the traceback to report",
    )
