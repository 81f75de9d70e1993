"""The referee's clock (PROTOCOL.md, contract 6 and Clocks). Whole nanoseconds of a monotonic clock throughout.

Nothing here reads a clock: the time is always an argument, so that every rule can be tried with times made up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.records.record import TimeControl

NS_PER_MS = 1_000_000


def whole_ms(ns: int) -> int:
    """Nanoseconds as milliseconds, to the nearest."""
    return (ns + NS_PER_MS // 2) // NS_PER_MS


def ms_at_least(ns: int) -> int:
    """Nanoseconds as milliseconds, rounded up: what broke a limit never reads as if it had not."""
    return -(-ns // NS_PER_MS)


@dataclass(frozen=True, slots=True)
class Pace:
    """A run's time control in nanoseconds."""

    per_decision: int
    bank: int
    increment: int
    margin: int

    @classmethod
    def of(cls, time: TimeControl) -> Pace:
        """The pace of a time control that is written in milliseconds."""
        return cls(
            time.per_decision_ms * NS_PER_MS,
            time.bank_ms * NS_PER_MS,
            time.increment_ms * NS_PER_MS,
            time.margin_ms * NS_PER_MS,
        )


class Bank:
    """What one seat of one table has in reserve. It is drawn on when a decision has used its own budget."""

    __slots__ = ("_pace", "charged", "left")

    def __init__(self, pace: Pace) -> None:
        """A full bank, before the first hand's increment."""
        self._pace = pace
        self.left = pace.bank
        self.charged = 0
        """What the seat's last decision cost; sent with its next request."""

    @property
    def limit(self) -> int:
        """The most that the next decision may be charged without being late."""
        return self._pace.per_decision + self.left + self._pace.margin

    def begin_hand(self) -> None:
        """Add the increment of a new hand."""
        self.left += self._pace.increment

    def charge(self, ns: int) -> bool:
        """Take the time of one decision; False if that was more than it had (the bank is then empty)."""
        self.charged = ns
        beyond = ns - self._pace.per_decision
        if beyond <= 0:
            return True
        in_time = ns <= self.limit
        self.left = max(0, self.left - beyond)
        return in_time


class MessageClock:
    """The time of one unanswered `DecisionRequests`.

    It runs from the hand-over of the message (`begin`). A part of the answer that carries m decisions charges each of
    them 1/m of the time since the hand-over or since the previous part. The message as a whole is due after the sum of
    its budgets and the largest of its banks (and the margin).
    """

    __slots__ = ("_since", "handed_over", "limit")

    def __init__(self, pace: Pace, banks: Iterable[Bank], queued: int) -> None:
        """A message with one decision for each bank (the bank of the table and seat that is asked).

        Until `begin` is called it runs from `queued`, the moment at which the message was ready to go.
        """
        lefts = [bank.left for bank in banks]
        self.limit = pace.per_decision * len(lefts) + max(lefts, default=0) + pace.margin
        self.handed_over = queued
        self._since = queued

    def begin(self, handed_over: int) -> None:
        """The message was handed over; to be called before the first part of the answer is judged."""
        self.handed_over = handed_over
        self._since = handed_over

    @property
    def deadline(self) -> int:
        """The moment after which whatever is unanswered is late."""
        return self.handed_over + self.limit

    def part(self, decisions: int, now: int) -> int:
        """Charge of each of `decisions` that arrived together at `now`."""
        charge = max(0, now - self._since) // decisions
        self._since = max(now, self._since)
        return charge
