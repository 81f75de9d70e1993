"""How a bot's process left, and whose fault that is (PROTOCOL.md, Faults; FAULTS.md, gRPC server)."""

from __future__ import annotations

from harness.referee.faults import CRASHED, DISCONNECTED, Fault
from harness.referee.launcher import Ended

VERDICT_NS = 2_000_000_000
"""How long the end of a stream may wait for the end of its process, and the other way round, before it is judged."""


class Ending:
    """The end of a stream says nothing about the process, and the end of the process may come first: both are heard."""

    __slots__ = ("_how", "deadline", "stream_over")

    def __init__(self) -> None:
        """Neither has ended."""
        self._how: Ended | None = None
        self.stream_over = False
        self.deadline = 0
        """When a verdict is due whatever is still missing; 0 while nothing has ended."""

    def of_stream(self, now: int) -> None:
        """The stream ended."""
        self.stream_over = True
        self.deadline = self.deadline or now + VERDICT_NS

    def of_process(self, how: Ended, now: int) -> None:
        """The process ended."""
        self._how = how
        self.deadline = self.deadline or now + VERDICT_NS

    def verdict(self, now: int) -> Fault | None:
        """The fault, once both ends are known or one was waited for long enough.

        A program that ends with status 0 says that all is well with it: it has left, and has not crashed.
        """
        if not self.deadline:
            return None
        if self._how is not None and (self.stream_over or now >= self.deadline):
            return Fault(CRASHED if self._how.status else DISCONNECTED, str(self._how))
        if now >= self.deadline:
            return Fault(DISCONNECTED, "its stream ended while its process lived")
        return None
