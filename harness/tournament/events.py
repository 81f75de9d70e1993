"""What a tournament says while it runs, for whoever shows progress. Frozen values, in the order of their happening."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.records.rows import GameResult
from harness.records.run import RatingTable, RunHeader, SetKey
from harness.tournament.formats import Extent
from harness.tournament.rounds import Outcome, Round


@dataclass(frozen=True, slots=True)
class Building:
    """A bot's build command has been started."""

    bot: str


@dataclass(frozen=True, slots=True)
class LobbyNews:
    """A remote bot has come, gone or come back, or somebody was turned away: one line for people."""

    line: str


@dataclass(frozen=True, slots=True)
class IsolationChosen:
    """The tier that the bots run under. `remark` is a sentence where it is not a sandbox, else ""."""

    tier: str
    remark: str


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run is stored and its first game is about to be played. `stored` sets and games are left out as played."""

    header: RunHeader
    extent: Extent
    sets_stored: int
    games_stored: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The first game of a round is about to be played, in a tournament that has more than one."""

    round: Round


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A table has ended. Its game counts when its set is saved. `faults` are (bot, kind)."""

    game_id: str
    variant: str
    ended: str
    faults: tuple[tuple[str, str], ...]
    games_done: int


@dataclass(frozen=True, slots=True)
class SetSaved:
    """A deal set is durable. `ratings` is incremental Elo after all sets that are stored, in the schedule's order.

    `results` are those of its games.
    """

    key: SetKey
    sets_done: int
    ratings: RatingTable
    results: tuple[GameResult, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEnded:
    """Every set is stored and the seed is published."""

    header: RunHeader
    seed: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """The run was complete before; `sets` deal sets are stored and nothing is played."""

    header: RunHeader
    sets: int


Event = (
    Building | LobbyNews | IsolationChosen | RunStarted | RoundStarted | GamePlayed | SetSaved | RunEnded | NothingLeft
)

Progress = Callable[[Event], None]
"""Takes each event as it happens."""
