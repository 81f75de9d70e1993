"""How many files the referee may have open: each local bot takes about ten descriptors."""

from __future__ import annotations

import resource
from contextlib import suppress


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to its hard limit. Return the soft limit before.

    Call it after the supervisor process has started: bots inherit the supervisor's limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):  # macOS refuses a limit above the kernel's; the old limit stays
            return soft
    return soft


def restore_open_files(soft: int) -> None:
    """Set the soft limit of open files to `soft` again, for what this process starts later."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_files() -> int:
    """Return the soft limit of this process now."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def let_open(pid: int, soft: int) -> None:
    """Set the soft limit of another process (Linux).

    A process that a referee's process has started inherits a raised limit.
    """
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):  # it has ended, or its hard limit is lower
            _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
