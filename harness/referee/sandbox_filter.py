"""System calls that do nothing in a sandbox, since through them one process of a bot could tell another what it sees.

Files that two sandboxes share are read-only, but a lock on one, or a watch for its being opened, passes from one to the
other all the same (FAULTS.md row 30). Locks are granted and not taken; watches are refused. A classic BPF program.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24
"""Places in what the kernel hands to the program (struct seccomp_data, little end first)."""

_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
_LOCKS = (6, 7, 37, 38)
"""fcntl: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW."""

_WATCHES = (1024, 1026)
"""fcntl: F_SETLEASE, F_NOTIFY."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of a machine: its architecture as the kernel names it, and the calls."""

    architecture: int
    flock: int
    fcntl: int
    inotify_add_watch: int
    fanotify_mark: int


_MACHINES = {
    "x86_64": _Machine(0xC000003E, flock=73, fcntl=72, inotify_add_watch=254, fanotify_mark=301),
    "aarch64": _Machine(0xC00000B7, flock=32, fcntl=25, inotify_add_watch=27, fanotify_mark=263),
}


def quiet_calls() -> bytes:
    """The program for this machine, as bwrap takes it; empty for a machine whose calls are not known here."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        return b""
    refuse = _step(_RETURN, _FAIL | errno.EPERM)
    grant = _step(_RETURN, _FAIL)
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            *_unless(_JUMP_IF_EQUAL, machine.architecture, _step(_RETURN, _KILL)),
            _step(_LOAD, _NUMBER),
            *_when(_JUMP_IF_AT_LEAST, [_X32], _step(_RETURN, _FAIL | errno.ENOSYS)),
            *_when(_JUMP_IF_EQUAL, [machine.flock], grant),
            *_when(_JUMP_IF_EQUAL, [machine.inotify_add_watch, machine.fanotify_mark], refuse),
            *_unless(_JUMP_IF_EQUAL, machine.fcntl, _step(_RETURN, _ALLOW)),
            _step(_LOAD, _SECOND_ARGUMENT),
            *_when(_JUMP_IF_EQUAL, _LOCKS, grant),
            *_when(_JUMP_IF_EQUAL, _WATCHES, refuse),
            _step(_RETURN, _ALLOW),
        )
    )


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)


def _when(test: int, values: Sequence[int], step: bytes) -> list[bytes]:
    """Take the step if what was loaded is one of the values."""
    return [part for value in values for part in (_step(test, value, 0, 1), step)]


def _unless(test: int, value: int, step: bytes) -> list[bytes]:
    """Take the step if what was loaded is not the value."""
    return [_step(test, value, 1, 0), step]
