"""Inputs of the referee: bots, tables and jobs as plain, picklable values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue, TimeControl
from bowerbird.harness.wire import INT32

OPTION_NUMBERS = INT32
"""The integers allowed as the value of an option. Messages can carry no others."""

MAX_PROCESSES = 16
"""How many bot processes may be alive at once, unless the tournament file sets another number."""

KEPT_PROCESSES = 64
"""How many may stay alive while half of the memory is free, unless the tournament file says how many at all."""

MAX_SHARE = 0.5
"""The share of all thinking time above which a bot's games are put last."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot as described by its bot.toml, resolved (bot-file.md).

    name: the name under which it is entered. command: ready to exec, with placeholders filled in. cwd: absolute.
        environment: the variables added to the clean environment of every bot. variants: names, or "*". tables: how
        many it can play at once.
    fingerprint: "sha256:..." of the files in its folder and of `files`, further files and folders that belong to it.
    read: files and folders that it may read. remote: whether it runs elsewhere and dials in. If so, it has no command,
        `source` is the tournament file that names it, and its fingerprint is REMOTE. private: further variables, from
        the run and not from its bot.toml. Like the variables of its seat, they appear in no command line. asks_network:
        the host and port that its bot.toml requests. network: the host and port that the run grants it; "" for none.
        secrets: names of this process's variables that are passed on to it. time: its own clock in the run; None for
        the clock of all bots.
    """

    name: str
    version: str
    author: str
    command: tuple[str, ...]
    cwd: Path
    build: tuple[str, ...]
    environment: Mapping[str, str]
    variants: tuple[str, ...]
    tables: int
    memory_mb: int
    read: tuple[Path, ...]
    source: Path
    fingerprint: str
    remote: bool = False
    files: tuple[Path, ...] = ()
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    asks_network: str = ""
    network: str = ""
    secrets: tuple[str, ...] = ()
    time: TimeControl | None = None


@dataclass(frozen=True, slots=True)
class FaultLimits:
    """How many faults of one bot a run tolerates (protocol.md, Faults at a table).

    max_restarts: how often an instance gets a new process after one that crashed, left, violated the protocol or did
        not start.
    max_faults: how many incidents the bot may cause in a run before it is withdrawn.
    reconnect_ms: the minimum time for which a disconnected remote bot keeps its seats while it has no open decision
        (the clock limits an open one). It is longer than it takes to notice a broken connection (seat.proto,
        Keepalive).
    """

    max_restarts: int = 3
    max_faults: int = 5
    reconnect_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """The key of one process of a bot; the processes that replace it have the same key (protocol.md, Instances).

    The creator of the keys guarantees that no table seats a key twice and that no key sees a pack twice, unless the run
    is `shared`.
    """

    bot: str
    number: int


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """A seat of a table: the entrant and the process that plays it."""

    bot: str
    instance: InstanceKey


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One game to be played. `options` are resolved; `entry` and `set_number` are the pack's stream fields.

    `on_fault` is the fault policy of this table, forfeit or substitute; "" means the policy of the run's conditions. It
    belongs to the table because its default depends on the variant (protocol.md, Faults at a table). The record
    contains it.
    """

    game_id: str
    variant: str
    options: Mapping[str, OptionValue]
    entry: str
    set_number: int
    rotation: int
    seed: bytes = field(repr=False)  # an error message about a table must not reveal its cards
    commitment: str
    seats: tuple[SeatSpec, ...]
    on_fault: str = ""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table in play: the number of the hand and the scores by seat before it."""

    spec: TableSpec
    hand: int
    scores: tuple[int, ...]


class TableJob(Protocol):
    """A job, as the referee sees it: tables, created on demand, and the processes that they need."""

    @property
    def processes(self) -> Collection[InstanceKey]:
        """The distinct processes, in the order in which they are needed."""

    def tables(self) -> Sequence[TableSpec]:
        """Return the tables in the order in which they begin."""


@dataclass(frozen=True, slots=True)
class ListedTables:
    """A job whose tables exist from the beginning."""

    specs: tuple[TableSpec, ...]

    @property
    def processes(self) -> Collection[InstanceKey]:
        """See `TableJob`."""
        return tuple(dict.fromkeys(seat.instance for spec in self.specs for seat in spec.seats))

    def tables(self) -> Sequence[TableSpec]:
        """See `TableJob`."""
        return self.specs


OnGame = Callable[[TableSpec, GameRecord, Annotations], None]
"""Called with a table that has ended, its record, a story for each fault, and the bots' notes."""


@dataclass(frozen=True, slots=True)
class VoidedGame:
    """A game without a result: a process was lost while the host stood still, through nobody's fault (faults.md).

    bots: the distinct bots whose processes were lost, sorted.
    why: one sentence for people, the same in every run: without paths and process ids.
    """

    bots: tuple[str, ...]
    why: str


OnVoid = Callable[[TableSpec, VoidedGame], None]
"""Called with a table whose game was voided. It has no record. Its whole deal set must be replayed with new packs."""
