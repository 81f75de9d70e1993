"""Bot processes under trio, for the referee: start, read output, signal, end (faults.md, Launching).

They are children of the supervisor process (`supervisor_main`), which ends them all when the referee is gone. A tier
(`bowerbird.harness.referee.isolation`) decides how they are confined, and provides a `Launch`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import trio

from bowerbird.harness.referee.isolation.launch import Launch
from bowerbird.harness.referee.process.freezer import CpuMeter, Freezer
from bowerbird.harness.referee.process.output import OutputLog, Tail
from bowerbird.harness.referee.process.patience import Patience
from bowerbird.harness.referee.process.supervisor_handle import (
    StartRequest,
    SupervisorHandle,
    encode_request,
    prepare_start,
)

CHUNK_BYTES = 65536
UNTHROTTLED_BYTES = 1 << 20
THROTTLED_BYTES_PER_S = 64 << 20
"""The speed of reading output after the first `UNTHROTTLED_BYTES`, which slows down a flooding bot and not the referee.
"""

START_S = 60.0
"""How long the supervisor may take to answer a start. It shares the processors with bots, so it may be slow."""
TERM_S = 0.5
KILL_S = 5.0
DRAIN_S = 0.5


NOT_RUNNABLE = frozenset(os.strerror(number) for number in (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR))
"""Errors for a program that can be run neither now nor later."""


class NotStartedError(Exception):
    """A program could not be started.

    The sentence is the reason, without a path. `is_final` means that another try would also fail: the program is
    missing or not a program.
    """

    def __init__(self, sentence: str) -> None:
        """Store the reason."""
        super().__init__(sentence)
        self.is_final = sentence in NOT_RUNNABLE


class SupervisorLostError(RuntimeError):
    """The supervisor process ended, or did not answer, while bots were needed. The state of the bots is unknown."""


def is_supervisor_loss(error: BaseException) -> bool:
    """Return whether an error is the loss of the supervisor, or a group that contains it."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(SupervisorLostError) is not None
    return isinstance(error, SupervisorLostError)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """The end of a process. `status` is its exit status, or the negated number of the signal that killed it.

    `over_memory_mb` is the process's memory_mb if it or a descendant was killed for using more; else 0.
    """

    status: int
    over_memory_mb: int = 0

    def __str__(self) -> str:
        """In words: "exit status 3", "signal 9 (SIGKILL)"."""
        if self.over_memory_mb:
            return f"{self._status} for using more than its memory_mb = {self.over_memory_mb}"
        return self._status

    @property
    def _status(self) -> str:
        if self.status >= 0:
            return f"exit status {self.status}"
        try:
            return f"signal {-self.status} ({signal.Signals(-self.status).name})"
        except ValueError:
            return f"signal {-self.status}"


class Process:
    """One started program. Use `Supervisor.start`.

    `ended` is set when it has ended. `exit_status` is None until then, and stays None if the supervisor was lost.
    """

    def __init__(self, number: int, log: OutputLog, supervisor: Supervisor, memory_mb: int) -> None:
        """Represent process `number` of the supervisor; a `memory_mb` of 0 means no limit."""
        self._number = number
        self.memory_mb = memory_mb
        self._supervisor = supervisor
        self.log = log
        self.stdout = Tail()
        self.stderr = Tail()
        self.stdout_read = trio.Event()
        self.stderr_read = trio.Event()
        """Set when no more of the output will be read."""
        self.pid = 0
        self.start_answered = trio.Event()
        """Set when the supervisor has started the program or refused to; then `refusal` is the reason."""
        self.refusal = ""
        self.ended = trio.Event()
        self.exit_status: ExitStatus | None = None
        self.freezer: Freezer | None = None
        """Freezes it while it has nothing to do; None if that is impossible or not wanted."""
        self.cpu = CpuMeter(0, "")
        """The processor time of it and its descendants; the total once it has ended."""
        self.has_share = True
        """Whether a control group gives it its share of the processors."""
        self.left_running: tuple[str, ...] = ()
        """The commands of processes that it left running. If several bots are running, some may belong to another bot.
        """

    def thaw(self) -> None:
        """Let the process run if it is frozen."""
        if self.freezer is not None:
            self.freezer.thaw()

    def begin(self, pid: int, freezer: Freezer | None, cpu: CpuMeter, *, has_share: bool) -> None:
        """Note that the program runs."""
        self.pid, self.freezer, self.cpu, self.has_share = pid, freezer, cpu, has_share
        self.start_answered.set()

    def finish(self, status: ExitStatus | None, cpu_ns: int) -> None:
        """Note that the process has ended, or that the supervisor is lost (`status` None)."""
        if self.freezer is not None:
            self.freezer.close()
        self.cpu.close(cpu_ns)
        self.exit_status = status
        self.start_answered.set()
        self.ended.set()

    async def signal(self, number: int) -> None:
        """Send a signal to the whole process group. Does nothing if the process has ended or the supervisor closes."""
        self.thaw()
        try:
            await self._supervisor.send(encode_request({"signal": int(number), "id": self._number}))
        except SupervisorLostError:
            if not self._supervisor.is_closing:
                raise

    async def end(self, patience_s: float) -> None:
        """Wait `patience_s` seconds for the process to end on its own, then terminate and kill it with its group."""
        for wait_s, number in ((patience_s, signal.SIGTERM), (TERM_S, signal.SIGKILL), (KILL_S, None)):
            with trio.move_on_after(wait_s):
                await self.ended.wait()
            if self.ended.is_set() or number is None:
                return
            await self.signal(number)

    async def wait_for_output(self) -> None:
        """Wait at most twice `DRAIN_S` seconds until all output from before its end is read."""
        with trio.move_on_after(2 * DRAIN_S):
            await self.stdout_read.wait()
            await self.stderr_read.wait()


