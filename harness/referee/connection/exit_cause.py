"""Decides why a bot stopped: it crashed, or it left (protocol.md, Faults at a table; faults.md, gRPC server)."""

from __future__ import annotations

from dataclasses import dataclass

from harness.records.values.faults import CRASHED, DISCONNECTED
from harness.referee.game.faults import Fault
from harness.referee.process.supervisor import ExitStatus

VERDICT_NS = 2_000_000_000
"""How long the end of a stream waits for the end of its process, and the reverse, before the fault is decided."""


@dataclass(frozen=True, slots=True)
class ExitPolicy:
    """How the exit of a bot is judged, by where it runs.

    The end of its stream is judged after `verdict_ns`. If no exit status is known then, the fault says `left`.
    `is_replaceable` tells whether the referee can start another process: then one that was late gets no new table.
    """

    verdict_ns: int
    left: str
    is_replaceable: bool


LOCAL = ExitPolicy(VERDICT_NS, "its stream ended while its process was running", is_replaceable=True)
REMOTE = ExitPolicy(0, "its connection ended and was not resumed in time", is_replaceable=False)


class ExitCause:
    """Collects the end of a stream and the end of its process, in either order, and decides the fault."""

    __slots__ = ("_policy", "_status", "deadline_ns", "stream_over")

    def __init__(self, policy: ExitPolicy = LOCAL) -> None:
        """Neither has ended."""
        self._policy = policy
        self._status: ExitStatus | None = None
        self.stream_over = False
        self.deadline_ns = 0
        """When the fault is decided even if one end is still missing; 0 while nothing has ended."""

    def stream_ended(self, now_ns: int) -> None:
        """Note that the stream ended."""
        self.stream_over = True
        self.deadline_ns = self.deadline_ns or now_ns + self._policy.verdict_ns

    def process_ended(self, status: ExitStatus, now_ns: int) -> None:
        """Note that the process ended."""
        self._status = status
        self.deadline_ns = self.deadline_ns or now_ns + self._policy.verdict_ns

    def fault(self, now_ns: int) -> Fault | None:
        """Return the fault once both ends are known or the deadline has passed; None before.

        A program that exits with status 0 reports success: it has left and did not crash.
        """
        if not self.deadline_ns:
            return None
        if self._status is not None and (self.stream_over or now_ns >= self.deadline_ns):
            return Fault(CRASHED if self._status.status else DISCONNECTED, str(self._status))
        if now_ns >= self.deadline_ns:
            return Fault(DISCONNECTED, self._policy.left)
        return None
