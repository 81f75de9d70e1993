"""How a bot's process left, and whose fault that is (PROTOCOL.md, Faults; FAULTS.md, gRPC server)."""

from __future__ import annotations

from dataclasses import dataclass

from harness.referee.faults import CRASHED, DISCONNECTED, Fault
from harness.referee.launcher import Ended

VERDICT_NS = 2_000_000_000
"""How long the end of a stream may wait for the end of its process, and the other way round, before it is judged."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What it means for a bot's failures where it runs.

    The end of its stream is judged after `verdict_ns`, as `left` if its process is not known to have ended. Whether the
    referee can put another process in its place says whether one that was late is given up.
    """

    verdict_ns: int
    left: str
    is_replaceable: bool


NEARBY = Whereabouts(VERDICT_NS, "its stream ended while its process lived", is_replaceable=True)
REMOTE = Whereabouts(0, "its connection ended and was not taken up again in time", is_replaceable=False)


class Ending:
    """The end of a stream says nothing about the process, and the end of the process may come first: both are heard."""

    __slots__ = ("_how", "_whereabouts", "deadline", "stream_over")

    def __init__(self, whereabouts: Whereabouts = NEARBY) -> None:
        """Neither has ended."""
        self._whereabouts = whereabouts
        self._how: Ended | None = None
        self.stream_over = False
        self.deadline = 0
        """When a verdict is due whatever is still missing; 0 while nothing has ended."""

    def of_stream(self, now: int) -> None:
        """The stream ended."""
        self.stream_over = True
        self.deadline = self.deadline or now + self._whereabouts.verdict_ns

    def of_process(self, how: Ended, now: int) -> None:
        """The process ended."""
        self._how = how
        self.deadline = self.deadline or now + self._whereabouts.verdict_ns

    def verdict(self, now: int) -> Fault | None:
        """The fault, once both ends are known or one was waited for long enough.

        A program that ends with status 0 says that all is well with it: it has left, and has not crashed.
        """
        if not self.deadline:
            return None
        if self._how is not None and (self.stream_over or now >= self.deadline):
            return Fault(CRASHED if self._how.status else DISCONNECTED, str(self._how))
        if now >= self.deadline:
            return Fault(DISCONNECTED, self._whereabouts.left)
        return None
