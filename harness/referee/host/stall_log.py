"""The stalls of the host so far, as intervals of the monotonic clock. This module reads no clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

NEVER_NS = 1 << 62
"""A time that no clock reaches."""

MAX_STALLS = 1000
"""How many stalls are kept: the latest ones. No decision is open for longer than they cover."""

LONG_NS = 2_000_000_000
"""A stall this long can cost a process its life or its connection, so it is reported.

Nothing ends a bot sooner, since the shortest keepalive and connection timeouts are longer. So a bot gains nothing by
ending itself after one of the many short stalls of a busy host.
"""

MAX_SHORT_NS = 60_000_000_000
"""The longest total of short stalls that is left out of one time.

On a busy host, one stall can follow another all the time, and a bot that never answers must eventually be late.
"""


@dataclass(frozen=True, slots=True)
class Stall:
    """The time from `begin_ns` until before `end_ns`, in which no clock of a bot runs.

    `lasted_ns` is the longest time that the host stood still in it. It is shorter than the interval, which includes
    time for reading input, or longer if the machine slept, since the monotonic clock then stops. `long_ns` is the part
    of the interval when the host stood still for at least `LONG_NS` at a time.
    """

    begin_ns: int
    end_ns: int
    lasted_ns: int
    long_ns: int = 0


class StallLog:
    """Disjoint stalls in order. The last one may be open, without a known end."""

    def __init__(self) -> None:
        """Create a log without stalls."""
        self._stalls: deque[Stall] = deque(maxlen=MAX_STALLS)
        self.quiet_from_ns = 0
        """The end of the last stall; `NEVER_NS` while a stall is open. No stall lies after it."""

    @property
    def is_open(self) -> bool:
        """Whether a stall has begun and not ended."""
        return self.quiet_from_ns == NEVER_NS

    @property
    def last(self) -> Stall | None:
        """The last stall, if there was one."""
        return self._stalls[-1] if self._stalls else None

    def begin(self, begin_ns: int, now_ns: int, lasted_ns: int) -> None:
        """Open a stall that has lasted until now. If the previous one reaches `begin_ns`, that one continues."""
        long_ns = now_ns - begin_ns if lasted_ns >= LONG_NS else 0
        last = self.last
        if last is not None and last.end_ns >= begin_ns:
            self._stalls.pop()
            begin_ns, lasted_ns, long_ns = last.begin_ns, max(last.lasted_ns, lasted_ns), last.long_ns + long_ns
        self._stalls.append(Stall(begin_ns, NEVER_NS, lasted_ns, long_ns))
        self.quiet_from_ns = NEVER_NS

    def end(self, end_ns: int) -> None:
        """Close the open stall. `end_ns` may lie in the future."""
        self._stalls.append(replace(self._stalls.pop(), end_ns=end_ns))
        self.quiet_from_ns = end_ns

    def running_ns(self, since_ns: int, until_ns: int) -> int:
        """Return the time between two moments minus its stalls, of which short ones take off at most `MAX_SHORT_NS`.

        Negative if `until_ns` is the earlier moment.
        """
        long_ns = short_ns = 0
        for stall in self._since(since_ns):
            stood_ns = max(0, min(until_ns, stall.end_ns) - max(since_ns, stall.begin_ns))
            in_long_ns = min(stood_ns, stall.long_ns)
            long_ns += in_long_ns
            short_ns += stood_ns - in_long_ns
        return until_ns - since_ns - long_ns - min(MAX_SHORT_NS, short_ns)

    def touches(self, since_ns: int, until_ns: int, *, lasted_ns: int, after_ns: int) -> bool:
        """Return whether a stall of at least `lasted_ns`, extended by `after_ns`, overlaps a time."""
        return any(
            stall.lasted_ns >= lasted_ns and stall.begin_ns <= until_ns for stall in self._since(since_ns - after_ns)
        )

    def _since(self, since_ns: int) -> Iterator[Stall]:
        """Yield the stalls that end after `since_ns`, newest first."""
        for stall in reversed(self._stalls):
            if stall.end_ns <= since_ns:
                return
            yield stall
