"""The reports about a table in play from the process that plays it. Picklable values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bowerbird.harness.records.values.game_record import FaultRecord

GONE = "gone"
"""The end of a watched table that will be played again: its process was lost, or the run was interrupted."""


class LiveAction(NamedTuple):
    """An action at a watched table: "seat token" as in a record, the time charged, and True if the referee made it."""

    text: str
    ms: int
    forced: bool
    substituted: bool


@dataclass(frozen=True, slots=True)
class LiveAsked:
    """A seat that was asked for a decision: its time limit, bank included, and when it was asked (monotonic clock)."""

    seat: int
    limit_ms: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class LiveEnd:
    """How a watched table ended: as in the game's record, or "void" or GONE."""

    ended: str
    winners: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveSteps:
    """The events at a watched table since the previous value, in order.

    game: the id of its game.
    faults: without details, which can name a card. The place of each fault is that of the action it precedes.
    asked: the seat that was asked since then; None if none was.
    end: None while the game is in play.
    """

    game: str
    actions: tuple[LiveAction, ...] = ()
    faults: tuple[FaultRecord, ...] = ()
    asked: LiveAsked | None = None
    end: LiveEnd | None = None
