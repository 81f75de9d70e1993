"""The supervisor, a small process that starts the bots and outlives the referee briefly to end them.

It starts before gRPC does, has one thread, and is the parent of every bot (faults.md, Launching). The referee talks to
it over a socket, one JSON object per line. The end of the socket means that the referee is gone, for whatever reason.
Then the supervisor kills all its descendants and exits. As a child subreaper (Linux) it inherits the processes that
bots leave behind, even those that double-forked into a session of their own.

Requests:
  {"start": id, "outputs": [stdout, stderr], "argv": [...], "cwd": "...", "env": {...}, "relays_signals": bool,
  "memory_mb": n, "copies_mb": n, "processes": n, "scratch": [...]}. The outputs are paths of FIFOs, which the referee
  reads; the supervisor opens and removes them. `launch.Launch` explains the other values.
  {"signal": number, "id": id}: send a signal to the process group of that process.
  {"orphans": [pid, ...]}: kill the processes among these that a bot left behind.

Reports:
  {"started": id, "pid": n, "freeze_file": path, "cpu_file": path, "has_share": bool}. The files belong to its control
  group (`Cgroup`); "" if it has none. "has_share" tells whether the group gives it a processor weight.
  {"refused": id, "reason": "..."}
  {"ended": id, "status": n, "over_memory": bool, "cpu_ns": n, "left_running": [...]}. A negative status is the negated
  number of a signal. "cpu_ns" is the processor time of the process and its descendants. "left_running" are the commands
  of the processes that have lost their parent since a bot last ended; [] for a sandbox, which leaves none.

A control group limits memory and processes where one can be made. Elsewhere the supervisor watches the memory of each
process tree, including its own folders in memory, and kills a tree that uses too much. The referee freezes groups
itself (`freezer`); every way to end a process here also thaws it. If the supervisor is killed, a guard ends the groups
(`cgroup_guard`).

It runs in isolated mode without site packages, so this module and its imports use only the standard library.
"""

from __future__ import annotations

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bowerbird.harness.referee.isolation.keyring import join_new_session_keyring
from bowerbird.harness.referee.isolation.seccomp import passing_filter
from bowerbird.harness.referee.process.cgroup_guard import CgroupGuard
from bowerbird.harness.referee.process.cgroups import Cgroup, CgroupFactory
from bowerbird.harness.referee.process.patience import Patience
from bowerbird.harness.referee.process.procfs import (
    ProcessInfo,
    all_processes,
    children_of,
    command_line_of,
    process_tree,
    proportional_bytes,
)

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
RECEIVE_BYTES = 65536
END_ALL_S = 5.0
MEMORY_CHECK_S = 0.25
MEBIBYTE = 1 << 20
SIGNAL_BASE = 128
"""A program that relays signals reports death by signal N as exit status `SIGNAL_BASE` + N."""


@dataclass(slots=True)
class Child:
    """A started process.

    `watched_bytes` is its memory limit if no control group enforces one; else 0. `scratch` are its folders in memory.
    """

    id: int
    process: subprocess.Popen[bytes]
    relays_signals: bool
    cgroup: Cgroup | None
    watched_bytes: int
    scratch: tuple[str, ...]
    over_memory: bool = False


