"""Decides why a bot stopped: it crashed, or it left (protocol.md, Faults at a table; faults.md, gRPC server)."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.harness.records.values.faults import CRASHED, DISCONNECTED
from bowerbird.harness.referee.game.clock import RunningNs, plain_ns
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.process.supervisor import ExitStatus

VERDICT_NS = 2_000_000_000
"""How long to wait for the end of the process after the end of its stream, and vice versa, before the fault is decided.
"""


@dataclass(frozen=True, slots=True)
class ExitPolicy:
    """The rules for deciding why a bot stopped, which depend on where it runs.

    The end of its stream is decided after `verdict_ns`. If no exit status is known by then, the fault says `left`.
    `is_replaceable`: whether the referee can start another process; then a process that was late gets no new tables.
    """

    verdict_ns: int
    left: str
    is_replaceable: bool


LOCAL = ExitPolicy(VERDICT_NS, "its stream ended while its process was running", is_replaceable=True)
REMOTE = ExitPolicy(0, "its connection ended and was not resumed in time", is_replaceable=False)


class ExitCause:
    """Decides the fault from the end of a stream and the end of its process, which come in either order."""

    __slots__ = ("_running_ns", "_status", "ended_ns", "policy", "stream_over")

    def __init__(self, policy: ExitPolicy = LOCAL, running_ns: RunningNs = plain_ns) -> None:
        """Start with neither ended."""
        self.policy = policy
        self._running_ns = running_ns
        self._status: ExitStatus | None = None
        self.stream_over = False
        self.ended_ns = 0
        """The time at which the first of the two ended; 0 before that."""

    def stream_ended(self, now_ns: int) -> None:
        """Note that the stream ended."""
        self.stream_over = True
        self.ended_ns = self.ended_ns or now_ns

    def process_ended(self, status: ExitStatus, now_ns: int) -> None:
        """Note that the process ended."""
        self._status = status
        self.ended_ns = self.ended_ns or now_ns

    def fault(self, now_ns: int) -> Fault | None:
        """Return the fault once both ends are known or `verdict_ns` have passed; None until then.

        A program that exits with status 0 reports success, so it has left and not crashed.
        """
        if not self.ended_ns:
            return None
        is_due = self._running_ns(self.ended_ns, now_ns) >= self.policy.verdict_ns
        if self._status is not None and (self.stream_over or is_due):
            return Fault(CRASHED if self._status.status else DISCONNECTED, str(self._status))
        if is_due:
            return Fault(DISCONNECTED, self.policy.left)
        return None
