"""When the bytes that trio's last poll reported arrived: when the kernel had them, not when trio came to read them.

A poll that had to wait ends as soon as bytes arrive, so its end is their time of arrival. If a poll found them waiting,
they arrived at some time after the end of the previous poll, while the referee was busy with others. That end is then
used, so that no bot is charged for the referee's own turn. A turn that took too long is a gap, which is left to the
host's clock (`host_clock`), so that a bot gains nothing by loading the host.
"""

from __future__ import annotations

import time

import trio

from bowerbird.harness.referee.host.host_clock import GAP_NS

FOUND_NS = 50_000
"""A poll that ends within this time found its events already there."""


class PollTimes(trio.abc.Instrument):
    """A watcher of the polls of one trio run."""

    __slots__ = ("_began_ns", "_ended_ns", "_may_wait", "arrival_ns")

    def __init__(self) -> None:
        """Start before the first poll."""
        self._began_ns = 0
        self._may_wait = False
        self._ended_ns = time.monotonic_ns()
        self.arrival_ns = self._ended_ns
        """The best estimate of when the last poll's bytes arrived: never too late, and at most GAP_NS too early."""

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
    """Return the watcher of this trio run. The first call starts it."""
    try:
        return _of_run.get()
    except LookupError:
        times = PollTimes()
        trio.lowlevel.add_instrument(times)
        _of_run.set(times)
        return times
