"""A shell that ends a supervisor's control groups if the supervisor is killed before it can do so.

A frozen process does not notice that its supervisor and its referee are gone, so the guard must end it. It waits for
the end of a pipe whose other end only the supervisor holds. After a clean end it has nothing to do. This module uses
only the standard library, since the supervisor process imports it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

END_S = 2.0

SCRIPT = """
read -r _
for attempt in 1 2 3 4 5 6 7 8 9; do
    left=
    for prefix; do
        for group in "$prefix"*; do
            test -d "$group" || continue
            while read -r pid; do test "$pid" = 0 || kill -9 "$pid"; done < "$group/cgroup.procs"
            test -e "$group/freezer.state" && echo THAWED > "$group/freezer.state"
            rmdir "$group" || left=1
        done
    done
    test "$left" || exit 0
    sleep 0.1
done
"""
"""A script with the prefixes of the groups' paths as arguments.

A killed process stays in its group until it has ended.
"""


class CgroupGuard:
    """A running guard. Start it before the first group is made, and `close` it after the last one is removed."""

    def __init__(self, groups: Sequence[str]) -> None:
        """Start it; `groups` are the prefixes of the paths of all groups. Raises OSError."""
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT, "sh", *groups],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The shell's pid."""
        return self._process.pid

    def close(self) -> None:
        """Let it end, and wait for it. Kill it if that takes longer than END_S."""
        assert self._process.stdin is not None  # as requested
        self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
