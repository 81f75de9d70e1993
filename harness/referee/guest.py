"""One remote bot's session, from its Hello until it is gone (PROTOCOL.md, "Who talks to whom")."""

from __future__ import annotations

import secrets

import trio

from harness.referee import messages
from harness.referee.doorstep import PROTOCOL_VERSION
from harness.referee.entrance import GOODBYE_S, MAX_NOTE, abilities_of
from harness.referee.remote_line import RemoteLine
from harness.referee.server import MAX_MESSAGE, Ear, Event, Link, Malformed, Said, StreamEnded
from harness.v1 import seat_pb2


class Guest:
    """A remote bot that is connected, or that may come back.

    `token` is what let it in, `secret` lets it come back. `came` is set when it is ready to play or never will be:
    `refusal` then says why not. `inner` is what the gate calls its connection. `seated` is true once it may have seen a
    card, `farewell` is its Goodbye once it was sent away.
    """

    def __init__(
        self,
        name: str,
        token: str,
        link: Link,
        inner: str,
        said: seat_pb2.Capabilities,
        *,
        tables: int,
        startup_ms: int,
        keep_ms: int,
    ) -> None:
        """A bot whose Hello was found good; it is welcomed."""
        self.name = name
        self.token = token
        self.inner = inner
        self.secret = secrets.token_urlsafe(32) if said.resume else ""
        self.abilities = abilities_of(said, tables)
        self.line = RemoteLine(link, resumable=said.resume, keep_s=keep_ms / 1000)
        self.came = trio.Event()
        self.refusal = ""
        self.seated = False
        self.farewell: bytes | None = None
        self._startup_ms = startup_ms
        self._keep_ms = keep_ms
        self._welcome(link, startup_ms)
        self.line.listen(self._hear)

    @property
    def is_free(self) -> bool:
        """Whether it is there, ready, and waits for a seat."""
        return self.came.is_set() and not self.refusal and not self.seated and self.line.stands

    def sit(self) -> RemoteLine:
        """It is needed now; what it says is kept until somebody listens to its line."""
        self.seated = True
        self.line.hold()
        return self.line

    def take_up(self, link: Link, inner: str) -> Ear:
        """Its next stream, which begins with a Welcome like the first."""
        self.inner = inner
        self._welcome(link, 0)
        ear = self.line.ear_of(link)
        self.line.take_up(link)
        return ear

    async def get_ready(self) -> None:
        """Wait for its Ready, at most for the start-up clock."""
        with trio.move_on_after(self._startup_ms / 1000):
            await self.came.wait()
        if not self.came.is_set():
            self._refuse("STARTUP", f"did not say Ready within {self._startup_ms} ms")

    def _welcome(self, link: Link, startup_ms: int) -> None:
        link.send(
            messages.welcome(
                version=PROTOCOL_VERSION,
                max_tables=self.abilities.tables,
                max_batch=self.abilities.batch,
                max_message=MAX_MESSAGE,
                max_note=MAX_NOTE,
                startup_ms=startup_ms,
                session_secret=self.secret,
                resume_ms=self._keep_ms if self.secret else 0,
            )
        )

    def _hear(self, event: Event) -> None:
        """Before it sits anywhere: Ready, and whatever means that it will not."""
        if not isinstance(event, StreamEnded):
            self.line.heard()
        match event:
            case Said(request=request) if request.WhichOneof("message") == "ready":
                self.came.set()
            case Said(request=request) if request.WhichOneof("message") == "bot_fault":
                self._refuse("PROTOCOL", f"reported a failure of its own: {request.bot_fault.message}")
            case Said(request=request):
                self._refuse("PROTOCOL", f"said {request.WhichOneof('message')} before it had a seat")
            case Malformed(why=why):
                self._refuse("PROTOCOL", why)
            case StreamEnded(why=why):
                self.refusal = self.refusal or why
                self.came.set()

    def _refuse(self, code: str, sentence: str) -> None:
        if not self.refusal:
            self.refusal = sentence
            self.line.send(messages.error(code, sentence, fatal=True))
            self.line.finish()
            self.came.set()

    async def see_out(self, reason: str) -> None:
        """Say Goodbye and give it a moment to close its side. A session that was given up hears nothing more."""
        if self.line.over.is_set():
            return
        self.farewell = messages.goodbye(reason, grace_ms=int(GOODBYE_S * 1000))
        self.line.send(self.farewell)
        self.line.finish()
        with trio.move_on_after(GOODBYE_S):
            await self.line.over.wait()

    def repeat_farewell(self, link: Link) -> Ear:
        """Tell one who comes back after its Goodbye, which was lost with its connection, that it may go."""
        assert self.farewell is not None
        self._welcome(link, 0)
        link.send(self.farewell)
        link.finish()
        return self.line.ear_of(link)
