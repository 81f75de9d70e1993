"""Which processes there are and who started whom, as /proc tells (Linux; elsewhere nothing is found)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PARENT, _RESIDENT = 1, 21
"""Places in /proc/PID/stat, counted behind the name of the program."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Seen:
    """A process: its parent, and the bytes of memory that it holds (resident set)."""

    parent: int
    resident: int


def processes() -> dict[int, Seen]:
    """All processes by pid."""
    found = {}
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError, IndexError):
                    found[int(name)] = _seen(name)
    return found


def children_of(parent: int) -> list[int]:
    """Processes whose parent is `parent`. The file `children` below /proc may leave out some while others end."""
    return [pid for pid, seen in processes().items() if seen.parent == parent]


def command_of(pid: int) -> str:
    """What a living process runs, as one line; "" for one that has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:
            return line.read().replace("\0", " ").strip()
    except OSError:
        return ""


def family(pid: int, among: Mapping[int, Seen]) -> Iterator[int]:
    """The process and all its descendants, as far as their parents live."""
    children: dict[int, list[int]] = {}
    for child, seen in among.items():
        children.setdefault(seen.parent, []).append(child)
    waiting = [pid] if pid in among else []
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(children.get(one, ()))


def stat_fields(place: str) -> list[str]:
    """What /proc/PLACE/stat says of a process or thread behind its name, which may hold anything. Raises OSError."""
    with open(f"/proc/{place}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()


def _seen(name: str) -> Seen:
    after_name = stat_fields(name)
    return Seen(int(after_name[_PARENT]), int(after_name[_RESIDENT]) * _PAGE)
