"""What a session knows about its seats: where they are, and which of them it has asked something."""

from __future__ import annotations

from collections.abc import Iterable

from engine import HandResult
from harness.referee.clock import MessageClock
from harness.referee.server import Outgoing
from harness.referee.table import Table
from harness.wire.encode import TableEncoder, hand_news


class Chair:
    """A seat of an open table, as its session knows it.

    `table_id` names it to the bot; `asked` is the number of the last decision that was sent (-1: none yet); `told`
    counts the events of the current hand that a bot which wants events has been told.
    """

    __slots__ = ("asked", "encoder", "seat", "table", "table_id", "told")

    def __init__(self, table: Table, seat: int, table_id: str, encoder: TableEncoder) -> None:
        """A seat at which nothing has happened; `encoder` is shared by the seats of the table."""
        self.table = table
        self.encoder = encoder
        self.seat = seat
        self.table_id = table_id
        self.asked = -1
        self.told = 0

    def hand_ended(self, hand: HandResult) -> bytes:
        """HandEnded for a bot that wants events, with those that it has not been told; the next hand begins."""
        message = hand_news(self.table_id, hand, hand.history[self.told :])
        self.told = 0
        return message.SerializeToString()


class Message:
    """An unanswered `DecisionRequests`: its clock, and the seats whose answers are still to come."""

    __slots__ = ("clock", "open", "outgoing")

    def __init__(self, clock: MessageClock, chairs: Iterable[Chair], outgoing: Outgoing) -> None:
        """A message that was queued just now."""
        self.clock = clock
        self.open = {chair.table_id: chair for chair in chairs}
        self.outgoing = outgoing

    def begin(self) -> None:
        """Start the clock at the hand-over, once that is known."""
        handed_over = self.outgoing.handed_over
        if handed_over:
            self.clock.begin(handed_over)
            self.outgoing.handed_over = 0
