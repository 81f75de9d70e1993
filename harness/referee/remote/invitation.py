"""An invited bot: its tokens, the sessions of its processes, and its role in the run."""

from __future__ import annotations

import secrets

import trio

from bowerbird.harness.referee.connection.exit_cause import REMOTE
from bowerbird.harness.referee.connection.participant import Capabilities, NeverStartedError
from bowerbird.harness.referee.connection.seat_door import USED_TOKEN
from bowerbird.harness.referee.connection.stream import Listener
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.process.supervisor import Process
from bowerbird.harness.referee.remote.remote_session import RemoteSession
from bowerbird.harness.referee.remote.resumable_connection import TAKEN_OVER, ResumableConnection
from bowerbird.harness.referee.spec import BotSpec, FaultLimits

IN_USE = "a process with this token is already connected; start each process with a token of its own"


class Invitation:
    """The tokens and any sessions of one remote bot.

    session: the session that plays now or will play next. reserves: further processes of the bot, in the order of their
        arrival; only with standing tokens.

    Without standing tokens, a token is used up when its bot is first seated; a bot that leaves before that may use it
    again. There are as many tokens as there may be processes (protocol.md, Faults at a table: max_restarts).
    """

    def __init__(self, bot: BotSpec, limits: FaultLimits, standing: tuple[str, ...] = ()) -> None:
        """Draw fresh tokens, unless there are `standing` ones, which are never used up and are each for one process."""
        self.bot = bot
        self.is_standing = bool(standing)
        self.tokens = standing or tuple(secrets.token_urlsafe(24) for _ in range(1 + limits.max_restarts))
        self.unused = set(self.tokens)
        self.session: RemoteSession | None = None
        self.reserves: list[RemoteSession] = []
        self._changed = trio.Event()

    def notify(self) -> None:
        """Wake `wait_for_session`, since the session has changed."""
        self._changed.set()

    @property
    def sessions(self) -> tuple[RemoteSession, ...]:
        """All its sessions, starting with the one that plays."""
        return (*((self.session,) if self.session is not None else ()), *self.reserves)

    @property
    def processes(self) -> int:
        """How many processes of the bot may be connected at once."""
        return len(self.tokens) if self.is_standing else 1

    @property
    def has_free_session(self) -> bool:
        """Whether the bot is connected and can be seated."""
        return self.session is not None and self.session.is_free

    def owner_of(self, token: str) -> str:
        """Return the name under which connections with this token are counted: the bot's, plus any process."""
        return f"{self.bot.name}/{self.tokens.index(token)}" if self.is_standing else self.bot.name

    def refusal_of(self, token: str) -> str:
        """Return the reason why this token of the bot admits no process now, or ""."""
        if self.is_standing:
            in_use = any(one.token == token and _stands(one) for one in self.sessions)
            return IN_USE if in_use else ""
        if self.session is not None and _stands(self.session):
            return f"bot {self.bot.name} is already connected, and may have only one connection"
        return "" if token in self.unused else USED_TOKEN

    def add(self, session: RemoteSession) -> None:
        """Add the session of a process that has just been welcomed.

        A session that began with the same token and was not ready ends, since the bot has lost its Welcome. Without
        standing tokens, any other session also ends, since it has lost its stream or was never ready. With standing
        tokens, a session with seats is kept for the new process (`settle`), and one without seats ends if it began with
        the same token.
        """
        if self.is_standing:
            before = next((one for one in self.sessions if one.token == session.token and not one.is_lost), None)
        else:
            before = self.session
        if before is None and self.session is not None:
            self.reserves.append(session)
            return
        if before is None or before is self.session:
            self.session = session
        else:
            self.reserves[self.reserves.index(before)] = session
        if before is None:
            return
        if before.token == session.token and not before.is_decided.is_set():
            session.take_over(before)
        else:
            before.connection.refuse(TAKEN_OVER)

    def remove(self, session: RemoteSession) -> None:
        """Forget a session that is over."""
        if self.session is session:
            self.session = None
        elif session in self.reserves:
            self.reserves.remove(session)

    def settle(self) -> RemoteSession | None:
        """Let a process in reserve play if one is needed. Return its session from the reserve, or None.

        It continues a session that has lost its stream if it has the same capabilities. It gets its own session if no
        other process plays or waits to play.
        """
        if self.session is not None and self.session.is_lost:
            able = self.session.capabilities
            heir = next((one for one in self.reserves if one.is_free and one.capabilities == able), None)
            if heir is not None:
                self.reserves.remove(heir)
                self.session.continue_with(heir)
            return heir
        if self.session is not None and (self.session.is_free or _is_playing(self.session)):
            return None
        first = next((one for one in self.reserves if one.is_free), None)
        if first is not None:
            self.reserves.remove(first)
            if self.session is not None and not self.session.connection.is_over.is_set():
                self.reserves.append(self.session)
            self.session = first
            self.notify()
        return first

    async def wait_for_session(self) -> RemoteSession:
        """Wait until the bot is connected and can be seated."""
        while self.session is None or not self.session.is_free:
            await self._changed.wait()
            self._changed = trio.Event()
        return self.session


def _stands(session: RemoteSession) -> bool:
    """Whether the session has a stream, and its process was ready or refused."""
    return session.connection.is_connected and session.is_decided.is_set()


def _is_playing(session: RemoteSession) -> bool:
    """Whether the session has seats, or may still have them."""
    return session.seated and not session.connection.is_over.is_set()


class RemoteParticipant:
    """A remote bot in play (see `connection.participant.Participant`). It has no process here."""

    exit_policy = REMOTE

    def __init__(self, invitation: Invitation, startup_ms: int, clock: RunningTime) -> None:
        """Create the participant of a bot that is about to play. `clock` measures the time it takes to dial in."""
        self._clock = clock
        self._invitation = invitation
        self._startup_ms = startup_ms
        self._session: RemoteSession | None = None
        self.process: Process | None = None
        self.connection: ResumableConnection | None = None
        self.gone = trio.Event()

    async def join(self) -> Capabilities:
        """Wait for the bot for at most the start-up time of a process. Raises NeverStartedError."""
        self._session = await self._clock.within(self._startup_ms / 1000, self._invitation.wait_for_session)
        if self._session is None:
            raise NeverStartedError(f"did not dial in within {self._startup_ms} ms")
        self.connection = self._session.sit()
        self._invitation.unused.discard(self._session.token)
        return self._session.capabilities

    def listen(self, listener: Listener) -> None:
        """See `Participant`."""
        assert self.connection is not None  # `join` has returned
        self.connection.inbox.attach(listener)

    async def leave(self, reason: str) -> None:
        """Say Goodbye and end the session. Cancellation does not stop this."""
        with trio.CancelScope(shield=True):
            if self._session is not None:
                await self._session.end(reason)
        self.gone.set()
