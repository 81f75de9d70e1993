"""What is said of a sentence: pass, fail or not reached, and for a failure all that its author needs to see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a sentence stands."""

    PASS = "pass"
    FAIL = "fail"
    NOT_REACHED = "not reached"
    """It could not be tried: nothing is said against the bot."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What happened on the connection on which a sentence failed.

    `messages` are the last ones in both directions, oldest first, one line each; `stdout` and `stderr` the end of what
    the process wrote; `ended` how it ended ("exit status 3", "signal 9 (SIGKILL)"), or "still running".
    """

    messages: tuple[str, ...]
    stdout: str
    stderr: str
    ended: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """One sentence, tried. `detail` says what was found, or why it failed or was not tried."""

    number: int
    sentence: str
    verdict: Outcome
    detail: str
    evidence: Evidence | None = None


class Law(StrEnum):
    """Which promise about a decision was broken; each has a sentence of its own."""

    ANSWERS = "answers"
    LEGAL = "legal"
    ONCE = "once"


class FailedError(Exception):
    """The sentence that is being tried does not hold; `args[0]` says why, in words."""

    def __init__(self, why: str, law: Law = Law.ANSWERS) -> None:
        """`law` matters only for decisions."""
        super().__init__(why)
        self.law = law


class NotTriedError(Exception):
    """The sentence cannot be tried here and now; `args[0]` says why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the check waits, in seconds; a bot that is merely slow should not fail for it.

    `startup` until Ready, as in a run's [time]; `answer` for anything that was asked of it; `exit` for the end of the
    process; `variant` for all the games of one variant: what was not played by then is not held against the bot.
    """

    startup: float = 20.0
    answer: float = 10.0
    exit: float = 5.0
    variant: float = 15.0


def counted(number: int, what: str) -> str:
    """ "1 table", "8 tables"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
