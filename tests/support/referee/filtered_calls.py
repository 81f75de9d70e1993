"""What the sandbox must answer to system calls by their arguments, written down apart from the filter."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from bowerbird.harness.referee.isolation.syscall_policy import Verdict, syscalls

ALLOWED = None
NO_EFFECT = 0
UPPER_HALF = 0xDEAD << 32
"""Bits that the kernel ignores in an argument that it reads as a 32-bit number."""

MAP_PRIVATE_ANONYMOUS, MAP_SHARED_ANONYMOUS, MAP_HUGETLB = 0x22, 0x21, 0x40000


@dataclass(frozen=True, slots=True)
class Call:
    """A call, and its errno: NO_EFFECT for success without effect, ALLOWED for what the kernel answers."""

    name: str
    arguments: tuple[int, ...]
    answer: int | None


def _calls(name: str, position: int, values: tuple[int, ...], answer: int | None) -> list[Call]:
    return [Call(name, (*[0] * position, value), answer) for value in values]


BY_ARGUMENT = (
    *_calls("fcntl", 1, (0, 1, 2, 3, 4, 5, 8, 9, 36, 1030, 1032, 1033, 1034), ALLOWED),
    *_calls("fcntl", 1, (6, 7, 37, 38), NO_EFFECT),
    *_calls("fcntl", 1, (1024, 1025, 1026), errno.EPERM),
    *_calls("fcntl", 1, (1031, 1035, 1036, 1037, 1038, 999, UPPER_HALF | 1036), errno.EINVAL),
    *_calls("fcntl", 1, (UPPER_HALF | 1024, 0xFFFFFFFF_00000400), errno.EPERM),
    *_calls("ioctl", 1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A, 0x8912, 0x8933), ALLOWED),
    # TIOCSTI, TIOCLINUX, TIOCCONS, FICLONE, FS_IOC_FIEMAP, FS_IOC_GETFLAGS, USERFAULTFD_IOC_NEW, NS_GET_USERNS
    *_calls("ioctl", 1, (0x5412, 0x541C, 0x541D, 0x40049409, 0xC020660B, 0x80086601, 0xAA00, 0xB701), errno.ENOTTY),
    *_calls("ioctl", 1, (UPPER_HALF | 0x5412,), errno.ENOTTY),
    *_calls("prctl", 0, (1, 3, 4, 15, 16, 23, 38, 39, 47, 0x53564D41), ALLOWED),
    # PR_SET_SECCOMP, PR_TASK_PERF_EVENTS_DISABLE, PR_SET_MM, PR_SET_MEMORY_MERGE, PR_SET_PTRACER, PR_SCHED_CORE
    *_calls("prctl", 0, (22, 31, 35, 67, 0x59616D61, 62, UPPER_HALF | 67), errno.EINVAL),
    *_calls("madvise", 2, (0, 1, 2, 3, 4, 8, 9, 10, 14, 15, 16, 18, 22, 23, 25, 102), ALLOWED),
    *_calls("madvise", 2, (12, 20, 21, UPPER_HALF | 21), NO_EFFECT),
    *_calls("madvise", 2, (100, 101, 26, 999), errno.EINVAL),
    *_calls("msync", 2, (1, 2, 3), ALLOWED),
    *_calls("msync", 2, (4, 6, UPPER_HALF | 4), NO_EFFECT),
    # The flags of a thread of glibc, of fork, of vfork and of posix_spawn.
    *_calls("clone", 0, (0x3D0F00, 0x1200011, 0x4111, 17), ALLOWED),
    *_calls("clone", 0, tuple(1 << bit | 17 for bit in (17, 25, 26, 27, 28, 29, 30)), errno.EPERM),
    *_calls("clone", 0, (UPPER_HALF | 17, 1 << 32 | 17), errno.EPERM),
    *_calls("personality", 0, (0, 0xFFFFFFFF, UPPER_HALF), ALLOWED),
    *_calls("personality", 0, (0x0400000, 0x0040000, 8), errno.EPERM),
    *_calls("preadv2", 5, (0, UPPER_HALF), ALLOWED),
    *_calls("preadv2", 5, (1, 8, 0x18), errno.EOPNOTSUPP),
    *_calls("pwritev2", 5, (0,), ALLOWED),
    *_calls("pwritev2", 5, (8, 0x10), errno.EOPNOTSUPP),
    *_calls("mmap", 3, (MAP_PRIVATE_ANONYMOUS, 0x1, 0x2, 0x20022, 0x4022), ALLOWED),
    *_calls("mmap", 3, (MAP_PRIVATE_ANONYMOUS | MAP_HUGETLB, 0x1 | MAP_HUGETLB), errno.EPERM),
    *_calls("socketpair", 0, (1,), ALLOWED),
    *_calls("socketpair", 0, (2, 30, 40), errno.EAFNOSUPPORT),
    Call("socket", (1, 1, 0), ALLOWED),
    Call("socket", (1, 0x80801, 0), ALLOWED),
    Call("socket", (2, 0x80801, 6), ALLOWED),
    Call("socket", (10, 2, 17), ALLOWED),
    Call("socket", (16, 0x80003, 0), ALLOWED),
    Call("socket", (UPPER_HALF | 2, 1, 0), ALLOWED),
    Call("socket", (2, 3, 1), errno.EPROTONOSUPPORT),
    Call("socket", (2, 3, 0), errno.EPROTONOSUPPORT),
    Call("socket", (2, 1, 262), errno.EPROTONOSUPPORT),
    Call("socket", (2, 5, 132), errno.EPROTONOSUPPORT),
    Call("socket", (16, 3, 4), errno.EPROTONOSUPPORT),
    *(Call("socket", (family, 1, 0), errno.EAFNOSUPPORT) for family in (0, 3, 15, 17, 29, 30, 31, 38, 40, 41, 44, 45)),
    Call("socket", (UPPER_HALF | 40, 1, 0), errno.EAFNOSUPPORT),
)

WITH_BOUNDED_MEMORY = (
    *_calls("mmap", 3, (MAP_SHARED_ANONYMOUS, 0x8021), ALLOWED),
    *_calls("memfd_create", 1, (0, 1, 3), ALLOWED),
    *_calls("memfd_create", 1, (4, 5), errno.EPERM),
)
WITHOUT_BOUNDED_MEMORY = (
    *_calls("mmap", 3, (MAP_SHARED_ANONYMOUS, 0x8021, 0x23, UPPER_HALF | MAP_SHARED_ANONYMOUS), errno.EPERM),
    *_calls("memfd_create", 1, (0, 1, 3, 4), errno.ENOSYS),
)


def by_argument(*, memory_is_bounded: bool) -> tuple[Call, ...]:
    return (*BY_ARGUMENT, *(WITH_BOUNDED_MEMORY if memory_is_bounded else WITHOUT_BOUNDED_MEMORY))


def whole_calls(machine: str) -> dict[int, Verdict]:
    """Return what the table says of the calls of a machine that get the same answer whatever their arguments are."""
    calls = syscalls(memory_is_bounded=True)
    found = {call.numbers.get(machine, -1): call.decision for call in calls if isinstance(call.decision, Verdict)}
    return {number: decision for number, decision in found.items() if isinstance(decision, Verdict) and number >= 0}


def numbers(machine: str) -> dict[str, int]:
    """Return the number of each call of the table on a machine."""
    calls = syscalls(memory_is_bounded=True)
    return {call.name: call.numbers[machine] for call in calls if machine in call.numbers}
