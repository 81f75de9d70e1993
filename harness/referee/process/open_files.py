"""The limit on open files of the referee, where each local bot takes about ten descriptors."""

from __future__ import annotations

import resource
from contextlib import suppress


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to its hard limit. Return the previous soft limit.

    Call it after the supervisor process has started, since bots inherit the supervisor's limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):  # macOS refuses a limit above the kernel's; the old limit stays
            return soft
    return soft


def restore_open_files(soft: int) -> None:
    """Set the soft limit of open files back to `soft`, for processes started later."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_files() -> int:
    """Return the current soft limit of this process."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def let_open(pid: int, soft: int) -> None:
    """Set the soft limit of another process (Linux).

    A process started by a referee's process inherits a raised limit.
    """
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):  # it has ended, or its hard limit is lower
            _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
