"""What the lobby keeps for one remote bot, and how the referee calls that bot to a seat."""

from __future__ import annotations

import secrets

import trio

from harness.referee.entrance import Abilities, NeverStartedError
from harness.referee.guest import Guest
from harness.referee.launcher import Process
from harness.referee.remote_line import RemoteLine
from harness.referee.server import Ear
from harness.referee.spec import BotSpec, FaultLimits


class Desk:
    """What is kept for one remote bot: its tokens, and its guest while there is one.

    A token is spent when its bot sits down for the first time; one that leaves before may come again with it. There
    are as many as there may be processes (PROTOCOL.md, Faults: max_restarts).
    """

    def __init__(self, bot: BotSpec, limits: FaultLimits) -> None:
        """Fresh tokens, and nobody there."""
        self.bot = bot
        self.tokens = tuple(secrets.token_urlsafe(24) for _ in range(1 + limits.max_restarts))
        self.unused = set(self.tokens)
        self.guest: Guest | None = None
        self._bell = trio.Event()

    def ring(self) -> None:
        """Something has changed for whoever waits here."""
        self._bell.set()

    @property
    def is_manned(self) -> bool:
        """Whether a bot is there that can be seated."""
        return self.guest is not None and self.guest.is_free

    async def wait_for_guest(self) -> Guest:
        """Until a bot is there that can be seated."""
        while self.guest is None or not self.guest.is_free:
            await self._bell.wait()
            self._bell = trio.Event()
        return self.guest


class Call:
    """What the referee has of a remote bot where it would have a process: an `entrance.Visitor` that is waited for."""

    process: Process | None = None

    def __init__(self, desk: Desk, startup_ms: int) -> None:
        """A bot that is to play now."""
        self._desk = desk
        self._startup_ms = startup_ms
        self._guest: Guest | None = None
        self.link: RemoteLine | None = None
        self.gone = trio.Event()
        """Set when it has been seen out."""

    async def come_in(self) -> Abilities:
        """Wait for the bot, at most as long as a process may take to start. Raises NeverStartedError."""
        with trio.move_on_after(self._startup_ms / 1000):
            self._guest = await self._desk.wait_for_guest()
        if self._guest is None:
            raise NeverStartedError(f"did not dial in within {self._startup_ms} ms")
        self.link = self._guest.sit()
        self._desk.unused.discard(self._guest.token)
        return self._guest.abilities

    def listen(self, ear: Ear) -> None:
        """From now on `ear` takes what the bot says."""
        assert self.link is not None
        self.link.listen(ear)

    async def see_out(self, reason: str) -> None:
        """Say Goodbye and end its session. Cancellation does not stop this."""
        with trio.CancelScope(shield=True):
            if self._guest is not None:
                await self._guest.see_out(reason)
        self.gone.set()
