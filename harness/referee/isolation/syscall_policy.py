"""The system calls that a bot in the sandbox may make, and the results of others (faults.md, Isolation).

The table of calls is `syscalls.txt`. This module reads it and adds the calls that depend on their arguments. A call
that is always refused fails with EPERM. A refused value of an argument fails as on a kernel without it, so that
libraries carry on. No call kills the process.

The allowed calls are those of CPython, Node, the JVM, Go, Rust, and the C and C++ libraries glibc and musl, with a
margin for other versions. The names were compared with the default seccomp profile of Docker (moby, profiles/seccomp).
It uses only the standard library, since the supervisor process imports it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

TABLE = Path(__file__).with_name("syscalls.txt")

_FAIL = 0x00050000
_LOW_WORD = 0xFFFFFFFF


class Verdict(Enum):
    """The decision about a call. The value is the filter's return value (seccomp(2), SECCOMP_RET_*)."""

    ALLOW = 0x7FFF0000
    NO_EFFECT = _FAIL
    REFUSE = _FAIL | errno.EPERM
    UNKNOWN = _FAIL | errno.ENOSYS
    UNKNOWN_VALUE = _FAIL | errno.EINVAL
    UNKNOWN_COMMAND = _FAIL | errno.ENOTTY
    UNKNOWN_FLAG = _FAIL | errno.EOPNOTSUPP
    UNKNOWN_FAMILY = _FAIL | errno.EAFNOSUPPORT
    UNKNOWN_PROTOCOL = _FAIL | errno.EPROTONOSUPPORT


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: the bits `mask` of argument number `argument` (from 0) are one of `values`.

    The kernel reads these arguments as 32-bit numbers and ignores their upper half. If `is_wide`, the upper half must
    be 0 for the condition to be true.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = _LOW_WORD
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A verdict for the calls that meet all `conditions`."""

    verdict: Verdict
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A decision by a call's arguments: the verdict of the first case that fits, else `otherwise`."""

    cases: tuple[Case, ...]
    otherwise: Verdict


Decision = Verdict | Rule


@dataclass(frozen=True, slots=True)
class Syscall:
    """A line of the table. `numbers` is by machine, as in `os.uname`; machines without the call are left out."""

    name: str
    numbers: Mapping[str, int]
    decision: Decision


_BY_HEADER = {
    "allow": Verdict.ALLOW,
    "no-effect": Verdict.NO_EFFECT,
    "refuse": Verdict.REFUSE,
    "unknown": Verdict.UNKNOWN,
}
_BY_ARGUMENT = "by-argument"
_MACHINES = ("x86_64", "aarch64")


def syscalls(*, memory_is_bounded: bool) -> Iterator[Syscall]:
    """Yield each call of the table with its decision.

    memory_is_bounded: whether a control group counts the memory that no process has mapped. Elsewhere a bot can have no
        such memory: no memfd and no shared anonymous memory.
    """
    rules = _rules(memory_is_bounded=memory_is_bounded)
    header = ""
    for line in TABLE.read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            header = line[1 : line.index("]")]
        elif line and not line.startswith("#"):
            name, *words = line.split()
            numbers = {machine: int(word) for machine, word in zip(_MACHINES, words, strict=True) if word != "-"}
            yield Syscall(name, numbers, rules[name] if header == _BY_ARGUMENT else _BY_HEADER[header])


def _rules(*, memory_is_bounded: bool) -> dict[str, Decision]:
    """Return the calls that depend on their arguments."""
    return {
        "mmap": _MMAP if memory_is_bounded else _MMAP_WITHOUT_SHARED_MEMORY,
        "memfd_create": _MEMFD_CREATE if memory_is_bounded else Verdict.UNKNOWN,
        "madvise": _MADVISE,
        "msync": _MSYNC,
        "clone": _CLONE,
        "prctl": _PRCTL,
        "personality": _PERSONALITY,
        "fcntl": _FCNTL,
        "ioctl": _IOCTL,
        "preadv2": _WITHOUT_FLAGS,
        "pwritev2": _WITHOUT_FLAGS,
        "socket": _SOCKET,
        "socketpair": _SOCKETPAIR,
    }


