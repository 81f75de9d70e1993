"""Admits remote bots: checks tokens, starts sessions and resumes them (protocol.md, The bot's environment)."""

from __future__ import annotations

import hmac
import re
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import trio

from bowerbird.seat.v1 import seat_pb2
from harness.records.values.game_record import TimeControl
from harness.referee.connection.mailbox import Mailbox
from harness.referee.connection.participant import clock_mismatch, version_mismatch
from harness.referee.connection.server import UNKNOWN_TOKEN, USED_TOKEN, StreamServer, hello_of
from harness.referee.connection.stream import Listener, Malformed, Refusal, SeatStream, StreamEvent
from harness.referee.host.running_time import RunningTime
from harness.referee.remote.places import address_of
from harness.referee.remote.remote_session import Invitation, RemoteParticipant, RemoteSession
from harness.referee.remote.resumable_connection import TAKEN_OVER
from harness.referee.remote.tls_proxy import (
    MAX_ADMITTED,
    MAX_PLAIN_TEXT,
    MAX_UNAUTHENTICATED,
    SPOKE_PLAIN_TEXT,
    TlsProxy,
    name_of,
)
from harness.referee.spec import BotSpec, FaultLimits

STREAMS = 2
"""How many calls one connection may make at once: Play and ListVariants."""

HELLO_S = 5.0
"""How long a stream may stay silent before its Hello."""

MAX_REPORTED = 200
"""How many refusals, and how many arrivals and departures of one bot, are reported to the organiser."""

MAX_REPORTED_OF_ADDRESS = 10
"""How many refusals of one address are reported."""

TOO_MANY = f"more than {MAX_REPORTED} refusals; further ones are not reported"


_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class TlsListener:
    """A listening socket for remote bots, and the TLS context of its connections."""

    listener: socket.socket
    context: ssl.SSLContext


class _ProxiedServer(StreamServer):
    """The gRPC server behind the TLS proxy."""

    def __init__(
        self,
        path: Path,
        mailbox: Mailbox,
        proxy: TlsProxy,
        connections: int,
        *,
        admit: Callable[[StreamEvent, SeatStream, str], Listener | Refusal],
        tokens: Collection[str],
    ) -> None:
        """Listen on a socket at `path`. `admit(first, stream, peer)` decides in the trio thread.

        There are enough streams for all of `connections` at any time. `tokens` may list the variants.
        """
        self._admit = admit
        self._proxy = proxy
        self._tokens = [token.encode() for token in tokens]
        streams = STREAMS * connections
        super().__init__(f"unix:{path}", mailbox=mailbox, streams=streams, per_connection=STREAMS, silence_s=HELLO_S)

    def claim(self, first: StreamEvent, stream: SeatStream, peer: str) -> Listener | Refusal:
        """Ask `admit`."""
        try:
            return trio.from_thread.run_sync(self._admit, first, stream, peer, trio_token=self.mailbox.token)
        except trio.RunFinishedError:
            return Refusal("REFEREE", "the referee is closing")

    def knows(self, token: str) -> bool:
        """Return whether this is the token of any bot. Every token is compared, and in constant time."""
        return sum(hmac.compare_digest(known, token.encode()) for known in self._tokens) > 0

    def probed(self, peer: str) -> None:
        """Let the connection leave without a Hello."""
        self._in_trio(self._proxy.serve_without_hello, peer)

    def turned_away(self, peer: str, sentence: str) -> None:
        """Tell the organiser."""
        self._in_trio(self._proxy.refuse, peer, sentence)

    def _in_trio(self, call: Callable[..., None], *arguments: str) -> None:
        with suppress(trio.RunFinishedError):  # the referee is closing
            trio.from_thread.run_sync(call, *arguments, trio_token=self.mailbox.token)


