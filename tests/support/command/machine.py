"""What tests do to the machine that a command runs on: a small disk, a sleep."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time

from bowerbird.harness.referee.process.procfs import all_processes, process_tree
from tests.support.deadline import DEADLINE_S


def can_mount() -> bool:
    """Return whether a process of this user may mount a file system of its own; true where the sandbox works."""
    if shutil.which("unshare") is None:
        return False
    tried = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(tried, capture_output=True, timeout=DEADLINE_S, check=False).returncode == 0


def sleep_with_all(pid: int, seconds: float) -> None:
    """Stop a process and all that it started, as on a sleeping machine, and let them go on afterwards."""
    family = list(process_tree(pid, all_processes()))
    for one in family:
        os.kill(one, signal.SIGSTOP)
    time.sleep(seconds)  # the sleep of the machine
    for one in reversed(family):
        os.kill(one, signal.SIGCONT)
