"""How long the threads of a process tree were ready to run but did not, from /proc (Linux).

It uses only the standard library.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bowerbird.harness.referee.process.procfs import contents, stat_fields

MAX_TASKS = 256
"""Threads of one bot beyond this number are ignored.

A bot with that many has enough processors for one decision.
"""

_STATE, _NICE, _POLICY = 0, 16, 38
"""Indices in `stat_fields`."""

_READY = b"R"
_SCHED_IDLE = 5


@dataclass(frozen=True, slots=True)
class TaskTimes:
    """A thread, as reported by the system: how long it ran and waited, how often it began to run, if it is ready."""

    ran_ns: int
    waited_ns: int
    turns: int
    is_ready: bool


def tells_waits() -> bool:
    """Return whether this system reports how long a thread has waited for a processor."""
    try:
        return len(contents("self/schedstat").split()) == 3
    except OSError:
        return False


def tasks_of(pids: Iterable[int], nice: int) -> dict[int, TaskTimes]:
    """Return at most `MAX_TASKS` threads of these processes, by id.

    A thread with a lower priority than `nice`, or one that runs only when no other does, is left out, since it chose to
    wait.
    """
    found: dict[int, TaskTimes] = {}
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            for task in os.listdir(f"/proc/{pid}/task"):
                if len(found) == MAX_TASKS:
                    return found
                with contextlib.suppress(OSError, IndexError, ValueError):
                    fields = stat_fields(f"{pid}/task/{task}")
                    ran, waited, turns = map(int, contents(f"{pid}/task/{task}/schedstat").split())
                    if int(fields[_NICE]) <= nice and int(fields[_POLICY]) != _SCHED_IDLE:
                        found[int(task)] = TaskTimes(ran, waited, turns, fields[_STATE] == _READY)
    return found


class TaskWaits:
    """The total waits of the threads of one process tree, from check to check.

    The system counts a wait when it ends. Here a continuing wait is counted at each check, and not again when it ends.
    """

    def __init__(self) -> None:
        """Start without a check."""
        self._before: Mapping[int, TaskTimes] = {}
        self._ahead: dict[int, int] = {}
        """The waits of each thread that are counted here but not yet by the system."""
        self.unfinished_ns = 0
        """At most so long has a thread been waiting at the last check without being counted yet."""

    def add(self, tasks: Mapping[int, TaskTimes], passed_ns: int) -> int:
        """Check all threads, `passed_ns` after the previous check. Return their total waits since then."""
        total = 0
        ahead: dict[int, int] = {}
        self.unfinished_ns = 0
        for task, now in tasks.items():
            before = self._before.get(task)
            if before is None:
                counted = min(now.waited_ns, passed_ns)  # it began since then, or this is the first check
                ran = now.ran_ns
            elif now.is_ready and (now.ran_ns, now.turns) == (before.ran_ns, before.turns):
                counted, ran = passed_ns, 0
                ahead[task] = self._ahead.get(task, 0) + passed_ns
            else:
                counted = max(0, now.waited_ns - before.waited_ns - self._ahead.get(task, 0))
                ran = now.ran_ns - before.ran_ns
            total += counted
            if now.is_ready:
                self.unfinished_ns = max(self.unfinished_ns, passed_ns - counted - ran)
        self._before, self._ahead = tasks, ahead
        return total
