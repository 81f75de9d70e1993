"""The Play call on a connection: the stream of a bot, and the door that decides who gets it.

Input: messages and the end of a stream, from `link`. Output: events for the listener, messages and a status to write.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Protocol

from bowerbird.harness.http2.grpc_words import StatusCode
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.messages import LONGEST_SENTENCE, error
from bowerbird.harness.referee.connection.stream import (
    MAX_UNREAD,
    STATUS,
    Listener,
    Outgoing,
    Refusal,
    StreamEnded,
    StreamEvent,
    parse_first,
    parse_message,
)


class Door(Protocol):
    """The rules for a connection. `mailbox` gives its streams their turns."""

    mailbox: Mailbox

    def claim(self, first: StreamEvent, stream: LinkStream) -> Listener | Refusal:
        """Decide by its first event who gets a stream: return the listener of further events, or a refusal.

        A refused stream gets an Error and ends, and no other stream is affected.
        """

    def knows(self, token: str) -> bool:
        """Return whether a bot here has this token."""

    def accepts_call(self) -> bool:
        """Return whether another call may be served now."""

    def probed(self) -> None:
        """Note a request that needs no Hello."""

    def turned_away(self, sentence: str) -> None:
        """Note that a bot was refused before it had a stream."""

    def blame(self, why: str, *, is_certain: bool = False) -> None:
        """Note that a client floods. `is_certain` tells whether the bot's own stream is on the connection."""


class Carrier(Protocol):
    """The connection that carries a stream (`link.Link`).

    is_the_bots: whether a bot was admitted on it.
    """

    is_the_bots: bool

    @property
    def door(self) -> Door:
        """The door that decides about its streams."""

    def hold(self, stream: LinkStream) -> None:
        """Stop reading until the stream holds nothing back."""

    def read_on(self) -> None:
        """Read again."""

    def send(self, number: int, data: bytes, outgoing: Outgoing | None = None) -> None:
        """Write a message on a stream."""

    def finish(self, number: int, status: int, sentence: str = "") -> None:
        """End a stream once everything queued on it is written."""


class LinkStream:
    """A Play call in the trio thread. It is a `Connection` that ends with its stream.

    Life: opened, claimed by its first message (`listener` is set), finished.
    """

    def __init__(self, link: Carrier, number: int) -> None:
        """Create the stream `number` of a connection."""
        self._link = link
        self._number = number
        self._is_silent = True
        self._is_over = False
        self._unread = 0
        self._held: deque[tuple[bytes | None, str, int]] = deque()
        """The messages for which there was no room, then the reason for the end, each with its time of arrival."""
        self.listener: Listener | None = None
        self.received_bytes = 0
        """The total size of the bot's messages."""
        self.refusal: Refusal | None = None
        """The reason why the stream ends with a status other than OK."""
        self.has_sent = False
        """Whether anything was sent to the bot."""

    @property
    def is_silent(self) -> bool:
        """Whether nothing has come from the bot yet, not even the end of the stream."""
        return self._is_silent

    # From the bot.

    def take(self, data: bytes, arrival_ns: int) -> None:
        """See `_Call`. If more than MAX_UNREAD messages wait, others are held back and the connection is not read."""
        self.received_bytes += len(data)
        if self._held or self._unread >= MAX_UNREAD:
            self._hold(data, "", arrival_ns)
        elif self._is_silent:
            self._claim(parse_first(data, arrival_ns))
        else:
            self._unread += 1
            self._pass_on(parse_message(data, arrival_ns))

    def end(self, why: str, arrival_ns: int) -> None:
        """See `_Call`."""
        if self._held:
            self._hold(None, why, arrival_ns)
        elif not self._is_over and not (self._is_silent and self.refusal is not None):
            self._is_over = True
            ended = StreamEnded(why, arrival_ns)
            if self._is_silent:
                self._claim(ended)
            else:
                self._pass_on(ended)

    def event_handled(self) -> None:
        """See `Connection`."""
        self._unread -= 1
        if self._held:
            self._link.door.mailbox.request_turn(self._release)

    @property
    def is_full(self) -> bool:
        """Whether messages are held back."""
        return bool(self._held)

    def _release(self) -> None:
        """Pass on held messages while there is room."""
        while self._held and self._unread < MAX_UNREAD:
            data, why, arrival_ns = self._held.popleft()
            if data is None:
                self._is_over = True
                self._pass_on(StreamEnded(why, arrival_ns))
            else:
                self._unread += 1
                self._pass_on(parse_message(data, arrival_ns))
        if not self._held:
            self._link.read_on()

    def _hold(self, data: bytes | None, why: str, arrival_ns: int) -> None:
        self._held.append((data, why, arrival_ns))
        self._link.hold(self)

    def _claim(self, first: StreamEvent) -> None:
        self._is_silent = False
        claimed = self._link.door.claim(first, self)
        if isinstance(claimed, Refusal):
            self.refuse(claimed)
        else:
            self._link.is_the_bots = True
            self.listener = self.listener or claimed

    def _pass_on(self, event: StreamEvent) -> None:
        if self.listener is not None:
            self.listener(event)

    # To the bot.

    def send(self, data: bytes) -> Outgoing:
        """See `Connection`."""
        outgoing = Outgoing(data)
        self.enqueue(outgoing)
        return outgoing

    def enqueue(self, outgoing: Outgoing) -> None:
        """See `SeatStream`."""
        self.has_sent = True
        self._link.send(self._number, outgoing.data, outgoing)

    def send_request(self, data: bytes, waiting: Collection[str]) -> Outgoing:
        """See `Connection`. A request lost with the stream is not sent again."""
        return self.send(data)

    def request_answered(self) -> None:
        """Do nothing, since a stream keeps no message after writing it."""

    def request_expired(self) -> None:
        """Do nothing, since a stream keeps no message after writing it."""

    def finish(self) -> None:
        """See `Connection`. The listener gets the end of the stream once everything is written."""
        if self.refusal is None:
            self._link.finish(self._number, StatusCode.OK)
        else:
            self._link.finish(self._number, STATUS[self.refusal.code], shown(self.refusal.sentence, LONGEST_SENTENCE))

    def refuse(self, refusal: Refusal) -> None:
        """See `SeatStream`."""
        self.refusal = refusal
        message = error(refusal.code, refusal.sentence, fatal=True, retry_after_ms=refusal.retry_after_ms)
        self.send(message)
        self.finish()
