"""A separate session keyring for each bot process (keyctl(2), Linux).

A process inherits the session keyring of the process that started it, and can read and write its contents. Two bots
with one keyring could pass messages to each other. So the supervisor joins a new, empty keyring before it starts a bot.
In the sandbox the system call filter also refuses all calls on keyrings. This module uses only the standard library,
since the supervisor process imports it.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache

from bowerbird.harness.referee.isolation.syscall_policy import syscalls

_JOIN_SESSION_KEYRING = 1


def join_new_session_keyring() -> bool:
    """Join a new keyring that no other process has and that processes started later inherit.

    Return whether that worked. It fails where the kernel has no keyrings or a container refuses the call; bots cannot
    use keyrings there either. It also fails when the user's quota is used up; bots then share the last keyring.
    """
    number = _keyctl_number()
    if number is None:
        return False
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, _JOIN_SESSION_KEYRING, None)) >= 0


@cache
def _keyctl_number() -> int | None:
    """Return the number of the call on this machine; None if the table of calls does not list the machine."""
    [keyctl] = [call for call in syscalls(memory_is_bounded=True) if call.name == "keyctl"]
    return keyctl.numbers.get(os.uname().machine)
