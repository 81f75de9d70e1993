"""When the bytes that trio's last poll reported arrived: when the kernel had them, not when trio came to read them.

A poll that had to wait ends as soon as bytes arrive, so its end is their moment. A poll that found them waiting says
only that they arrived after the end of the previous poll, while the referee was busy with others: that end is used, so
that no bot is charged for the referee's own turn. A turn that took longer than any turn should is not a turn but a gap,
which the host's clock judges (`host_clock`): a bot must gain nothing by loading the host.
"""

from __future__ import annotations

import time

import trio

from bowerbird.harness.referee.host.host_clock import GAP_NS

FOUND_NS = 50_000
"""A poll that ends this soon found what it reports already there."""


class PollTimes(trio.abc.Instrument):
    """Watches the polls of one trio run."""

    __slots__ = ("_began_ns", "_ended_ns", "_may_wait", "arrival_ns")

    def __init__(self) -> None:
        """Begin before the first poll."""
        self._began_ns = 0
        self._may_wait = False
        self._ended_ns = time.monotonic_ns()
        self.arrival_ns = self._ended_ns
        """When the last poll's bytes arrived, as far as is known: never too late, and at most GAP_NS too early."""

    def before_io_wait(self, timeout: float) -> None:
        """See `trio.abc.Instrument`."""
        self._may_wait = timeout > 0
        self._began_ns = time.monotonic_ns()

    def after_io_wait(self, timeout: float) -> None:
        """See `trio.abc.Instrument`."""
        now_ns = time.monotonic_ns()
        has_waited = self._may_wait and now_ns - self._began_ns > FOUND_NS
        self.arrival_ns = now_ns if has_waited else max(self._ended_ns, self._began_ns - GAP_NS)
        self._ended_ns = now_ns


_of_run: trio.lowlevel.RunVar[PollTimes] = trio.lowlevel.RunVar("poll times")


def poll_times() -> PollTimes:
    """Return the watch over this trio run. The first call begins it."""
    try:
        return _of_run.get()
    except LookupError:
        times = PollTimes()
        trio.lowlevel.add_instrument(times)
        _of_run.set(times)
        return times
