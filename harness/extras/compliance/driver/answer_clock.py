"""Times an answer without the time in which the bot or this command was ready to run but got no processor.

So a bot is no slower on a busy machine (faults.md, Waits for a processor). Input: the bot's process. Output: seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from bowerbird.harness.referee.process.procfs import all_processes, process_tree
from bowerbird.harness.referee.process.task_times import TaskTimes, TaskWaits, tasks_of

Look = Callable[[], Mapping[int, TaskTimes]]
"""Tells how long each thread has run and waited."""


class AnswerClock:
    """The clock of single answers. `start` when the bot is asked, then `seconds` when its answer is here."""

    def __init__(self, look: Look) -> None:
        """Time the threads that `look` reports."""
        self._look = look
        self._waits = TaskWaits()
        self._ran_ns = 0

    def start(self) -> None:
        """Note how long all threads have run and waited so far."""
        tasks = self._look()
        self._waits = TaskWaits()
        self._waits.add(tasks, 0)
        self._ran_ns = _ran_ns(tasks)

    def seconds(self, passed_ns: int) -> float:
        """Return the seconds that count of the `passed_ns` nanoseconds between request and answer.

        Where some threads wait and others run, the time without any of them running is what may be a wait.
        """
        tasks = self._look()
        waited_ns = self._waits.add(tasks, passed_ns)
        idle_ns = max(0, passed_ns - max(0, _ran_ns(tasks) - self._ran_ns))
        return (passed_ns - min(idle_ns, waited_ns)) / 1e9


def _ran_ns(tasks: Mapping[int, TaskTimes]) -> int:
    return sum(task.ran_ns for task in tasks.values())


def threads_of(pid: int) -> Look:
    """Return a reading of the threads of this process, of the bot's process `pid` and of its descendants."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return lambda: tasks_of([os.getpid(), *process_tree(pid, all_processes())], nice)
