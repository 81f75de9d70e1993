"""The broker as seen by the referee: a socket in a folder, and the process that serves it.

It is a separate process, so that a bot's traffic takes no time from the referee's clocks. A broker that dies is
restarted: the socket stays, and the bot is not at fault. If this process is killed, the broker removes the folder.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.referee.network.target import Target
from bowerbird.harness.referee.process.supervisor_handle import ROOT, short_folder

PROGRAM = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from bowerbird.harness.referee.network.broker_main import main; main()"
)

BACKLOG = 64
RESTART_S = 0.5
"""The pause before a process that has died is replaced."""

_ENTER_ONLY, _FOR_ALL = 0o711, 0o666
"""The modes of the folder, which nobody can list, and of the socket. A bot in a sandbox is another user."""


@contextmanager
def broker(target: Target, log: Path) -> Iterator[Path]:
    """Run a broker during the block; yield the path of its socket. Its output is appended to the file `log`.

    Raises OSError if it cannot be started.
    """
    folder = Path(tempfile.mkdtemp(prefix="bowerbird-", dir=short_folder()))
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            path = folder / "network"
            listening.bind(str(path))
            path.chmod(_FOR_ALL)
            folder.chmod(_ENTER_ONLY)
            listening.listen(BACKLOG)
            log.parent.mkdir(parents=True, exist_ok=True)
            keeper = _Keeper(listening, target, log)
            try:
                yield path
            finally:
                keeper.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Keeper:
    """A thread that keeps a broker process alive."""

    def __init__(self, listening: socket.socket, target: Target, log: Path) -> None:
        self._listening = listening
        self._target = target
        self._log = log
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._process = self._started()
        self._thread = threading.Thread(target=self._keep, name="broker", daemon=True)
        self._thread.start()

    def _started(self) -> subprocess.Popen[bytes]:
        descriptor = self._listening.fileno()
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", PROGRAM, str(ROOT), str(descriptor), str(self._target)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=(descriptor,),
                start_new_session=True,
                env={"PATH": os.environ.get("PATH", os.defpath)},
            )

    def _keep(self) -> None:
        while True:
            self._process.wait()
            _close(self._process)
            if self._ending.wait(RESTART_S):
                return
            with self._lock:
                if self._ending.is_set():
                    return
                try:
                    self._process = self._started()
                except OSError:  # for example if no process is available; the next turn tries again
                    continue

    def end(self) -> None:
        """End the process and the thread."""
        with self._lock:
            self._ending.set()
            self._process.kill()
        self._thread.join()
        _close(self._process)


def _close(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe to a process that has ended."""
    assert process.stdin is not None
    process.stdin.close()