_MAP_TYPE, _MAP_SHARED, _MAP_SHARED_VALIDATE, _MAP_ANONYMOUS, _MAP_HUGETLB = 0xF, 0x1, 0x3, 0x20, 0x40000
_HUGE_PAGES = Case(Verdict.REFUSE, (Condition(3, (_MAP_HUGETLB,), _MAP_HUGETLB),))
"""No memory limit counts them, and they come from a reserve of the host."""

_SHARED_MEMORY = Case(
    Verdict.REFUSE,
    (
        Condition(
            3,
            (_MAP_SHARED | _MAP_ANONYMOUS, _MAP_SHARED_VALIDATE | _MAP_ANONYMOUS),
            _MAP_TYPE | _MAP_ANONYMOUS,
        ),
    ),
)
"""Data written there stays in memory when part of it is unmapped. Without a control group it is not counted."""

_MMAP = Rule((_HUGE_PAGES,), Verdict.ALLOW)
_MMAP_WITHOUT_SHARED_MEMORY = Rule((_HUGE_PAGES, _SHARED_MEMORY), Verdict.ALLOW)

_MFD_HUGETLB = 4
_MEMFD_CREATE = Rule((Case(Verdict.ALLOW, (Condition(1, (0,), _MFD_HUGETLB),)),), Verdict.REFUSE)

_MADV_MERGEABLE, _MADV_COLD, _MADV_PAGEOUT = 12, 20, 21
_ADVICE = (
    *range(5),  # NORMAL to DONTNEED
    *range(8, 12),  # FREE, REMOVE, DONTFORK, DOFORK
    *range(13, 20),  # UNMERGEABLE to KEEPONFORK
    *range(22, 26),  # POPULATE_READ to COLLAPSE
    *(102, 103),  # GUARD_INSTALL, GUARD_REMOVE
)
_MADVISE = Rule(
    (
        Case(Verdict.NO_EFFECT, (Condition(2, (_MADV_MERGEABLE, _MADV_COLD, _MADV_PAGEOUT)),)),
        Case(Verdict.ALLOW, (Condition(2, _ADVICE),)),
    ),
    Verdict.UNKNOWN_VALUE,
)
"""Pages with equal content would be shared with other processes, and pages of shared files evicted from memory."""

_MS_SYNC = 4
_MSYNC = Rule((Case(Verdict.NO_EFFECT, (Condition(2, (_MS_SYNC,), _MS_SYNC),)),), Verdict.ALLOW)
"""A bot's own files are in memory. Flushing a file of the system would load the disk."""

