"""The result of a requirement: pass, fail or not reached, and for a failure the evidence for the bot's author."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

STILL_RUNNING = "still running"
"""`Evidence.ended` of a process that is still running."""

_DIFFERENCES = re.compile(r"\([^()]*\)|'[^']*'|\"[^\"]*\"|\d+")
"""The parts of a sentence that may differ between failures of the same cause."""


class Verdict(StrEnum):
    """Whether a requirement holds."""

    PASS = "pass"
    FAIL = "fail"
    NOT_REACHED = "not reached"
    """The requirement could not be checked. This is not a failure of the bot."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What happened on the connection where a requirement failed.

    `messages` are the last ones in both directions, oldest first, one line each. `stdout` and `stderr` are the ends of
    the process's outputs. `ended` is STILL_RUNNING or how the process ended ("exit status 3", "signal 9 (SIGKILL)").
    """

    messages: tuple[str, ...]
    stdout: str
    stderr: str
    ended: str


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """The result of one requirement. `detail` is what the check found, or why it failed or was not reached."""

    number: int
    sentence: str
    verdict: Verdict
    detail: str
    evidence: Evidence | None = None

    @property
    def cause(self) -> str:
        """The key of the failure's cause. Failures with equal keys are reported once.

        For a crash it is the last line that the process wrote, for any other failure the beginning of its detail.
        Numbers, quoted names and parentheses are left out.
        """
        evidence = self.evidence
        if evidence is not None and evidence.ended != STILL_RUNNING and (words := evidence.stderr.split("\n")):
            last = next((line for line in reversed(words) if line.strip()), "")
            if last:
                return _alike(last)
        return _alike(self.detail.split("; ")[0])


class DecisionRule(StrEnum):
    """A rule for answers to decisions. Each rule has its own requirement."""

    ANSWERS = "answers"
    LEGAL = "legal"
    ONCE = "once"


class CheckFailedError(Exception):
    """A requirement does not hold; `args[0]` says why. `rule` is the broken rule if a decision was due."""

    def __init__(self, why: str, rule: DecisionRule = DecisionRule.ANSWERS) -> None:
        """Fail the requirement that is being checked."""
        super().__init__(why)
        self.rule = rule


class NotReachedError(Exception):
    """A requirement cannot be checked here; `args[0]` says why, worded to follow "because"."""


def _alike(sentence: str) -> str:
    return _DIFFERENCES.sub("#", sentence).strip()
