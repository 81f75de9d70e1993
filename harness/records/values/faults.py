"""Kinds of fault, policies for them, and diagnostics of faults that are not in records. Pure values.

A record is the same, byte for byte, in every run with the same seed. Exit status, output and the number of games lost
in one crash differ between runs. They are therefore stored beside the records, never in them (faults.md, What is kept
of a fault).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ILLEGAL = "ILLEGAL"
TIMEOUT = "TIMEOUT"
DISCONNECTED = "DISCONNECTED"
CRASHED = "CRASHED"
PROTOCOL = "PROTOCOL"
RESIGNED = "RESIGNED"
NEVER_STARTED = "NEVER_STARTED"

FAULT_KINDS = (ILLEGAL, TIMEOUT, DISCONNECTED, CRASHED, PROTOCOL, RESIGNED, NEVER_STARTED)
"""Every kind of fault, in the order of its columns in standings (protocol.md, Faults at a table)."""

FORFEIT = "forfeit"
"""Policy: a fault ends the game, and the offender's side is last. Such a game has the same word as `ended`."""

SUBSTITUTE = "substitute"
"""Policy: the referee plays for the seat from then on, uniformly at random, from the run's seed."""

POLICIES = (FORFEIT, SUBSTITUTE)

STILL_RUNNING = "still running"
"""`FaultStory.how_ended` of a process that was still alive when its fault was reported."""

STDERR_LENGTH = 2048
"""The number of characters from the end of stderr that a story keeps. The log has more."""

LAST_LINES = 12
"""The most lines of stderr to show: a Python traceback three calls deep has up to eleven."""

NO_LOG = "not here: logs stay where a run was played, and are not in archives"
"""The text shown instead of the path of a log that does not exist here."""


@dataclass(frozen=True, slots=True)
class FaultStory:
    """Diagnostics of one seat's fault in one game. `game` and `seat` identify the fault, since a seat fails once.

    `legal` are the tokens from which the seat could choose (empty if no decision was open). `how_ended` is the end of
    its process: "exit status 3", "signal 9 (SIGKILL)", "still running", or "" if there was none. `stderr` is the end of
    its stderr, raw. `log` is the path of the full log, "" if nothing was written. The referee gives an absolute path;
    the store gives one relative to the database's folder if the log is below that folder.
    """

    game: str
    seat: int
    bot: str
    legal: tuple[str, ...]
    how_ended: str
    stderr: str
    log: str


WITHDRAWN_DETAIL = "withdrawn: "
"""The beginning of a fault's detail in a game that was not played because the bot had been withdrawn."""


def last_lines(stderr: str) -> list[str]:
    """Return the last `LAST_LINES` lines of `stderr` that contain a visible character, raw."""
    seen = [line for line in stderr.splitlines() if any(sign.isprintable() and sign != " " for sign in line)]
    return seen[-LAST_LINES:]


@dataclass(frozen=True, slots=True)
class Incident:
    """One failure of a bot. It counts once against `max_faults` or `max_restarts`, even if it affects several games.

    `name` is unique in its run: "GAME/SEAT" of the first affected seat, or random if no seat is affected. A lost game
        that is played again therefore leads to the same incident. In the `k`-th replacement of a void deal set the name
        is "GAME/SEAT//k", because that is another game with the same id. `instance` is the number of the process
        (protocol.md, Instances). `games` are the ids of the games that it affected.
    """

    name: str
    bot: str
    instance: int
    kind: str
    detail: str
    games: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conduct:
    """The failures of a run's bots so far.

    `incidents` are in order of occurrence. `withdrawn` maps each bot that is out of the run to the kind and detail of
    the fault recorded in its games. `appeared` are the bots that were ready to play at least once.
    """

    incidents: tuple[Incident, ...] = ()
    withdrawn: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    appeared: frozenset[str] = frozenset()
