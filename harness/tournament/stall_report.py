"""Reports stalls of the host to a progress display, each once, whichever referees of the run noticed it."""

from __future__ import annotations

from harness.referee.host.host_clock import NS_PER_S
from harness.referee.host.stall_log import Stall
from harness.tournament.events import HostStoodStill, Progress


class StallReport:
    """Takes the stalls that the referees of a run noticed. Several referees on one machine notice the same ones."""

    def __init__(self, progress: Progress) -> None:
        """Report to `progress`."""
        self._progress = progress
        self._reported_until_ns = 0

    def add(self, stall: Stall) -> None:
        """Report a stall, unless it overlaps one that was reported. The monotonic clock is that of the machine."""
        if stall.begin_ns >= self._reported_until_ns:
            self._progress(HostStoodStill(stall.lasted_ns / NS_PER_S))
        self._reported_until_ns = max(self._reported_until_ns, stall.end_ns)
