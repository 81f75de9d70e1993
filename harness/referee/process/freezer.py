"""The referee's access to the control group of a bot process: freezes it, thaws it, reads its processor time.

The supervisor makes the group and reports its files. The referee writes and reads them itself, since a round trip to
the supervisor would cost every slow turn. Without a group, processor time is read from /proc.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from bowerbird.harness.referee.process.cgroups import FREEZE_FILES, cpu_ns_in
from bowerbird.harness.referee.process.procfs import ProcessInfo, all_processes, cpu_ns_of_tree

MAX_CPU_BYTES = 4096
"""Far more bytes than there are in a file that counts processor time."""


class Freezer:
    """The freezer of all processes of a group, through an open file. Freezing or thawing takes about 50 µs.

    A thawed process runs as soon as it gets a processor. Close it when the process has ended.
    """

    def __init__(self, freeze_file: str) -> None:
        """Open the file, which has a name of `cgroups.FREEZE_FILES`. Raises OSError."""
        self.group = os.path.dirname(freeze_file)
        self._freeze, self._thaw = FREEZE_FILES[os.path.basename(freeze_file)]
        self._file = os.open(freeze_file, os.O_WRONLY | os.O_CLOEXEC)
        self.is_frozen = False

    def freeze(self) -> None:
        """Stop the processes. Do nothing if they are stopped or the freezer is closed."""
        if not self.is_frozen and self._write(self._freeze):
            self.is_frozen = True

    def thaw(self) -> None:
        """Let the processes run. Do nothing if they are running or the freezer is closed."""
        if self.is_frozen:
            self.is_frozen = False
            self._write(self._thaw)

    def close(self) -> None:
        """Thaw the processes and close the file. Further calls do nothing."""
        self.thaw()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self, word: bytes) -> bool:
        """Write a word; return False if the group is gone, together with its processes."""
        if self._file < 0:
            return False
        with contextlib.suppress(OSError):
            os.pwrite(self._file, word, 0)
            return True
        return False


class CpuMeter:
    """The meter of the processor time of a process and its descendants. Close it when the process has ended."""

    def __init__(self, pid: int, cpu_file: str) -> None:
        """Read `cpu_file`, which has a name of `cgroups.CPU_FILES`; "" for /proc. Raises OSError."""
        self._pid = pid
        self._file = os.open(cpu_file, os.O_RDONLY | os.O_CLOEXEC) if cpu_file else -1
        self._last_ns = 0

    @property
    def reads_proc(self) -> bool:
        """Whether `read_ns` reads /proc."""
        return self._file < 0 and self._pid > 0

    def read_ns(self, processes: Mapping[int, ProcessInfo] | None = None) -> int:
        """Return the nanoseconds so far; never less than before, and constant once it is closed or the group is gone.

        With a group it takes about 10 µs. From /proc it counts descendants only while their parents live or wait for
        them, and takes a few milliseconds, unless the caller passes `processes` (`procfs.all_processes`).
        """
        with contextlib.suppress(OSError):
            if self._file >= 0:
                self._last_ns = max(self._last_ns, cpu_ns_in(os.pread(self._file, MAX_CPU_BYTES, 0)))
        if self.reads_proc:
            all_of_them = processes if processes is not None else all_processes()
            self._last_ns = max(self._last_ns, cpu_ns_of_tree(self._pid, all_of_them))
        return self._last_ns

    def close(self, total_ns: int) -> None:
        """Store the final value, and stop reading."""
        self._last_ns = max(self._last_ns, total_ns)
        self._pid = 0
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
