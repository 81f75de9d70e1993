"""Passes calls from any thread to the trio thread, and gives sessions their turn to send.

A referee has one mailbox for all its bots. It delivers everything that has arrived first; then each session that asked
for a turn sends; then each connection that was given something writes it. So one message carries all decisions that
wait for its bot, one write carries all messages, and no timer ever holds one back.
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

    _reschedule: Callable[[trio.lowlevel.Task], None]

    def __init__(self) -> None:
        """Create a mailbox that keeps calls until `open`. Must not import trio (`prestart`)."""
        self._wake: Callable[[Callable[[], None]], None] = _no_trio_yet
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._turns: dict[Turn, None] = {}
        self._flushes: list[Turn] = []
        self._is_waking = False
        self._parked: trio.lowlevel.Task | None = None
        """The task that delivers, while it waits. A trio thread that is awake wakes it without a system call."""

    def open(self) -> Mailbox:
        """Deliver calls in this trio thread from now on, those that wait first. Return self."""
        import trio

        self.token = trio.lowlevel.current_trio_token()
        self._wake = self.token.run_sync_soon
        self._is_waking = True
        self._wake(self._deliver)
        self._reschedule = trio.lowlevel.reschedule
        trio.lowlevel.spawn_system_task(self._deliver_from_trio)
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
        self._deliver_soon()

    def request_flush(self, flush: Turn) -> None:
        """Call `flush` after all turns. Call this from the trio thread only, and once until it is called."""
        self._flushes.append(flush)
        self._deliver_soon()

    @property
    def waiting(self) -> int:
        """How many calls wait to be delivered."""
        return len(self._calls)

    def _deliver_soon(self) -> None:
        """Deliver after all tasks that can run now. Called in the trio thread."""
        task = self._parked
        if task is None or self._is_waking:
            self._ensure_delivery()
            return
        self._is_waking = True
        self._parked = None
        self._reschedule(task)

    async def _deliver_from_trio(self) -> None:
        """Deliver each time that `_deliver_soon` wakes this task, until trio ends."""
        import trio

        def give_up(_: object) -> trio.lowlevel.Abort:
            self._parked = None
            return trio.lowlevel.Abort.SUCCEEDED

        while True:
            self._parked = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(give_up)
            self._deliver()

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
        if self._flushes:
            flushes, self._flushes = self._flushes, []
            for flush in flushes:
                flush()
        self._is_waking = False
        if self._calls or self._turns or self._flushes:
            self._ensure_delivery()


def _no_trio_yet(deliver: Callable[[], None]) -> None:
    """Do nothing: `Mailbox.open` delivers what waits."""
