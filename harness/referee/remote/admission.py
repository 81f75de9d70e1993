"""Admits remote bots: checks tokens, starts sessions and resumes them (protocol.md, The bot's environment)."""

from __future__ import annotations

import hmac
import re
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import trio

from bowerbird.harness.rate_limit import network_of
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.participant import clock_mismatch, feature_mismatch, version_mismatch
from bowerbird.harness.referee.connection.seat_door import UNKNOWN_TOKEN, hello_of
from bowerbird.harness.referee.connection.stream import Listener, Malformed, Refusal, SeatStream, StreamEvent
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.remote.invitation import Invitation, RemoteParticipant
from bowerbird.harness.referee.remote.remote_server import RemoteServer
from bowerbird.harness.referee.remote.remote_session import RemoteSession
from bowerbird.harness.referee.spec import BotSpec, FaultLimits
from bowerbird.seat.v1 import seat_pb2


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token given to the bot `name`. If it no longer works, `refusal` is a sentence with the reason."""

    name: str
    refusal: str = ""


class StandingTokens(Protocol):
    """Tokens that are valid for many runs, including tokens of bots that do not play in this run."""

    def tokens(self, name: str) -> tuple[str, ...]:
        """Return the tokens of a bot; none if it is not invited."""

    def find(self, token: str) -> FoundToken | None:
        """Return the bot's entry for a token, or None. Called from any thread."""


MAX_REPORTED = 200
"""The most refusals, and the most arrivals and departures of one bot, that are reported to the organiser."""

MAX_REPORTED_OF_ADDRESS = 10
"""The most refusals of one address that are reported."""

OUTSIDER_RETRY_MS = 5_000
"""After how long a bot that does not play in this run may try again."""

TOO_MANY = f"more than {MAX_REPORTED} refusals; further ones are not reported"


_NUMBER = re.compile(r"\d+")


def _ignore(_name: str) -> None:
    """Do nothing. This is the default of `on_outsider`."""


@dataclass(frozen=True, slots=True)
class TlsListener:
    """A listening socket for remote bots, and the TLS context of its connections."""

    listener: socket.socket
    context: ssl.SSLContext


