"""The bot in front of a foreign one: turns calls of the SDK into messages, and answers into choices."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol

from bowerbird.bots.bridge import messages
from bowerbird.bots.bridge.messages import EndedError, LateError
from bowerbird.sdk import RESIGN, Bot, BotFailedError, Capabilities, Choice, Decision, HandEnd, Table, TableEnd, run

STARTUP_S = 600.0
"""The longest wait for the first `ready`. The referee's start-up clock (`startup`) is usually far shorter."""

LATER_STARTUP_S = 20.0
"""The longest wait for the `ready` of a player for a further table, while clocks of other tables may run."""

TELL_S = 5.0
"""The time limit for accepting a message that needs no answer."""

LATE_S = 5.0
"""How long to wait for an answer after its clock has run out, until it is useless."""

CLOSE_S = 0.5
"""How long the other side may take to end."""

NOTHING = ""
"""The choice when an answer never came. By then the referee has called it late, and drops it."""


class Line(Protocol):
    """The connection to one foreign player, which plays one table at a time, or several if `is_shared`.

    Deadlines are times of `time.monotonic`. Every method may raise BotFailedError, EndedError or LateError.
    """

    who: str
    """The name of the other side in sentences, such as "the program"."""

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        """Send a message and return the answer. Log `warning` if there is none by `warn_at`."""

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        """Send a message that needs no answer."""

    def close(self, deadline: float) -> None:
        """End the other side, or the connection to it. Never raises."""


class Bridge(Bot):
    """A bot whose decisions a foreign player makes.

    connect: starts or reaches another foreign player.
    is_shared: whether one of them plays all tables.

    Each message of the referee has one decision (`max_batch`), so that each foreign player pays for its own time.
    """

    capabilities = Capabilities(max_batch=1, wants_events=True)

    def __init__(self, name: str, connect: Callable[[], Line], *, is_shared: bool) -> None:
        self.name = name  # type: ignore[misc]  # a class constant of the SDK; each bridge has its own name
        self._connect = connect
        self._is_shared = is_shared
        self._idle: list[Line] = []
        self._at: dict[str, Line] = {}

    def prepare(self) -> None:
        """Start the first foreign player, so that a failure to start comes before the first game."""
        self._idle.append(self._started(STARTUP_S))

    def table_opened(self, table: Table) -> None:
        """Give the table to an idle player, or to a new one."""
        line = self._idle[0] if self._is_shared else self._idle.pop() if self._idle else self._started(LATER_STARTUP_S)
        self._at[table.id] = line
        self._tell(line, messages.table_opened(table))

    def act(self, decision: Decision) -> Choice:
        """Return the foreign player's choice. The referee checks whether it is legal."""
        line = self._at.get(decision.table.id)
        if line is None:
            return NOTHING  # it was late once, and has been ended
        asked = time.monotonic()
        due = asked + decision.remaining_ms / 1000
        late = f"{line.who} has not answered decision {decision.id} after {decision.remaining_ms} ms"
        try:
            data = line.ask(messages.decision(decision), due + LATE_S, due, late)
        except LateError:
            self._give_up(decision.table.id, line)
            return NOTHING
        except EndedError as error:
            self._end_as(error)
        answer = messages.parse_answer(data, decision.id, line.who)
        decision.note = answer.note
        return RESIGN if answer.action is None else answer.action

    def hand_ended(self, table: Table, end: HandEnd) -> None:
        """Pass it on."""
        if line := self._at.get(table.id):
            self._tell(line, messages.hand_ended(table, end))

    def table_closed(self, table: Table, end: TableEnd) -> None:
        """Pass the message on. The player is free for another table."""
        line = self._at.pop(table.id, None)
        if line is None:
            return
        self._tell(line, messages.table_closed(table, end))
        if not self._is_shared:
            self._idle.append(line)

    def close(self) -> None:
        """End all foreign players, within `CLOSE_S` seconds."""
        deadline = time.monotonic() + CLOSE_S
        for line in {*self._idle, *self._at.values()}:
            line.close(deadline)
        self._idle, self._at = [], {}

    def _started(self, patience_s: float) -> Line:
        """Return a new player that is ready. Raises BotFailedError if it is not ready after `patience_s` seconds."""
        line = self._connect()
        until = time.monotonic() + patience_s
        try:
            messages.check_ready(line.ask(messages.hello(), until, until, ""), line.who)
        except BaseException as error:
            line.close(time.monotonic())
            if isinstance(error, EndedError):
                self._end_as(error)
            if isinstance(error, LateError):
                raise BotFailedError(f"{line.who} has not answered hello after {patience_s:.0f} s") from None
            raise
        return line

    def _tell(self, line: Line, message: Mapping[str, object]) -> None:
        try:
            line.tell(message, time.monotonic() + TELL_S)
        except EndedError as error:
            self._end_as(error)

    def _give_up(self, table_id: str, line: Line) -> None:
        """Forget a player that does not answer, unless it plays other tables too."""
        if not self._is_shared:
            del self._at[table_id]
            line.close(time.monotonic())

    def _end_as(self, error: EndedError) -> NoReturn:
        """Print the sentence about the end of the foreign program, and end this process in the same way.

        The referee then sees the same exit status or signal, and the fault is CRASHED or DISCONNECTED, as if the
        program itself were the bot.
        """
        self.close()
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        if error.status >= 0:
            os._exit(error.status)
        number = -error.status
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(128 + number)  # the signal does not end the first process of a namespace


def play(bridge: Bridge) -> NoReturn:
    """Play until the referee says goodbye or ends this process, then end the foreign players."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    try:
        run(bridge)
    finally:
        bridge.close()
