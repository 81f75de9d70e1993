"""User ids that no user of the system has, one for each bot process (faults.md, Isolation).

Only root can start a process as another user. Such a process can read, write and signal only what everybody can.
"""

from __future__ import annotations

import os
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from bowerbird.harness.referee.isolation.launch import NoIsolationError

_USER_IDS = range(0x42570000, 0x42580000)
"""User and group ids that no user of the system has."""

_LOW_USER_IDS = range(20000, 60000)
"""For systems that have only 65536 ids, as in some containers."""

_JUST_CHOSEN = 1024
"""How many of the last ids are not chosen again yet, since their processes may not be running yet."""


def unused_user_ids(*, is_root: bool | None = None) -> Sequence[int]:
    """Return the ids from which each process gets one; () if this process is not root or the system has no such ids.

    is_root: None for whether this process is root.
    """
    if not (os.geteuid() == 0 if is_root is None else is_root):
        return ()
    return next((ids for ids in (_USER_IDS, _LOW_USER_IDS) if _is_mapped(ids)), ())


class UserIds:
    """The user ids of a run's bot processes, one for each; empty where processes cannot have their own users."""

    def __init__(self, ids: Sequence[int]) -> None:
        """Choose from `ids`, such as `unused_user_ids`."""
        self._ids = ids
        self._just_chosen: deque[int] = deque(maxlen=_JUST_CHOSEN)

    def __bool__(self) -> bool:
        """Return whether there is any id."""
        return bool(self._ids)

    def choose(self) -> int:
        """Return an id that bots cannot predict, that no living process has, and that was not chosen recently.

        Raises NoIsolationError if there is none.
        """
        taken = {user for user in (*_users_of_processes(), *self._just_chosen) if user in self._ids}
        if len(taken) == len(self._ids):
            raise NoIsolationError("all user ids for bots are in use")
        while (user := secrets.choice(self._ids)) in taken:
            pass
        self._just_chosen.append(user)
        return user


def become_user_command(user: int) -> tuple[str, ...]:
    """Return the prefix that runs a command as `user`, without privileges or a way to regain them."""
    return (
        *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"),
        *("--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
    )


def _users_of_processes() -> Iterator[int]:
    """Yield the real, effective, saved and file system user of every living process.

    The owner of its folder in /proc is not used, since that is root for a process that hides its memory.
    """
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = Path("/proc", process, "status").read_bytes()
        except OSError:  # it has just ended
            continue
        yield from map(int, status.partition(b"\nUid:")[2].partition(b"\n")[0].split())


def _is_mapped(ids: range) -> bool:
    """Return whether these users and groups exist in our user namespace."""
    return all(_covers(Path("/proc/self", file), ids) for file in ("uid_map", "gid_map"))


def _covers(file: Path, ids: range) -> bool:
    try:
        lines = [[int(number) for number in line.split()] for line in file.read_text().splitlines()]
    except OSError:
        return False
    return any(first <= ids[0] and ids[-1] < first + count for first, _, count in lines)
