"""The session of one process of a remote bot, from Hello to its end (protocol.md, The bot's environment)."""

from __future__ import annotations

import hmac
import math
import secrets
from collections import deque

import trio

from bowerbird.harness.records.quoting import shown, utf8
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.handshake import GOODBYE_S
from bowerbird.harness.referee.connection.participant import (
    IGNORED_BEFORE_READY,
    capabilities_of,
    welcome_of,
)
from bowerbird.harness.referee.connection.stream import (
    Listener,
    Malformed,
    Received,
    Refusal,
    SeatStream,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.game.faults import one_line
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.remote.resumable_connection import (
    TAKEN_OVER,
    TAKEN_OVER_BY_AN_OLDER_SECRET,
    ResumableConnection,
)
from bowerbird.seat.v1 import seat_pb2

MAX_TAKEOVERS = 5
TAKEOVER_WINDOW_S = 10.0
"""The window in which a session may be taken over at most `MAX_TAKEOVERS` times while its old stream is open."""


class RemoteSession:
    """A process of a remote bot that is connected or may return.

    Life: created (welcomed), ready or refused (`is_decided`), seated, gone. A process that is ready and not seated may
    instead continue the session of another process of its bot that lost its connection (`continue_with`).

    token: the token that admitted it. peer: the name of its connection (`remote_server`).
    refusal: the reason why it will never be ready, or "". seated: whether it may have seen a card. goodbye: its
        Goodbye, once sent. continues: the session that its process continues; None for this one.
    """

    def __init__(
        self,
        name: str,
        token: str,
        stream: SeatStream,
        peer: str,
        said: seat_pb2.Capabilities,
        *,
        tables: int,
        startup_ms: int,
        keep_ms: int,
        clock: RunningTime,
    ) -> None:
        """Welcome a bot whose Hello was accepted. A session without a stream is kept for `keep_ms` of `clock`."""
        self._clock = clock
        self.name = name
        self.token = token
        self.peer = peer
        self._secrets: list[str] = []
        """The secrets that resume it. The last one is that of the last Welcome."""
        self.capabilities = capabilities_of(said, tables)
        self.connection = ResumableConnection(stream, resumable=said.resume, keep_s=keep_ms / 1000, clock=clock)
        self.is_decided = trio.Event()
        self.refusal = ""
        self.seated = False
        self.goodbye: bytes | None = None
        self.continues: RemoteSession | None = None
        self._before_goodbye: list[bytes] = []
        self._resumable = said.resume
        self._ignored = 0
        self._takeovers: deque[float] = deque(maxlen=MAX_TAKEOVERS)
        self._startup_ms = startup_ms
        self._began = trio.current_time()
        self._keep_ms = keep_ms
        self._welcome(stream)
        self.connection.inbox.attach(self._on_event)

    @property
    def is_free(self) -> bool:
        """Whether it is connected, ready and not seated."""
        return self.is_decided.is_set() and not self.refusal and not self.seated and self.connection.is_connected

    @property
    def is_lost(self) -> bool:
        """Whether it has seats and no stream, and may continue."""
        return (
            self.seated and self.goodbye is None and self.connection.can_be_resumed and not self.connection.is_connected
        )

    def sit(self) -> ResumableConnection:
        """Seat the bot. Its events are buffered until a listener is attached to the returned connection."""
        self.seated = True
        self.connection.inbox.detach()
        return self.connection

    def knows(self, secret: str) -> bool:
        """Return whether `secret` resumes this session.

        It does if it is the secret of the last Welcome or, until the bot shows that it has that Welcome, of an earlier
        one.
        """
        return sum(hmac.compare_digest(utf8(known), utf8(secret)) for known in self._secrets) > 0

    def takeover_wait_ms(self) -> int:
        """Return how long the next take-over of an open stream must wait. If it need not wait, it is counted."""
        now = trio.current_time()
        if len(self._takeovers) == MAX_TAKEOVERS and now < self._takeovers[0] + TAKEOVER_WINDOW_S:
            return math.ceil(1000 * (self._takeovers[0] + TAKEOVER_WINDOW_S - now))
        self._takeovers.append(now)
        return 0

    def resume(self, secret: str, stream: SeatStream, peer: str) -> Listener:
        """Continue on a new stream, which begins with a Welcome like the first. Return the stream's listener.

        `secret` is the secret that the bot used. It may be an old one: the bot lost the last Welcome, or it sent this
        Hello before it gave the stream up. The referee cannot tell which, so the ended stream's bot may dial again.
        """
        self.peer = peer
        end = TAKEN_OVER if secret == self._secrets[-1] else TAKEN_OVER_BY_AN_OLDER_SECRET
        self._keep_secret(secret)
        self._welcome(stream)
        newest = self._secrets[-1]
        listener = self.listener_of(stream)
        self.connection.resume(stream, end)

        def on_event(event: StreamEvent) -> None:
            if isinstance(event, Received) and newest == self._secrets[-1]:
                self._secrets = [newest]
            listener(event)

        return on_event

    def take_over(self, before: RemoteSession) -> None:
        """End a session that began with the same token and was not ready yet.

        Its bot has lost the Welcome, or the new Hello was late and the bot will return with its secret.
        """
        self._secrets = [*before._secrets[-MAX_TAKEOVERS:], *self._secrets]
        before.connection.refuse(TAKEN_OVER_BY_AN_OLDER_SECRET)

    def listener_of(self, stream: SeatStream) -> Listener:
        """Return the listener for the events of one stream of its process, whichever session the process is in."""

        def on_event(event: StreamEvent) -> None:
            (self.continues or self).connection.take(stream, event)

        return on_event

    def continue_with(self, other: RemoteSession) -> None:
        """Continue with another process of the bot, which is ready and not seated. It is sent all tables.

        The previous process can no longer return with its secret.
        """
        other.continues = self
        self.token, self.peer, self._secrets = other.token, other.peer, other._secrets
        self.connection.continue_with(other.connection.release())

    async def wait_until_ready(self) -> None:
        """Wait for Ready; refuse the bot if its start-up clock runs out."""
        if not await self._clock.wait_for(self.is_decided, self._startup_ms / 1000):
            self._refuse("STARTUP", f"did not say Ready within {self._startup_ms} ms")

    def _keep_secret(self, used: str) -> None:
        """Keep the used secret and the latest others, since the bot may also lose the next Welcome."""
        others = [secret for secret in self._secrets if secret != used]
        self._secrets = [*others[-MAX_TAKEOVERS:], used]

    def _welcome(self, stream: SeatStream) -> None:
        """Send a Welcome with a new secret. It requires a Ready if none has come yet."""
        startup_ms = None
        if not self.is_decided.is_set():
            used_s = self._clock.elapsed_s(self._began, trio.current_time())
            startup_ms = max(0, self._startup_ms - int(1000 * used_s))
        secret = secrets.token_urlsafe(32) if self._resumable else ""
        if secret:
            self._secrets.append(secret)
        stream.send(welcome_of(self.capabilities, startup_ms, secret, self._keep_ms if self._resumable else 0))

    def _on_event(self, event: StreamEvent) -> None:
        """Handle an event before the bot is seated: its Ready, or its failure."""
        if not isinstance(event, StreamEnded):
            self.connection.event_handled()
        match event:
            case Received(request=request):
                self._on_message(request)
            case Malformed(why=why):
                self._refuse("PROTOCOL", why)
            case StreamEnded(why=why):
                self.refusal = self.refusal or why
                self.is_decided.set()

    def _on_message(self, request: seat_pb2.PlayRequest) -> None:
        kind = request.WhichOneof("message")
        is_ready = self.is_decided.is_set()
        if kind == "ready" and not is_ready:
            self.is_decided.set()
        elif kind == "bot_fault":
            self._refuse("PROTOCOL", f"reported a failure of its own: {shown(request.bot_fault.message)}")
        elif kind in {"hello", "ready"}:
            self._refuse("PROTOCOL", f"said {kind} a second time")
        elif not is_ready and kind not in IGNORED_BEFORE_READY:
            self._refuse("PROTOCOL", f"said {kind} before Ready")
        else:
            self._ignored += 1
            if self._ignored > messages.MAX_IGNORED:
                self._refuse("PROTOCOL", messages.FLOOD)

    def _refuse(self, code: str, sentence: str) -> None:
        if not self.refusal:
            self.refusal = one_line(sentence)  # it may quote the bot, and the organiser will read it
            self.connection.refuse(Refusal(code, self.refusal))
            self.is_decided.set()

    async def end(self, reason: str) -> None:
        """Say Goodbye and wait a moment for the bot to close its side. Do nothing if the session is over."""
        if self.connection.is_over.is_set():
            return
        self.goodbye = messages.goodbye(reason, grace_ms=int(GOODBYE_S * 1000))
        self._before_goodbye = self.connection.unconfirmed
        self.connection.send(self.goodbye)
        self.connection.finish()
        with trio.move_on_after(GOODBYE_S):
            await self.connection.is_over.wait()

    def repeat_goodbye(self, secret: str, stream: SeatStream) -> Listener:
        """Send the Goodbye again, with messages that may be lost, on a new stream of a bot that lost its connection.

        `secret` is the secret that the bot used, since it may also lose this Welcome.
        """
        assert self.goodbye is not None  # the caller has checked
        self._keep_secret(secret)
        self._welcome(stream)
        for data in (*self._before_goodbye, self.goodbye):
            stream.send(data)
        stream.finish()
        return self.connection.listener_of(stream)