class Admission:
    """Admits remote bots. `report` takes sentences for the organiser, one at a time.

    All of it runs in one trio thread, between the start and the end of `run`.
    """

    def __init__(
        self,
        bots: Sequence[BotSpec],
        tls: TlsListener,
        *,
        tables: int,
        time: TimeControl,
        limits: FaultLimits,
        report: Callable[[str], None],
    ) -> None:
        """Draw tokens for these bots. None is admitted before `run`."""
        self.invitations: Mapping[str, Invitation] = {bot.name: Invitation(bot, limits) for bot in bots}
        self._tls = tls
        self._tables = tables
        self._startup_ms = time.startup_ms
        self._decision_ms = time.per_decision_ms
        self._keep_ms = max(limits.reconnect_ms, time.per_decision_ms + time.bank_ms + time.margin_ms)
        self._report = report
        self._refusals: set[tuple[str, str]] = set()
        self._refusals_of: Counter[str] = Counter()
        self._moves: Counter[str] = Counter()
        self._is_gathering = False
        self._nursery: trio.Nursery | None = None
        self._clock = RunningTime()

    async def run(self, folder: Path, mailbox: Mailbox, clock: RunningTime) -> None:
        """Admit bots until cancelled. `folder` is private, with a short name, and takes the servers' sockets.

        `clock` measures the times of all sessions.
        """
        self._clock = clock
        connections = 2 * MAX_UNAUTHENTICATED + MAX_ADMITTED * len(self.invitations)
        self._proxy = proxy = TlsProxy(
            self._tls.context,
            folder,
            grpc_socket=folder / "lobby",
            plaintext_socket=folder / "plain",
            on_refused=self._report_refusal,
            on_violation=self._blame,
        )
        tokens = [token for invitation in self.invitations.values() for token in invitation.tokens]
        server = _ProxiedServer(folder / "lobby", mailbox, proxy, connections, admit=self._admit, tokens=tokens)
        plain_server = _ProxiedServer(
            folder / "plain", mailbox, proxy, MAX_PLAIN_TEXT, admit=self._refuse_plain_text, tokens=()
        )
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                await self._proxy.serve(self._tls.listener)
        finally:
            with trio.CancelScope(shield=True):
                await server.stop()
                await plain_server.stop()

    async def gather(self, wait_s: float) -> tuple[str, ...]:
        """Wait until all bots are connected at once, at most `wait_s`. Return the names of those that are missing."""
        self._is_gathering = True
        await self._clock.within(wait_s, self._wait_for_all)
        self._is_gathering = False
        return self.missing()

    async def _wait_for_all(self) -> None:
        while missing := self.missing():
            await self.invitations[missing[0]].wait_for_session()

    def missing(self) -> tuple[str, ...]:
        """Return the names of the bots that are not connected and ready."""
        return tuple(name for name, invitation in self.invitations.items() if not invitation.has_free_session)

    def participant(self, name: str) -> RemoteParticipant:
        """Return the participant of the bot `name`, which is to play now."""
        return RemoteParticipant(self.invitations[name], self._startup_ms, self._clock)

    async def close(self, reason: str) -> None:
        """Say Goodbye to every bot that is still connected."""
        async with trio.open_nursery() as nursery:
            for invitation in self.invitations.values():
                session = invitation.session
                if session is not None and not session.connection.is_over.is_set():
                    nursery.start_soon(session.end, reason)

    # Who is admitted.

    def _admit(self, first: StreamEvent, stream: SeatStream, peer: str) -> Listener | Refusal:
        """Return the listener of a stream, or refuse it and tell the organiser."""
        answer = self._find_listener(first, stream, peer)
        if isinstance(answer, Refusal):
            self._proxy.refuse(peer, answer.sentence)
            return answer
        name, listener = answer
        self._proxy.admit(peer, name)
        self._release(peer)  # it has read a Goodbye, and nothing follows
        return listener

    def _blame(self, connection: str, sentence: str) -> None:
        """Treat a breach of HTTP/2 on a bot's connection like a message that is malformed."""
        for invitation in self.invitations.values():
            session = invitation.session
            if session is not None and session.connection.is_connected and name_of(session.peer) == connection:
                session.connection.inbox.put(Malformed(sentence, time.monotonic_ns()))

    def _refuse_plain_text(self, first: StreamEvent, stream: SeatStream, peer: str) -> Refusal:
        self._proxy.refuse(peer, SPOKE_PLAIN_TEXT)
        return Refusal("TLS", SPOKE_PLAIN_TEXT)

    def _find_listener(self, first: StreamEvent, stream: SeatStream, peer: str) -> tuple[str, Listener] | Refusal:
        """Return the name of the bot and the listener of its stream, or refuse the stream."""
        hello = hello_of(first)
        if isinstance(hello, Refusal):
            return hello
        if mismatch := version_mismatch(hello):
            return Refusal("VERSION", mismatch)
        if hello.session_secret:
            return self._resume(hello.session_secret, stream, peer)
        invitation = self._invitation_of(hello.token)
        refused = _unusable(hello.token, invitation)
        if invitation is None or refused:
            return Refusal("TOKEN", refused)
        if mismatch := clock_mismatch(hello, self._decision_ms):
            return Refusal("STARTUP", mismatch)
        return invitation.bot.name, self._start_session(invitation, hello, stream, peer)

    def _invitation_of(self, token: str) -> Invitation | None:
        """Return the invitation of a token. Every token is compared, and in constant time."""
        found = None
        for invitation in self.invitations.values():
            for known in invitation.tokens:
                if hmac.compare_digest(known.encode(), token.encode()):
                    found = invitation
        return found

    def _start_session(self, invitation: Invitation, hello: seat_pb2.Hello, stream: SeatStream, peer: str) -> Listener:
        """Start the session of a bot. The one before ends: it has lost its stream, or never was ready."""
        before = invitation.session
        session = invitation.session = RemoteSession(
            invitation.bot.name,
            hello.token,
            stream,
            peer,
            hello.capabilities,
            tables=min(self._tables, invitation.bot.tables),
            startup_ms=self._startup_ms,
            keep_ms=self._keep_ms,
            clock=self._clock,
        )
        if before is not None and not before.is_decided.is_set() and before.token == hello.token:
            session.take_over(before)
        elif before is not None:
            before.connection.refuse(TAKEN_OVER)
        assert self._nursery is not None  # bots are admitted while `run` runs
        self._nursery.start_soon(self._attend, invitation, session)
        return session.connection.listener_of(stream)

    def _resume(self, secret: str, stream: SeatStream, peer: str) -> tuple[str, Listener] | Refusal:
        """Resume the session of this secret on a new stream, or refuse it."""
        found = None
        for invitation in self.invitations.values():
            session = invitation.session
            if session is not None and session.knows(secret):
                found = (invitation, session)
        if found is not None and found[1].goodbye is not None:
            return found[1].name, self._repeat_goodbye(found[1], secret, stream, peer)
        if found is None or not found[1].connection.can_be_resumed:
            return Refusal("SESSION_OVER", "this session is over")
        invitation, session = found
        if session.connection.is_connected:
            wait_ms = session.takeover_wait_ms()
            if wait_ms:
                return Refusal("BUSY", "the session was taken over too often in a short time", wait_ms)
        self._report_move(session.name, f"bot {session.name} is back ({self._proxy.peer_of(peer)})")
        before = session.peer
        listener = session.resume(secret, stream, peer)
        self._release(before)
        invitation.notify()
        return session.name, listener

    def _repeat_goodbye(self, session: RemoteSession, secret: str, stream: SeatStream, peer: str) -> Listener:
        """Say the Goodbye of a session that has ended, on a new stream."""
        before, session.peer = session.peer, peer
        self._release(before)
        return session.repeat_goodbye(secret, stream)

    def _release(self, peer: str) -> None:
        """Close a connection soon, unless it carries a session."""
        sessions = [invitation.session for invitation in self.invitations.values()]
        if not any(one is not None and one.connection.is_connected and one.peer == peer for one in sessions):
            self._proxy.close_soon(peer)

    async def _attend(self, invitation: Invitation, session: RemoteSession) -> None:
        """Watch a session until it is over."""
        await session.wait_until_ready()
        if session.is_free:
            invitation.notify()
            self._report_move(
                session.name, f"bot {session.name} is here ({self._proxy.peer_of(session.peer)}){self._still_missing()}"
            )
        await session.connection.watch(lambda why: self._note_loss(session, why))
        self._release(session.peer)
        if session.goodbye is not None:
            return  # the session is kept: a bot that lost its Goodbye may return for it
        if invitation.session is not session:
            return  # another session of the bot has taken its place
        invitation.session = None
        gone = f"bot {session.name} is gone ({session.refusal or 'its connection ended'})"
        if session.seated:
            self._report(gone)
        else:
            self._report_move(session.name, f"{gone}; it may come again with its token")

    def _note_loss(self, session: RemoteSession, why: str) -> None:
        self._release(session.peer)
        self._report_move(session.name, f"bot {session.name} has lost its connection ({why})")

    def _report_move(self, name: str, sentence: str) -> None:
        """Report that a bot arrives or leaves, at most MAX_REPORTED times, so that it cannot fill the screen."""
        self._moves[name] += 1
        if self._moves[name] <= MAX_REPORTED:
            self._report(sentence)
        elif self._moves[name] == MAX_REPORTED + 1:
            self._report(f"bot {name} connects and disconnects often: this is no longer reported")

    def _still_missing(self) -> str:
        missing = self.missing() if self._is_gathering else ()
        return f"; waiting for {', '.join(missing)}" if missing else ""

    def _report_refusal(self, peer: str, sentence: str) -> None:
        """Report each address and reason once, and not too many: a stranger must not fill the screen.

        Sentences that differ in their numbers alone are one reason.
        """
        address = address_of(peer.rpartition(":")[0].strip("[]"))
        reason = (address, _NUMBER.sub("0", sentence))
        if reason in self._refusals or len(self._refusals) > MAX_REPORTED:
            return
        if self._refusals_of[address] == MAX_REPORTED_OF_ADDRESS:
            return
        self._refusals_of[address] += 1
        self._refusals.add(reason)
        self._report(f"{peer} was turned away: {sentence}" if len(self._refusals) <= MAX_REPORTED else TOO_MANY)


def _unusable(token: str, invitation: Invitation | None) -> str:
    """Return why this token of this invitation admits no bot now, or ""."""
    if invitation is None:
        return UNKNOWN_TOKEN
    session = invitation.session
    if session is not None and session.connection.is_connected and session.is_decided.is_set():
        return f"bot {invitation.bot.name} is connected already, and has one connection"
    return "" if token in invitation.unused else USED_TOKEN
