"""The processes of this machine and their parents, as listed in /proc (on Linux; elsewhere none are found).

This module uses only the standard library, since the supervisor process imports it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PARENT, _TIMES, _RESIDENT = 1, slice(11, 15), 21
"""Indices in `stat_fields`. The times are utime, stime, cutime and cstime."""

_ENDED = (b"Z", b"X")
"""The states, in the first of `stat_fields`, of a process that has ended."""

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

MAX_FILE = 4096
"""How many bytes `contents` reads: more than there are in any such file."""


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """A process: its parent's pid, its resident memory in bytes, and its processor time.

    `cpu_ns` includes children that it has waited for.
    """

    parent: int
    resident: int
    cpu_ns: int = 0


def all_processes() -> dict[int, ProcessInfo]:
    """Return all processes by pid."""
    found = {}
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError, IndexError):
                    found[int(name)] = _read(name)
    return found


def children_of(parent: int) -> list[int]:
    """Return the pids of the children of `parent`.

    Reads all processes, since the file `children` below /proc may miss some while others end.
    """
    return [pid for pid, info in all_processes().items() if info.parent == parent]


def command_line_of(pid: int) -> str:
    """Return the command of a living process as one line; "" for one that has ended.

    While a process starts another program it has no command line for a moment. Then this is its program's name.
    """
    with contextlib.suppress(OSError, IndexError):
        command = contents(f"{pid}/cmdline").replace(b"\0", b" ").strip()
        if not command and stat_fields(str(pid))[0] not in _ENDED:
            command = contents(f"{pid}/comm").strip()
        return command.decode(errors="replace")
    return ""


def has_in_environment(pid: int, word: str) -> bool:
    """Return whether a word is in a process's initial environment; False if we may not read it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return word.encode() in file.read()
    except OSError:
        return False


def process_tree(pid: int, processes: Mapping[int, ProcessInfo]) -> Iterator[int]:
    """Yield `pid` and its descendants among `processes`. A process whose parent has ended is not a descendant."""
    children: dict[int, list[int]] = {}
    for child, info in processes.items():
        children.setdefault(info.parent, []).append(child)
    waiting = [pid] if pid in processes else []
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(children.get(one, ()))


def cpu_ns_of_tree(pid: int, processes: Mapping[int, ProcessInfo]) -> int:
    """Return the processor time in ns of a process and its descendants. See `process_tree`."""
    return sum(processes[one].cpu_ns for one in process_tree(pid, processes))


def proportional_bytes(pid: int) -> int | None:
    """Return the bytes of memory of a process, including its part of shared memory; None if unknown.

    For this the kernel walks through all its memory, so call this for only a few processes.
    """
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return next((int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:")), None)
    except OSError:
        return None


def contents(place: str) -> bytes:
    """Return the contents of a short file below /proc. Raises OSError.

    It uses no file object, which halves the time to read all processes and threads.
    """
    file = os.open(f"/proc/{place}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, MAX_FILE)
    finally:
        os.close(file)


def stat_fields(place: str) -> list[bytes]:
    """Return the fields of /proc/`place`/stat after the program's name, which can contain anything. Raises OSError."""
    return contents(f"{place}/stat").rpartition(b")")[2].split()


def _read(pid: str) -> ProcessInfo:
    fields = stat_fields(pid)
    cpu_ns = sum(map(int, fields[_TIMES])) * _TICK_NS
    return ProcessInfo(int(fields[_PARENT]), int(fields[_RESIDENT]) * _PAGE, cpu_ns)
