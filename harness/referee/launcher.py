"""Bot processes as the referee sees them: start, drain, signal, end (FAULTS.md, Isolation and Launching).

The processes are children of a launcher process (`launcher_process`), which ends them all when the referee is gone.
What they run under is decided by a tier (`isolation`) and arrives here as a `Launch`.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import trio

from harness.referee.isolation import Launch
from harness.referee.lifeline import Lifeline
from harness.referee.log import Log
from harness.referee.order import Order, ordering, request_line

TAIL = 65536
CHUNK = 65536
FREE_OUTPUT = 1 << 20
OUTPUT_RATE = 64 << 20
"""Bytes a second at which output is drained after the first MiB: a bot that floods waits, the referee does not."""

START_S = 10.0
TERM_S = 0.5
KILL_S = 5.0
DRAIN_S = 0.5


class NotStartedError(Exception):
    """A program could not be started; the sentence says why, without a path."""


class LauncherLostError(RuntimeError):
    """The launcher process is gone while bots were to run: nothing can be said about them any more."""


class Tail:
    """The last 64 KiB of an output that may be endless."""

    def __init__(self) -> None:
        """Nothing was written yet."""
        self._bytes = bytearray()
        self.complete = trio.Event()
        """Set when nothing more will be read."""

    def add(self, data: bytes) -> None:
        """Take what was written next."""
        self._bytes += data
        if len(self._bytes) > 2 * TAIL:
            del self._bytes[:-TAIL]

    @property
    def text(self) -> str:
        """The end of the output; bytes that are not UTF-8 are replaced."""
        return bytes(self._bytes[-TAIL:]).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: an exit status, or minus the number of a signal.

    `over_memory_mb` is its memory_mb if it, or something that it started, was ended for taking more than that.
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
    """One started program. `ended` is set as soon as it is over; `how` then says how, unless the launcher is gone."""

    def __init__(self, name: int, log: Log, launcher: Launcher, memory_mb: int) -> None:
        """A process known to the launcher by the number `name`, of at most `memory_mb` (0: any memory)."""
        self._name = name
        self.memory_mb = memory_mb
        self._launcher = launcher
        self.log = log
        self.stdout = Tail()
        self.stderr = Tail()
        self.pid = 0
        self.answered = trio.Event()
        """Set when the launcher has started it, or could not; `refused` then says why."""
        self.refused = ""
        self.ended = trio.Event()
        self.how: Ended | None = None
        self.left: tuple[str, ...] = ()
        """The commands of what it left running when it ended. Where several bots are at work, perhaps another's."""

    async def signal(self, number: int) -> None:
        """Send a signal to the whole process group; nothing happens if the process is over, or all are being ended."""
        try:
            await self._launcher.send(request_line({"signal": int(number), "id": self._name}))
        except LauncherLostError:
            if not self._launcher.is_closing:
                raise

    async def end(self, patience: float) -> None:
        """Wait `patience` seconds for it to end by itself, then make it end. Its group is killed with it."""
        for wait, number in ((patience, signal.SIGTERM), (TERM_S, signal.SIGKILL), (KILL_S, None)):
            with trio.move_on_after(wait):
                await self.ended.wait()
            if self.ended.is_set() or number is None:
                return
            await self.signal(number)

    async def heard_out(self) -> None:
        """Wait until all is read that it wrote before it ended; a short while, if it has not ended."""
        with trio.move_on_after(2 * DRAIN_S):
            await self.stdout.complete.wait()
            await self.stderr.complete.wait()


