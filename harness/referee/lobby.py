"""Where bots that run elsewhere come in: tokens, who is there, who may come back (PROTOCOL.md, "Who talks to whom")."""

from __future__ import annotations

import hmac
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from harness.records.record import TimeControl
from harness.referee.desk import Call, Desk
from harness.referee.entrance import foreign_version
from harness.referee.gate import STRANGERS, Gate
from harness.referee.guest import Guest
from harness.referee.post import Post
from harness.referee.server import (
    NO_HELLO,
    UNKNOWN_TOKEN,
    USED_TOKEN,
    Ear,
    Event,
    Link,
    Refusal,
    StreamServer,
    hello_of,
)
from harness.referee.spec import BotSpec, FaultLimits
from harness.v1 import seat_pb2

STREAMS = 2
"""How many calls one connection may make at once: Play and ListVariants."""

HELLO_S = 5.0
"""How long a stream may say nothing."""

COMPLAINTS = 200
ENOUGH = f"more than {COMPLAINTS} refusals; no more of them are told"


@dataclass(frozen=True, slots=True)
class Doors:
    """Where remote bots come in: a socket that listens, and how hands are shaken there."""

    listener: socket.socket
    context: ssl.SSLContext


class _Inside(StreamServer):
    """The gRPC server behind the gate."""

    def __init__(
        self, path: Path, post: Post, connections: int, admit: Callable[[Event, Link, str], Ear | Refusal]
    ) -> None:
        """`admit(first, link, peer)` decides, in the trio thread. Every connection gets all its streams at any time."""
        self._admit = admit
        super().__init__(
            f"unix:{path}", post=post, streams=STREAMS * connections, per_connection=STREAMS, patience_s=HELLO_S
        )

    def claim(self, first: Event, link: Link, peer: str) -> Ear | Refusal:
        """Ask `admit`."""
        try:
            return trio.from_thread.run_sync(self._admit, first, link, peer, trio_token=self.post.token)
        except trio.RunFinishedError:
            return Refusal("REFEREE", "the referee is closing")