class Admission:
    """The admission of remote bots. `report` is called with sentences for the organiser, one at a time.

    Everything runs in one trio thread, between the start and the end of `run`.
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
        required: Sequence[str] = (),
        standing: StandingTokens | None = None,
        on_outsider: Callable[[str], None] = _ignore,
    ) -> None:
        """Draw tokens for these bots, or take them from `standing`. None is admitted before `run`.

        required: features that a bot must have to be admitted.
        on_outsider: called with the name of a bot of `standing` that dials in but does not play in this run.
        """
        self.invitations: Mapping[str, Invitation] = {
            bot.name: Invitation(bot, limits, standing.tokens(bot.name) if standing is not None else ()) for bot in bots
        }
        self._standing = standing
        self._on_outsider = on_outsider
        self._tls = tls
        self._tables = tables
        self._startup_ms = time.startup_ms
        self._time = time
        self._required = tuple(required)
        self._reconnect_ms = limits.reconnect_ms
        self._report = report
        self._refusals: set[tuple[str, str]] = set()
        self._refusals_of: Counter[str] = Counter()
        self._moves: Counter[str] = Counter()
        self._is_gathering = False
        self._nursery: trio.Nursery
        self._server: RemoteServer
        self._clock = RunningTime()

    async def run(self, mailbox: Mailbox, clock: RunningTime) -> None:
        """Admit bots until cancelled. `clock` measures the times of all sessions."""
        self._clock = clock
        self._server = RemoteServer(
            self._tls.context,
            mailbox,
            admits=self._admit,
            knows=self._knows,
            on_refused=self._report_refusal,
            on_violation=self._blame,
        )
        async with trio.open_nursery() as self._nursery:
            await self._server.serve(self._tls.listener)

    async def gather(self, wait_s: float, away: Collection[str] = (), grace_s: float = 0.0) -> tuple[str, ...]:
        """Wait at most `wait_s` until all bots are connected at once. Return the names of the missing bots.

        For the bots in `away` it waits only `grace_s`.
        """
        self._is_gathering = True
        expected = self.invitations.keys() - away
        since = trio.current_time()
        await self._clock.within(min(grace_s, wait_s), partial(self._wait_for_all, self.invitations.keys()))
        left_s = max(0.0, wait_s - self._clock.elapsed_s(since, trio.current_time()))
        await self._clock.within(left_s, partial(self._wait_for_all, expected))
        self._is_gathering = False
        return self.missing()

    async def _wait_for_all(self, names: Collection[str]) -> None:
        while missing := [name for name in self.missing() if name in names]:
            await self.invitations[missing[0]].wait_for_session()

    def missing(self) -> tuple[str, ...]:
        """Return the names of the bots that are not connected and ready."""
        return tuple(name for name, invitation in self.invitations.items() if not invitation.has_free_session)

    def participant(self, name: str) -> RemoteParticipant:
        """Return the participant of the bot `name`, which is about to play."""
        return RemoteParticipant(self.invitations[name], self._startup_ms, self._clock)

    def tell(self, sentence: str) -> None:
        """Send a sentence to every connected bot without a seat; bots log it."""
        for session in self._sessions():
            if session.is_free:
                session.connection.send(messages.error("REFEREE", sentence))

    async def close(self, reason: str) -> None:
        """Say Goodbye to every bot still connected."""
        async with trio.open_nursery() as nursery:
            for session in self._sessions():
                if not session.connection.is_over.is_set():
                    nursery.start_soon(session.end, reason)

    def _sessions(self) -> tuple[RemoteSession, ...]:
        return tuple(session for invitation in self.invitations.values() for session in invitation.sessions)

    # Who is admitted

    def _admit(self, first: StreamEvent, stream: SeatStream, peer: str) -> Listener | Refusal:
        """Return the listener of a stream, or refuse it and tell the organiser."""
        answer = self._find_listener(first, stream, peer)
        if isinstance(answer, Refusal):
            self._server.refuse(peer, answer.sentence)
            return answer
        owner, listener = answer
        self._server.admit(peer, owner)
        self._release(peer)  # it has read a Goodbye, and nothing follows
        return listener

    def _blame(self, connection: str, sentence: str) -> None:
        """Treat a flood on a bot's connection like a malformed message."""
        for session in self._sessions():
            if session.connection.is_connected and session.peer == connection:
                session.connection.inbox.put(Malformed(sentence, time.monotonic_ns()))

    def _find_listener(self, first: StreamEvent, stream: SeatStream, peer: str) -> tuple[str, Listener] | Refusal:
        """Return the owner of the connection and the listener of its stream, or refuse the stream."""
        hello = hello_of(first)
        if isinstance(hello, Refusal):
            return hello
        if mismatch := version_mismatch(hello):
            return Refusal("VERSION", mismatch)
        if hello.session_secret:
            return self._resume(hello.session_secret, stream, peer)
        invitation = self._usable_invitation(hello.token)
        if isinstance(invitation, Refusal):
            return invitation
        decision_ms = (invitation.bot.time or self._time).per_decision_ms
        if mismatch := clock_mismatch(hello, decision_ms) or feature_mismatch(hello, self._required):
            return Refusal("STARTUP", mismatch)
        return invitation.owner_of(hello.token), self._start_session(invitation, hello, stream, peer)

    def _knows(self, token: str) -> bool:
        """Return whether a token may list the variants."""
        if self._standing is None:
            return isinstance(self._invitation_of(token), Invitation)
        found = self._standing.find(token)
        return found is not None and not found.refusal

    def _usable_invitation(self, token: str) -> Invitation | Refusal:
        """Return the invitation of a token, or the reason why it admits no process now."""
        invitation = self._invitation_of(token) if self._standing is None else self._standing_invitation(token)
        if isinstance(invitation, Invitation) and (refused := invitation.refusal_of(token)):
            return Refusal("TOKEN", refused)
        return invitation

    def _standing_invitation(self, token: str) -> Invitation | Refusal:
        """Return the invitation of a standing token, or the reason why it admits no bot to this run."""
        assert self._standing is not None  # the caller has checked
        found = self._standing.find(token)
        if found is None:
            return Refusal("TOKEN", UNKNOWN_TOKEN)
        if found.refusal:
            return Refusal("TOKEN", found.refusal)
        invitation = self.invitations.get(found.name)
        if invitation is None or token not in invitation.tokens:  # it was invited since then, or is left out
            self._on_outsider(found.name)
            sentence = f"bot {found.name} does not play in this run; it may join when another one begins"
            return Refusal("BUSY", sentence, OUTSIDER_RETRY_MS)
        return invitation

    def _invitation_of(self, token: str) -> Invitation | Refusal:
        """Return the invitation of a token of this run. Every token is compared, in constant time."""
        found = None
        for invitation in self.invitations.values():
            for known in invitation.tokens:
                if hmac.compare_digest(utf8(known), utf8(token)):
                    found = invitation
        return found if found is not None else Refusal("TOKEN", UNKNOWN_TOKEN)

    def _keep_ms(self, bot: BotSpec) -> int:
        """Return the minimum time for which the seats of a disconnected bot are kept."""
        time = bot.time or self._time
        return max(self._reconnect_ms, time.per_decision_ms + time.bank_ms + time.margin_ms)

    def _start_session(self, invitation: Invitation, hello: seat_pb2.Hello, stream: SeatStream, peer: str) -> Listener:
        """Start the session of a bot's process."""
        session = RemoteSession(
            invitation.bot.name,
            hello.token,
            stream,
            peer,
            hello.capabilities,
            tables=min(self._tables, invitation.bot.tables),
            startup_ms=self._startup_ms,
            keep_ms=self._keep_ms(invitation.bot),
            clock=self._clock,
        )
        invitation.add(session)
        self._nursery.start_soon(self._attend, invitation, session)
        return session.listener_of(stream)

    def _resume(self, secret: str, stream: SeatStream, peer: str) -> tuple[str, Listener] | Refusal:
        """Resume the session of this secret on a new stream, or refuse it."""
        found = None
        for invitation in self.invitations.values():
            for session in invitation.sessions:
                if session.knows(secret):
                    found = (invitation, session)
        if found is not None and found[1].goodbye is not None:
            return found[0].owner_of(found[1].token), self._repeat_goodbye(found[1], secret, stream, peer)
        if found is None or not found[1].connection.can_be_resumed:
            return Refusal("SESSION_OVER", "this session is over")
        invitation, session = found
        if session.connection.is_connected:
            wait_ms = session.takeover_wait_ms()
            if wait_ms:
                return Refusal("BUSY", "the session was taken over too often in a short time", wait_ms)
        self._report_move(session.name, f"bot {session.name} is back ({self._server.peer_of(peer)})")
        before = session.peer
        listener = session.resume(secret, stream, peer)
        self._release(before)
        invitation.notify()
        self._settle(invitation)
        return invitation.owner_of(session.token), listener

    def _repeat_goodbye(self, session: RemoteSession, secret: str, stream: SeatStream, peer: str) -> Listener:
        """Send the Goodbye of a session that has ended on a new stream."""
        before, session.peer = session.peer, peer
        self._release(before)
        return session.repeat_goodbye(secret, stream)

    def _release(self, peer: str) -> None:
        """Close a connection soon unless it carries a session."""
        if not any(one.connection.is_connected and one.peer == peer for one in self._sessions()):
            self._server.close_soon(peer)

    async def _attend(self, invitation: Invitation, session: RemoteSession) -> None:
        """Watch a session until it is over."""
        await session.wait_until_ready()
        if session.is_free:
            self._welcome_ready(invitation, session)
        await session.connection.watch(lambda why: self._note_loss(invitation, session, why))
        if session.continues is not None:
            return  # its process continues in another session
        self._release(session.peer)
        is_kept = session.goodbye is not None  # a bot that missed its Goodbye may return for it
        if not is_kept and session not in invitation.sessions:
            return  # another session of the bot has taken its place
        if not is_kept:
            invitation.remove(session)
        self._settle(invitation)
        if is_kept:
            return
        gone = f"bot {session.name} is gone ({session.refusal or 'its connection ended'})"
        if session.seated:
            self._report(gone)
        else:
            self._report_move(session.name, f"{gone}; it may reconnect with its token")

    def _welcome_ready(self, invitation: Invitation, session: RemoteSession) -> None:
        """Assign a role to a process that is ready: it plays, continues a lost session, or waits in reserve."""
        where = f"({self._server.peer_of(session.peer)})"
        if invitation.session is session:
            invitation.notify()
            self._report_move(session.name, f"bot {session.name} is here {where}{self._still_missing()}")
        elif not self._settle(invitation):
            self._report_move(session.name, f"bot {session.name} has another process in reserve {where}")

    def _settle(self, invitation: Invitation) -> bool:
        """Let a process in reserve play if one is needed, and report that. Return whether one does."""
        session = invitation.settle()
        if session is None:
            return False
        name, where = session.name, f"({self._server.peer_of(session.peer)})"
        if session.continues is not None:
            self._report_move(name, f"another process of bot {name} takes its seats {where}")
        else:
            self._report_move(name, f"bot {name} is here {where}{self._still_missing()}")
        return True

    def _note_loss(self, invitation: Invitation, session: RemoteSession, why: str) -> None:
        self._release(session.peer)
        self._report_move(session.name, f"bot {session.name} has lost its connection ({why})")
        self._settle(invitation)

    def _report_move(self, name: str, sentence: str) -> None:
        """Report that a bot has arrived or left, at most MAX_REPORTED times, so that it cannot fill the screen."""
        self._moves[name] += 1
        if self._moves[name] <= MAX_REPORTED:
            self._report(sentence)
        elif self._moves[name] == MAX_REPORTED + 1:
            self._report(f"bot {name} connects and disconnects often: this is no longer reported")

    def _still_missing(self) -> str:
        missing = self.missing() if self._is_gathering else ()
        return f"; waiting for {', '.join(missing)}" if missing else ""

    def _report_refusal(self, peer: str, sentence: str) -> None:
        """Report each address and reason once, up to a limit, so that strangers cannot fill the screen.

        Sentences that differ only in their numbers count as one reason.
        """
        address = network_of(peer.rpartition(":")[0].strip("[]"))
        reason = (address, _NUMBER.sub("0", sentence))
        if reason in self._refusals or len(self._refusals) > MAX_REPORTED:
            return
        if self._refusals_of[address] == MAX_REPORTED_OF_ADDRESS:
            return
        self._refusals_of[address] += 1
        self._refusals.add(reason)
        self._report(f"{peer} was turned away: {sentence}" if len(self._refusals) <= MAX_REPORTED else TOO_MANY)
