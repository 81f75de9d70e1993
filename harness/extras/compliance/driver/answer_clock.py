"""Times an answer, without the time in which the bot or this command was ready to run but had no processor.

So a busy machine does not make a bot slower (faults.md, Waits for a processor). Input: the bot's process. Output:
seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from bowerbird.harness.referee.process.procfs import all_processes, process_tree
from bowerbird.harness.referee.process.task_times import TaskTimes, TaskWaits, tasks_of

Look = Callable[[], Mapping[int, TaskTimes]]
"""Returns how long each thread has run and waited."""


class AnswerClock:
    """The clock of single answers. Call `start` when the bot is asked, and `seconds` when its answer has arrived."""

    def __init__(self, look: Look) -> None:
        """Create a clock for the threads that `look` reports."""
        self._look = look
        self._waits = TaskWaits()
        self._ran_ns = 0

    def start(self) -> None:
        """Store how long all threads have run and waited so far."""
        tasks = self._look()
        self._waits = TaskWaits()
        self._waits.add(tasks, 0)
        self._ran_ns = _ran_ns(tasks)

    def seconds(self, passed_ns: int) -> float:
        """Return how many seconds count of the `passed_ns` nanoseconds between request and answer.

        If some threads waited while others ran, only time in which none of them ran can be a wait.
        """
        tasks = self._look()
        waited_ns = self._waits.add(tasks, passed_ns)
        idle_ns = max(0, passed_ns - max(0, _ran_ns(tasks) - self._ran_ns))
        return (passed_ns - min(idle_ns, waited_ns)) / 1e9


def _ran_ns(tasks: Mapping[int, TaskTimes]) -> int:
    return sum(task.ran_ns for task in tasks.values())


def threads_of(pid: int) -> Look:
    """Return a reading of the threads of this process, the bot's process `pid` and its descendants."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return lambda: tasks_of([os.getpid(), *process_tree(pid, all_processes())], nice)
