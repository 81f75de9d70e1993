"""The budget of a searching bot for one decision: a limit in time and in worlds."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SHARE_OF_BUDGET = 0.6
"""The maximum share of the referee's budget to use. The rest covers transport and delays."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit for each decision.

    Attributes:
        seconds: the time for a decision.
        worlds: the number of worlds, or iterations, for a decision. If they run out before the time does, the choice
            follows from the seed.
    """

    seconds: float = 0.05
    worlds: int = 400

    def start(self, budget_ms: int, now: Callable[[], float] = time.monotonic) -> Clock:
        """Start the clock of a decision. `budget_ms` is the referee's time for it before the bank is used."""
        return Clock(now() + min(self.seconds, SHARE_OF_BUDGET * budget_ms / 1000.0), self.worlds, now)


class Clock:
    """The running limit of one decision."""

    __slots__ = ("_deadline", "_now", "_worlds_left")

    def __init__(self, deadline: float, worlds: int, now: Callable[[], float]) -> None:
        """Allow `worlds` worlds until `now` returns `deadline`."""
        self._deadline = deadline
        self._worlds_left = worlds
        self._now = now

    def next_world(self) -> bool:
        """Count one more world. Return whether the limit allows it."""
        self._worlds_left -= 1
        return self._worlds_left >= 0 and self._now() < self._deadline


def budget_from(arguments: Sequence[str], program: str) -> Budget:
    """Parse the budget from command-line arguments. Ends the program with a usage line if they are wrong."""
    default = Budget()
    parser = argparse.ArgumentParser(prog=program, description="A bot that searches; bowerbird starts it.")
    parser.add_argument("--seconds", type=_seconds, default=default.seconds, help="for one decision (%(default)s)")
    parser.add_argument(
        "--worlds", type=_count, default=default.worlds, help="looked at for one decision (%(default)s)"
    )
    asked = parser.parse_args(arguments)
    return Budget(asked.seconds, asked.worlds)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.0 < value < 3600.0:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0 (got {text})")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1 (got {text})")
    return value
