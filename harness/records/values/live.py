"""What the process that plays a table tells of it while it is in play. Picklable values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table in play as the process that plays it tells of it: its game, the hand in play, the scores before it."""

    game: str
    hand: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LiveSteps:
    """What has happened at a watched table since the message before, in order. Picklable.

    actions: "seat token" with its ms, whether it was forced and whether substituted.
    faults: (how many actions of the game preceded it, seat, kind, limit in ms, elapsed in ms).
    asked: the seat that thinks now, its limit in ms, and how long ago it was asked; None if no seat was asked.
    ended: how the game ended, its winners and ranks; None while it is in play.
    """

    game: str
    actions: tuple[tuple[str, int, bool, bool], ...] = ()
    faults: tuple[tuple[int, int, str, int, int], ...] = ()
    asked: tuple[int, int, int] | None = None
    ended: tuple[str, tuple[int, ...], tuple[int, ...]] | None = None
