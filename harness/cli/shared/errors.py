"""Exit codes (commands.md, Exit codes), and the message for each error that ends a command."""

from __future__ import annotations

import errno
import sys
from enum import IntEnum

import click


class ExitCode(IntEnum):
    """The exit codes of every command."""

    SUCCESS = 0
    FAILED = 1
    """A verification differs, a bot failed its check, or no worker of a cluster can play."""
    USAGE = 2
    """Wrong usage, file or option; nothing recorded has changed."""
    DEFECT = 3
    """An error of Bowerbird itself."""
    INTERRUPTED = 130


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk or the target of stdout is full, or a file has reached its maximum size."""


class InputError(Exception):
    """A request that cannot be carried out until the user changes it; `args[0]` is one sentence."""


USER_ERRORS = (
    ("bowerbird.engine", ("UnknownVariant", "InvalidOption", "RecordError")),
    ("bowerbird.harness.records.errors", ("StoreError",)),
    ("bowerbird.harness.ratings.pairs", ("RatingError",)),
    ("bowerbird.harness.tournament.errors", ("TournamentError",)),
)
"""Other packages' errors that the user can correct, by module. A module that is not loaded cannot have raised one."""

OWN_FAILURES: tuple[tuple[str, tuple[str, ...]], ...] = (("bowerbird.harness.ratings.pairs", ("NumericalError",)),)
"""Subclasses of these errors that the user cannot correct, in the same form. They are defects."""


def _is_user_error(error: BaseException) -> bool:
    if isinstance(error, InputError):
        return True
    for module, names in OWN_FAILURES:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(error, tuple(getattr(loaded, name) for name in names)):
            return False
    for module, names in USER_ERRORS:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(error, tuple(getattr(loaded, name) for name in names)):
            return True
    return False


def unwrap_group(error: BaseException) -> BaseException:
    """Return the error inside nested groups of one error, which trio's nurseries make."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _sentence(error: BaseException) -> str:
    return str(error.args[0]) if error.args else str(error)


def _usage_sentence(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from bowerbird.harness.cli.shared.unknown_words import unknown_option

        return unknown_option(error.ctx, error.option_name)
    return " ".join(error.format_message().split())


def _is_interrupt(error: BaseException) -> bool:
    """Return True if Ctrl-C ended the command.

    If it interrupts the loading of an extension module, it is the cause of an ImportError.
    """
    while isinstance(error, ImportError) and error.__cause__ is not None:
        error = error.__cause__
    return isinstance(error, (click.Abort, KeyboardInterrupt))


def describe_error(error: BaseException) -> tuple[ExitCode, str]:
    """Return the exit code for an error, and the message to print; "" prints nothing."""
    error = unwrap_group(error)
    if _is_interrupt(error):
        return ExitCode.INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        return ExitCode.USAGE, _usage_sentence(error)
    if _is_user_error(error):
        return ExitCode.USAGE, _sentence(error)
    if isinstance(error, OSError) and error.filename is not None:
        from bowerbird.harness.records.quoting import shown

        return ExitCode.USAGE, f"{shown(str(error.filename))}: {error.strerror or error}"
    if isinstance(error, OSError) and error.errno in FULL:
        return ExitCode.USAGE, f"there is no room left to write: {error.strerror}"
    described = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return (
        ExitCode.DEFECT,
        f"a bug in Bowerbird, not a mistake of yours ({' '.join(described.split())}); "
        "the same command with --debug shows the traceback to report",
    )
