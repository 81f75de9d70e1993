"""The connection to a remote bot: one conversation over one stream after another.

(proto/bowerbird/seat/v1/seat.proto, "When the connection breaks".)

A sent message is kept until the bot confirms its arrival by an answer to a later message, or by a Pong. A bot that can
resume loses only time when a stream breaks: its next stream repeats everything that may be lost.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

import trio

from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.stream import (
    Inbox,
    Listener,
    Outgoing,
    ProcessReplaced,
    Received,
    Refusal,
    SeatStream,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.wire.encode import repeated_requests

PING_S = 15.0
"""The silence after which the bot is pinged while no request is open."""

TAKEN_OVER = Refusal("SESSION_OVER", "another stream has taken over the session of this bot")
"""The refusal of a stream whose session continues on another one."""

TAKEN_OVER_BY_AN_OLDER_SECRET = replace(TAKEN_OVER, retry_after_ms=250)
"""The refusal if its Welcome was not the last to arrive, perhaps because a late Hello of an abandoned stream took over.
"""

PONG_S = 20.0
"""How long a Pong may take. A bot that gets a request in the meantime need not send one."""


class ResumableConnection:
    """A `Connection` that outlives its streams. Its events go to `inbox`.

    `keep_s` is how long a session without a stream is kept. With an open request it is kept longer, until the turn
    clock calls `request_expired`.
    """

    def __init__(self, stream: SeatStream, *, resumable: bool, keep_s: float, clock: RunningTime | None = None) -> None:
        """Create a connection on its first stream. `clock` measures all times; None for trio's clock."""
        self._clock = clock or RunningTime()
        self._stream: SeatStream | None = stream
        self._resumable = resumable
        self._keep_s = keep_s
        self.inbox = Inbox()
        self._unconfirmed: deque[tuple[int, Outgoing]] = deque()
        self._count = 0
        self._open_request: tuple[int, Outgoing] | None = None
        self._waiting: Collection[str] = ()
        self._queued_ns = 0
        self._queued_at = 0.0
        self._last_heard = trio.current_time()
        self._ping: tuple[int, float] | None = None
        self._lost_at: float | None = None
        self._loss = ""
        self._changed = trio.Event()
        self.is_over = trio.Event()
        """Set when no further stream will carry this conversation."""

    # As a session uses it (`Connection`).

    def send(self, data: bytes) -> Outgoing:
        """Queue a message, for the next stream if there is none. Never wait."""
        outgoing = Outgoing(data)
        self._count += 1
        if self._resumable:
            self._unconfirmed.append((self._count, outgoing))
        if self._stream is not None:
            self._stream.enqueue(outgoing)
        return outgoing

    def send_request(self, data: bytes, waiting: Collection[str]) -> Outgoing:
        """Queue a DecisionRequests. From now on the turn clock decides, and the bot is not pinged."""
        outgoing = self.send(data)
        self._waiting = waiting
        self._open_request = (self._count, outgoing)
        self._queued_ns = time.monotonic_ns()
        self._queued_at = trio.current_time()
        self._ping = None
        return outgoing

    def request_answered(self) -> None:
        """Confirm the open request and all messages before it."""
        if self._open_request is not None:
            self._confirm(self._open_request[0])
        self._close_request()

    def request_expired(self) -> None:
        """Drop the open request, so that it is not sent again."""
        if self._open_request is not None and self._open_request in self._unconfirmed:
            self._unconfirmed.remove(self._open_request)
        self._close_request()

    def event_handled(self) -> None:
        """Make room for one more event of the stream."""
        if self._stream is not None:
            self._stream.event_handled()

    def refuse(self, refusal: Refusal) -> None:
        """End the connection with a fatal Error, at once and permanently."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.refuse(refusal)
        self._end(refusal.sentence)

    def finish(self) -> None:
        """End the connection once everything queued is written. It cannot be resumed afterwards."""
        self._resumable = False
        if self._stream is not None:
            self._stream.finish()
        else:
            self._end(self._loss)

    # As its streams come and go.

    @property
    def unconfirmed(self) -> list[bytes]:
        """The messages that may not have arrived, in order, without the open request."""
        return [item[1].data for item in self._unconfirmed if item != self._open_request]

    @property
    def is_connected(self) -> bool:
        """Whether it has a stream."""
        return self._stream is not None

    @property
    def can_be_resumed(self) -> bool:
        """Whether a new stream may continue it."""
        return self._resumable and not self.is_over.is_set()

    def resume(self, stream: SeatStream, end: Refusal = TAKEN_OVER) -> None:
        """Continue on a new stream, and resend messages that may not have arrived. Running clocks keep running.

        An open stream ends with `end`. Only the bot knows the session's secret, so it must have a reason to replace the
        stream.
        """
        if self._stream is not None:
            self._stream.refuse(end)
        self._stream = stream
        self._lost_at = None
        self._ping = None
        self._last_heard = trio.current_time()
        for item in self._unconfirmed:
            if item != self._open_request or self._waiting:  # else the tables of its last decisions are void
                stream.enqueue(Outgoing(self._repeated(item)))
        self._changed.set()

    def continue_with(self, stream: SeatStream) -> None:
        """Continue on the stream of another process of the bot, which has been sent nothing yet. Clocks keep running.

        `inbox` gets a ProcessReplaced, whose listener sends everything that the process needs, including the open
        request.
        """
        self._stream = stream
        self._lost_at = None
        self._ping = None
        self._last_heard = trio.current_time()
        self._unconfirmed.clear()
        self._open_request = None
        self._changed.set()
        self.inbox.put(ProcessReplaced())

    def release(self) -> SeatStream:
        """End the connection and return its stream, which another connection takes over. It must be connected."""
        stream, self._stream = self._stream, None
        assert stream is not None  # the caller has checked
        self._end("its process continues another session")
        return stream

    def _repeated(self, item: tuple[int, Outgoing]) -> bytes:
        """Return a message for resending. The open request gets the remaining time and loses its answered decisions.

        Repeating an answered decision would cause unrequested answers, and its table may be closed.
        """
        outgoing = item[1]
        if item != self._open_request:
            return outgoing.data
        since_ns = outgoing.handed_over_ns or self._queued_ns
        used_ns = self._clock.host.running_ns(since_ns, time.monotonic_ns())
        return repeated_requests(outgoing.data, used_ns // NS_PER_MS, self._waiting)

    def listener_of(self, stream: SeatStream) -> Listener:
        """Return the listener for the events of one stream. It ignores them once another stream has replaced it."""

        return partial(self.take, stream)

    def take(self, stream: SeatStream, event: StreamEvent) -> None:
        """Handle an event of a stream, or ignore it if another stream has replaced this one."""
        if stream is self._stream:
            self._on_event(event)
        elif not isinstance(event, StreamEnded):
            stream.event_handled()

    def _on_event(self, event: StreamEvent) -> None:
        self._last_heard = trio.current_time()
        if isinstance(event, Received) and event.request.WhichOneof("message") == "pong":
            self.event_handled()
            self._pong(event.request.pong.ping_id)
        elif isinstance(event, StreamEnded):
            self._lose_stream(event.why)
        else:
            self.inbox.put(event)

    def _lose_stream(self, why: str) -> None:
        self._stream = None
        self._ping = None
        self._loss = why
        if self._resumable:
            self._lost_at = trio.current_time()
            self._changed.set()
        else:
            self._end(why)

    def _end(self, why: str) -> None:
        if self.is_over.is_set():
            return
        self._resumable = False
        self._unconfirmed.clear()
        self.is_over.set()
        self._changed.set()
        self.inbox.put(StreamEnded(why, 0))

    def _confirm(self, number: int) -> None:
        while self._unconfirmed and self._unconfirmed[0][0] <= number:
            self._unconfirmed.popleft()

    def _close_request(self) -> None:
        self._open_request = None
        self._last_heard = trio.current_time()
        if self._lost_at is not None:
            self._changed.set()

    def _pong(self, ping_id: int) -> None:
        if self._ping is not None and ping_id == self._ping[0]:
            self._ping = None
            self._confirm(ping_id)

    # Time.

    async def watch(self, on_loss: Callable[[str], None]) -> None:
        """Ping the bot when it is silent, and end the connection when the bot stays away too long. Return when it ends.

        If a stream is lost and may be replaced, call `on_loss` with a sentence.
        """
        reported: float | None = None
        while not self.is_over.is_set():
            if self._lost_at is not None and self._lost_at != reported:
                reported = self._lost_at
                on_loss(f"{self._loss}; its seats are kept")
            with trio.move_on_after(max(0, self._wait_s())):
                await self._changed.wait()
            self._changed = trio.Event()
            self._check_deadline(trio.current_time())

    @property
    def _is_kept_for_a_request(self) -> bool:
        """Whether a session without a stream is kept because a request is open.

        A request queued after the seats' time ran out does not count. Otherwise the referee would wait for an absent
        bot again with each new message.
        """
        if self._lost_at is None or self._open_request is None:
            return False
        return self._clock.elapsed_s(self._lost_at, self._queued_at) < self._keep_s

    def _wait_s(self) -> float:
        """Return how long to wait before `_check_deadline` may find something due."""
        if self._lost_at is not None:
            if self._is_kept_for_a_request:
                return float("inf")
            return self._clock.wait_s(self._lost_at, self._keep_s)
        if self._ping is not None:
            return self._clock.wait_s(self._ping[1], PONG_S)
        return self._clock.wait_s(self._last_heard if self._open_request is None else trio.current_time(), PING_S)

    def _check_deadline(self, now: float) -> None:
        if self.is_over.is_set() or self._is_kept_for_a_request:
            return
        if self._lost_at is not None:
            if self._clock.elapsed_s(self._lost_at, now) >= self._keep_s:
                self._end(self._loss)
        elif self._open_request is not None:
            return
        elif self._ping is not None:
            if self._clock.elapsed_s(self._ping[1], now) >= PONG_S:
                self._drop_stream()
        elif self._clock.elapsed_s(self._last_heard, now) >= PING_S:
            self._send_ping(now)

    def _send_ping(self, now: float) -> None:
        if self._stream is None:
            return
        self._stream.send(messages.ping(self._count))
        self._ping = (self._count, now)

    def _drop_stream(self) -> None:
        """Treat a stream as broken if its bot does not answer a Ping."""
        assert self._stream is not None  # it was pinged
        self._stream.finish()
        self._lose_stream(f"no Pong within {PONG_S:g} s")
