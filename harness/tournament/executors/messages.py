"""What a pool and its workers say to each other. Picklable values."""

from __future__ import annotations

from dataclasses import dataclass

from harness.records.record import GameRecord
from harness.records.story import FaultStory
from harness.referee.docket import Entry
from harness.referee.roster import BotStory
from harness.referee.spec import InstanceKey, TableSpec


@dataclass(frozen=True, slots=True)
class CallRoll:
    """To a worker: start one process of each bot, and those of `soon` (`Executor.roll_call`)."""

    soon: frozenset[InstanceKey]


@dataclass(frozen=True, slots=True)
class RollCalled:
    """From a worker: the bots that did not get as far as Ready."""

    absent: tuple[BotStory, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """To a worker: play these tables."""

    tables: tuple[TableSpec, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """From a worker: the table at this place of its block has ended."""

    place: int
    record: GameRecord
    stories: tuple[FaultStory, ...]


@dataclass(frozen=True, slots=True)
class Entered:
    """From a worker, and to the others: what was entered on its docket. It comes before the games that it hit."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class BlockPlayed:
    """From a worker: every table of its block has ended."""


@dataclass(frozen=True, slots=True)
class Broken:
    """From a worker, its last word: a defect of ours ended it."""

    traceback: str
