"""The record of one game as plain values (NOTATION.md, "Record of a game").

The referee makes a `GameRecord` when a table ends; `canonical` writes it as text, `reader` reads it back,
`replay` plays it again through the engine. Nothing here does I/O or knows a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FORMAT = "bowerbird-record/1"

FAULT_KINDS = ("ILLEGAL", "TIMEOUT", "DISCONNECTED", "CRASHED", "PROTOCOL", "RESIGNED", "NEVER_STARTED")
"""Every kind of fault, kept apart on the wire, in records and in standings (PROTOCOL.md, Faults)."""

OptionValue = bool | int | str


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The clock of a run, in whole milliseconds (PROTOCOL.md, Clocks).

    A decision first uses its `per_decision_ms`, then the seat's bank. `increment_ms` is added to the bank at the
    start of each hand. `startup_ms` bounds process start to Ready. `margin_ms` is grace before a timeout is called.
    These two belong to the run, not to a game: NOTATION.md keeps them out of the record, and so they are left out of
    equality, too; a clock that was read back equals the one that was written.
    """

    per_decision_ms: int = 1000
    bank_ms: int = 5000
    increment_ms: int = 0
    startup_ms: int = field(default=20000, compare=False)
    margin_ms: int = field(default=20, compare=False)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what conditions a game was played; part of its record.

    `on_fault` is forfeit or substitute; `isolation` is sandbox, limits or none: what the processes really ran under;
    `instances` is seat, shared or remote.
    """

    on_fault: str
    isolation: str
    instances: str
    time: TimeControl


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """Who sat where: the bot's identity, not its process."""

    bot: str
    version: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand: packs as dealt and every action with the time charged for it.

    `packs` are texts ("As 9d ..."), one for each shuffle of the hand. `actions` are "seat token". `ms` has one entry
    an action. `forced` and `substituted` are indices into `actions`. `scores` is empty for an unfinished hand.
    """

    dealer: int
    packs: tuple[str, ...]
    actions: tuple[str, ...]
    ms: tuple[int, ...]
    forced: tuple[int, ...]
    substituted: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """One fault: which decision was due, what the limit was and what happened instead."""

    hand: int
    action: int
    seat: int
    kind: str
    limit_ms: int
    elapsed_ms: int
    detail: str


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """How the game ended. `games` is empty in variants without RULES.md B4."""

    ended: str
    winners: tuple[int, ...]
    ranks: tuple[int, ...]
    games: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game from the first card to the last, enough to play it again with nothing else."""

    id: str
    engine: str
    rules: str
    variant: str
    options: Mapping[str, OptionValue]
    first_dealer: int
    commitment: str
    conditions: Conditions
    seats: tuple[SeatRecord, ...]
    hands: tuple[HandRecord, ...]
    faults: tuple[FaultRecord, ...]
    result: ResultRecord

    @property
    def scores(self) -> tuple[int, ...]:
        """Scores by seat after the last finished hand; empty when no hand was finished."""
        return next((hand.scores for hand in reversed(self.hands) if hand.scores), ())
