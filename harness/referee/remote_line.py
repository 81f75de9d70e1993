"""The line to a remote bot: one conversation over one stream after another (proto/harness/v1/seat.proto, "When the
connection breaks").

What was sent is kept until the bot has shown that it arrived: by an answer to what came later, or by a Pong. A stream
that breaks costs a bot that can resume nothing but time: on its next stream it is sent again whatever may be lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from harness.referee import messages
from harness.referee.server import Ear, Event, Link, Outgoing, Said, StreamEnded

PING_S = 15.0
"""How long nothing is said, while nothing is open, before the bot is pinged."""

PONG_S = 20.0
"""How long the answer may take; a bot that is asked meanwhile need not answer."""


class RemoteLine:
    """A Line (see `server`) that outlives its streams.

    `keep_s` is how long a session without a stream is kept, longer while a decision is open: then the turn clock says
    when it is too late, and tells by `given_up`. `listen` names who takes the events; until then they are kept.
    """

    def __init__(self, link: Link, *, resumable: bool, keep_s: float) -> None:
        """A line on its first stream."""
        self._link: Link | None = link
        self._resumable = resumable
        self._keep_s = keep_s
        self._ear: Ear | None = None
        self._news: deque[Event] = deque()
        self._sent: deque[tuple[int, Outgoing]] = deque()
        self._count = 0
        self._asked: tuple[int, Outgoing] | None = None
        self._last_heard = trio.current_time()
        self._ping: tuple[int, float] | None = None
        self._lost_at: float | None = None
        self._loss = ""
        self._bell = trio.Event()
        self.over = trio.Event()
        """Set when no stream will carry this conversation any more."""

    # As a session uses it.

    def send(self, data: bytes) -> Outgoing:
        """Queue a message, for the next stream if there is none now; never waits."""
        outgoing = Outgoing(data)
        self._count += 1
        if self._resumable:
            self._sent.append((self._count, outgoing))
        if self._link is not None:
            self._link.queue(outgoing)
        return outgoing

    def ask(self, data: bytes) -> Outgoing:
        """Queue a DecisionRequests; from now on the turn clock is the authority, and nothing is pinged."""
        outgoing = self.send(data)
        self._asked = (self._count, outgoing)
        self._ping = None
        return outgoing

    def answered(self) -> None:
        """What was open is answered in full: it arrived, and so did all before it."""
        if self._asked is not None:
            self._arrived(self._asked[0])
        self._close_question()

    def given_up(self) -> None:
        """Nobody waits any longer for the answer to what was open: it is not sent again."""
        if self._asked is not None and self._asked in self._sent:
            self._sent.remove(self._asked)
        self._close_question()

    def heard(self) -> None:
        """An event was dealt with: there is room for another."""
        if self._link is not None:
            self._link.heard()

    def finish(self) -> None:
        """End it once everything queued is written. Nothing can be taken up again."""
        self._resumable = False
        if self._link is not None:
            self._link.finish()
        else:
            self._end(self._loss)

    def listen(self, ear: Ear) -> None:
        """From now on `ear` takes the events, those first that nobody has taken."""
        self._ear = ear
        while self._news:
            ear(self._news.popleft())

    def hold(self) -> None:
        """From now on events are kept, until somebody listens again."""
        self._ear = None

    # As its streams come and go.

    @property
    def stands(self) -> bool:
        """Whether it has a stream."""
        return self._link is not None

    @property
    def can_be_taken_up(self) -> bool:
        """Whether a new stream may carry it on."""
        return self._resumable and not self.over.is_set()

    def take_up(self, link: Link) -> None:
        """Carry on over a new stream: send again what may not have arrived. Clocks that run, run on."""
        self._link = link
        self._lost_at = None
        self._last_heard = trio.current_time()
        for _, outgoing in self._sent:
            link.queue(Outgoing(outgoing.data))
        self._bell.set()

    def ear_of(self, link: Link) -> Ear:
        """Who takes the events of one stream."""

        def hear(event: Event) -> None:
            if link is self._link:
                self._hear(event)
            else:
                link.heard()

        return hear

    def _hear(self, event: Event) -> None:
        self._last_heard = trio.current_time()
        if isinstance(event, Said) and event.request.WhichOneof("message") == "pong":
            self.heard()
            self._pong(event.request.pong.ping_id)
        elif isinstance(event, StreamEnded):
            self.heard()
            self._lose(event.why)
        else:
            self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        if self._ear is not None:
            self._ear(event)
        else:
            self._news.append(event)

    def _lose(self, why: str) -> None:
        """The stream is gone."""
        self._link = None
        self._ping = None
        self._loss = why
        if self._resumable:
            self._lost_at = trio.current_time()
            self._bell.set()
        else:
            self._end(why)

    def _end(self, why: str) -> None:
        if self.over.is_set():
            return
        self._resumable = False
        self._sent.clear()
        self.over.set()
        self._bell.set()
        self._pass_on(StreamEnded(why, 0))

    def _arrived(self, number: int) -> None:
        while self._sent and self._sent[0][0] <= number:
            self._sent.popleft()

    def _close_question(self) -> None:
        self._asked = None
        self._last_heard = trio.current_time()
        if self._lost_at is not None:
            self._bell.set()

    def _pong(self, ping_id: int) -> None:
        if self._ping is not None and ping_id == self._ping[0]:
            self._ping = None
            self._arrived(ping_id)

    # Time.

    async def watch(self, tell: Callable[[str], None]) -> None:
        """Find out by pings whether the bot is still there, and give it up when it stays away too long.

        `tell` is called with a sentence when a stream is lost that may be taken up again. Returns when it is over.
        """
        told: float | None = None
        while not self.over.is_set():
            if self._lost_at is not None and self._lost_at != told:
                told = self._lost_at
                tell(f"{self._loss}; its seats are kept")
            with trio.move_on_at(self._wake_at()):
                await self._bell.wait()
            self._bell = trio.Event()
            self._look_at_clock(trio.current_time())

    def _wake_at(self) -> float:
        if self._lost_at is not None:
            return self._lost_at + self._keep_s if self._asked is None else float("inf")
        if self._ping is not None:
            return self._ping[1] + PONG_S
        return (self._last_heard if self._asked is None else trio.current_time()) + PING_S

    def _look_at_clock(self, now: float) -> None:
        if self._asked is not None:
            return
        if self._lost_at is not None:
            if now >= self._lost_at + self._keep_s:
                self._end(self._loss)
        elif self._ping is not None:
            if now >= self._ping[1] + PONG_S:
                self._drop()
        elif now >= self._last_heard + PING_S:
            self._send_ping(now)

    def _send_ping(self, now: float) -> None:
        if self._link is None:
            return
        self._link.send(messages.ping(self._count))
        self._ping = (self._count, now)

    def _drop(self) -> None:
        """The bot does not answer: its stream is as good as broken."""
        assert self._link is not None
        self._link.finish()
        self._lose(f"no Pong within {PONG_S:g} s")
