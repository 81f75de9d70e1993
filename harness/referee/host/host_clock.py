"""The clock of a referee: the monotonic clock without the stalls of the host (faults.md, Stalls of the host).

A referee checks its clock about every `BEAT_S` seconds. If it is very late, the host stood still: the referee was
stopped, or got no core, or waited for a disk. In that time it could neither ask nor hear any bot.

Every check of a deadline goes through `running_ns`, which notices a stall before it returns. So it does not matter
which timer wakes first after a stall.
"""

from __future__ import annotations

from collections.abc import Callable

from bowerbird.harness.referee.host.readings import Readings
from bowerbird.harness.referee.host.stall_log import LONG_NS, NEVER_NS, Stall, StallLog

NS_PER_S = 1_000_000_000

BEAT_S = 0.05
"""The time between two checks of the clock."""

GAP_NS = 250_000_000
"""A longer time between two checks is a stall.

Five checks are then missing. A busy scheduler delays a check by tens of milliseconds, and garbage collection by less.
So shorter gaps are common, and small compared with any time for a decision.
"""

READING_NS = 250_000_000
"""How long the clocks stay stopped after a stall, so that an answer waiting in a socket is read before it is late."""

AFTER_NS = 2 * NS_PER_S
"""How long after a stall the end of a process is still attributed to it."""


class HostClock:
    """A clock that notices stalls and leaves them out of times. It is used only in the trio thread.

    Life: created (no stall is ever noticed), started, any number of `beat`, stopped. `on_stall` is called with each
    stall of at least `LONG_NS` when it has ended.
    """

    def __init__(self, on_stall: Callable[[Stall], None] | None = None) -> None:
        """Create a clock that has not started. Until then it is the monotonic clock."""
        self._on_stall = on_stall
        self._log = StallLog()
        self._alarm_ns = NEVER_NS
        self._readings: Readings | None = None
        self._beat_ns = 0
        self._asleep_ns = 0
        self._core_wait_ns: int | None = None
        self._all_waits_ns: int | None = None
        self._bots_cpu_ns = 0
        self._gap_seen_ns = 0
        self._is_told = True
        self.held_up_ns = 0
        """How long in total the referee could not check its clock because its own bots had the processors."""

    def start(self, readings: Readings) -> None:
        """Start to notice stalls."""
        self._readings = readings
        self._bots_cpu_ns = readings.bots_cpu_ns()
        self._all_waits_ns = readings.all_waits_ns()
        self._note(readings, readings.monotonic_ns())

    def stop(self) -> None:
        """Stop noticing stalls. An open one ends."""
        if self._log.is_open and self._readings is not None:
            self._log.end(self._readings.monotonic_ns())
            self._tell()
        self._alarm_ns = NEVER_NS
        self._readings = None

    # Judgements.

    def running_ns(self, since_ns: int, until_ns: int) -> int:
        """Return the time between two moments of the monotonic clock without the stalls. Notice a new one first."""
        if until_ns > self._alarm_ns:
            self.beat()
        if since_ns < self._log.quiet_from_ns:
            return self._log.running_ns(since_ns, until_ns)
        return until_ns - since_ns

    def wait_ns(self, since_ns: int, limit_ns: int, now_ns: int) -> int:
        """Return how long to wait before `running_ns(since_ns, …)` can exceed `limit_ns`. Then ask again.

        In a stall this is at least the time between two checks; it is negative if the limit is exceeded.
        """
        left_ns = limit_ns - self.running_ns(since_ns, now_ns)
        if now_ns < self._log.quiet_from_ns and left_ns >= 0:
            return max(left_ns, int(BEAT_S * NS_PER_S))
        return left_ns

    def was_lost_in_stall(self, at_ns: int) -> bool:
        """Return whether something that ended at this moment ended in a long stall, or soon after one."""
        return self.stood_still(at_ns, at_ns)

    def stood_still(self, since_ns: int, until_ns: int) -> bool:
        """Return whether a long stall, including the time soon after it, overlaps the time between two moments."""
        self.beat()
        return self._log.touches(since_ns, until_ns, lasted_ns=LONG_NS, after_ns=AFTER_NS)

    # Checks of the clock.

    def beat(self) -> None:
        """Check the clock: begin a stall after a gap, or else end the open one."""
        readings = self._readings
        if readings is None:
            return
        now_ns = readings.monotonic_ns()
        gap_ns = now_ns - self._beat_ns
        slept_ns = readings.asleep_ns() - self._asleep_ns
        is_late = gap_ns > GAP_NS
        caused_ns = self._caused_by_bots(readings, gap_ns) if is_late else 0
        counted_ns = gap_ns - caused_ns if is_late else 0
        self.held_up_ns += caused_ns
        if self._log.is_open and is_late:
            self._log.end(
                self._beat_ns + READING_NS
            )  # load that the bots cause now must not hide in the previous stall
        if counted_ns > GAP_NS or slept_ns > GAP_NS:
            # The bots' part comes first, so that the stall lasts until now.
            begin_ns = now_ns - counted_ns if counted_ns > GAP_NS else self._beat_ns
            self._log.begin(begin_ns, now_ns, counted_ns + max(0, slept_ns))
            self._is_told = False
        elif self._log.is_open:
            self._log.end(now_ns + READING_NS)
        self._tell()
        self._note(readings, now_ns)

    def note_load(self, used_ns: int, all_waits_ns: int | None, began_ns: int) -> None:
        """Take readings of `bots_cpu_ns` and `all_waits_ns` that began at `began_ns`, unless a gap was noticed since.

        The bots' use and the threads' waits in a gap are counted from the last readings.
        """
        if began_ns > self._gap_seen_ns:
            self._bots_cpu_ns, self._all_waits_ns = used_ns, all_waits_ns

    def _caused_by_bots(self, readings: Readings, gap_ns: int) -> int:
        """Return the part of a gap in which the referee waited for a core that a bot may have used.

        A bot must not be able to stop the clocks by loading the host, so processor time used by bots is not evidence of
        a stall.
        """
        self._gap_seen_ns = self._beat_ns + gap_ns
        used_before_ns, self._bots_cpu_ns = self._bots_cpu_ns, readings.bots_cpu_ns()
        used_ns = max(0, self._bots_cpu_ns - used_before_ns)
        all_before_ns, self._all_waits_ns = self._all_waits_ns, readings.all_waits_ns()
        waited_ns = max(
            _grown(self._core_wait_ns, readings.core_wait_ns(), gap_ns),
            _grown(all_before_ns, self._all_waits_ns, gap_ns),
        )
        return min(gap_ns, waited_ns, used_ns)

    def _note(self, readings: Readings, now_ns: int) -> None:
        self._beat_ns = now_ns
        self._alarm_ns = now_ns + GAP_NS
        self._asleep_ns = readings.asleep_ns()
        self._core_wait_ns = readings.core_wait_ns()

    def _tell(self) -> None:
        """Report the last stall once it has ended."""
        stall = self._log.last
        if self._is_told or self._log.is_open or stall is None:
            return
        self._is_told = True
        if self._on_stall is not None and stall.lasted_ns >= LONG_NS:
            self._on_stall(stall)


def _grown(before_ns: int | None, after_ns: int | None, unknown_ns: int) -> int:
    """Return the increase of a reading; `unknown_ns` if the system does not report it."""
    return unknown_ns if before_ns is None or after_ns is None else after_ns - before_ns
