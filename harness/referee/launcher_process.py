"""The launcher: a small process that starts the bots and outlives the referee by a moment, to end them.

It is started before gRPC, has one thread, and is the parent of every bot (FAULTS.md, Launching). The referee speaks
to it over a socket, one JSON object a line; the socket is also its lifeline: when the referee is gone, however it
went, the launcher kills everything that descends from it and exits. As a child subreaper (Linux) it inherits what a
bot leaves behind, a double fork with a session of its own included.

Requests: {"start": id, "argv": [...], "cwd": "...", "env": {...}, "relays_signals": bool, "memory_mb": n,
"processes": n, "handed": hex bytes (`handing`)} with two file descriptors (stdout, stderr), and {"signal": number,
"id": id}, which goes to the process group of that id. Memory and processes are bounded for the process and all that it
starts (0: not at all), by a control group where one can be made; else memory is watched, and what takes more is killed.
Reports: {"started": id, "pid": n}, {"refused": id, "reason": "..."}, {"ended": id, "status": n, "over_memory": bool,
"left": [...]} (n < 0: by signal -n; "left" are the commands of processes whose parent is gone since then; of a
sandbox nothing is left).

Run in isolated mode, without site packages: this module, and what it imports, use the standard library alone.
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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.referee.cgroups import Group, Groups
from harness.referee.handing import handing
from harness.referee.process_tree import Seen, children_of, command_of, family, processes

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
RECEIVE = 65536
FILES_A_START = 2
FILES_A_MESSAGE = 64
LAST_SWEEP_S = 5.0
WATCH_S = 0.25
MEBIBYTE = 1 << 20
RELAYED = 128
"""An exit status of more than this, passed on by a program that stays as the parent, is a death by a signal."""


@dataclass(slots=True)
class Child:
    """A process that was started. `watched` is the memory in bytes that it may hold, where no group bounds it."""

    name: int
    process: subprocess.Popen[bytes]
    relays_signals: bool
    group: Group | None
    watched: int
    over_memory: bool = False


class Launcher:
    """Starts, signals and reaps; every child is known by its pid, and to the referee by the id that it gave."""

    def __init__(self, control: socket.socket) -> None:
        """A launcher that takes requests from `control`."""
        self._control = control
        self._buffer = b""
        self._files: list[int] = []
        self._children: dict[int, Child] = {}
        self._groups: Groups | None = None
        self._emptying: list[Group] = []
        self._adopted: set[int] = set()

    def run(self) -> None:
        """Serve until the lifeline ends, then leave no descendant."""
        waker, wakee = socket.socketpair()
        wakee.setblocking(False)
        waker.setblocking(False)
        signal.set_wakeup_fd(wakee.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)
        self._groups = Groups.find()  # now, while the referee is imported: finding out takes several processes
        try:
            while True:
                ready, _, _ = select.select([self._control, waker], [], [], self._patience())
                if waker in ready:
                    with contextlib.suppress(BlockingIOError):
                        waker.recv(RECEIVE)
                    self._reap()
                if self._control in ready and not self._serve():
                    return
                self._watch()
                self._emptying = [group for group in self._emptying if not _emptied(group)]
        finally:
            self._end_everything()

    def _patience(self) -> float | None:
        """How long to wait for news: as long as it takes, unless there is something to look after."""
        watching = any(child.watched for child in self._children.values())
        return WATCH_S if watching or self._emptying else None

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
        group: Group | None = None
        try:
            group = self._group(request)
            entering = group.entering() if group is not None else []
            with handing(request["argv"], bytes.fromhex(request["handed"])) as (argv, descriptors):
                process = subprocess.Popen(
                    [*entering, *argv],
                    cwd=request["cwd"],
                    env=request["env"],
                    pass_fds=descriptors,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            if group is not None:
                group.remove()
            self._report({"refused": name, "reason": _reason(error)})
        else:
            watched = request["memory_mb"] * MEBIBYTE if group is None else 0
            self._children[process.pid] = Child(name, process, request["relays_signals"], group, watched)
            self._report({"started": name, "pid": process.pid})
        finally:
            os.close(out)
            os.close(err)

    def _group(self, request: dict[str, Any]) -> Group | None:
        """A control group with the bounds of a request; None where it asks for none or the system has none."""
        if not request["memory_mb"] or self._groups is None:
            return None
        return self._groups.make(request["start"], request["memory_mb"] * MEBIBYTE, request["processes"])

    def _signal(self, name: int, number: int) -> None:
        for pid, child in self._children.items():
            if child.name == name:
                _signal_group(pid, number)

    def _reap(self) -> None:
        """Report every child that ended. A bot's group dies with it, before its pid is given back to the system."""
        left: dict[int, list[str]] = {}

        def end_group(pid: int) -> None:
            if pid in self._children:
                left[pid] = self._left(self._children[pid])
                _signal_group(pid, signal.SIGKILL)

        while (ended := _reap_one(end_group)) is not None:
            pid, wait_status = ended
            child = self._children.pop(pid, None)
            if child is None:
                continue
            code = os.waitstatus_to_exitcode(wait_status)
            child.process.returncode = code
            if child.relays_signals and code > RELAYED:
                code = RELAYED - code
            over = child.over_memory
            if child.group is not None:
                over = over or child.group.ran_out_of_memory
                self._emptying.append(child.group)
            self._report({"ended": child.name, "status": code, "over_memory": over, "left": left[pid]})

    def _left(self, child: Child) -> list[str]:
        """The commands of what became our child since a bot ended last: what this one, or another at work, left."""
        here = {pid for pid in children_of(os.getpid()) if pid not in self._children}
        new, self._adopted = here - self._adopted, here
        if child.relays_signals:
            return []
        return [command for pid in sorted(new) if (command := command_of(pid))]

    def _watch(self) -> None:
        """Kill what holds more memory than it may, where no control group does."""
        if not any(child.watched for child in self._children.values()):
            return
        among = processes()
        for pid, child in self._children.items():
            if child.watched and _resident(pid, among) > child.watched:
                child.over_memory = True
                for one in family(pid, among):
                    _signal_one(one, signal.SIGKILL)

    def _report(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def _end_everything(self) -> None:
        """Kill every descendant. Orphans become our children, so what is left always shows up again below us."""
        deadline = time.monotonic() + LAST_SWEEP_S
        while time.monotonic() < deadline:
            for pid in self._children:
                _signal_group(pid, signal.SIGKILL)
            for pid in children_of(os.getpid()):
                _signal_one(pid, signal.SIGKILL)
            self._reap()
            self._emptying = [group for group in self._emptying if not _emptied(group)]
            if not self._children and not self._emptying and not children_of(os.getpid()):
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


def _signal_one(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _emptied(group: Group) -> bool:
    """Kill what is still in a group and remove it; False if that has to be tried again."""
    group.kill()
    return group.remove()


def _resident(pid: int, among: dict[int, Seen]) -> int:
    return sum(among[one].resident for one in family(pid, among))


def _reap_one(before: Callable[[int], None]) -> tuple[int, int] | None:
    """The pid and wait status of a child that has ended, or None.

    `before(pid)` is called while the pid cannot belong to another process yet; Python for macOS has no `waitid` before
    3.13, and there it is called right after that.
    """
    try:
        if hasattr(os, "waitid"):
            seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if seen is None:
                return None
            before(seen.si_pid)
            return os.waitpid(seen.si_pid, 0)
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    if pid == 0:
        return None
    before(pid)
    return pid, status


def _become_subreaper() -> None:
    """Inherit orphans, and keep the bots, some of them of our own user, out of our memory, where their tokens are."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a child subreaper")


def main() -> None:
    """Serve the socket whose descriptor is the first argument; at the end, remove the folders that are the others."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _nothing)
    _become_subreaper()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        Launcher(control).run()
    for folder in sys.argv[2:]:
        shutil.rmtree(folder, ignore_errors=True)