class SupervisorProcess:
    """The supervisor of bots, which starts, signals and reaps them. It uses pids; the referee uses its own ids."""

    def __init__(self, control: socket.socket) -> None:
        """Read requests from `control`."""
        self._control = control
        self._buffer = b""
        self._children: dict[int, Child] = {}
        self._cgroups: CgroupFactory | None = None
        self._guard: CgroupGuard | None = None
        self._cgroups_to_remove: list[Cgroup] = []
        self._orphans: set[int] = set()

    def run(self) -> None:
        """Serve until the socket ends, then end all descendants."""
        wake_reader, wake_writer = socket.socketpair()
        wake_writer.setblocking(False)
        wake_reader.setblocking(False)
        signal.set_wakeup_fd(wake_writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _do_nothing)
        self._cgroups = (
            CgroupFactory.detect()
        )  # this starts several processes, so do it now, while the referee imports its modules
        if self._cgroups is not None:
            self._guard = CgroupGuard(self._cgroups.own_groups)
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
        """Return how long `select` may wait: forever, unless there is memory to check or a group to remove."""
        is_watching = any(child.watched_bytes for child in self._children.values())
        return MEMORY_CHECK_S if is_watching or self._cgroups_to_remove else None

    def _serve(self) -> bool:
        """Receive and carry out requests; return False at the end of the socket."""
        try:
            data = self._control.recv(RECEIVE_BYTES)
        except ConnectionError:
            return False
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._carry_out(json.loads(line))
        return True

    def _carry_out(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self._start(request)
        elif "orphans" in request:
            self._end_orphans(request["orphans"])
        else:
            self._signal(request["id"], request["signal"])

    def _start(self, request: dict[str, Any]) -> None:
        child_id = request["start"]
        cgroup: Cgroup | None = None
        outputs: list[int] = []
        try:
            for path in request["outputs"]:
                outputs.append(_open_output(path))
            cgroup = self._make_cgroup(request)
            is_bounded = cgroup is not None and self._cgroups is not None and self._cgroups.bounds_memory
            entering = cgroup.enter_command() if cgroup is not None else []
            join_new_session_keyring()
            with passing_filter(request["argv"], memory_is_bounded=is_bounded) as (argv, descriptors):
                process = subprocess.Popen(
                    [*entering, *argv],
                    cwd=request["cwd"],
                    env=request["env"],
                    pass_fds=descriptors,
                    stdin=subprocess.DEVNULL,
                    stdout=outputs[0],
                    stderr=outputs[1],
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            if cgroup is not None:
                cgroup.remove()
            self._report({"refused": child_id, "reason": _reason(error)})
        else:
            watched_bytes = 0 if is_bounded else request["memory_mb"] * MEBIBYTE
            self._children[process.pid] = Child(
                child_id, process, request["relays_signals"], cgroup, watched_bytes, tuple(request["scratch"])
            )
            freeze_file, cpu_file = (cgroup.freeze_file, cgroup.cpu_file) if cgroup is not None else ("", "")
            self._report(
                {
                    "started": child_id,
                    "pid": process.pid,
                    "freeze_file": freeze_file,
                    "cpu_file": cpu_file,
                    "has_share": cgroup is not None and self._cgroups is not None and self._cgroups.shares_processors,
                }
            )
        finally:
            for output in outputs:
                os.close(output)

    def _make_cgroup(self, request: dict[str, Any]) -> Cgroup | None:
        """Make a control group with the limits of a request; return None if it has none or the system has no groups."""
        if not request["memory_mb"] or self._cgroups is None:
            return None
        memory_mb = request["memory_mb"] + request["copies_mb"]
        return self._cgroups.make(request["start"], memory_mb * MEBIBYTE, request["processes"])

    def _signal(self, child_id: int, number: int) -> None:
        for pid, child in self._children.items():
            if child.id == child_id:
                _signal_group(pid, number)
                if child.cgroup is not None:
                    child.cgroup.thaw()

    def _end_orphans(self, pids: Sequence[int]) -> None:
        """Kill those of `pids` that are our children, so that no pid can mean another process; spare bots."""
        for pid in set(pids).intersection(self._other_children()) - self._children.keys():
            _signal_one(pid, signal.SIGKILL)

    def _reap(self) -> None:
        """Report every child that ended. Its process group is killed before the system can reuse its pid."""
        left_running: dict[int, list[str]] = {}

        def end_group(pid: int) -> None:
            if pid in self._children:
                left_running[pid] = self._commands_left_by(self._children[pid])
                _signal_group(pid, signal.SIGKILL)

        while (ended := _reap_one(end_group)) is not None:
            pid, wait_status, cpu_ns = ended
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
                cpu_ns = child.cgroup.cpu_ns or cpu_ns
                self._cgroups_to_remove.append(child.cgroup)
            self._report(
                {
                    "ended": child.id,
                    "status": status,
                    "over_memory": over_memory,
                    "cpu_ns": cpu_ns,
                    "left_running": left_running[pid],
                }
            )

    def _commands_left_by(self, child: Child) -> list[str]:
        """Return the commands of the orphans that have appeared since a child last ended.

        `child` left them, or another bot that is running. A sandbox leaves none.
        """
        orphans = {pid for pid in self._other_children() if pid not in self._children}
        new, self._orphans = orphans - self._orphans, orphans
        if child.relays_signals:
            return []
        return [command for pid in sorted(new) if (command := command_line_of(pid))]

    def _other_children(self) -> list[int]:
        """Return our children except the guard: bots, and processes that they left behind."""
        return [pid for pid in children_of(os.getpid()) if self._guard is None or pid != self._guard.pid]

    def _check_memory(self) -> None:
        """Kill each process tree that exceeds a memory limit not enforced by a control group."""
        if not any(child.watched_bytes for child in self._children.values()):
            return
        processes = all_processes()
        for pid, child in self._children.items():
            if child.watched_bytes and _holds_more(pid, child.watched_bytes, child.scratch, processes):
                child.over_memory = True
                for one in process_tree(pid, processes):
                    _signal_one(one, signal.SIGKILL)
                if child.cgroup is not None:
                    child.cgroup.thaw()

    def _remove_cgroups(self) -> None:
        """Kill processes left in the groups of ended children, and remove the groups; retry the rest next time."""
        self._cgroups_to_remove = [cgroup for cgroup in self._cgroups_to_remove if not _kill_and_remove(cgroup)]

    def _report(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def _end_all(self) -> None:
        """Kill every descendant. Repeat until none is left, since orphans of killed processes become our children."""
        patience = Patience(END_ALL_S)
        while patience.step_s():
            for pid, child in self._children.items():
                _signal_group(pid, signal.SIGKILL)
                if child.cgroup is not None:
                    child.cgroup.kill()
            for pid in self._other_children():
                _signal_one(pid, signal.SIGKILL)
            self._reap()
            self._remove_cgroups()
            if not self._children and not self._cgroups_to_remove and not self._other_children():
                break
            select.select([], [], [], 0.002)
        if self._guard is not None:
            self._guard.close()


def _do_nothing(number: int, frame: object) -> None:
    """Handle a signal, so that `select` wakes up. Unlike SIG_IGN, started programs do not inherit a handler."""


def _open_output(path: str) -> int:
    """Open a FIFO for writing, and remove its name. Raises OSError if it has no reader, since the referee is gone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.unlink(path)
    os.set_blocking(descriptor, True)
    return descriptor


def _reason(error: OSError | ValueError) -> str:
    """Return the reason why a program could not be started, in a few words and without a path."""
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


def _holds_more(pid: int, limit: int, scratch: Sequence[str], processes: Mapping[int, ProcessInfo]) -> bool:
    """Return whether a process tree uses more bytes than this: resident bytes, and those in its `scratch` folders.

    Memory that its processes share counts once, as in a control group: if the total of the resident sets is too large,
    the share of each process is examined. Files in memory that a process maps count twice.
    """
    tree = list(process_tree(pid, processes))
    files = max((_scratch_bytes(one, scratch) for one in tree), default=0)
    if sum(processes[one].resident for one in tree) + files <= limit:
        return False
    shares = ((proportional_bytes(one), processes[one].resident) for one in tree)
    return sum(resident if share is None else share for share, resident in shares) + files > limit


def _scratch_bytes(pid: int, scratch: Sequence[str]) -> int:
    """Return the bytes in the `scratch` folders as a process sees them; 0 for a process in our own file system."""
    root = f"/proc/{pid}/root"
    held = 0
    with contextlib.suppress(OSError):  # it has just ended, or the sandbox is still being made
        if scratch and not os.path.samefile(root, "/"):
            for folder in scratch:
                space = os.statvfs(f"{root}{folder}")
                held += (space.f_blocks - space.f_bfree) * space.f_frsize
    return held


def _reap_one(before: Callable[[int], None]) -> tuple[int, int, int] | None:
    """Return pid, wait status and processor time (ns) of a child that has ended, or None if there is none.

    The time includes descendants that were waited for. Calls `before(pid)` while the pid cannot yet belong to another
    process. Python for macOS has no `waitid` before 3.13; there, `before` is called right afterwards.
    """
    try:
        if hasattr(os, "waitid"):
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return None
            before(ended.si_pid)
            pid, status, used = os.wait4(ended.si_pid, 0)
        else:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return None
            before(pid)
    except ChildProcessError:
        return None
    return pid, status, int((used.ru_utime + used.ru_stime) * 1e9)


def _protect_process() -> None:
    """Become a child subreaper, and hide our memory, which holds tokens, from bots that run as our own user."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot become a child subreaper")


def main() -> None:
    """Serve the socket with the descriptor `sys.argv[1]`; then remove the folders in the other arguments."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _do_nothing)
    _protect_process()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        SupervisorProcess(control).run()
    for folder in sys.argv[2:]:
        shutil.rmtree(folder, ignore_errors=True)