class Lobby:
    """Lets remote bots in, and back in. `tell` takes sentences for the organiser, one at a time.

    All of it runs in one trio thread, between `open` and the end of `run`.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        doors: Doors,
        *,
        tables: int,
        time: TimeControl,
        limits: FaultLimits,
        tell: Callable[[str], None],
    ) -> None:
        """Tokens for these bots; nobody can come in yet."""
        self.desks: Mapping[str, Desk] = {bot.name: Desk(bot, limits) for bot in bots}
        self._doors = doors
        self._tables = tables
        self._startup_ms = time.startup_ms
        self._keep_ms = time.per_decision_ms + time.bank_ms + time.margin_ms
        self._tell = tell
        self._refusals: set[tuple[str, str]] = set()
        self._gathering = False
        self._nursery: trio.Nursery | None = None

    async def run(self, folder: Path, post: Post) -> None:
        """Let bots in until cancelled; `post` brings what they say. `folder` is private and its name short."""
        inside = _Inside(folder / "lobby", post, STRANGERS + 2 * len(self.desks), self._admit)
        plain = _Inside(folder / "plain", post, STRANGERS, self._refuse_plain_text)
        self._gate = Gate(
            self._doors.context, folder, inside=folder / "lobby", plain=folder / "plain", tell=self._turned_away
        )
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                await self._gate.serve(self._doors.listener)
        finally:
            with trio.CancelScope(shield=True):
                await inside.stop()
                await plain.stop()

    async def gather(self, wait_s: float) -> tuple[str, ...]:
        """Wait until all are there at once, or the time is over; the names of those that are not."""
        self._gathering = True
        with trio.move_on_after(wait_s):
            while missing := self.missing():
                await self.desks[missing[0]].wait_for_guest()
        self._gathering = False
        return self.missing()

    def missing(self) -> tuple[str, ...]:
        """The names of the bots that are not there and ready."""
        return tuple(name for name, desk in self.desks.items() if not desk.is_manned)

    def call(self, name: str) -> Call:
        """The bot of this name is to play."""
        return Call(self.desks[name], self._startup_ms)

    async def close(self, reason: str) -> None:
        """Say Goodbye to those who still wait."""
        async with trio.open_nursery() as nursery:
            for desk in self.desks.values():
                if desk.guest is not None and not desk.guest.line.over.is_set():
                    nursery.start_soon(desk.guest.see_out, reason)

    # Who comes in.

    def _admit(self, first: Event, link: Link, inner: str) -> Ear | Refusal:
        """Whose stream this is; everybody else is refused, and the organiser told."""
        answer = self._find(first, link, inner)
        if isinstance(answer, Refusal):
            self._gate.refuse(inner, answer.sentence)
        else:
            self._gate.admit(inner)
        return answer

    def _refuse_plain_text(self, first: Event, link: Link, inner: str) -> Refusal:
        sentence = "this address is for TLS, and the bot spoke plain text"
        self._gate.refuse(inner, sentence)
        return Refusal("TLS", sentence)

    def _find(self, first: Event, link: Link, inner: str) -> Ear | Refusal:
        hello = hello_of(first)
        if hello is None:
            return Refusal("TOKEN", NO_HELLO)
        if sentence := foreign_version(hello):
            return Refusal("VERSION", sentence)
        if hello.session_secret:
            return self._take_up(hello.session_secret, link, inner)
        desk = self._desk_of(hello.token)
        refused = _unfit(hello.token, desk)
        if desk is None or refused:
            return Refusal("TOKEN", refused)
        return self._welcome(desk, hello, link, inner)

    def _desk_of(self, token: str) -> Desk | None:
        """Whose token this is; every token is compared, and in constant time."""
        found = None
        for desk in self.desks.values():
            for known in desk.tokens:
                if hmac.compare_digest(known.encode(), token.encode()):
                    found = desk
        return found

    def _welcome(self, desk: Desk, hello: seat_pb2.Hello, link: Link, inner: str) -> Ear:
        """A bot has come. A session that has lost its stream is over now: this is a new process."""
        if desk.guest is not None:
            desk.guest.line.finish()
        guest = desk.guest = Guest(
            desk.bot.name,
            hello.token,
            link,
            inner,
            hello.capabilities,
            tables=min(self._tables, desk.bot.tables),
            startup_ms=self._startup_ms,
            keep_ms=self._keep_ms,
        )
        assert self._nursery is not None
        self._nursery.start_soon(self._attend, desk, guest)
        return guest.line.ear_of(link)

    def _take_up(self, secret: str, link: Link, inner: str) -> Ear | Refusal:
        """A bot comes back with the secret of its session."""
        found = None
        for desk in self.desks.values():
            guest = desk.guest
            if guest is not None and guest.secret and hmac.compare_digest(guest.secret.encode(), secret.encode()):
                found = (desk, guest)
        if found is not None and found[1].farewell is not None:
            return found[1].repeat_farewell(link)
        if found is None or not found[1].line.can_be_taken_up:
            return Refusal("SESSION", "this session is over")
        desk, guest = found
        if guest.line.stands:
            self._gate.ask_for_sign_of_life(guest.inner)
            return Refusal("SESSION", f"bot {guest.name} is connected, and its session has one stream")
        self._tell(f"bot {guest.name} is back ({self._gate.peer_of(inner)})")
        ear = guest.take_up(link, inner)
        desk.ring()
        return ear

    async def _attend(self, desk: Desk, guest: Guest) -> None:
        """Stay with a guest until its session is over."""
        await guest.get_ready()
        if guest.is_free:
            desk.ring()
            self._tell(f"bot {guest.name} is here ({self._gate.peer_of(guest.inner)}){self._still_awaited()}")
        await guest.line.watch(lambda why: self._tell(f"bot {guest.name} has lost its connection ({why})"))
        if guest.farewell is not None:
            return  # it stays at its desk: if that was lost with the connection, it comes back to hear it
        if desk.guest is guest:
            desk.guest = None
        again = "" if guest.seated else "; it may come again with its token"
        self._tell(f"bot {guest.name} is gone ({guest.refusal or 'its connection ended'}){again}")

    def _still_awaited(self) -> str:
        missing = self.missing() if self._gathering else ()
        return f"; waiting for {', '.join(missing)}" if missing else ""

    def _turned_away(self, peer: str, sentence: str) -> None:
        """Tell it once for each address and reason, and not for ever: a stranger must not fill the screen."""
        reason = (peer.rpartition(":")[0], sentence)
        if reason in self._refusals or len(self._refusals) > COMPLAINTS:
            return
        self._refusals.add(reason)
        self._tell(f"{peer} was turned away: {sentence}" if len(self._refusals) <= COMPLAINTS else ENOUGH)


def _unfit(token: str, desk: Desk | None) -> str:
    """Why this token, which belongs to this desk, lets nobody in now; or ""."""
    if desk is None:
        return UNKNOWN_TOKEN
    if desk.guest is not None and desk.guest.line.stands:
        return f"bot {desk.bot.name} is connected already, and has one connection"
    return "" if token in desk.unused else USED_TOKEN
