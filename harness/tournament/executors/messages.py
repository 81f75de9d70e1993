"""The messages between a pool and its workers, as picklable values.

The pool sends a `RefereeSetup` first, then requests (`RollCallRequest`, `PlayChunk`). The worker ends its answer to
each with `RollCallReply` or `ChunkPlayed`. It accepts a second chunk while it plays the first, and begins it once all
tables of the first have begun. At any time, either side may send `LedgerUpdate`, and a worker `StallEnded`. For
spectators the pool sends `ListOpenTables` and `WatchTable`; `OpenTables` and `StepsPlayed` come back.
"""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.fault_ledger import LedgerEntry
from bowerbird.harness.referee.host.stall_log import Stall
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import InstanceKey, OpenTable, TableSpec, VoidedGame


@dataclass(frozen=True, slots=True)
class RollCallRequest:
    """To a worker: start one process of each bot, and the processes `soon` (`Executor.roll_call`)."""

    soon: frozenset[InstanceKey]


@dataclass(frozen=True, slots=True)
class RollCallReply:
    """From a worker: the bots that did not become ready."""

    absent: tuple[BotStory, ...]


@dataclass(frozen=True, slots=True)
class PlayChunk:
    """To a worker: play these tables. `number` distinguishes chunks that it has at the same time."""

    tables: tuple[TableSpec, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class GameEnded:
    """From a worker: the game at table `index` of a chunk has ended."""

    chunk: int
    index: int
    record: GameRecord
    annotations: Annotations


@dataclass(frozen=True, slots=True)
class GameVoided:
    """From a worker: the game at table `index` of a chunk has no result (`spec.VoidedGame`)."""

    chunk: int
    index: int
    voided: VoidedGame


@dataclass(frozen=True, slots=True)
class ChunkPlayed:
    """From a worker: every game of a chunk has ended or was voided."""

    chunk: int


@dataclass(frozen=True, slots=True)
class LedgerUpdate:
    """From a worker, and passed on to the others: a new entry in its ledger.

    It comes before the games that it affects.
    """

    entry: LedgerEntry


@dataclass(frozen=True, slots=True)
class StallEnded:
    """From a worker: the host stood still. People are told."""

    stall: Stall


@dataclass(frozen=True, slots=True)
class ListOpenTables:
    """To a worker: which tables are in play? The answer repeats `number`."""

    number: int


@dataclass(frozen=True, slots=True)
class OpenTables:
    """From a worker: the tables in play."""

    number: int
    tables: tuple[OpenTable, ...]


@dataclass(frozen=True, slots=True)
class WatchTable:
    """To a worker: report what happens at the table of a game from its first card on, or stop reporting."""

    game: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class StepsPlayed:
    """From a worker: what has happened at a watched table. The end of each table is reported once."""

    steps: LiveSteps


@dataclass(frozen=True, slots=True)
class SupervisorEnded:
    """From a worker, as its last message: its supervisor process was killed, so it can no longer start bots.

    Another worker can.
    """


@dataclass(frozen=True, slots=True)
class WorkerFailed:
    """From a worker, as its last message: it ended because of a defect in the harness."""

    traceback: str
