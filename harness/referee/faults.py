"""The kinds of fault and the two policies for them (PROTOCOL.md, Faults at a table)."""

from __future__ import annotations

from dataclasses import dataclass

ILLEGAL = "ILLEGAL"
TIMEOUT = "TIMEOUT"
DISCONNECTED = "DISCONNECTED"
CRASHED = "CRASHED"
PROTOCOL = "PROTOCOL"
RESIGNED = "RESIGNED"
NEVER_STARTED = "NEVER_STARTED"

FORFEIT = "forfeit"
"""The game ends; the offender's side is last."""

SUBSTITUTE = "substitute"
"""The seat is played on by the referee, uniformly at random from a seed that is in the record."""

POLICIES = (FORFEIT, SUBSTITUTE)

WITHDRAWN = "withdrawn"
"""How a game "ended" that was not played, because a bot had been taken out of the run."""

RESTARTED_AFTER = frozenset({DISCONNECTED, CRASHED, PROTOCOL})
"""Faults that cost a process its life, and its instance one of its restarts."""

ENDED_AFTER = RESTARTED_AFTER | {NEVER_STARTED}
"""Faults after which there is no process any more, or soon will not be."""

DETAIL_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """What a seat did wrong. It lands at the seat's next decision that is due.

    `detail` is one line that is the same in every run of one seed: an exit status, a signal, a token that was sent;
    never a process id, a path or what a bot printed. `limit_ms` and `elapsed_ms` are 0 where no clock was running.
    """

    kind: str
    detail: str
    limit_ms: int = 0
    elapsed_ms: int = 0


def one_line(text: str) -> str:
    """`text` as a detail may hold it: one line of printable characters, at most 200 of them."""
    line = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return line if len(line) <= DETAIL_LENGTH else line[: DETAIL_LENGTH - 1] + "…"
