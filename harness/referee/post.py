"""How what threads say reaches trio, and when those who heard it may answer.

There is one post in a referee, for all its bots. Whatever has come by then is dealt with first; after that each session
that wants to send takes its turn. So a message carries all that waits for its bot, and a lonely one waits for nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import trio

Turn = Callable[[], None]


class Post:
    """Brings calls from any thread into the trio thread in which it was made, in order.

    A call of trio's own into its thread wakes it up each time; here one wake-up brings all that has come until then.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self.token = trio.lowlevel.current_trio_token()
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._turns: dict[Turn, None] = {}
        self._coming = False

    def bring(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Have something called in the trio thread, soon and in order; from any thread.

        Raises trio.RunFinishedError when trio has ended.
        """
        self._calls.append((callback, arguments))
        self._ring()

    def want(self, turn: Turn) -> None:
        """Have `turn` called once when all that has come was dealt with; from the trio thread."""
        self._turns[turn] = None
        self._ring()

    def _ring(self) -> None:
        if not self._coming:
            self._coming = True
            self.token.run_sync_soon(self._deliver)

    def _deliver(self) -> None:
        """Only what has come by now: a bot that never stops talking must not keep trio from everything else."""
        for _ in range(len(self._calls)):
            callback, arguments = self._calls.popleft()
            callback(*arguments)
        while self._turns:
            turns, self._turns = self._turns, {}
            for turn in turns:
                turn()
        self._coming = False
        if self._calls:
            self._ring()
