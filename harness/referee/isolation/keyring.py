"""A separate session keyring for each bot process (keyctl(2), Linux).

Processes inherit the session keyring of the process that started them, and can read and write what is in it: two bots
with one keyring could pass each other messages. So the supervisor joins a new, empty keyring before it starts a bot.
In the sandbox the system call filter refuses all calls on keyrings as well.
Standard library only: the supervisor process imports it.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

from bowerbird.harness.referee.isolation.syscall_policy import syscalls

_JOIN_SESSION_KEYRING = 1


def join_new_session_keyring() -> bool:
    """Join a new keyring, which no other process has and which the processes started from now on inherit.

    Return whether that worked. It fails where the kernel has no keyrings or a container refuses the call; bots cannot
    use keyrings there either. It also fails when the user's quota is used up; bots then share the last keyring.
    """
    number = _keyctl_number()
    if number is None:
        return False
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, _JOIN_SESSION_KEYRING, None)) >= 0


@cache
def _keyctl_number() -> int | None:
    """Return the number of the call on this machine; None for a machine that the table of calls does not name."""
    [keyctl] = [call for call in syscalls(memory_is_bounded=True) if call.name == "keyctl"]
    return keyctl.numbers.get(os.uname().machine)
