"""The launcher: a small process that starts the bots and outlives the referee by a moment, to end them.

It is started before gRPC, has one thread, and is the parent of every bot (FAULTS.md, Launching). The referee speaks
to it over a socket, one JSON object a line; the socket is also its lifeline: when the referee is gone, however it
went, the launcher kills everything that descends from it and exits. As a child subreaper (Linux) it inherits what a
bot leaves behind, a double fork with a session of its own included.

Requests: {"start": id, "argv": [...], "cwd": "...", "env": {...}} with two file descriptors (stdout, stderr), and
{"signal": number, "id": id}, which goes to the process group of that id.
Reports: {"started": id, "pid": n}, {"refused": id, "reason": "..."}, {"ended": id, "status": n, "left": [...]} (n < 0:
by signal -n; "left" are the commands of processes whose parent is gone since then).

Run as a script by path, in isolated mode: it imports the standard library alone.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
RECEIVE = 65536
FILES_A_START = 2
FILES_A_MESSAGE = 64
LAST_SWEEP_S = 5.0


class Launcher:
    """Starts, signals and reaps; every child is known by the id that the referee gave it."""

    def __init__(self, control: socket.socket) -> None:
        """A launcher that takes requests from `control`."""
        self._control = control
        self._buffer = b""
        self._files: list[int] = []
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._id_of: dict[int, int] = {}
        self._adopted: set[int] = set()

    def run(self) -> None:
        """Serve until the lifeline ends, then leave no descendant."""
        waker, wakee = socket.socketpair()
        wakee.setblocking(False)
        waker.setblocking(False)
        signal.set_wakeup_fd(wakee.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)
        try:
            while True:
                ready, _, _ = select.select([self._control, waker], [], [])
                if waker in ready:
                    with contextlib.suppress(BlockingIOError):
                        waker.recv(RECEIVE)
                    self._reap()
                if self._control in ready and not self._serve():
                    return
        finally:
            self._end_everything()

    def _serve(self) -> bool:
        space = socket.CMSG_LEN(FILES_A_MESSAGE * array.array("i").itemsize)
        try:
            data, ancillary, _, _ = self._control.recvmsg(RECEIVE, space)
        except ConnectionError:
            return False
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                files = array.array("i")
                files.frombytes(content[: len(content) - len(content) % files.itemsize])
                self._files.extend(files)
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return True

    def _obey(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self._start(request)
        else:
            self._signal(request["id"], request["signal"])

    def _start(self, request: dict[str, Any]) -> None:
        name = request["start"]
        out, err = self._files[:FILES_A_START]
        del self._files[:FILES_A_START]
        try:
            process = subprocess.Popen(
                request["argv"],
                cwd=request["cwd"],
                env=request["env"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._report({"refused": name, "reason": _reason(error)})
        else:
            self._running[name] = process
            self._id_of[process.pid] = name
            self._report({"started": name, "pid": process.pid})
        finally:
            os.close(out)
            os.close(err)

    def _signal(self, name: int, number: int) -> None:
        process = self._running.get(name)
        if process is not None:
            _signal_group(process.pid, number)

    def _reap(self) -> None:
        """Report every child that ended. A bot's group dies with it, before its pid is given back to the system."""
        while (pid := _ended_child()) is not None:
            left: list[str] = []
            if pid in self._id_of:
                left = self._left()
                _signal_group(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            name = self._id_of.pop(pid, None)
            if name is not None:
                code = os.waitstatus_to_exitcode(status)
                self._running.pop(name).returncode = code
                self._report({"ended": name, "status": code, "left": left})

    def _left(self) -> list[str]:
        """The commands of what became our child since a bot ended last: what this one, or another at work, left."""
        here = {pid for pid in _children_of(os.getpid()) if pid not in self._id_of}
        new, self._adopted = here - self._adopted, here
        return [command for pid in sorted(new) if (command := _command_of(pid))]

    def _report(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def _end_everything(self) -> None:
        """Kill every descendant. Orphans become our children, so what is left always shows up again below us."""
        deadline = time.monotonic() + LAST_SWEEP_S
        while time.monotonic() < deadline:
            for process in self._running.values():
                _signal_group(process.pid, signal.SIGKILL)
            for pid in _children_of(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            if not _has_children():
                return
            select.select([], [], [], 0.002)


def _nothing(number: int, frame: object) -> None:
    """A signal handler that only wakes `select`; unlike SIG_IGN it is not handed on to what is started."""


def _reason(error: OSError | ValueError) -> str:
    """Why a program could not be started, in a few words and without a path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _ended_child() -> int | None:
    """The pid of some child that has ended and is not reaped yet."""
    try:
        seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if seen is None else seen.si_pid


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _children_of(parent: int) -> Iterator[int]:
    """Processes whose parent is `parent`, a process of one thread, as /proc tells (nothing where there is none)."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="utf-8") as children:
            yield from map(int, children.read().split())
    except OSError:  # not every kernel has this file
        yield from _children_among_all(parent)


def _children_among_all(parent: int) -> Iterator[int]:
    """The same, by looking at every process."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if not name.isdecimal():
                continue
            with contextlib.suppress(OSError):
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                    after_name = stat.read().rpartition(")")[2].split()
                if int(after_name[1]) == parent:
                    yield int(name)


def _command_of(pid: int) -> str:
    """What a living process runs, as one line; "" for one that has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:
            return line.read().replace("\0", " ").strip()
    except OSError:
        return ""


def _become_subreaper() -> None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a child subreaper")


def main() -> None:
    """Serve the socket whose descriptor is the first argument; at the end, remove the folder that may be the second."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _nothing)
    _become_subreaper()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        Launcher(control).run()
    for folder in sys.argv[2:]:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
