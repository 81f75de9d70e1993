"""How what threads say reaches trio, and when those who heard it may answer.

There is one post in a referee, for all its bots. Whatever has come by then is dealt with first; after that each session
that wants to send takes its turn. So a message carries all that waits for its bot, and a lonely one waits for nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import trio

Turn = Callable[[], None]


class NobodyThereError(RuntimeError):
    """Trio has ended, and nobody hears what is brought."""


class Post:
    """Brings calls from any thread into the trio thread in which it was opened, in order.

    A call of trio's own into its thread wakes it up each time; here one wake-up brings all that has come until then.
    """

    token: trio.lowlevel.TrioToken
    """Trio's, from when it is open."""

    def __init__(self) -> None:
        """Nothing is under way, and what comes is kept until `open`: trio need not be imported yet (`ahead`)."""
        self._wake: Callable[[Callable[[], None]], None] = _not_yet
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._turns: dict[Turn, None] = {}
        self._coming = False

    def open(self) -> Post:
        """Deliver from now on, in the trio thread, which calls this: first what has come already."""
        import trio

        self.token = trio.lowlevel.current_trio_token()
        self._wake = self.token.run_sync_soon
        self._coming = True
        self._wake(self._deliver)
        return self

    def bring(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Have something called in the trio thread, soon and in order; from any thread.

        Raises NobodyThereError when trio has ended.
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
            try:
                self._wake(self._deliver)
            except RuntimeError as error:  # trio.RunFinishedError: a token raises no other
                raise NobodyThereError from error

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


def _not_yet(deliver: Callable[[], None]) -> None:
    """There is no trio to wake; `Post.open` will."""