_CLONE_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET. Only clone3 and unshare know _NEWTIME."""

_CLONE = Rule((Case(Verdict.ALLOW, (Condition(0, (0,), _CLONE_NAMESPACES, is_wide=True),)),), Verdict.REFUSE)

_PRCTL_OPTIONS = (
    *(1, 2, 3, 4),  # SET_, GET_PDEATHSIG; GET_, SET_DUMPABLE
    *(7, 8, 15, 16, 21),  # GET_, SET_KEEPCAPS; SET_, GET_NAME; GET_SECCOMP
    *(23, 24, 25, 27, 28),  # CAPBSET_READ, _DROP; GET_TSC; GET_, SET_SECUREBITS
    *(29, 30, 36, 37, 38, 39),  # SET_, GET_TIMERSLACK; SET_, GET_CHILD_SUBREAPER; SET_, GET_NO_NEW_PRIVS
    *(40, 41, 42, 47),  # GET_TID_ADDRESS; SET_, GET_THP_DISABLE; CAP_AMBIENT
    *(50, 51, 52, 53, 54, 55, 56, 60, 61, 63, 64),  # SVE, speculation, pointer authentication and tags, SME
    *(0x53564D41, 0x41555856),  # SET_VMA, GET_AUXV
)
_PRCTL = Rule((Case(Verdict.ALLOW, (Condition(0, _PRCTL_OPTIONS),)),), Verdict.UNKNOWN_VALUE)

_LINUX, _QUERY = 0, 0xFFFFFFFF
_PERSONALITY = Rule((Case(Verdict.ALLOW, (Condition(0, (_LINUX, _QUERY)),)),), Verdict.REFUSE)

_FCNTL = Rule(
    (
        Case(Verdict.NO_EFFECT, (Condition(1, (6, 7, 37, 38)),)),  # F_SETLK, _SETLKW, _OFD_SETLK, _OFD_SETLKW
        Case(Verdict.REFUSE, (Condition(1, (1024, 1025, 1026)),)),  # F_SETLEASE, _GETLEASE, _NOTIFY
        # F_DUPFD to F_GETLK; F_SETOWN to F_GETSIG; F_SETOWN_EX, _GETOWN_EX; F_OFD_GETLK; F_DUPFD_QUERY, _CLOEXEC;
        # F_GETPIPE_SZ; F_ADD_SEALS, _GET_SEALS. Left out: hints of a file's use (1035 to 1038), which others could
        # read, and F_SETPIPE_SZ, which takes kernel memory.
        Case(Verdict.ALLOW, (Condition(1, (*range(6), *range(8, 12), 15, 16, 36, 1027, 1030, 1032, 1033, 1034)),)),
    ),
    Verdict.UNKNOWN_VALUE,
)

_IOCTL_COMMANDS = (
    *(0x5401, 0x5402, 0x5403, 0x5404),  # TCGETS, TCSETS, TCSETSW, TCSETSF
    *(0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D),  # the same in their second version
    *(0x5409, 0x540B, 0x540E, 0x540F, 0x5410, 0x5411),  # TCSBRK, TCFLSH, TIOCSCTTY, TIOCGPGRP, TIOCSPGRP, TIOCOUTQ
    *(0x5413, 0x5414, 0x5429),  # TIOCGWINSZ, TIOCSWINSZ, TIOCGSID
    *(0x80045430, 0x40045431, 0x5441),  # TIOCGPTN, TIOCSPTLCK, TIOCGPTPEER: its own terminals
    *(0x541B, 0x5421, 0x5450, 0x5451, 0x5452, 0x5460),  # FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC, FIOQSIZE
    *(0x8905, 0x8910, 0x8912, 0x8913, 0x8915, 0x8919),  # SIOCATMARK; SIOCGIFNAME, CONF, FLAGS, ADDR, BRDADDR
    *(0x891B, 0x891D, 0x8921, 0x8927, 0x8933, 0x8942),  # SIOCGIFNETMASK, METRIC, MTU, HWADDR, INDEX, TXQLEN
)
_IOCTL = Rule((Case(Verdict.ALLOW, (Condition(1, _IOCTL_COMMANDS),)),), Verdict.UNKNOWN_COMMAND)
"""TIOCSTI, which types into a terminal, and all commands of devices are left out."""

_WITHOUT_FLAGS = Rule((Case(Verdict.ALLOW, (Condition(5, (0,)),)),), Verdict.UNKNOWN_FLAG)
"""RWF_NOWAIT reveals whether a page of a file is in memory."""

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCKET_TYPE, _SOCK_STREAM, _SOCK_DGRAM = 0xF, 1, 2
_IPPROTO_TCP, _IPPROTO_UDP, _NETLINK_ROUTE = 6, 17, 0
_SOCKET = Rule(
    (
        Case(Verdict.ALLOW, (Condition(0, (_AF_UNIX,)),)),
        Case(
            Verdict.ALLOW,
            (
                Condition(0, (_AF_INET, _AF_INET6)),
                Condition(1, (_SOCK_STREAM, _SOCK_DGRAM), _SOCKET_TYPE),
                Condition(2, (0, _IPPROTO_TCP, _IPPROTO_UDP)),
            ),
        ),
        Case(Verdict.ALLOW, (Condition(0, (_AF_NETLINK,)), Condition(2, (_NETLINK_ROUTE,)))),
        Case(Verdict.UNKNOWN_PROTOCOL, (Condition(0, (_AF_INET, _AF_INET6, _AF_NETLINK)),)),
    ),
    Verdict.UNKNOWN_FAMILY,
)
"""Libraries list the interfaces by NETLINK_ROUTE and try IP sockets, but the sandbox has no network to reach."""

_SOCKETPAIR = Rule((Case(Verdict.ALLOW, (Condition(0, (_AF_UNIX,)),)),), Verdict.UNKNOWN_FAMILY)
