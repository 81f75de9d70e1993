"""What is known of a fault beyond its record (ARCHITECTURE.md; issue "every outcome has a story"). Pure values.

A record is equal in every run of one seed, to the byte; how a process really ended and what it wrote is not. So the
story of a fault is kept beside the record of its game and never in it.
"""

from __future__ import annotations

from dataclasses import dataclass

STILL_RUNNING = "still running"
"""How a process "ended" that was alive when its fault was told: a fault at one table does not cost it its life."""

STDERR_LENGTH = 2048
"""How many characters of the end of stderr a story keeps; the log has more."""

LAST_LINES = 12
"""How many lines of that are shown at most: a Python traceback that is three calls deep has up to eleven."""

NO_LOG = "not here: a log stays where its run was played, it is in no archive"
"""What is said of a log that there was, and that is not on this machine (any more)."""


@dataclass(frozen=True, slots=True)
class FaultStory:
    """The story of the fault of one seat in one game; `game` and `seat` name the fault, since a seat fails once.

    `legal` are the tokens between which it was to decide (empty where no decision was open). `how_ended` is the end of
    its process: "exit status 3", "signal 9 (SIGKILL)", "still running", or "" where there was no process to ask.
    `stderr` is the end of what it wrote there, raw. `log` is the path of the full log, "" where nothing was written:
    absolute as the referee tells it, relative to the database's folder (if it is below that) as the store keeps it.
    """

    game: str
    seat: int
    bot: str
    legal: tuple[str, ...]
    how_ended: str
    stderr: str
    log: str


def last_lines(stderr: str) -> list[str]:
    """The lines that are shown of what a process wrote last: raw, without those in which nothing can be seen."""
    seen = [line for line in stderr.splitlines() if any(sign.isprintable() and sign != " " for sign in line)]
    return seen[-LAST_LINES:]
