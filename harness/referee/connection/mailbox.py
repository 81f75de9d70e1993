"""Gives sessions their turns to send, and connections their turns to write, in the trio thread.

A referee has one mailbox for all its bots. Input is applied first, by plain calls. Then each session that requested a
turn sends, and then each connection with output writes it. So one message carries all decisions that wait for its bot,
one write carries all messages, and no timer ever holds a message back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import trio

Turn = Callable[[], None]


class Mailbox:
    """A queue of requested calls, made after all tasks that can run now. It is used only in the trio thread."""

    _reschedule: Callable[[trio.lowlevel.Task], None]

    def __init__(self) -> None:
        """Create a mailbox that delivers nothing until `open`. This must not import trio (`prestart`)."""
        self._turns: dict[Turn, None] = {}
        self._flushes: list[Turn] = []
        self._parked: trio.lowlevel.Task | None = None
        """The delivering task, while it waits. It is woken without a system call."""

    def open(self) -> Mailbox:
        """Start to deliver, in this trio run. Return self."""
        import trio

        self._reschedule = trio.lowlevel.reschedule
        trio.lowlevel.spawn_system_task(self._run)
        return self

    def request_turn(self, turn: Turn) -> None:
        """Call `turn` once, however often that is requested in the meantime."""
        self._turns[turn] = None
        self._deliver_soon()

    def request_flush(self, flush: Turn) -> None:
        """Call `flush` after all turns. Do not request it again before that."""
        self._flushes.append(flush)
        self._deliver_soon()

    def _deliver_soon(self) -> None:
        task = self._parked
        if task is not None:
            self._parked = None
            self._reschedule(task)

    async def _run(self) -> None:
        """Deliver each time that `_deliver_soon` wakes this task, until trio ends."""
        import trio

        def give_up(_: object) -> trio.lowlevel.Abort:
            self._parked = None
            return trio.lowlevel.Abort.SUCCEEDED

        while True:
            if self._turns or self._flushes:
                await trio.lowlevel.checkpoint()
            else:
                self._parked = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(give_up)
            self._deliver()

    def _deliver(self) -> None:
        while self._turns:
            turns, self._turns = self._turns, {}
            for turn in turns:
                turn()
        if self._flushes:
            flushes, self._flushes = self._flushes, []
            for flush in flushes:
                flush()
