"""The launcher process, from the outside: started, and ended (`launcher_process`; FAULTS.md, Launching).

It takes as long to start as trio and gRPC take to be imported. So nothing here needs either, and whoever is going to
play can have it started first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from harness.referee.order import Order, ordering

if TYPE_CHECKING:
    from harness.referee.isolation import Launch
    from harness.referee.log import Log

ROOT = Path(__file__).parents[2]
"""The folder from which this package is imported."""

PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from harness.referee.launcher_process import main; main()"
SOCKET_PATH_LIMIT = 100
END_S = 8.0


class Lifeline:
    """A launcher process and the socket that keeps it alive, to be started before the first gRPC server is made.

    A context manager, which ends it: then every process that it ever started is gone. So it is, with the `folder` for
    the sockets of bots, after a moment when this process is killed. `control` takes what `launcher_process` lists.
    """

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, folder: Path) -> None:
        """Use `start`."""
        self._process = process
        self.control = control
        self.folder = folder
        self.orders: list[Order] = []
        """What it was told before anybody took it over."""

    @classmethod
    def start(cls) -> Lifeline:
        """Start a launcher process. Raises OSError."""
        folder = Path(tempfile.mkdtemp(prefix="bowerbird-", dir=_short_folder()))
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

    def order(self, launch: Launch, log: Log) -> Order:
        """Have a process started by a launcher that nobody has taken over yet. Raises OSError."""
        with ordering(len(self.orders) + 1, launch, log) as (order, request, files):
            sent = socket.send_fds(self.control, [request], files)
            self.control.sendall(request[sent:])
        self.orders.append(order)
        return order

    def end(self) -> None:
        """End the process, and wait until it and the folder are gone. Safe to call when they are gone already."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)  # what the launcher does, unless it was killed

    def __enter__(self) -> Lifeline:
        """It lives."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End it."""
        self.end()
        self.control.close()


def _short_folder() -> str | None:
    """Where the sockets' folder is made: the usual place, unless its name is too long for a socket's path."""
    usual = tempfile.gettempdir()
    return usual if len(usual) < SOCKET_PATH_LIMIT // 2 else "/tmp"
