"""The process of a build, which never outlives the command that started it, however that ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_WATCHER = Path(__file__).with_name("build_watcher.py")

_END_S = 8.0
"""Time for the watcher to kill the build."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a build ended. status: its exit status, or minus the number of the signal that killed it."""

    status: int
    output: bytes


def run_build(command: Sequence[str], folder: Path, lock: int, timeout_s: float) -> Finished:
    """Run a build in `folder` with the environment of this process; return when no process of its group is left.

    If this process ends first, even by SIGKILL, the build is killed. The lock is held until the build has ended.

    lock: the descriptor of the folder's lock.
    Raises subprocess.TimeoutExpired with the output so far, or OSError if the build cannot be started.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_WATCHER), str(theirs.fileno()), *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(), lock),
                start_new_session=True,
            )
        with watcher:
            try:
                output, _ = watcher.communicate(timeout=timeout_s)
            except BaseException:
                with suppress(OSError):
                    ours.shutdown(socket.SHUT_WR)
                with suppress(subprocess.TimeoutExpired):
                    watcher.wait(_END_S)
                raise
        with suppress(ConnectionResetError), ours.makefile("rb") as lines:
            report = json.loads(lines.readline() or b"{}")
    if "refused" in report:
        raise OSError(0, report["refused"], os.fspath(command[0]))
    return Finished(report.get("status", watcher.returncode or 1), output)
