"""Whether more processes have room: on the machine, and in each control group that limits ours (Linux).

Enters: files of the kernel. Leaves: a yes or no, for the referee, which decides how many idle bots stay alive.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bowerbird.harness.referee.process.cgroups import limiting_groups

MEMORY = Path("/proc/meminfo")

LIMITS = (
    ("memory.max", "memory.current"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes"),  # version 1
    ("pids.max", "pids.current"),
)
"""The files with the limit of a group, and with what it uses: bytes of memory; processes and their threads."""


class Headroom:
    """What is left for more processes. `groups` are the folders of control groups that may have limits."""

    def __init__(self, groups: Sequence[Path], memory: Path = MEMORY) -> None:
        """Read the machine's memory from `memory`."""
        self._memory = memory
        files = ((one / limit, one / used) for one in groups for limit, used in LIMITS)
        self._limited = [(limit, used) for limit, used in files if limit.exists()]

    @classmethod
    def detect(cls) -> Headroom:
        """Return what is left for processes that this one starts."""
        return cls(list(limiting_groups()))

    def is_half_free(self) -> bool:
        """Return whether at least half of the machine's memory and of each group's limit is free; False if unknown.

        A group's used memory includes files that were read, so the answer errs towards False.
        """
        try:
            lines = (line.split() for line in self._memory.read_text(encoding="ascii").splitlines())
            size = {words[0]: int(words[1]) for words in lines}
            return 2 * size["MemAvailable:"] >= size["MemTotal:"] and all(map(_is_half_free, self._limited))
        except (OSError, ValueError, KeyError):
            return False


def _is_half_free(files: tuple[Path, Path]) -> bool:
    limit, used = files
    most = limit.read_text(encoding="ascii").strip()
    return most == "max" or 2 * int(used.read_text(encoding="ascii")) <= int(most)
