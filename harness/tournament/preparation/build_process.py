"""Runs a build in a process that never outlives the command that started it, however that command ends."""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_WATCHER = Path(__file__).with_name("build_watcher.py")

_END_S = 8.0
"""Time for the watcher to kill the build."""

_CHUNK = 65536
"""How many bytes of output are read at a time."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a build ended. status: its exit status, or minus the number of the signal that killed it."""

    status: int
    output: bytes


def run_build(
    command: Sequence[str], folder: Path, lock: int, timeout_s: float, says: Callable[[str], None]
) -> Finished:
    """Run a build in `folder` with the environment of this process; return when no process of its group is left.

    If this process ends first, even by SIGKILL, the build is killed. The lock is held until the build has ended.

    lock: the descriptor of the folder's lock.
    says: called with the last line of the output whenever there is more of it.
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
                output = _output(watcher, timeout_s, says)
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


def _output(watcher: subprocess.Popen[bytes], timeout_s: float, says: Callable[[str], None]) -> bytes:
    """Return what the watcher and its build write, once both have ended.

    Raises subprocess.TimeoutExpired with the output so far.
    """
    assert watcher.stdout is not None
    output, deadline = bytearray(), time.monotonic() + timeout_s
    with selectors.DefaultSelector() as ready:
        ready.register(watcher.stdout, selectors.EVENT_READ)
        while True:
            if not ready.select(max(0.0, deadline - time.monotonic())):
                raise subprocess.TimeoutExpired(watcher.args, timeout_s, bytes(output))
            if not (chunk := os.read(watcher.stdout.fileno(), _CHUNK)):
                break
            output += chunk
            if lines := bytes(output[-_CHUNK:]).decode("utf-8", "replace").strip().splitlines():
                says(lines[-1])
    watcher.wait(max(0.0, deadline - time.monotonic()))
    return bytes(output)
