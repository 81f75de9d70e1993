"""The referee's clocks (protocol.md, The clock and Batches). All times are whole nanoseconds of a monotonic clock.

This module reads no clock. The time is always an argument, so that tests can choose it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bowerbird.harness.records.values.game_record import TimeControl

NS_PER_MS = 1_000_000

RunningNs = Callable[[int, int], int]
"""Returns the time between two moments without the stalls of the host (`HostClock.running_ns`)."""


def plain_ns(since_ns: int, until_ns: int) -> int:
    """Return the time between two moments. This is the `RunningNs` of a host that never stands still."""
    return until_ns - since_ns


def whole_ms(ns: int) -> int:
    """Return milliseconds, rounded to the nearest."""
    return (ns + NS_PER_MS // 2) // NS_PER_MS


def ms_at_least(ns: int) -> int:
    """Return milliseconds, rounded up, so that a time over a limit never looks as if it were within the limit."""
    return -(-ns // NS_PER_MS)


@dataclass(frozen=True, slots=True)
class Pace:
    """A run's time control in nanoseconds. `game` limits all decisions of a seat in a game; None means no limit."""

    per_decision: int
    bank: int
    increment: int
    margin: int
    game: int | None = None

    @classmethod
    def of(cls, time: TimeControl) -> Pace:
        """Convert a time control from milliseconds."""
        return cls(
            time.per_decision_ms * NS_PER_MS,
            time.bank_ms * NS_PER_MS,
            time.increment_ms * NS_PER_MS,
            time.margin_ms * NS_PER_MS,
            time.game_ms * NS_PER_MS or None,
        )


class Bank:
    """The time of one seat at one table. A decision uses its `budget` first, then the time `left` in the bank.

    If the game's time is limited, neither exceeds the seat's remaining time.
    """

    __slots__ = ("_game", "_pace", "_saved", "budget", "charged", "left")

    def __init__(self, pace: Pace) -> None:
        """Create a full bank, before the first hand's increment."""
        self._pace = pace
        self._game = pace.game
        self._saved = pace.bank
        self.charged = 0
        """The cost of the seat's last decision, which the next request reports."""
        self._share_out()

    @property
    def limit(self) -> int:
        """The largest charge for the next decision that is not late."""
        return self.budget + self.left + self._pace.margin

    def begin_hand(self) -> None:
        """Add the increment of a new hand."""
        self._saved += self._pace.increment
        self._share_out()

    def charge(self, ns: int) -> bool:
        """Charge for one decision. Return False if it was late; then the bank is empty."""
        self.charged = ns
        beyond = ns - self.budget
        if beyond <= 0 and self._game is None:
            return True
        in_time = ns <= self.limit
        self._saved = max(0, self._saved - max(0, beyond))
        if self._game is not None:
            self._game = max(0, self._game - ns)
        self._share_out()
        return in_time

    def _share_out(self) -> None:
        """Set the budget of the next decision, and the time it may use beyond that."""
        self.budget = self._pace.per_decision
        self.left = self._saved
        if self._game is not None:
            self.budget = min(self.budget, self._game)
            self.left = min(self.left, self._game - self.budget)


class MessageClock:
    """The clock of one unanswered `DecisionRequests`.

    It runs from the hand-over of the message (`begin`). The bot may answer in parts: each decision in a part of m
    decisions is charged 1/m of the time since the hand-over or the previous part. The whole message is due after the
    sum of its budgets, the largest of its banks and the margin. It stops while the host stands still.
    """

    __slots__ = ("_margin", "_running_ns", "_since", "handed_over", "limit")

    def __init__(self, pace: Pace, banks: Iterable[Bank], queued: int, running_ns: RunningNs = plain_ns) -> None:
        """Create the clock of a message with one decision for each of `banks`.

        Until `begin` is called, it runs from `queued`, the time when the message was queued.
        """
        self._running_ns = running_ns
        self._margin = pace.margin
        self.limit = self._limit_of(banks)
        self.handed_over = queued
        self._since = queued

    def begin(self, handed_over: int) -> None:
        """Restart at the hand-over. Call this before the first part of the answer is processed."""
        self.handed_over = handed_over
        self._since = handed_over

    @property
    def deadline(self) -> int:
        """The moment after which every unanswered decision is late, if the host does not stand still."""
        return self.handed_over + self.limit

    def is_late(self, now: int) -> bool:
        """Return whether every decision still unanswered at `now` is late."""
        return self._running_ns(self.handed_over, now) > self.limit

    def part(self, decisions: int, now: int) -> int:
        """Return the charge for each of `decisions` decisions that arrived together at `now`."""
        charge = max(0, self._running_ns(self._since, now)) // decisions
        self._since = max(now, self._since)
        return charge

    def shorten(self, banks: Iterable[Bank]) -> bool:
        """Limit the message to the time of the decisions of `banks`, from the previous part on.

        Return whether the limit became shorter.
        """
        before = self.limit
        self.limit = min(before, self._running_ns(self.handed_over, self._since) + self._limit_of(banks))
        return self.limit < before

    def _limit_of(self, banks: Iterable[Bank]) -> int:
        budgets = 0
        most_left = 0
        for bank in banks:
            budgets += bank.budget
            most_left = max(most_left, bank.left)
        return budgets + most_left + self._margin