class Launcher:
    """What the referee asks of the launcher process, and what it hears. Use `run` in a task, then `close`."""

    def __init__(self, lifeline: Lifeline) -> None:
        """Takes over a launcher process."""
        self._lifeline = lifeline
        self._control = trio.socket.from_stdlib_socket(lifeline.control)
        self._lock = trio.Lock()
        self._next = len(lifeline.orders)
        self._known: dict[int, Process] = {}
        self._ahead = {order.number: self._expect(order) for order in lifeline.orders}
        self.is_closing = False

    async def run(self) -> None:
        """Take reports until `close`. Raises LauncherLostError if the launcher goes first."""
        buffer = b""
        while True:
            try:
                data = await self._control.recv(CHUNK)
            except (OSError, trio.ClosedResourceError):
                data = b""
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._report(json.loads(line))
        self._lose_everybody()
        if not self.is_closing:
            raise LauncherLostError("the process that starts the bots is gone")

    def _lose_everybody(self) -> None:
        """No report will come any more. What the launcher has left running, if it was killed itself, is ended here."""
        for process in self._known.values():
            if process.pid and not self.is_closing:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.ended.set()
            process.answered.set()

    def _report(self, report: Mapping[str, Any]) -> None:
        if "started" in report:
            process = self._known[report["started"]]
            process.pid = report["pid"]
            process.answered.set()
        elif "refused" in report:
            process = self._known.pop(report["refused"])
            process.refused = report["reason"]
            process.ended.set()
            process.answered.set()
        else:
            process = self._known.pop(report["ended"])
            process.how = Ended(report["status"], process.memory_mb if report["over_memory"] else 0)
            process.left = tuple(report["left"])
            process.ended.set()

    async def send(self, data: bytes, files: Sequence[int] = ()) -> None:
        """Pass a line to the launcher, with file descriptors."""
        async with self._lock:
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
            try:
                sent = await self._control.sendmsg([data], ancillary)
                while sent < len(data):
                    sent += await self._control.send(data[sent:])
            except (OSError, trio.ClosedResourceError) as error:
                raise LauncherLostError("the process that starts the bots is gone") from error

    async def start(
        self,
        launch: Launch,
        log: Log,
        nursery: trio.Nursery,
    ) -> Process:
        """Start a program with a session of its own and exactly its environment; `nursery` drains its output.

        Raises NotStartedError if the system refuses, LauncherLostError if there is nobody to start it.
        """
        self._next += 1
        with ordering(self._next, launch, log) as (order, request, files):
            process = self._expect(order)
            await self.send(request, files)
        return await self._see_start(process, order, nursery)

    async def take_over(self, order: Order, nursery: trio.Nursery) -> Process:
        """`start` a program of which the launcher process was told before it was taken over."""
        return await self._see_start(self._ahead.pop(order.number), order, nursery)

    def _expect(self, order: Order) -> Process:
        process = self._known[order.number] = Process(order.number, order.log, self, order.memory_mb)
        return process

    async def _see_start(self, process: Process, order: Order, nursery: trio.Nursery) -> Process:
        for tail, output in zip((process.stdout, process.stderr), order.outputs, strict=True):
            nursery.start_soon(_drain, trio.lowlevel.FdStream(output), tail, process)
        with trio.fail_after(START_S):
            await process.answered.wait()
        if process.refused:
            raise NotStartedError(process.refused)
        if process.ended.is_set() and process.how is None:
            raise LauncherLostError("the process that starts the bots is gone")
        return process

    async def close(self) -> None:
        """End the launcher, and with it every process that it ever started. Safe to call when it is gone already.

        Cancellation does not stop this, which takes a bounded time.
        """
        self.is_closing = True
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._lifeline.end)
        self._control.close()


async def _drain(pipe: trio.lowlevel.FdStream, tail: Tail, process: Process) -> None:
    """Read an output to its end, or until shortly after the process is over (its strays may hold the pipe)."""
    read = 0

    async def until_over(scope: trio.CancelScope) -> None:
        await process.ended.wait()
        scope.deadline = trio.current_time() + DRAIN_S

    try:
        async with pipe, trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(until_over, scope)
                while data := await pipe.receive_some(CHUNK):
                    tail.add(data)
                    process.log.add(data)
                    read += len(data)
                    if read > FREE_OUTPUT:
                        await trio.sleep(len(data) / OUTPUT_RATE)
            nursery.cancel_scope.cancel()
    finally:
        tail.complete.set()
