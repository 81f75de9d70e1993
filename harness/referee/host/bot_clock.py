"""The clock of one bot's process: the host's, minus the time when the process was ready to run but got no processor.

Where control groups share the processors, bots need no such clock. Elsewhere other processes, including another bot's,
can keep a bot from running at all (faults.md, Waits for a processor). This module reads no clock and no process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from bowerbird.harness.referee.host.host_clock import BEAT_S, NS_PER_S, HostClock

LOOK_NS = 250_000_000
"""Shorter times are not examined, since on a busy but fair system waits are much shorter."""

MAX_WAIT_NS = 60 * NS_PER_S
"""The longest wait that is left out of one time, so that every decision ends."""

MAX_SPANS = 4096
"""How many spans are kept: the latest ones."""

ORDINARY, DEADLINE, ANSWER = 5, 2, 0
"""The least time since the last check, as a multiple of what it cost: while nobody seems late; where a silent bot does;
where a bot that has answered does.
"""


class JudgingClock(Protocol):
    """A clock for the deadlines of a process: the host's clock, or a bot's."""

    def running_ns(self, since_ns: int, until_ns: int) -> int:
        """Return the time that counts between two moments of the monotonic clock."""

    def wait_ns(self, since_ns: int, limit_ns: int, now_ns: int) -> int:
        """Return how long to wait before `running_ns(since_ns, …)` can exceed `limit_ns`. Then ask again."""

    def was_lost_in_stall(self, at_ns: int) -> bool:
        """Return whether something that ended at this moment ended during a long stall or soon after one."""


@dataclass(frozen=True, slots=True)
class Span:
    """The time between two checks of a process: how long it ran, and how long it was ready but did not run.

    `cpu_ns` sums over its threads. So does `wanted_ns`, the time for which they ran or were ready.
    """

    begin_ns: int
    end_ns: int
    cpu_ns: int
    waited_ns: int
    wanted_ns: int


class Waits:
    """The results of the checks of one process, in order."""

    def __init__(self) -> None:
        """Start without a check."""
        self._spans: deque[Span] = deque(maxlen=MAX_SPANS)
        self.unfinished_ns = 0
        """At most so much more had the process waited at the last check. The system tells it when the wait ends."""

    def add(self, span: Span) -> None:
        """Add the result of the latest check."""
        if span.wanted_ns or span.waited_ns:
            self._spans.append(span)

    def waited_ns(self, since_ns: int, until_ns: int, running_ns: Callable[[int, int], int]) -> int:
        """Return how long the process waited between two moments, measured by the host's clock `running_ns`.

        If a span lies partly outside, all of its waiting may still be inside, since a bot is idle before it is asked.
        """
        return sum(
            min(span.waited_ns, running_ns(max(span.begin_ns, since_ns), min(span.end_ns, until_ns)))
            for span in self._since(since_ns)
            if span.begin_ns < until_ns
        )

    def load_ns(self, since_ns: int) -> tuple[int, int]:
        """Return `cpu_ns` and `wanted_ns` since a moment.

        If a span began earlier, only its part after that moment counts.
        """
        cpu_ns = wanted_ns = 0
        for span in self._since(since_ns):
            inside_ns, length_ns = span.end_ns - max(span.begin_ns, since_ns), span.end_ns - span.begin_ns
            cpu_ns += span.cpu_ns * inside_ns // length_ns
            wanted_ns += span.wanted_ns * inside_ns // length_ns
        return cpu_ns, wanted_ns

    def _since(self, since_ns: int) -> Iterator[Span]:
        for span in reversed(self._spans):
            if span.end_ns <= since_ns:
                return
            yield span


class BotClock:
    """The clock of a process whose waits are watched. It is used only in the trio thread.

    `look(rest)` brings `waits` up to date, unless the last check was less than `rest` times its cost ago. It returns
    how old they are, in ns.
    `accuse(since_ns, until_ns)` is called if the process would be late without its waits since a moment, to find out
    who took the processors.
    """

    def __init__(self, host: HostClock, look: Callable[[int], int], accuse: Callable[[int, int], None]) -> None:
        """Create the clock of a process that has not waited yet."""
        self._host = host
        self._look = look
        self._accuse = accuse
        self._limit_ns = 0
        """The last limit requested. Beyond it, a check is urgent."""
        self.waits = Waits()

    def running_ns(self, since_ns: int, until_ns: int) -> int:
        """See `JudgingClock`. A time above `LOOK_NS` is examined first."""
        passed_ns = self._host.running_ns(since_ns, until_ns)
        return passed_ns - self._spared_ns(since_ns, until_ns, passed_ns, ANSWER)[0]

    def wait_ns(self, since_ns: int, limit_ns: int, now_ns: int) -> int:
        """See `JudgingClock`."""
        self._limit_ns = limit_ns
        passed_ns = self._host.running_ns(since_ns, now_ns)
        if passed_ns <= limit_ns:
            return self._host.wait_ns(since_ns, limit_ns, now_ns)
        spared_ns, unseen_ns = self._spared_ns(since_ns, now_ns, passed_ns, DEADLINE)
        left_ns = self._host.wait_ns(since_ns, limit_ns + spared_ns, now_ns)
        if left_ns > 0:
            self._accuse(since_ns, now_ns)
        elif passed_ns - spared_ns - unseen_ns - self.waits.unfinished_ns > limit_ns:
            return left_ns
        return max(left_ns, int(BEAT_S * NS_PER_S))

    def was_lost_in_stall(self, at_ns: int) -> bool:
        """See `JudgingClock`."""
        return self._host.was_lost_in_stall(at_ns)

    def _spared_ns(self, since_ns: int, until_ns: int, passed_ns: int, rest: int) -> tuple[int, int]:
        """Return the time that does not count, and how old the check is on which that rests."""
        if passed_ns <= LOOK_NS:
            return 0, 0
        unseen_ns = self._look(ORDINARY)
        spared_ns = self.waits.waited_ns(since_ns, until_ns, self._host.running_ns)
        if unseen_ns and passed_ns - spared_ns > self._limit_ns:
            unseen_ns = self._look(rest)
            spared_ns = self.waits.waited_ns(since_ns, until_ns, self._host.running_ns)
        return min(MAX_WAIT_NS, spared_ns), unseen_ns
