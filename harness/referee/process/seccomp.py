"""The system call filter of the sandbox: a classic BPF program, and how bwrap receives it.

Two sandboxes share read-only files. A bot could still send another one a message by a lock on such a file, or by
opening a file that the other watches (faults.md row 30). So the filter makes locks succeed without effect and watches
fail.
Standard library only: the supervisor process imports it.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

FILTER_FD = "{seccomp_fd}"
"""The first argument of this form in a command is replaced by the number of the descriptor with the filter."""

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24
"""Offsets in the kernel's struct seccomp_data (little endian)."""

_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
_LOCKS = (6, 7, 37, 38)
"""fcntl: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW."""

_WATCHES = (1024, 1026)
"""fcntl: F_SETLEASE, F_NOTIFY."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """The kernel's number of a machine's architecture, and the numbers of its system calls."""

    architecture: int
    flock: int
    fcntl: int
    inotify_add_watch: int
    fanotify_mark: int


_MACHINES = {
    "x86_64": _Machine(0xC000003E, flock=73, fcntl=72, inotify_add_watch=254, fanotify_mark=301),
    "aarch64": _Machine(0xC00000B7, flock=32, fcntl=25, inotify_add_watch=27, fanotify_mark=263),
}


def seccomp_filter() -> bytes:
    """Return the filter for this machine in the form that bwrap takes; b"" for a machine that is not listed above."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        return b""
    refuse = _instruction(_RETURN, _FAIL | errno.EPERM)
    succeed = _instruction(_RETURN, _FAIL)
    return b"".join(
        (
            _instruction(_LOAD, _ARCHITECTURE),
            *_unless(_JUMP_IF_EQUAL, machine.architecture, _instruction(_RETURN, _KILL)),
            _instruction(_LOAD, _NUMBER),
            *_if_any(_JUMP_IF_AT_LEAST, [_X32], _instruction(_RETURN, _FAIL | errno.ENOSYS)),
            *_if_any(_JUMP_IF_EQUAL, [machine.flock], succeed),
            *_if_any(_JUMP_IF_EQUAL, [machine.inotify_add_watch, machine.fanotify_mark], refuse),
            *_unless(_JUMP_IF_EQUAL, machine.fcntl, _instruction(_RETURN, _ALLOW)),
            _instruction(_LOAD, _SECOND_ARGUMENT),
            *_if_any(_JUMP_IF_EQUAL, _LOCKS, succeed),
            *_if_any(_JUMP_IF_EQUAL, _WATCHES, refuse),
            _instruction(_RETURN, _ALLOW),
        )
    )


@contextmanager
def passing_filter(argv: Sequence[str], content: bytes) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Put the filter `content` into a file in memory, for a program that is started inside the context.

    Yields the command with the number of the descriptor in place of `FILTER_FD`, and the descriptors that the program
    must inherit: none if `content` is empty.
    """
    if not content:
        yield list(argv), ()
        return
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        place = list(argv).index(FILTER_FD)
        yield [*argv[:place], str(descriptor), *argv[place + 1 :]], (descriptor,)
    finally:
        os.close(descriptor)


def _instruction(code: int, value: int, skip_if: int = 0, skip_else: int = 0) -> bytes:
    """Return one BPF instruction; a jump skips `skip_if` instructions if its test holds, else `skip_else`."""
    return struct.pack("<HBBI", code, skip_if, skip_else, value)


def _if_any(test: int, values: Sequence[int], instruction: bytes) -> list[bytes]:
    """Run `instruction` if the test holds between the loaded word and one of `values`."""
    return [part for value in values for part in (_instruction(test, value, 0, 1), instruction)]


def _unless(test: int, value: int, instruction: bytes) -> list[bytes]:
    """Run `instruction` if the test does not hold between the loaded word and `value`."""
    return [_instruction(test, value, 1, 0), instruction]
