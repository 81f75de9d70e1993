"""User ids that no user of the system has, one for each bot process (faults.md, Isolation).

Only root can start a process as another user. Such a process may read, write and signal only what everybody may.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

_USER_IDS = range(0x42570000, 0x42580000)
"""User and group ids that no user of the system has."""

_LOW_USER_IDS = range(20000, 60000)
"""Used where the system has only 65536 ids, as in some containers."""


def unused_user_ids(*, is_root: bool | None = None) -> Sequence[int]:
    """Return the ids from which each process gets one; () if this process is not root or the system has no such ids.

    is_root: None for whether this process is root.
    """
    if not (os.geteuid() == 0 if is_root is None else is_root):
        return ()
    return next((ids for ids in (_USER_IDS, _LOW_USER_IDS) if _is_mapped(ids)), ())


def choose_user(ids: Sequence[int]) -> int:
    """Return one of `ids` that a bot cannot foresee."""
    return secrets.choice(ids)


def become_user_command(user: int) -> tuple[str, ...]:
    """Return the prefix of a command that runs it as `user`, without rights and without a way to get them back."""
    return (
        *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"),
        *("--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
    )


def _is_mapped(ids: range) -> bool:
    """Return whether these users and groups exist in our user namespace."""
    return all(_covers(Path("/proc/self", file), ids) for file in ("uid_map", "gid_map"))


def _covers(file: Path, ids: range) -> bool:
    try:
        lines = [[int(number) for number in line.split()] for line in file.read_text().splitlines()]
    except OSError:
        return False
    return any(first <= ids[0] and ids[-1] < first + count for first, _, count in lines)
