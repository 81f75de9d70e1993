"""Control of the supervisor process: start it, have it start bots, end it (faults.md, Launching).

This module must not import trio or gRPC. Starting the supervisor takes as long as importing them, so a command starts
it first (`prestart`). Under trio, `supervisor` takes over.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bowerbird.harness.closing import Closing
from bowerbird.harness.referee.process.patience import Patience

if TYPE_CHECKING:
    from bowerbird.harness.referee.isolation.launch import Launch
    from bowerbird.harness.referee.process.output import OutputLog

ROOT = Path(__file__).parents[4]
"""The folder from which this package is imported."""

PROGRAM = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from bowerbird.harness.referee.process.supervisor_main import main; main()"
)
MAX_FOLDER_PATH = 50
"""The most characters in the folder's path. The whole path of a socket may have about 100."""

OUTPUTS = ("out", "err")
"""Suffixes of the FIFOs of a process's stdout and stderr."""

END_S = 8.0


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A process that the supervisor was asked to start. Both sides refer to it by `number`.

    `outputs` are the descriptors from which its stdout and stderr can be read. They appear to be at their end until the
    supervisor has answered, so reading begins after that. The holder of the request closes them.
    """

    number: int
    log: OutputLog
    memory_mb: int
    outputs: tuple[int, int]

    def discard(self) -> None:
        """Close the outputs unread."""
        for output in self.outputs:
            os.close(output)


def encode_request(request: Mapping[str, Any]) -> bytes:
    """Return a request as a line for the supervisor process."""
    return json.dumps(request).encode() + b"\n"


@contextmanager
def prepare_start(number: int, launch: Launch, log: OutputLog, folder: Path) -> Iterator[tuple[StartRequest, bytes]]:
    """Make a start request, which must be sent during the block; yield it and its line.

    The format is described in `supervisor_main`. The outputs are FIFOs in `folder`, the supervisor's. No descriptors
    are passed, since the system allows only a few in flight, counted over all processes of a user, including bots. The
    request is discarded if the body raises. Raises OSError.
    """
    with ExitStack() as undo:
        paths = [folder / f"{number}.{name}" for name in OUTPUTS]
        stdout, stderr = (_open_fifo(path, undo) for path in paths)
        start_request = StartRequest(number, log, launch.memory_mb, (stdout, stderr))
        request = {
            "start": number,
            "outputs": [str(path) for path in paths],
            "argv": list(launch.argv),
            "cwd": str(launch.cwd),
            "env": dict(launch.environment),
            "relays_signals": launch.relays_signals,
            "memory_mb": launch.memory_mb,
            "copies_mb": launch.copies_mb,
            "processes": launch.processes,
            "scratch": list(launch.scratch),
        }
        yield start_request, encode_request(request)
        undo.pop_all()


def _open_fifo(path: Path, undo: ExitStack) -> int:
    """Make a FIFO and open it for reading; `undo` closes and removes it. Raises OSError."""
    os.mkfifo(path, 0o600)
    undo.callback(path.unlink, missing_ok=True)  # the supervisor removes it after opening the other end
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    undo.callback(os.close, descriptor)
    return descriptor


class SupervisorHandle(Closing):
    """A supervisor process and the socket that keeps it alive. Start it before the first gRPC server is made.

    It is a context manager that ends the process, and with it every process that it ever started. If this process is
    killed, the supervisor soon ends and removes `folder`, which is for the sockets and outputs of bots. `control` is
    the socket for the requests listed in `supervisor_main`.
    """

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, folder: Path) -> None:
        """Create the handle; use `start` instead."""
        self._process = process
        self.control = control
        self.folder = folder
        self.start_requests: list[StartRequest] = []
        """The requests sent before a `supervisor.Supervisor` took over."""

    @property
    def pid(self) -> int:
        """The pid of the supervisor process."""
        return self._process.pid

    @classmethod
    def start(cls) -> SupervisorHandle:
        """Start a supervisor process. Raises OSError."""
        folder = Path(tempfile.mkdtemp(prefix="bowerbird-", dir=short_folder()))
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", PROGRAM, str(ROOT), str(theirs.fileno()), str(folder)],
                    stdin=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    env={"PATH": os.environ.get("PATH", os.defpath)},
                )
        except BaseException:
            ours.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return cls(process, ours, folder)

    def request_start(self, launch: Launch, log: OutputLog) -> StartRequest:
        """Start a process through the supervisor, before a `supervisor.Supervisor` takes over. Raises OSError."""
        with prepare_start(len(self.start_requests) + 1, launch, log, self.folder) as (start_request, line):
            self.control.sendall(line)
        self.start_requests.append(start_request)
        return start_request

    def end(self) -> None:
        """End the supervisor process, and wait until it and the folder are gone. Does nothing if they are gone."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
        patience = Patience(END_S)
        while self._process.returncode is None:
            step_s = patience.step_s()
            if not step_s:
                self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(step_s or None)
        shutil.rmtree(self.folder, ignore_errors=True)  # the supervisor removes it, unless it was killed

    def close(self) -> None:
        """End the supervisor process and close the socket."""
        self.end()
        self.control.close()


def short_folder() -> str:
    """Return the place for the sockets' folder: the usual one, or "/tmp" if its path is too long for sockets."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < MAX_FOLDER_PATH else "/tmp"
