"""The events of a tournament, for a progress display. Frozen values, in the order in which they happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.records.values.game_result import GameResult
from harness.records.values.run import RatingTable, RunHeader, SetKey
from harness.tournament.formats.catalogue import Extent
from harness.tournament.formats.rounds import Outcome, Round


@dataclass(frozen=True, slots=True)
class Building:
    """The start of a bot's build command."""

    bot: str


@dataclass(frozen=True, slots=True)
class AdmissionUpdate:
    """A change among remote bots: one connected, left, returned or was rejected. `line` is a sentence for people."""

    line: str


@dataclass(frozen=True, slots=True)
class IsolationChosen:
    """The isolation tier of the bots.

    remark: a sentence for people, which is shown even if they want no progress; "" for a sandbox.
    shared_files: a sentence about bots whose processes share files in a sandbox; "" if there are none.
    """

    tier: str
    remark: str
    shared_files: str = ""


@dataclass(frozen=True, slots=True)
class HostStoodStill:
    """The end of a long stall of the host: the clocks did not run for `lasted_s` seconds (faults.md)."""

    lasted_s: float


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The start of a run, before its first game. Stored sets and games are not played again."""

    header: RunHeader
    extent: Extent
    sets_stored: int
    games_stored: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The start of a round, before its first game, in a tournament of several rounds."""

    round: Round


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """The end of a game, which counts when its set is saved. `faults` holds (bot, kind) of each fault."""

    game_id: str
    variant: str
    ended: str
    faults: tuple[tuple[str, str], ...]
    games_done: int


@dataclass(frozen=True, slots=True)
class SetSaved:
    """A deal set that is durable now.

    sets_done: how many are durable, including those stored before the run was resumed.
    ratings: incremental Elo after all stored sets, in schedule order.
    results: of its games.
    """

    key: SetKey
    sets_done: int
    ratings: RatingTable
    results: tuple[GameResult, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The end of a run: every set is stored, and the seed (here in hex) is published."""

    header: RunHeader
    seed: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """A run of `sets` deal sets that is complete already: nothing is played."""

    header: RunHeader
    sets: int


TournamentEvent = (
    Building
    | AdmissionUpdate
    | IsolationChosen
    | HostStoodStill
    | RunStarted
    | RoundStarted
    | GamePlayed
    | SetSaved
    | RunEnded
    | NothingLeft
)

Progress = Callable[[TournamentEvent], None]
"""Called with each event."""
