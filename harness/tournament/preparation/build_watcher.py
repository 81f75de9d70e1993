"""Runs a build, and ends its process group as soon as the parent command is gone. A program, not for import.

Arguments: the descriptor of a socket, then the build's command. The build runs in its own session. When it has ended,
this program writes one line of JSON to the socket: {"status": its exit status, or the negated number of its signal}, or
{"refused": why it cannot be started}. When the other end of the socket closes, it kills the build. In both cases no
process of the group is left. Until then it holds inherited descriptors, such as a lock.

It uses only the standard library, since it is started with -I -S.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _kill_when_closed(control: socket.socket, group: int) -> None:
    with contextlib.suppress(OSError):
        control.recv(1)
    _kill(group)


def _wait(build: subprocess.Popen[bytes]) -> int:
    """Return the status of the build once its group has ended. Reap it last, since its pid identifies the group."""
    if hasattr(os, "waitid"):  # Python for macOS lacks it before 3.13
        os.waitid(os.P_PID, build.pid, os.WEXITED | os.WNOWAIT)
        _kill(build.pid)
    return build.wait()


def main() -> None:
    """Run the build in the arguments, and report how it ended."""
    with socket.socket(fileno=int(sys.argv[1])) as control:
        report: dict[str, object]
        try:
            build = subprocess.Popen(sys.argv[2:], start_new_session=True)
        except OSError as error:
            report = {"refused": error.strerror}
        else:
            threading.Thread(target=_kill_when_closed, args=(control, build.pid), daemon=True).start()
            report = {"status": _wait(build)}
        with contextlib.suppress(OSError):  # nobody is listening now
            control.sendall(json.dumps(report).encode() + b"\n")
        os._exit(0)  # the thread may still read


if __name__ == "__main__":
    main()
