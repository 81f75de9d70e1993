"""The system call filter of the sandbox, and how bwrap receives it (faults.md, Isolation).

`syscall_policy` says what is allowed, `bpf` makes a program of it.
Standard library only: the supervisor process imports it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from bowerbird.harness.referee.isolation.bpf import compile_filter
from bowerbird.harness.referee.isolation.syscall_policy import syscalls

FILTER_FD = "{seccomp_fd}"
"""The first argument of this form in a command is replaced by the number of the descriptor with the filter."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines that have a filter, and the kernel's number of each (AUDIT_ARCH_*)."""


def has_filter() -> bool:
    """Return whether there is a filter for this machine."""
    return os.uname().machine in ARCHITECTURES


@cache
def seccomp_filter(machine: str, *, memory_is_bounded: bool) -> bytes:
    """Return the filter for a machine of `ARCHITECTURES`, in the form that bwrap takes.

    memory_is_bounded: whether a control group bounds the bot's memory.
    """
    calls = syscalls(memory_is_bounded=memory_is_bounded)
    decisions = {call.numbers[machine]: call.decision for call in calls if machine in call.numbers}
    return compile_filter(ARCHITECTURES[machine], decisions)


@contextmanager
def passing_filter(argv: Sequence[str], *, memory_is_bounded: bool) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Put the filter into a file in memory, for a program that is started inside the context.

    Yields the command with the number of the descriptor in place of `FILTER_FD`, and the descriptors that the program
    must inherit: none if the command does not ask for a filter.
    """
    if FILTER_FD not in argv:
        yield list(argv), ()
        return
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, seccomp_filter(os.uname().machine, memory_is_bounded=memory_is_bounded))
        os.lseek(descriptor, 0, os.SEEK_SET)
        place = list(argv).index(FILTER_FD)
        yield [*argv[:place], str(descriptor), *argv[place + 1 :]], (descriptor,)
    finally:
        os.close(descriptor)
