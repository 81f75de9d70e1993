"""The heartbeat of a host clock under trio, and waits that a stall does not use up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from bowerbird.harness.referee.host.host_clock import BEAT_S, NS_PER_S, HostClock
from bowerbird.harness.referee.host.readings import SystemReadings

CPU_READING_S = 1.0
"""The time between two readings of the bots' processor time. A reading takes a few milliseconds."""

T = TypeVar("T")


class RunningTime:
    """A host clock for code that measures times in seconds of trio's clock.

    Before `run`, it notices no stalls.
    """

    def __init__(self, host: HostClock | None = None) -> None:
        """Measure with this clock; without one, no stall is noticed."""
        self.host = host or HostClock()
        self._offset_ns: int | None = None
        """The monotonic clock minus trio's; None before `run`."""

    async def run(self, supervisor: int | None) -> None:
        """Check the clock until cancelled. `supervisor` is the pid above the bots; None without bots."""
        readings = SystemReadings(supervisor)
        self._offset_ns = readings.monotonic_ns() - int(trio.current_time() * NS_PER_S)
        self.host.start(readings)
        try:
            async with trio.open_nursery() as nursery:
                if supervisor is not None:
                    nursery.start_soon(self._read_cpu, readings)
                while True:
                    await trio.sleep(BEAT_S)
                    self.host.beat()
        finally:
            self.host.stop()
            readings.close()

    async def _read_cpu(self, readings: SystemReadings) -> None:
        while True:
            await trio.sleep(CPU_READING_S)
            began_ns = readings.monotonic_ns()
            used_ns, waits_ns = await trio.to_thread.run_sync(lambda: (readings.bots_cpu_ns(), readings.all_waits_ns()))
            self.host.note_load(used_ns, waits_ns, began_ns)

    def elapsed_s(self, since: float, until: float) -> float:
        """Return the seconds between two moments of trio's clock without the stalls."""
        if self._offset_ns is None:
            return until - since
        since_ns, until_ns = (int(moment * NS_PER_S) + self._offset_ns for moment in (since, until))
        return self.host.running_ns(since_ns, until_ns) / NS_PER_S

    def wait_s(self, since: float, limit_s: float) -> float:
        """Return how long to wait before `limit_s` can have passed since a moment. Then ask again."""
        now = trio.current_time()
        left_s = limit_s - self.elapsed_s(since, now)
        if self._offset_ns is None or limit_s == float("inf"):
            return left_s
        since_ns, now_ns = (int(moment * NS_PER_S) + self._offset_ns for moment in (since, now))
        return self.host.wait_ns(since_ns, int(limit_s * NS_PER_S), now_ns) / NS_PER_S

    async def within(self, limit_s: float, wait: Callable[[], Awaitable[T]]) -> T | None:
        """Await `wait()`, at most for a time. Return its result, or None if the time was too short.

        `wait` is called again after a cancellation if a stall has used up the time.
        """
        since = trio.current_time()
        while (left_s := self.wait_s(since, limit_s)) > 0:
            with trio.move_on_after(left_s):
                return await wait()
        return None

    async def wait_for(self, event: trio.Event, limit_s: float) -> bool:
        """Wait for an event, at most for a time. Return whether it is set."""
        await self.within(limit_s, event.wait)
        return event.is_set()
