"""The updates of a run for spectators, as plain values (`watch.proto`). Frames come from `records.replay.frames`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.harness.records.replay.frames import Frame


@dataclass(frozen=True, slots=True)
class BotInfo:
    """A bot of a run."""

    name: str
    version: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run that is being played.

    sets_total: the number of its deal sets; `sets_bound` is "exactly", "at least" or "at most".
    shows_tables: whether tables in play are shown card by card; `why_hidden` is a sentence; "" if they are.
    round: the title of the round in play; "" in a tournament of one round.
    """

    id: str
    name: str
    bots: tuple[BotInfo, ...]
    variants: tuple[str, ...]
    sets_stored: int
    sets_total: int
    sets_bound: str
    games_played: int
    packs: str
    shows_tables: bool
    why_hidden: str = ""
    round: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's rating of record so far, and its games. `scope` is a variant, or "" for all variants together.

    rank: from 1; bots with equal ranks are not told apart.
    low, high: the ends of the 95% interval; None if infinite.
    """

    scope: str
    bot: str
    elo: float
    games: int
    rank: int = 0
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Standings:
    """The ratings after `sets` deal sets. `is_open` tells whether the overall order may still change."""

    sets: int
    standings: tuple[Standing, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ClockInfo:
    """The clock of a table, in ms. `game_ms` limits all decisions of a seat together; 0 means no limit."""

    per_decision_ms: int
    bank_ms: int
    increment_ms: int
    game_ms: int


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table in play: its game's id, variant and options, its bots by seat, the hand in play and the scores before it.

    is_shown: whether it is shown card by card.
    """

    game: str
    variant: str
    options: Mapping[str, str]
    seats: tuple[BotInfo, ...]
    hand: int
    scores: tuple[int, ...]
    is_shown: bool
    clock: ClockInfo


@dataclass(frozen=True, slots=True)
class Thinking:
    """A seat that was asked `elapsed_ms` ago and has `limit_ms`, including its bank. None: a seat decides in secret."""

    seat: int | None
    elapsed_ms: int
    limit_ms: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The number of updates that a slow spectator has lost before the next one."""

    updates: int


@dataclass(frozen=True, slots=True)
class TableEnded:
    """The end of a table: `ended` is as in a record, "void", or "gone" if its game is played again."""

    ended: str
    winners: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()


TableUpdate = TableInfo | Frame | Thinking | Lost | TableEnded
"""An update of a table: `TableInfo` first, `TableEnded` last."""


@dataclass(frozen=True, slots=True, order=True)
class DealSet:
    """A deal set: variant entry, line-up, number."""

    entry: str
    lineup: str
    number: int


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """The result of a game. Scores, ranks from 1, and bots are by seat; `offenders` are the seats at fault."""

    game: str
    scores: tuple[int, ...]
    offenders: tuple[int, ...]
    ranks: tuple[int, ...]
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetFinished:
    """A deal set that is now complete and stored, as one of `sets_stored`."""

    set: DealSet
    games: tuple[GameOutcome, ...]
    sets_stored: int


@dataclass(frozen=True, slots=True)
class SetVoided:
    """A deal set without a result. `is_left_out`: it is not replayed."""

    set: DealSet
    bots: tuple[str, ...]
    why: str
    is_left_out: bool


@dataclass(frozen=True, slots=True)
class BotFailed:
    """A fault of a bot at a table."""

    game: str
    bot: str
    kind: str


@dataclass(frozen=True, slots=True)
class GamesOpened:
    """Deal sets whose packs are now open, so that their games can be read."""

    sets: tuple[DealSet, ...]


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """A round that has begun."""

    title: str


@dataclass(frozen=True, slots=True)
class RunOver:
    """The end of a run. `reason` is why it ended early; "" if everything was played."""

    reason: str = ""
    is_complete: bool = True


RunUpdate = RunInfo | SetFinished | SetVoided | BotFailed | GamesOpened | Standings | RoundBegan | Lost | RunOver
"""An update of a run: `RunInfo` first, `RunOver` last."""
