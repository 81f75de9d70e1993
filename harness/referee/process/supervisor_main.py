"""The supervisor: a small process that starts the bots, and outlives the referee by a moment to end them.

It starts before gRPC does, has one thread, and is the parent of every bot (faults.md, Launching). The referee talks to
it over a socket, one JSON object a line. The end of the socket tells it that the referee is gone, for whatever reason:
then it kills all its descendants and exits. As a child subreaper (Linux) it inherits the processes that bots leave
behind, even those that double-forked into a session of their own.

Requests:
  {"start": id, "argv": [...], "cwd": "...", "env": {...}, "relays_signals": bool, "memory_mb": n, "processes": n}
  with two file descriptors, for stdout and stderr. `isolation.Launch` explains the values.
  {"signal": number, "id": id}: send a signal to the process group of that process.

Reports:
  {"started": id, "pid": n}
  {"refused": id, "reason": "..."}
  {"ended": id, "status": n, "over_memory": bool, "left_running": [...]}. A negative status is minus the number of a
  signal. "left_running" are the commands of the processes that lost their parent since a bot ended last; [] for a
  sandbox, which leaves none.

A control group bounds memory and processes where one can be made. Elsewhere the supervisor watches the memory of each
process tree and kills the tree that takes more.

Runs in isolated mode without site packages: this module and its imports use the standard library alone.
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

from harness.referee.process.cgroups import Cgroup, CgroupFactory
from harness.referee.process.keyring import join_new_session_keyring
from harness.referee.process.procfs import ProcessInfo, all_processes, children_of, command_line_of, process_tree
from harness.referee.process.seccomp import passing_filter

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
RECEIVE_BYTES = 65536
DESCRIPTORS_PER_START = 2
DESCRIPTORS_PER_MESSAGE = 64
END_ALL_S = 5.0
MEMORY_CHECK_S = 0.25
MEBIBYTE = 1 << 20
SIGNAL_BASE = 128
"""A program that relays signals reports a death by signal N as exit status `SIGNAL_BASE` + N."""


@dataclass(slots=True)
class Child:
    """A process that was started. `watched_bytes` is its memory limit if no control group enforces one, else 0."""

    id: int
    process: subprocess.Popen[bytes]
    relays_signals: bool
    cgroup: Cgroup | None
    watched_bytes: int
    over_memory: bool = False


class SupervisorProcess:
    """Starts, signals and reaps bots. Knows each by its pid; the referee knows it by the id that it chose."""

    def __init__(self, control: socket.socket) -> None:
        """Take requests from `control`."""
        self._control = control
        self._buffer = b""
        self._descriptors: list[int] = []
        self._children: dict[int, Child] = {}
        self._cgroups: CgroupFactory | None = None
        self._cgroups_to_remove: list[Cgroup] = []
        self._orphans: set[int] = set()

    def run(self) -> None:
        """Serve until the socket ends, then leave no descendant."""
        wake_reader, wake_writer = socket.socketpair()
        wake_writer.setblocking(False)
        wake_reader.setblocking(False)
        signal.set_wakeup_fd(wake_writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _do_nothing)
        self._cgroups = CgroupFactory.detect()  # takes several processes, so now, while the referee imports its modules
        try:
            while True:
                ready, _, _ = select.select([self._control, wake_reader], [], [], self._timeout_s())
                if wake_reader in ready:
                    with contextlib.suppress(BlockingIOError):
                        wake_reader.recv(RECEIVE_BYTES)
                    self._reap()
                if self._control in ready and not self._serve():
                    return
                self._check_memory()
                self._remove_cgroups()
        finally:
            self._end_all()

    def _timeout_s(self) -> float | None:
        """Return how long `select` may wait: without limit, unless there is memory to check or a group to remove."""
        is_watching = any(child.watched_bytes for child in self._children.values())
        return MEMORY_CHECK_S if is_watching or self._cgroups_to_remove else None

    def _serve(self) -> bool:
        """Receive and carry out requests; return False at the end of the socket."""
        space = socket.CMSG_LEN(DESCRIPTORS_PER_MESSAGE * array.array("i").itemsize)
        try:
            data, ancillary, _, _ = self._control.recvmsg(RECEIVE_BYTES, space)
        except ConnectionError:
            return False
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors = array.array("i")
                descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
                self._descriptors.extend(descriptors)
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._carry_out(json.loads(line))
        return True

    def _carry_out(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self._start(request)
        else:
            self._signal(request["id"], request["signal"])

    def _start(self, request: dict[str, Any]) -> None:
        child_id = request["start"]
        stdout, stderr = self._descriptors[:DESCRIPTORS_PER_START]
        del self._descriptors[:DESCRIPTORS_PER_START]
        cgroup: Cgroup | None = None
        try:
            cgroup = self._make_cgroup(request)
            entering = cgroup.enter_command() if cgroup is not None else []
            memory_is_bounded = cgroup is not None
            join_new_session_keyring()
            with passing_filter(request["argv"], memory_is_bounded=memory_is_bounded) as (argv, descriptors):
                process = subprocess.Popen(
                    [*entering, *argv],
                    cwd=request["cwd"],
                    env=request["env"],
                    pass_fds=descriptors,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            if cgroup is not None:
                cgroup.remove()
            self._report({"refused": child_id, "reason": _reason(error)})
        else:
            watched_bytes = 0 if memory_is_bounded else request["memory_mb"] * MEBIBYTE
            self._children[process.pid] = Child(child_id, process, request["relays_signals"], cgroup, watched_bytes)
            self._report({"started": child_id, "pid": process.pid})
        finally:
            os.close(stdout)
            os.close(stderr)

    def _make_cgroup(self, request: dict[str, Any]) -> Cgroup | None:
        """Make a control group with the bounds of a request; return None if it asks for none or the system has none."""
        if not request["memory_mb"] or self._cgroups is None:
            return None
        return self._cgroups.make(request["start"], request["memory_mb"] * MEBIBYTE, request["processes"])

    def _signal(self, child_id: int, number: int) -> None:
        for pid, child in self._children.items():
            if child.id == child_id:
                _signal_group(pid, number)

    def _reap(self) -> None:
        """Report every child that ended. Its process group is killed before the system can reuse its pid."""
        left_running: dict[int, list[str]] = {}

        def end_group(pid: int) -> None:
            if pid in self._children:
                left_running[pid] = self._commands_left_by(self._children[pid])
                _signal_group(pid, signal.SIGKILL)

        while (ended := _reap_one(end_group)) is not None:
            pid, wait_status = ended
            child = self._children.pop(pid, None)
            if child is None:
                continue
            status = os.waitstatus_to_exitcode(wait_status)
            child.process.returncode = status
            if child.relays_signals and status > SIGNAL_BASE:
                status = SIGNAL_BASE - status
            over_memory = child.over_memory
            if child.cgroup is not None:
                over_memory = over_memory or child.cgroup.ran_out_of_memory
                self._cgroups_to_remove.append(child.cgroup)
            self._report(
                {"ended": child.id, "status": status, "over_memory": over_memory, "left_running": left_running[pid]}
            )

    def _commands_left_by(self, child: Child) -> list[str]:
        """Return the commands of the orphans that appeared since a child ended last.

        `child` left them, or another bot that is running. A sandbox leaves none.
        """
        orphans = {pid for pid in children_of(os.getpid()) if pid not in self._children}
        new, self._orphans = orphans - self._orphans, orphans
        if child.relays_signals:
            return []
        return [command for pid in sorted(new) if (command := command_line_of(pid))]

    def _check_memory(self) -> None:
        """Kill each process tree that exceeds a memory limit which no control group enforces."""
        if not any(child.watched_bytes for child in self._children.values()):
            return
        processes = all_processes()
        for pid, child in self._children.items():
            if child.watched_bytes and _resident(pid, processes) > child.watched_bytes:
                child.over_memory = True
                for one in process_tree(pid, processes):
                    _signal_one(one, signal.SIGKILL)

    def _remove_cgroups(self) -> None:
        """Kill what is still in the groups of ended children, and remove the groups; retry the others next time."""
        self._cgroups_to_remove = [cgroup for cgroup in self._cgroups_to_remove if not _kill_and_remove(cgroup)]

    def _report(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def _end_all(self) -> None:
        """Kill every descendant. Repeat until none is left: orphans of killed processes become our children."""
        deadline = time.monotonic() + END_ALL_S
        while time.monotonic() < deadline:
            for pid in self._children:
                _signal_group(pid, signal.SIGKILL)
            for pid in children_of(os.getpid()):
                _signal_one(pid, signal.SIGKILL)
            self._reap()
            self._remove_cgroups()
            if not self._children and not self._cgroups_to_remove and not children_of(os.getpid()):
                return
            select.select([], [], [], 0.002)


def _do_nothing(number: int, frame: object) -> None:
    """Handle a signal, so that `select` wakes up. Unlike SIG_IGN, a handler is not inherited by started programs."""


def _reason(error: OSError | ValueError) -> str:
    """Return why a program could not be started, in a few words and without a path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _signal_one(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _kill_and_remove(cgroup: Cgroup) -> bool:
    cgroup.kill()
    return cgroup.remove()


def _resident(pid: int, processes: dict[int, ProcessInfo]) -> int:
    """Return the resident bytes of a process tree."""
    return sum(processes[one].resident for one in process_tree(pid, processes))


def _reap_one(before: Callable[[int], None]) -> tuple[int, int] | None:
    """Return the pid and wait status of a child that has ended, or None if there is none.

    Calls `before(pid)` while the pid cannot belong to another process yet. Python for macOS has no `waitid` before
    3.13; there it calls `before` right after that.
    """
    try:
        if hasattr(os, "waitid"):
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return None
            before(ended.si_pid)
            return os.waitpid(ended.si_pid, 0)
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    if pid == 0:
        return None
    before(pid)
    return pid, status


def _protect_process() -> None:
    """Become a child subreaper, and hide our memory, which holds tokens, from bots that run as our own user."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a child subreaper")


def main() -> None:
    """Serve the socket with the descriptor `sys.argv[1]`; then remove the folders that the other arguments name."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _do_nothing)
    _protect_process()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        SupervisorProcess(control).run()
    for folder in sys.argv[2:]:
        shutil.rmtree(folder, ignore_errors=True)
