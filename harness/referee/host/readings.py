"""System readings of the time given to the referee and to the bots."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Protocol

from bowerbird.harness.referee.process.procfs import all_processes, contents, cpu_ns_of_tree

_WAITED = 1
"""The index of the run-queue time among the fields of a schedstat file."""

_CLOSE_NS, _TRIES = 1_000_000, 10
"""Two clocks are compared only if they were read within this time.

Otherwise this process may have been stopped, and they are read again.
"""


class Readings(Protocol):
    """The readings from which stalls are detected, in nanoseconds. Tests supply their own."""

    def monotonic_ns(self) -> int:
        """Return the clock used for all deadlines."""

    def asleep_ns(self) -> int:
        """Return how long the machine has slept so far (suspended). `monotonic_ns` does not run then."""

    def core_wait_ns(self) -> int | None:
        """Return how long the referee's thread has waited for a core so far; None if the system does not report it."""

    def all_waits_ns(self) -> int | None:
        """Return how long all threads of this process have waited for a core, summed; None if unknown.

        The referee's thread can wait for the interpreter while the thread that holds it waits for a core.
        """

    def bots_cpu_ns(self) -> int:
        """Return the processor time that the bots of this referee have used so far."""


class SystemReadings:
    """The readings of this system, for the creating thread and the bots below one supervisor process."""

    def __init__(self, supervisor: int | None = None) -> None:
        """Create readings for the bots below the process `supervisor`; None if there are no bots."""
        self._supervisor = supervisor
        try:
            self._schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._schedstat = -1

    def monotonic_ns(self) -> int:
        """See `Readings`."""
        return time.monotonic_ns()

    def asleep_ns(self) -> int:
        """See `Readings`. Where no clock runs while the machine sleeps, this is 0."""
        if not hasattr(time, "CLOCK_BOOTTIME"):
            return 0
        for _ in range(_TRIES):
            before_ns = time.monotonic_ns()
            boottime_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            after_ns = time.monotonic_ns()
            if after_ns - before_ns < _CLOSE_NS:
                break
        return boottime_ns - after_ns

    def core_wait_ns(self) -> int | None:
        """See `Readings`."""
        if self._schedstat < 0:
            return None
        try:
            return int(os.pread(self._schedstat, 128, 0).split()[_WAITED])
        except (OSError, IndexError, ValueError):
            return None

    def all_waits_ns(self) -> int | None:
        """See `Readings`. Takes about 10 µs for each thread."""
        total = 0
        try:
            for task in os.listdir("/proc/self/task"):
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has ended
                    total += int(contents(f"self/task/{task}/schedstat").split()[_WAITED])
        except (OSError, IndexError, ValueError):
            return None
        return total

    def bots_cpu_ns(self) -> int:
        """See `Readings`. Reads the process tree of the supervisor, which takes a few milliseconds.

        The times of ended processes are included in the times of the parents that waited for them.
        """
        if self._supervisor is None:
            return 0
        return cpu_ns_of_tree(self._supervisor, all_processes())

    def close(self) -> None:
        """Release the resources of the readings."""
        if self._schedstat >= 0:
            os.close(self._schedstat)
            self._schedstat = -1