class Supervisor:
    """The referee's connection to the supervisor process: sends requests, receives reports.

    Run `run` in a task, `start` processes, then `close`.
    """

    def __init__(self, handle: SupervisorHandle, *, may_freeze: bool = True) -> None:
        """Take over a supervisor process. With `may_freeze`, its processes get a `Freezer` where that works."""
        self._handle = handle
        self._may_freeze = may_freeze
        self._control = trio.socket.from_stdlib_socket(handle.control)
        self._lock = trio.Lock()
        self._next = len(handle.start_requests)
        self._processes: dict[int, Process] = {}
        self._started_before = {request.number: self._register(request) for request in handle.start_requests}
        self.is_closing = False

    async def run(self) -> None:
        """Process reports until `close`. Raises SupervisorLostError if the supervisor ends before that."""
        buffer = b""
        while True:
            try:
                data = await self._control.recv(CHUNK_BYTES)
            except (OSError, trio.ClosedResourceError):
                data = b""
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._take_report(json.loads(line))
        self._end_all()
        if not self.is_closing:
            raise SupervisorLostError("the supervisor process, which starts the bots, has ended")

    def _end_all(self) -> None:
        """Mark all processes as ended, since no report will come. Kill them if the supervisor was killed first."""
        for process in self._processes.values():
            if process.pid and not self.is_closing:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.finish(process.exit_status, 0)

    def _take_report(self, report: Mapping[str, Any]) -> None:
        if "started" in report:
            self._begin(self._processes[report["started"]], report)
        elif "refused" in report:
            process = self._processes.pop(report["refused"])
            process.refusal = report["reason"]
            process.ended.set()
            process.start_answered.set()
        else:
            process = self._processes.pop(report["ended"])
            process.left_running = tuple(report["left_running"])
            status = ExitStatus(report["status"], process.memory_mb if report["over_memory"] else 0)
            process.finish(status, report["cpu_ns"])

    def _begin(self, process: Process, report: Mapping[str, Any]) -> None:
        """Note that a process runs. Refuse it if its group's files cannot be opened, since it could not be frozen."""
        try:
            freezer, cpu = self._group_files(report)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENODEV):
                process.pid, process.refusal = report["pid"], f"its control group cannot be used: {error.strerror}"
                process.start_answered.set()
                return
            freezer, cpu = None, CpuMeter(0, "")  # it has ended, and its group is removed; its end will be reported
        process.begin(report["pid"], freezer, cpu, has_share=report["has_share"])

    def _group_files(self, report: Mapping[str, Any]) -> tuple[Freezer | None, CpuMeter]:
        """Open the files of a process's control group, or the substitutes without a group. Raises OSError."""
        freeze_file = report["freeze_file"] if self._may_freeze else ""
        with contextlib.ExitStack() as undo:
            freezer = Freezer(freeze_file) if freeze_file else None
            if freezer is not None:
                undo.callback(freezer.close)
            cpu = CpuMeter(report["pid"], report["cpu_file"])
            undo.pop_all()
        return freezer, cpu

    async def send(self, data: bytes) -> None:
        """Send a whole line to the supervisor process; if cancelled first, send nothing.

        Raises SupervisorLostError.
        """
        async with self._lock:
            sent = 0
            try:
                while sent < len(data):
                    with trio.CancelScope(shield=sent > 0):  # half a line would spoil the next one; `close` ends this
                        sent += await self._control.send(data[sent:])
            except (OSError, trio.ClosedResourceError) as error:
                raise SupervisorLostError("the supervisor process, which starts the bots, has ended") from error

    async def end_orphans(self, pids: Sequence[int]) -> None:
        """Kill those of these processes that are orphans and not bots. Raises SupervisorLostError."""
        await self.send(encode_request({"orphans": list(pids)}))

    async def start(self, launch: Launch, log: OutputLog, nursery: trio.Nursery) -> Process:
        """Start a program in its own session with exactly the given environment; tasks in `nursery` read its output.

        Raises NotStartedError if the system refuses, OSError if its outputs cannot be made, SupervisorLostError if the
        supervisor process is gone.
        """
        self._next += 1
        with prepare_start(self._next, launch, log, self._handle.folder) as (request, line):
            process = self._register(request)
            await self.send(line)
        return await self._wait_until_started(process, request, nursery)

    async def take_over(self, request: StartRequest, nursery: trio.Nursery) -> Process:
        """Return the process of a request that was sent before this object was made. Raises like `start`."""
        return await self._wait_until_started(self._started_before.pop(request.number), request, nursery)

    async def drop(self, request: StartRequest) -> None:
        """Discard a request that was sent before this object was made, instead of `take_over`; kill its process.

        Cancellation does not stop this. Raises SupervisorLostError.
        """
        await self._discard(self._started_before.pop(request.number), request)

    def _register(self, request: StartRequest) -> Process:
        process = self._processes[request.number] = Process(request.number, request.log, self, request.memory_mb)
        return process

    async def _wait_until_started(self, process: Process, request: StartRequest, nursery: trio.Nursery) -> Process:
        """Wait for the supervisor's answer, then start to read. Until then, an output appears to be at its end.

        If the wait is cancelled or fails, nobody will know the process, so it is killed.
        """
        try:
            await self._wait_for_answer(process)
            if process.refusal:
                raise NotStartedError(process.refusal)
            if process.ended.is_set() and process.exit_status is None:
                raise SupervisorLostError("the supervisor process, which starts the bots, has ended")
        except BaseException:
            await self._discard(process, request)
            raise
        stdout, stderr = map(trio.lowlevel.FdStream, request.outputs)
        nursery.start_soon(_read_output, stdout, process.stdout, process.stdout_read, process)
        nursery.start_soon(_read_output, stderr, process.stderr, process.stderr_read, process)
        return process

    async def _discard(self, process: Process, request: StartRequest) -> None:
        """Close the outputs unread and kill the process, which the supervisor knows since it reads the start first."""
        request.discard()
        if not process.ended.is_set():
            with trio.CancelScope(shield=True):
                await process.signal(signal.SIGKILL)

    async def _wait_for_answer(self, process: Process) -> None:
        """Wait until the supervisor has started a program or refused to. Raises NotStartedError after START_S."""
        patience = Patience(START_S)
        while not process.start_answered.is_set():
            step_s = patience.step_s()
            if not step_s:
                raise NotStartedError(f"the system did not start it within {START_S:g} s")
            with trio.move_on_after(step_s):
                await process.start_answered.wait()

    async def close(self) -> None:
        """End the supervisor process, and with it every process that it ever started. Do nothing if it is gone.

        It takes a limited time, and cancellation does not interrupt it.
        """
        self.is_closing = True
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._handle.end)
        self._control.close()


async def _read_output(pipe: trio.lowlevel.FdStream, tail: Tail, all_read: trio.Event, process: Process) -> None:
    """Read an output to its end, but no longer than `DRAIN_S` after the process ended.

    A descendant that outlives the process may hold the pipe open.
    """
    read = 0

    async def set_deadline_at_end(scope: trio.CancelScope) -> None:
        await process.ended.wait()
        scope.deadline = trio.current_time() + DRAIN_S

    try:
        async with pipe, trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(set_deadline_at_end, scope)
                while data := await pipe.receive_some(CHUNK_BYTES):
                    tail.add(data)
                    process.log.add(data)
                    read += len(data)
                    if read > UNTHROTTLED_BYTES:
                        await trio.sleep(len(data) / THROTTLED_BYTES_PER_S)
            nursery.cancel_scope.cancel()
    finally:
        all_read.set()
