"""Passes calls from any thread to the trio thread, and gives sessions their turn to send.

A referee has one mailbox for all its bots. It delivers everything that has arrived first; then each session that asked
for a turn sends. So one message carries all decisions that wait for its bot, and no timer ever holds one back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import trio

Turn = Callable[[], None]


class MailboxClosedError(RuntimeError):
    """The trio thread has ended; the call will not be made."""


class Mailbox:
    """Carries calls from any thread into the trio thread that opened it, in order.

    `trio.from_thread` would wake the trio thread for each call. Here one wake-up delivers all calls that wait.
    """

    token: trio.lowlevel.TrioToken
    """Trio's token, set by `open`."""

    def __init__(self) -> None:
        """Create a mailbox that keeps calls until `open`. Must not import trio (`prestart`)."""
        self._wake: Callable[[Callable[[], None]], None] = _no_trio_yet
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._turns: dict[Turn, None] = {}
        self._is_waking = False

    def open(self) -> Mailbox:
        """Deliver calls in this trio thread from now on, those that wait first. Return self."""
        import trio

        self.token = trio.lowlevel.current_trio_token()
        self._wake = self.token.run_sync_soon
        self._is_waking = True
        self._wake(self._deliver)
        return self

    def put(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Call `callback(*arguments)` in the trio thread, soon and in order. May be called from any thread.

        Raises MailboxClosedError when trio has ended.
        """
        self._calls.append((callback, arguments))
        self._ensure_delivery()

    def request_turn(self, turn: Turn) -> None:
        """Call `turn` once, after all calls that wait are delivered. Call this from the trio thread only."""
        self._turns[turn] = None
        self._ensure_delivery()

    @property
    def waiting(self) -> int:
        """How many calls wait to be delivered."""
        return len(self._calls)

    def _ensure_delivery(self) -> None:
        if not self._is_waking:
            self._is_waking = True
            try:
                self._wake(self._deliver)
            except RuntimeError as error:  # trio.RunFinishedError: a token raises no other
                raise MailboxClosedError from error

    def _deliver(self) -> None:
        """Deliver the calls that wait now and no later ones: a bot that never stops sending must not block trio."""
        for _ in range(len(self._calls)):
            callback, arguments = self._calls.popleft()
            callback(*arguments)
        while self._turns:
            turns, self._turns = self._turns, {}
            for turn in turns:
                turn()
        self._is_waking = False
        if self._calls:
            self._ensure_delivery()


def _no_trio_yet(deliver: Callable[[], None]) -> None:
    """Do nothing: `Mailbox.open` delivers what waits."""
