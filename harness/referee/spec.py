"""What a tournament hands to the referee: who plays, where, with which cards. Pure, picklable values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.records.record import OptionValue
from harness.wire.numbers import NUMBERS

OPTION_NUMBERS = NUMBERS
"""What the value of an option must be among to be told to a bot."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot as its bot.toml describes it, resolved (CLI.md, bot.toml).

    `name` is the name it is entered under. `command` is ready to exec (placeholders filled in); `cwd` is absolute;
    `environment` is added to the clean one. `variants` holds names or "*". `tables` is how many it can play at once.
    `fingerprint` is "sha256:..." of its files: those in its folder, and `files`, further files and folders that it is
    made of; what it only reads there are `read`. A `remote` bot runs elsewhere and dials in: it has no command,
    `source` is the tournament file that names it, and its fingerprint is REMOTE, since its files are not known.
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


@dataclass(frozen=True, slots=True)
class FaultLimits:
    """How much a run bears of one bot (PROTOCOL.md, Faults at a table).

    `max_restarts` is how often an instance gets a fresh process after one that crashed, left or broke the protocol;
    `max_faults` how many incidents the bot may cause in a run before it is withdrawn.
    """

    max_restarts: int = 3
    max_faults: int = 5


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """One process of a bot (PROTOCOL.md, Instances).

    Whoever makes keys guarantees the law: the tables given to one key never seat it twice at a table and never show
    it one pack twice, unless the run is `shared`.
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

    `on_fault` is this table's fault policy, forfeit or substitute; "" takes the one of the run's conditions. It is kept
    here because its default depends on the variant (PROTOCOL.md, Faults), and goes into the record's conditions.
    """

    game_id: str
    variant: str
    options: Mapping[str, OptionValue]
    entry: str
    set_number: int
    rotation: int
    seed: bytes
    commitment: str
    seats: tuple[SeatSpec, ...]
    on_fault: str = ""


class Tables(Protocol):
    """A job as the referee sees it: tables, made when they are wanted, and the processes that they need."""

    @property
    def processes(self) -> Collection[InstanceKey]:
        """Each once, those first that are needed first."""

    def tables(self) -> Sequence[TableSpec]:
        """In the order in which they are to begin."""


@dataclass(frozen=True, slots=True)
class OneJob:
    """Tables that are there already, as a job (`Tables`)."""

    specs: tuple[TableSpec, ...]

    @property
    def processes(self) -> Collection[InstanceKey]:
        """See `Tables`."""
        return tuple(dict.fromkeys(seat.instance for spec in self.specs for seat in spec.seats))

    def tables(self) -> Sequence[TableSpec]:
        """See `Tables`."""
        return self.specs
