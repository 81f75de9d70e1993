"""Processes in /proc: their descendants, CPU time and memory. Linux only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Stat:
    """A line of /proc/PID/stat: `cpu` in seconds, resident `memory` in bytes."""

    pid: int
    name: str
    parent: int
    cpu: float
    memory: int


def parse_stat(line: str) -> Stat:
    """Parse a line of /proc/PID/stat; the name can contain any character, including brackets."""
    pid, _, rest = line.partition(" (")
    name, _, rest = rest.rpartition(") ")
    fields = rest.split()
    cpu = (int(fields[11]) + int(fields[12])) * TICK_S
    return Stat(int(pid), name, int(fields[1]), cpu, int(fields[21]) * PAGE)


def stat_of(path: Path) -> Stat | None:
    """Return the process or thread of a folder in /proc; None if it has ended."""
    try:
        return parse_stat((path / "stat").read_text(encoding="utf-8", errors="replace"))
    except (FileNotFoundError, ProcessLookupError):
        return None


def all_processes() -> list[Stat]:
    """Return all processes that this user can see."""
    found = (stat_of(path) for path in PROC.glob("[0-9]*"))
    return [one for one in found if one is not None]


def descendants(pid: int) -> list[Stat]:
    """Return the descendants of a process."""
    children: dict[int, list[Stat]] = {}
    for one in all_processes():
        children.setdefault(one.parent, []).append(one)
    found: list[Stat] = []
    reached = [pid]
    while reached:
        for child in children.get(reached.pop(), []):
            found.append(child)
            reached.append(child.pid)
    return found


def cpu_seconds(processes: Iterable[Stat]) -> float:
    """Return the total CPU seconds of these processes."""
    return sum(one.cpu for one in processes)


def private_memory(pid: int) -> int:
    """Return the unique set size in bytes: the memory that only this process uses; 0 if it has ended."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))
